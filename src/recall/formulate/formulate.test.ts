import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestBank, type TestBank } from '../../../test/support/recall-bank.ts'
import { ProlepsisError } from '../../domain/errors.ts'
import type { FormulateTrace, TraceRecord } from '../../observability/trace.ts'
import type { ModelCalls } from '../../providers/model-calls.ts'
import { recallCandidates } from '../candidates.ts'
import type { RecallDeps } from '../deps.ts'
import { recall } from '../recall.ts'

describe('who formulates', () => {
  let bank: TestBank
  let records: TraceRecord[]
  const depsWith = (model: RecallDeps['model'], timeoutMs = 60_000): RecallDeps => {
    records = []
    return {
      ...bank.deps,
      ...{ model, trace: { record: (_: unknown, record: TraceRecord) => void records.push(record) } },
      formulation: { ...bank.deps.formulation, timeoutMs },
    }
  }
  const formulated = (): FormulateTrace[] => records.filter((record) => record.type === 'formulate')

  beforeAll(async () => {
    bank = await openTestBank()
    await bank.retain('The pump hangs behind the door.', { source: 'pump.md' })
  })
  afterAll(() => bank.close())

  it('a model that is never ready is waited for no longer than the limit', async () => {
    const deps = depsWith(() => new Promise<ModelCalls>(() => undefined), 5)
    const found = await recall(deps, 'Where does it hang?')
    expect(found.formulation).toMatchObject({ by: 'rules', errorKind: 'timeout' })
    expect(found.passages).toHaveLength(1)
    expect(formulated()).toEqual([
      expect.objectContaining({
        ...{ traceId: found.traceId, message: 'Where does it hang?', by: 'rules', queries: [] },
        ...{ errorKind: 'timeout', errorCode: 'MODEL_TIMEOUT' },
      }),
    ])
  })

  it.each([
    ['MODEL_KEY_MISSING', 'refused'],
    ['PROVIDER_NOT_INSTALLED', 'refused'],
    ['RECORDING_MISSING', 'unavailable'],
    ['BUDGET_EXCEEDED', 'budget'],
  ] as const)('a model that cannot be had (%s) is told as %s', async (code, errorKind) => {
    const deps = depsWith(() => Promise.reject(new ProlepsisError(code, 'No model.')))
    const found = await recall(deps, 'Where does it hang?')
    expect(found.formulation).toMatchObject({ by: 'rules', errorKind })
    expect(found.degraded).toEqual([`formulate: the rules stood in (${errorKind}): ${code} No model.`])
  })

  it('an error that is none of ours is told too', async () => {
    const found = await recall(
      depsWith(() => Promise.reject(new TypeError('odd'))),
      'Where does it hang?',
    )
    expect(found.formulation).toMatchObject({ by: 'rules', errorKind: 'unavailable' })
    expect(found.degraded[0]).toContain('odd')
  })

  it('a memory that is closing ends the recall', async () => {
    const deps = depsWith(() => Promise.reject(new ProlepsisError('CLOSED', 'Closed.')))
    await expect(recall(deps, 'Where does it hang?')).rejects.toMatchObject({ code: 'CLOSED' })
  })

  it('every recall has a record of it; what is only measured asks no model and has none', async () => {
    let asked = 0
    const deps = depsWith(async () => {
      asked++
      return null
    })
    await recall(deps, { message: 'it?', queries: ['Where does the pump hang?'] })
    await recall(deps, 'Where does it hang?', { formulator: 'rules' })
    expect(asked).toBe(0)
    await recall(deps, 'Where does it hang?')
    expect(asked).toBe(1)
    expect(formulated().map(({ by, queries }) => [by, queries])).toEqual([
      ['caller', ['Where does the pump hang?']],
      ['rules', []],
      ['rules', []],
    ])
    records = []
    await recallCandidates(deps, 'Where does it hang?')
    expect([asked, records]).toEqual([1, []])
  })
})
