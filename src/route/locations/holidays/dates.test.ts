import { expect, test } from 'vitest'
import { HOLIDAY_COUNTRIES, countryNamed, countryOfZone, listHolidays } from './dates.ts'

const datesOf = (country: string, year: number) =>
  listHolidays(country, `${year}-01-01`, `${year}-12-31`).map(({ date }) => date.slice(5))

// As the governments published them.
test.each([
  ['CN', 2026, '01-01 02-16 02-17 02-18 02-19 04-05 05-01 05-02 06-19 09-25 10-01 10-02 10-03'],
  // The eighth month comes before the leap month of this year.
  ['CN', 2033, '01-01 01-30 01-31 02-01 02-02 04-04 05-01 05-02 06-01 09-08 10-01 10-02 10-03'],
  ['US', 2026, '01-01 01-19 02-16 05-25 06-19 07-03 07-04 09-07 10-12 11-11 11-26 12-25'],
  // New Year's Day of 2028 is a Saturday, so it is kept in the year before.
  ['US', 2027, '01-01 01-18 02-15 05-31 06-18 06-19 07-04 07-05 09-06 10-11 11-11 11-25 12-24 12-25 12-31'],
  ['GB', 2026, '01-01 04-03 04-06 05-04 05-25 08-31 12-25 12-26 12-28'],
  ['GB', 2027, '01-01 03-26 03-29 05-03 05-31 08-30 12-25 12-26 12-27 12-28'],
  ['DE', 2026, '01-01 04-03 04-06 05-01 05-14 05-25 10-03 12-25 12-26'],
  ['NL', 2025, '01-01 04-20 04-21 04-26 05-29 06-08 06-09 12-25 12-26'],
  ['XX', 2026, ''],
])('%s %d', (country, year, dates) => {
  expect(datesOf(country, year).join(' ')).toBe(dates)
})

test('a day is listed once, in order, within the days asked for', () => {
  for (const country of HOLIDAY_COUNTRIES)
    for (let year = 2024; year < 2060; year++) {
      const dates = datesOf(country, year)
      expect(dates).toEqual([...new Set(dates)].toSorted())
      expect(dates.length).toBeGreaterThan(6)
    }
  expect(listHolidays('CN', '2026-10-02', '2026-10-02').map(({ names }) => names.en)).toEqual(['National Day'])
})

test.each([
  ['Asia/Shanghai', 'CN'],
  ['America/Chicago', 'US'],
  ['Europe/Vienna', 'AT'],
  ['Asia/Tokyo', undefined],
  ['UTC', undefined],
])('the zone %s is of %s', (zone, country) => {
  expect(countryOfZone(zone)).toBe(country)
})

test.each([
  ['us', 'US'],
  ['USA', 'US'],
  ['U.S.A.', 'US'],
  [' United States ', 'US'],
  ['中国', 'CN'],
  ['Deutschland', 'DE'],
  ['UK', 'GB'],
  ['Atlantis', undefined],
])('an address in %j is in %s', (stated, country) => {
  expect(countryNamed(stated)).toBe(country)
})
