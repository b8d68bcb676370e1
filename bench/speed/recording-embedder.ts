import type { EmbeddingModel } from '../../src/index.ts'

export interface RecordingEmbedder extends EmbeddingModel {
  /** Every text that was embedded since the last call of `take`. */
  take(): readonly string[]
}

/** Passes everything on and remembers which texts were embedded, so that the bare model can be timed on the same ones. */
export function recordingEmbedder(model: EmbeddingModel): RecordingEmbedder {
  let texts: string[] = []
  return {
    modelId: model.modelId,
    dimension: model.dimension,
    maxTokens: model.maxTokens,
    countTokens: (text) => model.countTokens(text),
    embed: (batch, options) => {
      texts.push(...batch)
      return model.embed(batch, options)
    },
    close: () => model.close(),
    take: () => {
      const taken = texts
      texts = []
      return taken
    },
  }
}
