import { expect, test } from 'vitest'
import type { Filter } from '../../domain/filter.ts'
import { isUnfiltered, renderFilter } from './filter-sql.ts'
import { createParameters } from './parameters.ts'

test('every value of a filter is bound, none is written into the text', () => {
  const hostile = `'); drop table chunks; -- %_"\\`
  const filter: Filter = {
    tags: { any: [hostile], all: [hostile], none: [hostile], strict: true },
    where: { [hostile]: hostile },
    source: hostile,
    during: { from: new Date(1), to: new Date(2) },
    asOf: new Date(3),
    minTrust: 'user',
    people: [hostile],
  }
  const parameters = createParameters(7)
  const predicate = renderFilter(filter, parameters)
  expect(predicate).not.toContain('drop')
  expect(parameters.values).toHaveLength(11)
  const named = new Set(predicate.match(/\$\d+/g))
  expect(named.size).toBe(11)
})

test('empty parts do not filter', () => {
  for (const filter of [
    {},
    { tags: {} },
    { tags: { any: [], all: [], none: [] } },
    { where: {} },
    { source: '' },
    { people: [] },
    { minTrust: 'unknown' },
    { during: {} },
  ] satisfies Filter[]) {
    expect([filter, isUnfiltered(filter)]).toEqual([filter, true])
  }
  for (const filter of [
    { asOf: new Date() },
    { tags: { none: ['a'] } },
    { source: 'a' },
    { minTrust: 'web' },
  ] satisfies Filter[]) {
    expect([filter, isUnfiltered(filter)]).toEqual([filter, false])
  }
})
