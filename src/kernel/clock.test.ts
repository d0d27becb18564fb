import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addDays, isTimeZone, localDay, manualClock, parseRfc3339, rfc3339, startOfDay } from './clock.ts'

const ZONES = [
  'UTC',
  'Asia/Shanghai',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Sao_Paulo',
  'Asia/Kathmandu',
]

describe('2.1 timestamps are RFC 3339 with an offset', () => {
  test('an instant is written in the offset its zone has then', () => {
    const rows: [string, string, string][] = [
      ['2026-09-10T00:01:02.000Z', 'Asia/Shanghai', '2026-09-10T08:01:02.000+08:00'],
      ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', '2026-03-29T01:59:59.999+01:00'],
      ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '2026-03-29T03:00:00.000+02:00'],
      ['2026-10-25T00:59:59.000Z', 'Europe/Berlin', '2026-10-25T02:59:59.000+02:00'],
      ['2026-10-25T01:00:00.000Z', 'Europe/Berlin', '2026-10-25T02:00:00.000+01:00'],
      ['2026-01-01T00:00:00.000Z', 'UTC', '2026-01-01T00:00:00.000+00:00'],
    ]
    for (const [instant, zone, written] of rows) expect(rfc3339(Date.parse(instant), zone)).toBe(written)
  })

  test('in any order of calls it agrees with Temporal, and parsing gives the instant back', () => {
    const instants = fc.integer({ min: Date.parse('1985-01-01'), max: Date.parse('2045-01-01') })
    fc.assert(
      fc.property(fc.array(fc.tuple(instants, fc.constantFrom(...ZONES)), { minLength: 1, maxLength: 20 }), (asked) => {
        for (const [ms, zone] of asked) {
          const written = rfc3339(ms, zone)
          expect(parseRfc3339(written)).toBe(ms)
          const zoned = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
          expect(written.slice(23)).toBe(zoned.offset)
          expect(localDay(ms, zone)).toBe(zoned.toPlainDate().toString())
        }
      }),
    )
  })

  test('a text without an offset, or with an impossible date, is not a timestamp', () => {
    for (const text of ['2026-09-10', '2026-09-10T08:00:00', '2026-13-10T08:00:00Z', 'now', '', '2026-09-10 08:00:00Z'])
      expect(parseRfc3339(text)).toBeUndefined()
    expect(parseRfc3339('2026-09-10t08:00:00z')).toBe(Date.parse('2026-09-10T08:00:00Z'))
  })
})

test('a local day may have 23 or 25 hours', () => {
  const hours = (day: string, zone: string) => (startOfDay(addDays(day, 1), zone) - startOfDay(day, zone)) / 3_600_000
  expect(hours('2026-03-29', 'Europe/Berlin')).toBe(23)
  expect(hours('2026-10-25', 'Europe/Berlin')).toBe(25)
  expect(hours('2026-10-25', 'Asia/Shanghai')).toBe(24)
})

test('a manual clock moves only when it is set', () => {
  const clock = manualClock(1000)
  clock.advance(500)
  expect(clock.now()).toBe(1500)
  clock.set(7)
  expect(clock.now()).toBe(7)
})

test('2.5 a time zone is an IANA name, and one that days can be counted in', () => {
  for (const name of [...ZONES, 'asia/shanghai', 'Asia/Calcutta', 'Etc/GMT+8'])
    expect(isTimeZone(name), name).toBe(true)
  const none = [
    '',
    'Mars/Olympus',
    'PST',
    '+08:00',
    '+08',
    'Z',
    '2026-09-10T08:00+08:00[Asia/Shanghai]',
    'Asia/Shanghai ',
  ]
  for (const name of none) expect(isTimeZone(name), name).toBe(false)
})
