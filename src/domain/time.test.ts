import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProlepsisError } from './errors.ts'
import { parseTime } from './time.ts'

const iso = (value: unknown): string => parseTime(value, 'occurredAt').toISOString()

describe('parseTime', () => {
  test.each([
    ['2023-05-08', '2023-05-08T00:00:00.000Z'],
    ['2023-05', '2023-05-01T00:00:00.000Z'],
    ['2023', '2023-01-01T00:00:00.000Z'],
    ['20230508', '2023-05-08T00:00:00.000Z'],
    ['2023-05-08T13:56', '2023-05-08T13:56:00.000Z'],
    ['2023-05-08 13:56:07', '2023-05-08T13:56:07.000Z'],
    ['2023-05-08T13:56:07.123456Z', '2023-05-08T13:56:07.123Z'],
    ['2023-05-08T13:56:07,5+02:00', '2023-05-08T11:56:07.500Z'],
    ['2023-05-08T13:56+0530', '2023-05-08T08:26:00.000Z'],
    ['2023-05-08T13:56-07', '2023-05-08T20:56:00.000Z'],
    ['20230508T135607Z', '2023-05-08T13:56:07.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0044-03-15', '0044-03-15T00:00:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(iso(text)).toBe(expected)
  })

  test.each([
    '',
    'yesterday',
    '2023-13-01',
    '2023-02-29',
    '2023-05-08T24:01',
    '2023-05-08T13:60',
    '2023-05-08T13:56+25:00',
    '2023-05-08T13:56:07.Z',
    '0000-01-01',
    "2023-05-08'; drop table documents",
    new Date(Number.NaN),
    1_683_554_160_000,
    null,
    {},
  ])('refuses %s', (value) => {
    expect(() => parseTime(value, 'occurredAt')).toThrowError(
      expect.objectContaining({ code: 'INVALID_TIME', details: { option: 'occurredAt' } }),
    )
    expect(() => parseTime(value, 'occurredAt')).toThrow(ProlepsisError)
  })

  test('gives any instant back, whatever offset it is written with', () => {
    const instants = fc.date({
      min: new Date('0002-01-01'),
      max: new Date('9998-12-31'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(instants, fc.integer({ min: -18 * 60, max: 18 * 60 }), (instant, minutes) => {
        const local = new Date(instant.getTime() + minutes * 60_000).toISOString().slice(0, -1)
        const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, '0')
        const rest = String(Math.abs(minutes) % 60).padStart(2, '0')
        const text = `${local}${minutes < 0 ? '-' : '+'}${hours}:${rest}`
        expect(parseTime(text, 't').getTime()).toBe(instant.getTime())
        expect(parseTime(local, 't').getTime()).toBe(instant.getTime() + minutes * 60_000)
      }),
      { seed: 1 },
    )
  })
})
