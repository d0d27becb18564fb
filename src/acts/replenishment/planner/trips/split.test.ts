import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DISPERSION } from '../demand/cycle.ts'
import { exceedances, expectedLoss } from '../demand/negative-binomial.ts'
import { type SplitSlot, splitUnits } from './split.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const slot = (slotId: string, given: Partial<SplitSlot> = {}): SplitSlot => ({
  slotId,
  level: 0,
  demand: 5,
  marginFen: 100,
  room: 10,
  planned: 5,
  ...given,
})

const anySlot = fc.record({
  level: fc.nat({ max: 8 }),
  demand: fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 30, noNaN: true })),
  marginFen: fc.nat({ max: 900 }),
  room: fc.oneof(fc.constant(Infinity), fc.nat({ max: 12 })),
  planned: fc.nat({ max: 9 }),
})
const anySlots = fc
  .array(anySlot, { maxLength: 8 })
  .map((slots) => slots.map((each, i): SplitSlot => ({ slotId: `S${i}`, ...each })))

/** The expected margin of loaded units: what is asked for beyond the stock that was there. */
const worthOf = (slots: readonly SplitSlot[], quantities: readonly number[]): number =>
  slots.reduce(
    (total, { level, demand, marginFen }, i) =>
      total +
      marginFen * (expectedLoss(demand, level, DISPERSION) - expectedLoss(demand, level + quantities[i]!, DISPERSION)),
    0,
  )

describe('spreading bought units over slots', () => {
  test('units go where they are worth most', () => {
    expect(splitUnits(6, [slot('A'), slot('B')]).quantities).toEqual([3, 3])
    expect(splitUnits(6, [slot('A', { level: 4 }), slot('B')]).quantities).toEqual([1, 5])
    expect(splitUnits(6, [slot('A', { marginFen: 0 }), slot('B', { room: 4 })])).toEqual({
      quantities: [2, 4],
      spare: 0,
    })
  })

  test('what finds no room is spare', () => {
    expect(splitUnits(9, [slot('A', { room: 2 }), slot('B', { demand: 0, planned: 3 })])).toEqual({
      quantities: [2, 3],
      spare: 4,
    })
    expect(splitUnits(4, [])).toEqual({ quantities: [], spare: 4 })
  })

  test('nothing is lost or made, and nothing exceeds its room', () => {
    fc.assert(
      fc.property(fc.nat({ max: 60 }), anySlots, (units, slots) => {
        const { quantities, spare } = splitUnits(units, slots)
        expect(quantities.reduce((sum, each) => sum + each, 0) + spare).toBe(units)
        expect(spare).toBeGreaterThanOrEqual(0)
        quantities.forEach((quantity, i) => expect(quantity).toBeLessThanOrEqual(slots[i]!.room))
        if (spare > 0)
          quantities.forEach((quantity, i) =>
            expect(quantity).toBe(
              slots[i]!.demand > 0 && slots[i]!.marginFen > 0
                ? slots[i]!.room
                : Math.min(slots[i]!.room, slots[i]!.planned),
            ),
          )
      }),
      { numRuns: propertyRuns(2000) },
    )
  })

  test('the order of the slots changes nothing', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), anySlots, (units, slots) => {
        const { quantities } = splitUnits(units, slots)
        expect(splitUnits(units, slots.toReversed()).quantities.toReversed()).toEqual(quantities)
      }),
      { numRuns: propertyRuns(1000) },
    )
  })

  test('no other split of the same units is worth more', () => {
    const small = fc.array(anySlot, { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(fc.nat({ max: 6 }), small, (units, given) => {
        const slots = given.map((each, i): SplitSlot => ({ slotId: `S${i}`, ...each, planned: 9 }))
        const best = worthOf(slots, splitUnits(units, slots).quantities)
        for (let a = 0; a <= Math.min(units, slots[0]!.room); a++)
          for (let b = 0; b <= Math.min(units - a, slots[1]!.room); b++) {
            const other = [a, b, Math.min(units - a - b, slots[2]!.room)]
            expect(worthOf(slots, other)).toBeLessThanOrEqual(best + 1e-6)
          }
      }),
      { numRuns: propertyRuns(500) },
    )
  })
})

test('the exceedances of a demand add up to its mean', () => {
  const total = exceedances(6, 0, 400, DISPERSION).reduce((sum, each) => sum + each, 0)
  expect(total).toBeCloseTo(6, 6)
})
