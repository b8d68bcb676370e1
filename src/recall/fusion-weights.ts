import type { Channel } from '../domain/recall.ts'

/** A fusion's weights by feature name; a feature that is not named has weight 0. */
export interface FusionWeights {
  readonly bias: number
  readonly weights: Readonly<Record<string, number>>
}

/**
 * The logistic model of `learned`: probability of relevance = sigmoid(bias + Σ weight · feature). docs/decisions/0006-fusion.md says where
 * the numbers come from. `z_body` and `z_cue` count where a call turns the channels on, as mode `lexical` does.
 */
export const LEARNED_WEIGHTS: FusionWeights = {
  bias: -4.695,
  weights: {
    ...{ z_content: 0.894, z_statement: 0.332, z_question: 0.139, z_concept: 0.139 },
    ...{ z_text: 0.055, z_context: 0.478, z_document: 0.709, z_body: 0.6, z_cue: 0.4 },
    ...{ speaker: 2.342, date: 2.342, when: 1.405 },
    ...{ candidates: -1.057, best_cosine: 5.209, best_match: 0.329 },
  },
}

/**
 * The same where the candidates have questions of the caller or of a model: those then carry most. Trained apart, on recorded output of a
 * strong model; between the two, by the share of candidates that have them.
 */
export const LEARNED_ENRICHED_WEIGHTS: FusionWeights = {
  bias: -4.679,
  weights: {
    ...{ z_content: 0.519, z_statement: 0.62, z_question: 0.488, z_concept: 0.749 },
    ...{ z_text: 0.435, z_context: 0.075, z_document: 0.853, z_body: 0.6, z_cue: 0.8 },
    ...{ speaker: 2.656, date: 2.656, when: 1.594 },
    ...{ candidates: -1.127, best_cosine: 4.692, best_match: 0.677 },
  },
}

/** Features that are alike for all candidates of a question: they make the score of `learned` a probability. */
export const FUSION_BIAS_FEATURES: readonly string[] = ['candidates', 'best_cosine', 'best_match']

/** `standard`: a sum of standardised scores and of the plain features, weights in round numbers. */
export const STANDARD_WEIGHTS: FusionWeights = {
  bias: 0,
  weights: {
    ...{ z_content: 2, z_statement: 0.5, z_question: 0.5, z_concept: 0.5, z_window: 0.5 },
    ...{ z_text: 0.5, z_context: 1, z_document: 0.5, z_body: 1, z_cue: 1, z_entity: 0.5 },
    ...{ speaker: 2, date: 2, when: 1 },
  },
}

/** `standard` where the candidates have questions of the caller or of a model. */
export const STANDARD_ENRICHED_WEIGHTS: FusionWeights = {
  bias: 0,
  weights: {
    ...{ z_content: 1, z_statement: 1, z_question: 1, z_concept: 1, z_window: 0.5 },
    ...{ z_text: 1, z_context: 0.25, z_document: 1.5, z_body: 1, z_cue: 1, z_entity: 0.5 },
    ...{ speaker: 4, date: 4, when: 2 },
  },
}

/** `rrf`: weight of each channel's own list in Σ weight / (60 + rank). `document` has no list. */
export const RRF_WEIGHTS: Readonly<Record<Channel, number>> = {
  ...{ content: 1, window: 1, question: 1, statement: 1, concept: 1 },
  ...{ body: 1, cue: 1, text: 1, context: 1, document: 0, entity: 0.5 },
}
