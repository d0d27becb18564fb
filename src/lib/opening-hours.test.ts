import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OpeningHours } from '../contract/shapes/location.ts'
import { hoursText, isOpenAt, parseHours } from './opening-hours.ts'

const WORKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] as const
const on = (days: readonly OpeningHours['day'][], opens: string, closes: string) =>
  days.map((day) => ({ day, opens, closes }))

describe('opening hours as a person writes them', () => {
  test.each([
    ['Mon-Fri 08:00-18:00', on(WORKDAYS, '08:00', '18:00')],
    ['Monday – Friday 8:00 – 18:00', on(WORKDAYS, '08:00', '18:00')],
    ['周一至周五 08:00-18:00', on(WORKDAYS, '08:00', '18:00')],
    ['星期六 10:00-14:00', on(['saturday'], '10:00', '14:00')],
    ['sat 10:00-14:00; sun 10:00-12:00', [...on(['saturday'], '10:00', '14:00'), ...on(['sunday'], '10:00', '12:00')]],
    ['Sat-Mon 22:00-02:00', on(['saturday', 'sunday', 'monday'], '22:00', '02:00')],
    ['', []],
  ])('%j', (text, hours) => {
    expect(parseHours(text)).toEqual(hours)
  })

  test.each(['always', 'Mon-Fri', '8-18', 'Mo 8:00-9:00', 'Mon 25:00-26:00', 'Mon 08:00-08:00', 'Mon-Fry 08:00-18:00'])(
    '%j is not understood',
    (text) => {
      expect(parseHours(text)).toBeUndefined()
    },
  )

  test('what is written is read again', () => {
    const clock = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
    const row = fc
      .record({
        day: fc.constantFrom(...WORKDAYS, 'saturday' as const, 'sunday' as const),
        opens: clock,
        closes: clock,
      })
      .filter(({ opens, closes }) => opens !== closes)
    const sorted = (hours: readonly OpeningHours[]) => hours.map((each) => JSON.stringify(each)).toSorted()
    fc.assert(
      fc.property(
        fc.uniqueArray(row, { maxLength: 14 }),
        fc.constantFrom('en' as const, 'zh' as const),
        (hours, language) => {
          expect(sorted(parseHours(hoursText(hours, language)) ?? [])).toEqual(sorted(hours))
        },
      ),
    )
  })

  test.each([
    [0, '08:00', true],
    [0, '18:00', false],
    [5, '09:00', false],
    [6, '23:00', true],
    [0, '01:59', true],
    [0, '02:00', false],
  ])('on weekday %d at %s: open %s', (weekday, clock, isOpen) => {
    const hours = [...on(['monday'], '08:00', '18:00'), ...on(['sunday'], '22:00', '02:00')]
    expect(isOpenAt(hours, weekday, clock)).toBe(isOpen)
  })
})
