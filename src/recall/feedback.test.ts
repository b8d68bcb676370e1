import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
import { type Activity, activityOf } from '../store/queries/activity.ts'
import { findReceipt } from '../store/queries/receipts.ts'
import { type FeedbackReport, feedback } from './feedback.ts'
import { recall } from './recall.ts'

describe('feedback', () => {
  let bank: TestBank
  const activity = async (chunkId: number): Promise<Activity | undefined> =>
    (await activityOf(bank.database, bank.deps.store.bankId, [chunkId])).get(chunkId)

  beforeAll(async () => {
    bank = await openTestBank()
    for (const name of ['red', 'green', 'blue'])
      await bank.retain(`The ${name} door is locked.`, { source: name })
  })
  afterAll(() => bank.close())

  it('strengthens what was used, once a receipt, and lifts it in later recalls', async () => {
    const before = await recall(bank.deps, 'door locked')
    const [, second] = before.passages
    const report = { used: [second?.ref ?? ''] }
    await feedback(bank.deps, before.receipt ?? '', report)
    await feedback(bank.deps, before.receipt ?? '', report)
    expect(await activity(second?.chunkId ?? 0)).toMatchObject({
      uses: 1,
      lastUsedAt: new Date(Date.UTC(2024, 0, 1)),
    })
    const after = await recall(bank.deps, 'door locked')
    const lifted = after.passages.find((passage) => passage.ref === second?.ref)
    expect(lifted?.parts.lift).toBeGreaterThan(1)
    expect(lifted?.parts.lift).toBeLessThanOrEqual(1.35)
    expect(lifted?.score).toBeGreaterThan(second?.score ?? 1)
  })

  it('notes unhelpful passages without strengthening them, and keeps the strongest of several reports', async () => {
    const { receipt, passages } = await recall(bank.deps, 'blue door')
    const [first, second] = passages
    await feedback(bank.deps, receipt ?? '', {
      unhelpful: [second?.ref ?? ''],
      ...{ helpful: [first?.ref ?? ''], cited: [first?.ref ?? ''] },
    })
    const stored = await findReceipt(bank.database, bank.deps.store.bankId, receipt ?? '')
    expect(stored?.passages.slice(0, 2).map((passage) => passage.used)).toEqual(['cited', 'unhelpful'])
    expect((await activity(first?.chunkId ?? 0))?.uses).toBe(1)
  })

  it('knows a passage by the ref it had when it was returned', async () => {
    const { receipt, passages } = await recall(bank.deps, 'red door', { limit: 1 })
    await bank.retain('The red door is open.', { source: 'red' })
    const uses = (await activity(passages[0]?.chunkId ?? 0))?.uses ?? 0
    await feedback(bank.deps, receipt ?? '', { used: ['red#1'] })
    expect((await activity(passages[0]?.chunkId ?? 0))?.uses).toBe(uses + 1)
  })

  it('refuses refs that were not returned, unknown receipts and unknown words', async () => {
    const { receipt } = await recall(bank.deps, 'door', { limit: 1 })
    const report = (given: object): Promise<void> =>
      feedback(bank.deps, receipt ?? '', given as FeedbackReport)
    await expect(report({ used: ['elsewhere#1'] })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(report({ used: 'red#1' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(report({ useful: [] })).rejects.toMatchObject({ code: 'UNKNOWN_OPTION' })
    await expect(feedback(bank.deps, 'nope', {})).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
