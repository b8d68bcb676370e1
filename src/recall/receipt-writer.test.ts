import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failingDatabase } from '../../test/support/failing-database.ts'
import { openTestBank, type TestBank } from '../../test/support/recall-bank.ts'
import type { EngineEvent } from '../domain/events.ts'
import { findReceipt, type NewReceipt } from '../store/queries/receipts.ts'
import { createReceiptWriter } from './receipt-writer.ts'

const receipt = (receiptId: string): NewReceipt => ({
  ...{
    receiptId,
    kind: 'recall',
    createdAt: new Date(0),
    request: {},
    degraded: [],
    tookMs: 1,
    passages: [],
  },
})

describe('receipt writer', () => {
  let bank: TestBank
  const stored = async (id: string): Promise<boolean> =>
    (await findReceipt(bank.database, bank.store.bankId, id)) !== null
  beforeAll(async () => {
    bank = await openTestBank()
  })
  afterAll(() => bank.close())

  it('writes at a flush what was added before it, in the background otherwise', async () => {
    const writer = createReceiptWriter({ emit: () => undefined }, { delayMs: 3_600_000 })
    writer.add(bank.store, receipt('a'))
    writer.add(bank.store, receipt('b'))
    expect(await stored('a')).toBe(false)
    await writer.flush()
    expect([await stored('a'), await stored('b')]).toEqual([true, true])
    await writer.flush()
    await writer.close()
  })

  it('writes what waits when it is closed, and takes no more', async () => {
    const writer = createReceiptWriter({ emit: () => undefined }, { delayMs: 3_600_000 })
    writer.add(bank.store, receipt('c'))
    await writer.close()
    writer.add(bank.store, receipt('d'))
    await writer.close()
    expect([await stored('c'), await stored('d')]).toEqual([true, false])
  })

  it('loses no receipt of another bank when a bank is gone, and goes on', async () => {
    const writer = createReceiptWriter({ emit: () => undefined }, { delayMs: 3_600_000 })
    writer.add({ ...bank.store, bankId: 999_999, bank: 'gone' }, receipt('e'))
    writer.add(bank.store, receipt('f'))
    await expect(writer.flush()).rejects.toThrow()
    expect(await stored('f')).toBe(true)
    writer.add(bank.store, receipt('g'))
    await writer.flush()
    expect(await stored('g')).toBe(true)
    await writer.close()
  })

  it('tells of receipts that could not be written behind a recall', async () => {
    const told = new Promise<EngineEvent>((resolve) => {
      const writer = createReceiptWriter({ emit: resolve }, { delayMs: 0 })
      const database = failingDatabase(bank.database, () => true)
      const broken = { ...database, transaction: () => Promise.reject(new Error('disk on fire')) }
      writer.add({ ...bank.store, database: broken }, receipt('h'))
    })
    expect(await told).toMatchObject({ type: 'warning', message: expect.stringContaining('disk on fire') })
  })
})
