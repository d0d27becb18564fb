/** The logged stock of slots, reduced to the readings that can change a plan. */
import type { Queryable } from '../../../store/store.ts'
import type { SlotStock } from '../../../route/locations/index.ts'
import { type LevelLog, forEachLevelLog } from '../../../route/sales/index.ts'
import type { Reading } from '../planner/input.ts'

export type StockLevels = Readonly<ReturnType<typeof stockLevels>>

/** By slot id, for the slots that were logged since `since`; any other slot has had its present stock all the time. */
export async function loadStockLevelsSince(
  db: Queryable,
  slots: readonly SlotStock[],
  since: number,
): Promise<Map<string, StockLevels>> {
  const levels = new Map<string, StockLevels>()
  await forEachLevelLog(db, slots, since, ({ slotId, stock }, log) =>
    levels.set(slotId, stockLevels(log, stock, since)),
  )
  return levels
}

function stockLevels(log: LevelLog, stock: number | null, since: number) {
  let first = 0
  while (first < log.length && log.at[first]! < since) first++
  let highest = stock ?? 0
  let highestRead = log.length > 0 && log.isReceipt[log.length - 1] ? 0 : (stock ?? 0)
  for (let i = first; i < log.length; i++) {
    if (log.stock[i]! > highest) highest = log.stock[i]!
    if (!log.isReceipt[i] && log.stock[i]! > highestRead) highestRead = log.stock[i]!
  }
  // A slot that was empty when the window began stayed empty until the first reading with stock in it.
  const from = first > 0 && log.stock[first - 1]! <= 0 ? first - 1 : first
  return {
    readings: significantReadings(log, from, highest),
    /** Without what was only booked with a receipt, unless nothing else is known. */
    highestRead: highestRead > 0 ? highestRead : highest,
  }
}

/**
 * The readings that can change a plan: key points (empty, or a receipt), the readings before and after them, the first of
 * the highest level and the last reading.
 */
export function significantReadings(log: LevelLog, from: number, highest: number): Reading[] {
  const { length, at, stock, isReceipt } = log
  const isKeyPoint = (i: number) => i >= from && i < length && (stock[i]! <= 0 || isReceipt[i]!)
  const readings: Reading[] = []
  // What was only booked with a receipt may not count as seen.
  let highestRead = 0
  for (let i = from; i < length; i++) if (!isReceipt[i] && stock[i]! > highestRead) highestRead = stock[i]!
  let hasHighest = false
  let hasHighestRead = false
  for (let i = from; i < length; i++) {
    const isHighest =
      (!hasHighest && stock[i] === highest) || (!hasHighestRead && !isReceipt[i] && stock[i] === highestRead)
    hasHighest ||= stock[i] === highest
    hasHighestRead ||= !isReceipt[i] && stock[i] === highestRead
    if (isHighest || i === length - 1 || isKeyPoint(i - 1) || isKeyPoint(i) || isKeyPoint(i + 1))
      readings.push({ at: at[i]!, stock: stock[i]!, ...(isReceipt[i] ? { isReceipt: true } : {}) })
  }
  return readings
}
