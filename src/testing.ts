/** What tests, benchmarks and examples need beside the public interface. */

// plain searches to measure recall against
export type { Baselines } from './memory/baselines.ts'
export { baselines } from './memory/baselines.ts'
// what the weights of fusion are trained on, and measured against
export { recallPool } from './memory/recall-pool.ts'
// models that load nothing and call nobody, and give the same vectors and replies everywhere
export type { FakeEmbedder, FakeEmbedderOptions } from './providers/fake/fake-embedder.ts'
export { createFakeEmbedder } from './providers/fake/fake-embedder.ts'
export type { FakeLanguageModel, FakeLanguageModelOptions } from './providers/fake/fake-language-model.ts'
export { createFakeLanguageModel } from './providers/fake/fake-language-model.ts'
export type { CandidatePool, Feature, FeatureColumn } from './recall/features.ts'
export { FEATURES, featureColumns } from './recall/features.ts'
export type { FusionWeights } from './recall/fusion-weights.ts'
export {
  FUSION_BIAS_FEATURES,
  LEARNED_ENRICHED_WEIGHTS,
  LEARNED_WEIGHTS,
  STANDARD_ENRICHED_WEIGHTS,
  STANDARD_WEIGHTS,
} from './recall/fusion-weights.ts'
