import { ProlepsisError } from '../../src/domain/errors.ts'
import type { Database } from '../../src/store/database.ts'

/** The same database, but the answer to every other statement is lost after it was done, as when the owner of the folder ends. */
export function forgetfulDatabase(database: Database): Database {
  let statements = 0
  const forget = <T>(answer: T): T => {
    if (++statements % 2 === 0) return answer
    throw new ProlepsisError('STORE_OWNER_LOST', 'The answer was lost on purpose.', { retryable: true })
  }
  return {
    ...database,
    query: (sql, params, options) => database.query<never>(sql, params, options).then((rows) => forget(rows)),
    execute: (sql, params, options) => database.execute(sql, params, options).then(forget),
  }
}
