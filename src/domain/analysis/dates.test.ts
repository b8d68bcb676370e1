import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTimes } from './dates.ts'
import { findRelativeTimes, resolveRelativeDates } from './relative-dates.ts'

const day = (iso: string): Date => new Date(`${iso}T12:34:56Z`)

describe('resolveRelativeDates', () => {
  // 2024-03-01 is a Friday after 29 February; 2023-01-01 a Sunday; 2023-12-31 a Sunday; 2023-05-08 a Monday
  it.each([
    ['2024-03-01', 'I ran yesterday.', 'I ran on 29 February 2024.'],
    ['2023-03-01', 'I ran yesterday.', 'I ran on 28 February 2023.'],
    [
      '2023-01-01',
      'Last night we ate, the day before yesterday we slept.',
      'On the night of 31 December 2022 we ate, on 30 December 2022 we slept.',
    ],
    ['2023-12-31', 'See you tomorrow', 'See you on 1 January 2024'],
    ['2024-02-28', 'the day after tomorrow', 'on 1 March 2024'],
    ['2023-01-15', 'last month', 'in December 2022'],
    ['2023-12-15', 'next month', 'in January 2024'],
    ['2023-01-15', 'last year was hard', 'in 2022 was hard'],
    ['2023-05-08', 'We met last week', 'We met in the week before 8 May 2023'],
    ['2023-05-08', 'since last week', 'since the week before 8 May 2023'],
    ['2023-05-08', 'last weekend', 'on the weekend before 8 May 2023'],
    ['2023-05-08', 'this past weekend', 'on the weekend of 8 May 2023'],
    ['2023-05-08', 'next weekend', 'on the weekend after 8 May 2023'],
    ['2023-05-08', 'a few days ago', 'around 5 May 2023'],
    ['2023-05-08', '3 days ago', 'on 5 May 2023'],
    ['2023-05-08', 'two weeks ago', 'around 24 April 2023'],
    ['2023-01-31', '11 months ago', 'in February 2022'],
    ['2023-05-08', 'ten years ago', 'in 2013'],
    ['2023-05-08', "yesterday's game", "7 May 2023's game"],
    ['2023-05-08', 'lastly, weekends past years', 'lastly, weekends past years'],
    ['2023-05-08', 'Todayness is no day', 'Todayness is no day'],
  ])('on %s: %s', (date, text, expected) => {
    expect(resolveRelativeDates(text, day(date))).toBe(expected)
  })

  // seen from each weekday of one week: Monday 8 May 2023 to Sunday 14 May 2023
  it.each([
    ['2023-05-08', '5 May 2023', '12 May 2023'],
    ['2023-05-09', '5 May 2023', '12 May 2023'],
    ['2023-05-10', '5 May 2023', '12 May 2023'],
    ['2023-05-11', '5 May 2023', '12 May 2023'],
    ['2023-05-12', '5 May 2023', '19 May 2023'],
    ['2023-05-13', '12 May 2023', '19 May 2023'],
    ['2023-05-14', '12 May 2023', '19 May 2023'],
  ])('last and next Friday seen from %s', (date, last, next) => {
    expect(resolveRelativeDates('last Friday', day(date))).toBe(`on ${last}`)
    expect(resolveRelativeDates('last Fri', day(date))).toBe(`on ${last}`)
    expect(resolveRelativeDates('next friday', day(date))).toBe(`on ${next}`)
  })

  it('names for every day of nine years a weekday in the seven days before', () => {
    const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
    for (let time = Date.UTC(2019, 11, 28); time < Date.UTC(2028, 2, 3); time += 86_400_000) {
      for (const [number, name] of names.entries()) {
        const [found] = findRelativeTimes(`last ${name}`, new Date(time))
        const days = (time - (found?.from.getTime() ?? 0)) / 86_400_000
        expect(found?.from.getUTCDay()).toBe(number)
        expect(days).toBeGreaterThanOrEqual(1)
        expect(days).toBeLessThanOrEqual(7)
      }
    }
  })

  it('leaves any text alone when the date is not one', () => {
    expect(resolveRelativeDates('yesterday', new Date(Number.NaN))).toBe('yesterday')
  })

  it('never throws, and leaves a text without such words alone', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.date(), (text, now) => {
        resolveRelativeDates(`${text} last week ${text} 999 years ago`, now)
        expect(resolveRelativeDates(text.replace(/[a-z]/gi, ''), now)).toBe(text.replace(/[a-z]/gi, ''))
      }),
      { seed: 11 },
    )
  })
})

describe('findTimes', () => {
  const now = day('2023-05-08')
  const found = (text: string): string[] =>
    findTimes(text, now).map(
      (time) => `${time.text}: ${time.from.toISOString().slice(0, 10)} ${time.to.toISOString().slice(0, 10)}`,
    )

  it.each([
    ['What did Ann do in May 2023?', ['May 2023: 2023-05-01 2023-06-01']],
    ['on 2024-02-29', ['2024-02-29: 2024-02-29 2024-03-01']],
    ['on 2023-02-29', []],
    [
      'on 7 May, 2023 or the 8th of June 2022',
      ['7 May, 2023: 2023-05-07 2023-05-08', '8th of June 2022: 2022-06-08 2022-06-09'],
    ],
    ['December 31, 2022', ['December 31, 2022: 2022-12-31 2023-01-01']],
    ['on June 3rd', ['June 3rd: 2022-06-03 2022-06-04']],
    ['on 29 February', ['29 February: 2020-02-29 2020-03-01']],
    ['in June', ['in June: 2022-06-01 2022-07-01']],
    ['in April', ['in April: 2023-04-01 2023-05-01']],
    ['next June', ['next June: 2023-06-01 2023-07-01']],
    ['since 2019', ['since 2019: 2019-01-01 2020-01-01']],
    ['summer 2021', ['summer 2021: 2021-01-01 2022-01-01']],
    ['last week', ['last week: 2023-05-01 2023-05-08']],
    ['yesterday and last year', ['yesterday: 2023-05-07 2023-05-08', 'last year: 2022-01-01 2023-01-01']],
    ['in the last three months', ['the last three months: 2023-02-08 2023-05-09']],
    ['You may march 20 miles, or 5 may be enough', []],
    ['It costs 2019 euros', []],
  ])('%s', (text, expected) => {
    expect(found(text)).toEqual(expected)
  })

  it('never throws and never gives an empty range', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'last',
            'week',
            '31',
            'February',
            'in',
            'May',
            '2023',
            '-02-30',
            'few',
            'days',
            'ago',
            'past',
            '3',
            ' ',
            ',',
          ),
        ),
        fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
        (words, date) => {
          for (const time of findTimes(words.join(' '), date)) expect(time.from < time.to).toBe(true)
        },
      ),
      { seed: 11, numRuns: 1000 },
    )
  })
})
