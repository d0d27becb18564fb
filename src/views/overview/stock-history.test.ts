import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DAY, HOUR } from '../../kernel/clock.ts'
import { type LoggedStock, type SlotLog, emptyTimes, levelsAt, lossOf, refillsOf } from './stock-history.ts'

const WINDOW = { from: 0, to: 10 * DAY }
const read = (at: number, stock: number, source: LoggedStock['source'] = 'sync'): LoggedStock => ({ at, stock, source })
const slot = (changes: Partial<SlotLog>): SlotLog => ({ readings: [], sales: [], loads: [], stock: 5, ...changes })

describe('when a slot was empty', () => {
  test('from the last sale before a reading of zero until a reading above zero', () => {
    const log = slot({ readings: [read(DAY, 1), read(3 * DAY, 0), read(5 * DAY, 8)], sales: [2 * DAY] })
    expect(emptyTimes(log, WINDOW)).toEqual([{ from: 2 * DAY, to: 5 * DAY }])
  })

  test('a sale shows stock: a slot that sells is not empty, whatever was read before', () => {
    const log = slot({ readings: [read(DAY, 0), read(6 * DAY, 0), read(8 * DAY, 4)], sales: [3 * DAY, 4 * DAY] })
    expect(emptyTimes(log, WINDOW)).toEqual([
      { from: DAY, to: 3 * DAY },
      { from: 4 * DAY, to: 8 * DAY },
    ])
  })

  test('a slot that was empty when it was first read emptied with its last sale', () => {
    const log = slot({ readings: [read(8 * DAY, 0)], sales: [DAY, 3 * DAY], stock: 0 })
    expect(emptyTimes(log, WINDOW)).toEqual([{ from: 3 * DAY, to: 10 * DAY }])
    // Nobody saw it then: it is called empty since the reading.
    expect(lossOf(log, WINDOW).emptySince).toBe(8 * DAY)
  })

  test('it is still empty: until now', () => {
    const log = slot({ readings: [read(DAY, 2), read(4 * DAY, 0)], sales: [2 * DAY], stock: 0 })
    expect(emptyTimes(log, WINDOW)).toEqual([{ from: 2 * DAY, to: 10 * DAY }])
    expect(lossOf(log, WINDOW).emptySince).toBe(2 * DAY)
  })
})

describe('levels', () => {
  test('follow the readings, and the sales between them', () => {
    const log = slot({ readings: [read(DAY, 6), read(4 * DAY, 9)], sales: [2 * DAY, 3 * DAY] })
    expect(levelsAt(log, [2.5 * DAY, 3.5 * DAY, 4 * DAY, 10 * DAY], WINDOW)).toEqual([5, 4, 9, 5])
  })

  test('before the first reading nothing is known: refills of that time are not on record', () => {
    const log = slot({ readings: [read(3 * DAY, 8)], sales: [DAY, 2 * DAY] })
    expect(levelsAt(log, [0, 1.5 * DAY, 3 * DAY], WINDOW)).toEqual([null, null, 8])
  })

  test('nothing known is nothing', () => {
    expect(levelsAt(slot({ stock: null }), [0, DAY], WINDOW)).toEqual([null, null])
  })
})

describe('refills', () => {
  test('are booked receipts, and readings that rise by more than one unit; a count is none', () => {
    const readings = [
      read(DAY, 2),
      read(2 * DAY, 8, 'receipt'),
      read(3 * DAY, 9),
      read(4 * DAY, 4, 'count'),
      read(5 * DAY, 9, 'count'),
      read(6 * DAY, 3),
      read(7 * DAY, 8),
    ]
    expect(refillsOf(slot({ readings }), WINDOW)).toEqual([
      { at: 2 * DAY, units: 6, isBooked: true },
      { at: 7 * DAY, units: 5, isBooked: false },
    ])
  })
})

test('a reading that rises after a load was reported late shows that load; one without a load is not on record', () => {
  const readings = [read(DAY, 2), read(3 * DAY, 9), read(5 * DAY, 4), read(6 * DAY, 9)]
  expect(refillsOf(slot({ readings, loads: [{ at: 2 * DAY, units: 8 }] }), WINDOW)).toEqual([
    { at: 2 * DAY, units: 7, isBooked: true },
    { at: 6 * DAY, units: 5, isBooked: false },
  ])
})

describe('what was lost', () => {
  test('sales a day while in stock, times the days empty', () => {
    const sales = Array.from({ length: 8 }, (_, i) => (i + 1) * 12 * HOUR)
    const log = slot({ readings: [read(0, 8), read(5 * DAY, 0), read(9 * DAY, 5)], sales, stock: 5 })
    const { sold, emptyMs, lostUnits } = lossOf(log, WINDOW)
    expect([sold, emptyMs]).toEqual([8, 5 * DAY])
    expect(lostUnits).toBeCloseTo((8 / 5) * 5)
  })

  test('a first count of 0 has lost nothing yet, whatever was sold before', () => {
    const sales = Array.from({ length: 16 }, (_, i) => (i + 1) * 12 * HOUR)
    const countedAt = 10 * DAY - HOUR / 12
    const { emptyMs, lostUnits } = lossOf(slot({ readings: [read(countedAt, 0)], sales, stock: 0 }), WINDOW)
    expect(emptyMs).toBeGreaterThan(DAY)
    expect(lostUnits).toBeLessThan(0.01)
  })

  test('whatever was logged: empty times lie in the window, do not overlap, and no level is negative', () => {
    const at = fc.integer({ min: -2 * DAY, max: 10 * DAY })
    const logs = fc.record({
      readings: fc.array(fc.tuple(at, fc.integer({ min: -1, max: 9 })), { maxLength: 12 }),
      sales: fc.array(at, { maxLength: 20 }),
      stock: fc.option(fc.integer({ min: 0, max: 9 })),
    })
    fc.assert(
      fc.property(logs, ({ readings, sales, stock }) => {
        const log = slot({
          readings: readings.map(([when, units]) => read(when, units)).toSorted((a, b) => a.at - b.at),
          sales: sales.toSorted((a, b) => a - b),
          stock,
        })
        const empty = emptyTimes(log, WINDOW)
        empty.forEach(({ from, to }, i) => {
          expect(from).toBeLessThan(to)
          expect(from).toBeGreaterThanOrEqual(empty[i - 1]?.to ?? WINDOW.from)
          expect(to).toBeLessThanOrEqual(WINDOW.to)
        })
        const levels = levelsAt(log, [0, DAY, 5 * DAY, 10 * DAY], WINDOW)
        expect(levels.every((level) => level === null || level >= 0)).toBe(true)
        expect(lossOf(log, WINDOW).lostUnits).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
