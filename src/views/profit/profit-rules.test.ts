/** The pure parts of the profit report: periods, rent, the cost of visits. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { localDay } from '../../kernel/clock.ts'
import { dayFinder, daysOf, periodBefore, readPeriod, slicesOf, weekOf } from './period.ts'
import { addRents, rentDays } from './rent.ts'
import { type Place, costVisits } from './visit-costs.ts'

const TODAY = '2026-09-10'
const read = (query: { from?: string; to?: string }) => {
  const period = readPeriod(query, TODAY)
  return period.ok ? [period.value.from, period.value.to, period.value.days] : period.refusal.messages[0]?.path
}

describe('the period', () => {
  test.each([
    [{}, ['2026-09-03', '2026-09-09', 7]],
    [{ from: '2026-09-01' }, ['2026-09-01', '2026-09-09', 9]],
    [{ from: TODAY }, [TODAY, TODAY, 1]],
    [{ to: '2026-03-01' }, ['2026-02-23', '2026-03-01', 7]],
    [{ from: '2024-02-28', to: '2024-03-01' }, ['2024-02-28', '2024-03-01', 3]],
    [{ from: '2026-09-02', to: '2026-09-01' }, '$.to'],
    [{ from: '2025-01-01', to: '2026-09-01' }, '$.from'],
    [{ from: '1999-12-31', to: '2000-01-02' }, '$.from'],
  ])('%j', (query, expected) => expect(read(query)).toEqual(expected))

  test('the one before is as long and ends right before', () => {
    expect(periodBefore({ from: '2026-03-01', to: '2026-03-07', days: 7 })).toEqual({
      from: '2026-02-22',
      to: '2026-02-28',
      days: 7,
    })
  })

  test('slices cover every day once', () => {
    const period = { from: '2026-01-30', to: '2026-03-03', days: 33 }
    const days = [...slicesOf(period, 10)].flatMap(({ from, to }) =>
      daysOf({ from, to, days: (Date.parse(to) - Date.parse(from)) / 864e5 + 1 }),
    )
    expect(days).toEqual(daysOf(period))
  })

  test.each([
    ['2026-09-07', '2026-09-07'],
    ['2026-09-13', '2026-09-07'],
    ['2026-01-01', '2025-12-29'],
    ['1969-12-31', '1969-12-29'],
  ])('%s is in the week of %s', (day, monday) => expect(weekOf(day)).toBe(monday))
})

test('the day of an instant is the local day, also where the clocks change', () => {
  const zones = ['Asia/Shanghai', 'America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'UTC', 'America/St_Johns']
  const first = Date.parse('2026-01-01T00:00:00Z')
  const inYear = fc.integer({ min: 0, max: 364 })
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      inYear,
      fc.integer({ min: 0, max: 40 }),
      fc.integer({ min: -72, max: 1100 }),
      (zone, from, days, hours) => {
        const dayAt = (n: number) => new Date(first + n * 864e5).toISOString().slice(0, 10)
        const slice = { from: dayAt(from), to: dayAt(from + days) }
        const at = first + from * 864e5 + hours * 36e5 + 1
        const day = localDay(at, zone)
        expect(dayFinder(slice)(at, zone)).toBe(day >= slice.from && day <= slice.to ? day : undefined)
      },
    ),
    { numRuns: 2000 },
  )
})

describe('the rent', () => {
  const rentsOf = (terms: Parameters<typeof addRents>[2], from: string, days: number, lastDay = '2099-01-01') => {
    const rents = Array.from({ length: days }, () => 0)
    addRents(rents, rentDays(daysOf({ from, to: '', days })), terms, lastDay)
    return rents
  }

  test('the days of every month add up to it', () => {
    fc.assert(
      fc.property(fc.nat({ max: 1_000_000 }), fc.integer({ min: 1, max: 12 }), (rent, month) => {
        const days = new Date(Date.UTC(2024, month, 0)).getUTCDate()
        const from = `2024-${String(month).padStart(2, '0')}-01`
        const all = rentsOf([{ fromDay: '2020-01-01', rentFen: rent }], from, days)
        expect(all.reduce((a, b) => a + b, 0)).toBe(rent)
        expect(Math.max(...all) - Math.min(...all)).toBeLessThanOrEqual(1)
      }),
    )
  })

  test('counts from the day it was set until the next terms, and not ahead', () => {
    const terms = [
      { fromDay: '2026-09-05', rentFen: 3000 },
      { fromDay: '2026-09-07', rentFen: null },
      { fromDay: '2026-09-08', rentFen: 6000 },
    ]
    expect(rentsOf(terms, '2026-09-03', 8)).toEqual([0, 0, 100, 100, 0, 200, 200, 200])
    expect(rentsOf(terms, '2026-09-03', 8, '2026-09-08')).toEqual([0, 0, 100, 100, 0, 200, 0, 0])
    expect(rentsOf(terms, '2026-09-03', 8, '2026-09-01')).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    expect(rentsOf(terms, '2026-09-06', 1)).toEqual([100])
    expect(rentsOf(terms, '2026-08-01', 31)).toEqual(Array.from({ length: 31 }, () => 0))
  })
})

describe('what visits cost', () => {
  const places: Record<string, Place> = {
    a: { location: 'a', area: 'north', site: 'mall' },
    b: { location: 'b', area: 'north', site: 'mall' },
    c: { location: 'c', area: 'north', site: 'gym' },
    d: { location: 'd', area: 'south', site: 'dock' },
  }
  const cost = (visits: readonly [string, string][], tripFen: number, stopFen: number) =>
    costVisits(
      visits.map(([id, day]) => ({ place: places[id]!, day })),
      { tripFen, stopFen },
    ).map(({ location, day, visits: n, costFen }) => `${location}${day} ${n} ${costFen}`)

  test.each([
    ['one machine alone', [['a', '1']], 600, 200, ['a1 1 800']],
    [
      'a site shares its stop',
      [
        ['a', '1'],
        ['b', '1'],
      ],
      600,
      200,
      ['a1 1 400', 'b1 1 400'],
    ],
    [
      'stops share the trip',
      [
        ['a', '1'],
        ['b', '1'],
        ['c', '1'],
      ],
      600,
      200,
      ['a1 1 250', 'b1 1 250', 'c1 1 500'],
    ],
    [
      'another area is another trip',
      [
        ['a', '1'],
        ['d', '1'],
      ],
      600,
      200,
      ['a1 1 800', 'd1 1 800'],
    ],
    [
      'another day too',
      [
        ['a', '1'],
        ['a', '2'],
      ],
      600,
      200,
      ['a1 1 800', 'a2 1 800'],
    ],
    [
      'twice on one day is one stop',
      [
        ['a', '1'],
        ['a', '1'],
      ],
      600,
      200,
      ['a1 2 800'],
    ],
    [
      'nothing configured',
      [
        ['a', '1'],
        ['c', '1'],
      ],
      0,
      0,
      ['a1 1 0', 'c1 1 0'],
    ],
    [
      'odd units',
      [
        ['a', '1'],
        ['b', '1'],
      ],
      0,
      501,
      ['a1 1 251', 'b1 1 250'],
    ],
  ] as const)('%s', (_name, visits, tripFen, stopFen, expected) => {
    expect(cost(visits as unknown as [string, string][], tripFen, stopFen)).toEqual(expected)
  })
})
