import type { PassedOver } from '../config/trust.ts'
import { ProlepsisError } from '../domain/errors.ts'
import type { EventSink } from '../domain/events.ts'

/**
 * Warns of files and keys of configuration that are not obeyed. A key that would have decided ends it: a memory that is opened elsewhere
 * than its owner thinks is worse than none.
 *
 * @param idle keys that change nothing in this memory
 * @throws ProlepsisError INVALID_CONFIG
 */
export function reportPassedOver(
  passedOver: readonly PassedOver[],
  events: EventSink,
  idle: readonly string[],
): void {
  for (const { path, key, reason, decides } of passedOver) {
    if (key === null) {
      const message = `${path} is passed over: ${reason}.`
      events.emit({ type: 'warning', code: 'CONFIG_PASSED_OVER', message })
    } else if (decides && !idle.includes(key)) {
      throw new ProlepsisError('INVALID_CONFIG', `${key} in ${path} is not obeyed: ${reason}.`, {
        hint: `If you want it, set it in your own configuration folder, as PROLEPSIS_${key.toUpperCase()} or as an option; else remove the line.`,
        details: { path, key },
      })
    }
  }
}
