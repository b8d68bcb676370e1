import type { RerankingModel } from '../reranking-model.ts'
import type { AttemptWorld } from './attempts.ts'
import type { CallPolicy } from './call-policy.ts'
import { withinLimits } from './within-limits.ts'

/** A reranking model that is called over the network, or by a function of the caller's, under the policy of all models. It stays its owner's to close. */
export function limitedReranker(
  model: RerankingModel,
  world: AttemptWorld,
  policy: Pick<CallPolicy, 'attempts' | 'timeoutMs'>,
): RerankingModel {
  const { modelId, maxDocuments } = model
  return {
    modelId,
    maxDocuments,
    rerank: (request) => {
      const options = { modelId, interactive: true, ...policy, signal: request.signal }
      return withinLimits(world, options, (signal) => model.rerank({ ...request, signal }))
    },
    close: () => model.close(),
  }
}
