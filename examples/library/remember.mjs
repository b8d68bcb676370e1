// What a memory does: keeps text, finds it by a question, keeps the past apart from the present, forgets for good.
// Run it after `npm run build`: node examples/library/remember.mjs
import assert from 'node:assert/strict'
import { createMemory } from 'prolepsis'

// `inMemory` vanishes at the end; without options the memory is a folder that stays.
const memory = await createMemory({ inMemory: true })

// retain: verbatim, under a source; the same source again is a new version
await memory.retain('The office is in Porto, at the river.', { source: 'office.md', tags: ['places'] })
await memory.retain('Kelly was born on March 4th 1990.', { source: 'kelly.md', tags: ['family'] })

// recall: by a question, in other words
const birthday = await memory.recall("when's Kelly's birthday?", { limit: 1 })
assert.equal(birthday.passages[0].text, 'Kelly was born on March 4th 1990.')
console.log(
  `${birthday.queries[0]} → ${birthday.passages[0].ref}, score ${birthday.passages[0].score.toFixed(2)}`,
)

// as of: what was true then stays findable
const before = new Date()
await memory.retain('The office has moved to Lisbon, at the station.', {
  source: 'office.md',
  tags: ['places'],
})
const now = await memory.recall('where is the office?', { limit: 1 })
const then = await memory.recall('where is the office?', { limit: 1, asOf: before })
assert.match(now.passages[0].text, /Lisbon/)
assert.match(then.passages[0].text, /Porto/)
assert.equal(then.passages[0].ref, 'office.md@1#1')
console.log(`the office: ${now.passages[0].text} Before: ${then.passages[0].text}`)

// filters work inside the search
const places = await memory.recall('Kelly', { tags: { any: ['places'], strict: true } })
assert.ok(places.passages.every((passage) => passage.tags.includes('places')))

// forget: gone from every table, every version
assert.deepEqual(await memory.forget({ source: 'kelly.md' }), { documents: 1, chunks: 1 })
const gone = await memory.recall("when's Kelly's birthday?")
assert.ok(gone.passages.every((passage) => passage.source !== 'kelly.md'))
console.log('forgotten: kelly.md')

await memory.close()
