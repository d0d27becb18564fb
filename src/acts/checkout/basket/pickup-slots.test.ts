import { describe, expect, test } from 'vitest'
import { DAY, HOUR, parseRfc3339 } from '../../../kernel/clock.ts'
import { pickupCalendar, titleOfSlot } from './pickup-slots.ts'

const at = (text: string) => parseRfc3339(text) ?? 0
const SHANGHAI = { timeZone: 'Asia/Shanghai', pickupHours: { from: 9, to: 18 } }

describe('4.4 rule 5: pickup slots', () => {
  test('are the hours of the next 7 days within the opening hours, in the zone of the operator', () => {
    const now = at('2026-09-10T12:30:00+08:00')
    const slots = pickupCalendar(SHANGHAI)(now)
    expect(slots[0]).toEqual({
      id: 'slot_20260910_1300',
      title: 'Pickup 2026-09-10 13:00',
      at: at('2026-09-10T13:00:00+08:00'),
      time: '2026-09-10T13:00:00.000+08:00',
    })
    expect(slots.at(-1)?.id).toBe('slot_20260917_1200')
    expect(slots).toHaveLength(7 * 9)
    expect(new Set(slots.map(({ id }) => id)).size).toBe(slots.length)
    for (const { id, title } of slots) expect(titleOfSlot(id)).toBe(title)
    expect(titleOfSlot(null)).toBe('Pickup')
  })

  test('begin strictly after now and within 7 days', () => {
    for (const text of ['2026-09-10T13:00:00+08:00', '2026-09-10T23:59:59+08:00', '2026-09-10T00:00:00+08:00']) {
      const now = at(text)
      for (const slot of pickupCalendar(SHANGHAI)(now)) {
        expect(slot.at).toBeGreaterThan(now)
        expect(slot.at).toBeLessThanOrEqual(now + 7 * DAY)
      }
    }
  })

  test('keep their local hour over a change of daylight saving time', () => {
    const slots = pickupCalendar({ timeZone: 'Europe/Berlin', pickupHours: { from: 9, to: 10 } })(
      at('2026-10-24T12:00:00+02:00'),
    )
    expect(slots[0]?.time).toBe('2026-10-25T09:00:00.000+01:00')
    const spring = pickupCalendar({ timeZone: 'Europe/Berlin', pickupHours: { from: 0, to: 24 } })(
      at('2026-03-28T12:00:00+01:00'),
    )
    const days = spring.filter(({ id }) => id.startsWith('slot_20260329'))
    expect(days.map(({ id }) => id)).not.toContain('slot_20260329_0200')
    expect((days[2]?.at ?? 0) - (days[1]?.at ?? 0)).toBe(HOUR)
  })

  test('one list serves every session of the same quarter hour', () => {
    const now = at('2026-09-10T12:31:00+08:00')
    const slots = pickupCalendar(SHANGHAI)
    expect(slots(now)).toBe(slots(now + 60_000))
  })
})
