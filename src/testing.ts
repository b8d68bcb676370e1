/** What tests, benchmarks and examples need beside the public interface. */

// plain searches to measure recall against
export type { Baselines } from './memory/baselines.ts'
export { baselines } from './memory/baselines.ts'
// a model that loads nothing, and gives the same vectors everywhere
export type { FakeEmbedder, FakeEmbedderOptions } from './providers/fake/fake-embedder.ts'
export { createFakeEmbedder } from './providers/fake/fake-embedder.ts'
