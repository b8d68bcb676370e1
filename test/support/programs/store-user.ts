/**
 * store-user FOLDER: opens the store and does what its standard input says, a line each:
 * `owner` (says owner or client), `sql …` (says the rows), `hold` (begins a transaction with an insert into held and keeps
 * it open), `serve NAME`, `exit` (leaves without closing), `quit` (closes as its last act), `close`.
 */
import { createInterface } from 'node:readline'
import { openStore } from '../../../src/store/open.ts'

const [folder = ''] = process.argv.slice(2)
const database = await openStore({ dataDir: folder })
const say = (line: string): void => void process.stdout.write(`${line}\n`)
say(database.services?.isOwner() ? 'owner' : 'client')

let last = ''
const input = createInterface({ input: process.stdin })
for await (const line of input) {
  const [word, ...rest] = line.split(' ')
  if (word === 'owner') say(database.services?.isOwner() ? 'owner' : 'client')
  if (word === 'sql') say(JSON.stringify(await database.query(rest.join(' '))))
  if (word === 'serve') {
    database.services?.serve(rest[0] ?? '', async (payload) => ({ pid: process.pid, payload }))
    say('serving')
  }
  if (word === 'hold') {
    void database.transaction(async (tx) => {
      await tx.execute('insert into held values (1)')
      say('holding')
      await new Promise(() => undefined)
    })
  }
  if (word === 'close') {
    await database.close()
    say('closed')
  }
  if (word === 'exit' || word === 'quit') {
    last = word
    break
  }
}
process.stdin.destroy()
if (last === 'quit') await database.close()
