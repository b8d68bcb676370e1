import { ProlepsisError } from '../../src/domain/errors.ts'
import type { Database } from '../../src/store/database.ts'

/** The same database, but statements that match fail, as a broken index or a lost table would make them. */
export function failingDatabase(database: Database, fails: (sql: string) => boolean): Database {
  return new Proxy(database, {
    get(target, name, receiver) {
      if (name !== 'query') return Reflect.get(target, name, receiver)
      return (...call: Parameters<Database['query']>) =>
        fails(call[0])
          ? Promise.reject(new ProlepsisError('STORE_FAILED', 'The statement failed on purpose.'))
          : target.query(...call)
    },
  })
}
