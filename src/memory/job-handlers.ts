import type { JobHandlers } from '../jobs/job-handler.ts'
import type { BankOpener } from './bank-opener.ts'
import type { Engine } from './engine.ts'

/** What does the jobs of each kind. Kinds that this memory cannot do stay in line. */
export function jobHandlers(_engine: Engine, _opener: BankOpener): JobHandlers {
  return {}
}
