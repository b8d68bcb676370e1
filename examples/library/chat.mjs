// An assistant that remembers: conversations go in as messages, and a question that leans on the conversation is understood.
// Run it after `npm run build`: node examples/library/chat.mjs
import assert from 'node:assert/strict'
import { createMemory } from 'prolepsis'

const memory = await createMemory({ inMemory: true })

// Last month's conversation. A message is a passage of its own, with its speaker and its time.
await memory.retain(
  [
    { role: 'user', name: 'Ana', content: 'We moved to Lisbon last week.', at: '2026-03-02T10:00:00+00:00' },
    { role: 'assistant', content: 'How is the new flat?', at: '2026-03-02T10:00:20+00:00' },
    {
      role: 'user',
      name: 'Ana',
      content: 'Small, but it has a balcony for my tomatoes.',
      at: '2026-03-02T10:01:00+00:00',
    },
    {
      role: 'user',
      name: 'Ana',
      content: 'My sister Rosa is a vet in Braga.',
      at: '2026-03-02T10:02:00+00:00',
    },
  ],
  { source: 'chat/17' },
)

// Today: "she" is nobody without the turns before it.
const history = [
  { role: 'user', content: 'Do you remember my sister Rosa?' },
  { role: 'assistant', content: 'Yes, you told me about Rosa.' },
]
const found = await memory.recall({ message: 'What does she do for a living?', history }, { limit: 2 })
assert.match(found.passages[0].text, /My sister Rosa is a vet in Braga\./)
assert.equal(found.passages[0].speaker, 'Ana')
console.log(`asked as: ${found.queries.join(' | ')}`)

// By speaker, by time, within a budget of tokens
const moved = await memory.recall('Where did Ana move?', {
  people: ['Ana'],
  during: { from: '2026-03-01', to: '2026-04-01' },
  tokenBudget: 200,
})
assert.match(moved.passages[0].text, /Lisbon/)
assert.ok(moved.tokens <= 200)

// The block to put in a prompt
console.log(String(found))

// What the answer used is reported, and strengthens it
await memory.feedback(found.receipt, { used: [found.passages[0].ref] })

await memory.close()
