/**
 * pair-writer FOLDER WRITER COUNT: writes COUNT pairs, each in one transaction, one half by COPY; says `ready`, then the
 * number of every pair that was acknowledged, then `done`. Idempotent: it goes on where the table ends.
 */
import { openStore } from '../../../src/store/open.ts'
import { repeatable } from '../../../src/store/repeat.ts'

const [folder = '', writer = '', count = '0'] = process.argv.slice(2)
const database = await openStore({ dataDir: folder })
await repeatable(database, (store) =>
  store.script(`create table if not exists halves_a (writer text, number int, filler text);
                create table if not exists halves_b (writer text, number int)`),
)
process.stdout.write('ready\n')
const [last] = await database.query<{ last: number | null }>(
  'select max(number) as last from halves_a where writer = $1',
  [writer],
)
const first = (last?.last ?? 0) + 1
for (let number = first; number < first + Number(count); number += 1) {
  await repeatable(database, (store) =>
    store.transaction(async (tx) => {
      const [present] = await tx.query('select 1 from halves_a where writer = $1 and number = $2', [
        writer,
        number,
      ])
      if (present !== undefined) return
      await tx.execute('insert into halves_a values ($1, $2, $3)', [
        writer,
        number,
        'x'.repeat((number * 97) % 2000),
      ])
      await tx.copy(
        'halves_b',
        [
          { name: 'writer', type: 'text' },
          { name: 'number', type: 'int4' },
        ],
        [[writer, number]],
      )
    }),
  )
  process.stdout.write(`${number}\n`)
}
process.stdout.write('done\n')
await database.close()
