import type { Channel } from '../domain/recall.ts'

/** A fusion's weights by feature name; a feature that is not named has weight 0. */
export interface FusionWeights {
  readonly bias: number
  readonly weights: Readonly<Record<string, number>>
}

/**
 * The logistic model of `learned`: probability of relevance = sigmoid(bias + Σ weight · feature). See docs/decisions/0006-fusion.md for
 * where the numbers come from.
 */
export const LEARNED_WEIGHTS: FusionWeights = {
  bias: -4.5,
  weights: {
    ...{ z_content: 0.94, z_statement: 0.28, z_question: 0.27, z_concept: 0.27, z_window: 0 },
    ...{ z_body: 0.89, z_context: 0.89, z_cue: 0.17, z_entity: 0 },
    ...{ same_speaker: 1.61, other_speaker: -1.74 },
    ...{ date_in: 0.5, date_out: -0.5, when_time: 0.3, when_notime: 0 },
  },
}

/** `standard`: a plain sum of standardised scores, with one more for the speaker who was asked for. */
export const STANDARD_WEIGHTS: FusionWeights = {
  bias: 0,
  weights: {
    ...{ z_content: 1, z_window: 1, z_statement: 1, z_question: 1, z_concept: 1 },
    ...{ z_body: 1, z_context: 1, z_cue: 1, same_speaker: 1 },
  },
}

/** `rrf`: weight of each channel's own list in Σ weight / (60 + rank). */
export const RRF_WEIGHTS: Readonly<Record<Channel, number>> = {
  ...{ content: 1, window: 1, question: 1, statement: 1, concept: 1 },
  ...{ body: 1, context: 1, cue: 1, entity: 0.5 },
}
