/** What a surface needs of the domain before it loads the engine: names to choose from, and the error family. */
export { CUE_ORIGINS } from '../../domain/cue.ts'
export { FORMATS } from '../../domain/document.ts'
export { errorCodeOf } from '../../domain/error-code.ts'
export type { ErrorCode } from '../../domain/errors.ts'
export { isProlepsisError, ProlepsisError } from '../../domain/errors.ts'
export { JOB_KINDS, JOB_STATES } from '../../domain/jobs.ts'
export { CHANNELS, FORMULATOR_CHOICES, FUSIONS, RECALL_MODES } from '../../domain/recall.ts'
export { TRUST_LEVELS } from '../../domain/trust.ts'
