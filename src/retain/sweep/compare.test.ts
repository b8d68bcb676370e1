import { expect, test } from 'vitest'
import type { SweptFile } from '../../store/queries/sweep.ts'
import type { FoundFile } from '../index/walk-folder.ts'
import { type CompareOptions, compare, noteOf } from './compare.ts'

const NOW = 1_000_000_000_123
const OPTIONS: CompareOptions = {
  ...{ now: NOW, settleMs: 200, stableInodes: true, anew: false },
  isOverdue: () => false,
}

const file = (path: string, has: Partial<FoundFile> = {}): FoundFile => ({
  ...{ path: `/root/${path}`, relative: path, bytes: 5, modifiedMs: 1000.5, inode: '7' },
  ...has,
})
const WHOLE = { contentHash: 'h', problem: null, reason: null, missing: 0 }
const seen = (one: FoundFile, has: Partial<SweptFile> = {}): SweptFile => ({
  ...noteOf(one, WHOLE, new Date(NOW)),
  ...has,
})
const known = (...files: readonly SweptFile[]): Map<string, SweptFile> =>
  new Map(files.map((one) => [one.path, one]))
const none = { skipped: [], unreadable: [] }

test('size, time and inode together tell whether a file is the same', () => {
  const as = file('a')
  const before = known(seen(as))
  for (const other of [{ bytes: 6 }, { modifiedMs: 1000.6 }, { inode: '8' }])
    expect(compare({ files: [file('a', other)], ...none }, before, OPTIONS).toRead).toHaveLength(1)
  expect(compare({ files: [as], ...none }, before, OPTIONS)).toMatchObject({
    same: [{ path: 'a' }],
    toRead: [],
  })
  expect(compare({ files: [as], ...none }, before, { ...OPTIONS, anew: true }).toRead).toHaveLength(1)
  // some network file systems number their files anew at each mount
  const other = file('a', { inode: '8' })
  expect(compare({ files: [other], ...none }, before, { ...OPTIONS, stableInodes: false }).same).toHaveLength(
    1,
  )
})

test('a file that was written a moment ago is left, neither read nor gone', () => {
  const young = file('a', { modifiedMs: NOW - 100 })
  expect(compare({ files: [young], ...none }, known(seen(file('a'))), OPTIONS)).toMatchObject({
    ...{ young: [{ relative: 'a' }], toRead: [], vanished: [] },
  })
  // but not for ever
  const overdue = { ...OPTIONS, isOverdue: (path: string) => path === 'a' }
  expect(compare({ files: [young], ...none }, known(), overdue)).toMatchObject({
    ...{ young: [], toRead: [{ relative: 'a' }] },
  })
})

test('of what is there unread, and of what is below a closed folder, nothing is concluded', () => {
  const before = known(
    ...['a', 'big', 'shut', 'shut/b', 'shut/c/d', 'shutter/e'].map((path) => seen(file(path))),
  )
  const walk = {
    files: [],
    skipped: [{ path: 'big', reason: 'too large' }],
    unreadable: [{ path: 'shut', code: 'UNREADABLE_FILE', reason: 'permission denied' }],
  }
  expect(compare(walk, before, OPTIONS).vanished.map(({ path }) => path)).toEqual(['a', 'shutter/e'])
})

test('a time in whole seconds tells nothing of a file that may still change within the second', () => {
  const at = (modifiedMs: number, now: number) =>
    noteOf(file('a', { modifiedMs }), WHOLE, new Date(now)).modifiedMs
  expect(at(5000, 5900)).toBeNull()
  expect(at(5000, 9000)).toBe(5000)
  expect(at(5000.25, 5900)).toBe(5000.25)
})
