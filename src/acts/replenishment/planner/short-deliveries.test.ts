/** What a delivery of less than was ordered shows about the capacity of a slot. */
import { describe, expect, test } from 'vitest'
import { DAY } from '../../../kernel/clock.ts'
import { machineInputs } from './build-input.ts'
import { assumedCapacity } from './quantity.ts'
import type { Reading } from './input.ts'

/** A slot of unknown capacity that got 4 of the 10 ordered units on day 10. */
function slotWith(readings: readonly Reading[], delivered = 4) {
  const [machine] = machineInputs({
    machines: [{ location: 'm', zone: { offsetMin: 0 } }],
    slots: [
      { slotId: 'a', location: 'm', sku: '1', priceFen: 300, stock: 5, capacity: null, locked: false, firstSeenAt: 0 },
    ],
    sales: new Map(),
    runs: [
      {
        status: 'delivered',
        placedAt: 8 * DAY,
        deliveredAt: 10 * DAY,
        lines: [{ slotId: 'a', quantity: 10 }],
        delivered: [{ slotId: 'a', quantity: delivered }],
      },
    ],
    readings: () => readings,
  })
  return machine!.slots[0]!
}
const at = (day: number, stock: number): Reading => ({ at: day * DAY, stock })

describe('2.8 a short delivery', () => {
  test('into a slot that was never fuller shows its capacity, in whatever order the readings come', () => {
    const readings = [at(9, 8), at(10, 12), at(10, 0), at(15, 5)]
    for (const each of [readings, readings.toReversed()]) {
      expect(slotWith(each).deliveredShort).toBe('full')
      expect(assumedCapacity(slotWith(each), 12, 3)).toBe(12)
    }
    expect(slotWith([]).deliveredShort).toBe('full')
  })

  test('into a slot that held more at another time was short for another reason', () => {
    for (const readings of [
      [at(5, 20), at(10, 12)],
      [at(5, 3), at(10, 12), at(14, 20)],
    ])
      expect(slotWith(readings).deliveredShort).toBeUndefined()
  })

  test('before all known levels shows that there is a limit, but not where: the next order tries a little more', () => {
    const slot = slotWith([at(12, 9), at(20, 5)])
    expect(slot.deliveredShort).toBe('full_before')
    expect(assumedCapacity(slot, 9, 3)).toBe(12)
  })

  test('a delivery of all that was ordered shows nothing', () =>
    expect(slotWith([at(10, 12)], 10).deliveredShort).toBeUndefined())
})
