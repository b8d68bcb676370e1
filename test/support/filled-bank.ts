import type { DoctorFinding, Memory } from '../../src/index.ts'

/** A few documents of several kinds, one of them in two versions. */
export async function fillBank(memory: Memory): Promise<Memory> {
  await memory.retain('Zanzibar is an island. Quokkas do not live there.', {
    source: 'trips/zanzibar.md',
    tags: ['travel'],
    questions: ['Where is Zanzibar?'],
  })
  await memory.retain('Oslo is a city.', { source: 'trips/oslo.md', tags: ['travel', 'city'] })
  await memory.retain([{ role: 'user', name: 'Quentin', content: 'I moved to Oslo in spring.' }], {
    source: 'chat/1',
  })
  await memory.retain('Oslo is a big city.', { source: 'trips/oslo.md' })
  return memory
}

/** What doctor finds amiss. */
export async function faults(memory: Memory, options: { mend?: boolean } = {}): Promise<DoctorFinding[]> {
  return (await memory.doctor(options)).findings.filter((finding) => !finding.ok)
}
