/** A service takes over machines that others filled before: their refills are in no record of ours. */
import { expect, test } from 'vitest'
import { findStockouts, sortHistory } from './demand/stockouts.ts'
import { assumedCapacity } from './quantity.ts'
import type { SlotInput } from './input.ts'

const DAY = 86_400_000
const NOW = 100 * DAY

const slot: SlotInput = {
  slotId: 'm-1',
  sku: '1',
  priceFen: 300,
  stock: 2,
  capacity: null,
  locked: false,
  isInTransit: false,
  firstSeenAt: null,
  sales: { at: Float64Array.from({ length: 60 }, (_, i) => NOW - (30 - i / 2) * DAY) },
  receipts: [],
  readings: [],
}
const peakOf = (of: SlotInput) => findStockouts(of, sortHistory(of, NOW), NOW).highestLevel

test('sales before refills were recorded build no level that never was', () => {
  expect(peakOf(slot)).toBe(62)
  expect(peakOf({ ...slot, recordedFrom: NOW - 3 * DAY })).toBe(2 + 6)
  expect(peakOf({ ...slot, recordedFrom: NOW })).toBe(2)
})

test('a reading shows a level whenever it was taken', () => {
  const read = { ...slot, recordedFrom: NOW, readings: [{ at: NOW - 20 * DAY, stock: 9 }] }
  expect(peakOf(read)).toBe(9)
})

test('neighbours are used for a slot with little history, and never override its own levels', () => {
  expect(assumedCapacity({ ...slot, neighbourLevel: 8 }, 0, 3)).toBe(8)
  expect(assumedCapacity({ ...slot, neighbourLevel: 8 }, 2, 3)).toBe(8)
  expect(assumedCapacity({ ...slot, neighbourLevel: 8 }, 6, 3)).toBe(9)
  expect(assumedCapacity({ ...slot, neighbourLevel: 8, deliveredShort: 'full' }, 6, 3)).toBe(6)
  expect(assumedCapacity({ ...slot, neighbourLevel: 8, capacity: 5 }, 6, 3)).toBe(5)
})

test('a machine whose slots are all empty is ordered for all the same', () => {
  expect(assumedCapacity({ ...slot, stock: 0, neighbourLevel: 0 }, 0, 3)).toBe(6)
})
