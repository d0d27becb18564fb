import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LedgerRecord } from '../machine-vendor.ts'
import type { Reading, Selection } from './dex-reading.ts'
import { spreadBetween, spreadTo } from './dex-sales.ts'
import type { MachineReading } from './file-reading.ts'
import { type MachineBook, countReading, SalesWindow } from './machine-book.ts'
import { epochOf } from './reading-time.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const START = Date.parse('2026-09-07T07:30:00Z')
const NAMING = {
  namesOf: () => (selection: string) => `sku-${selection}`,
  epochOf: (time: Parameters<typeof epochOf>[0]) => epochOf(time, 'UTC'),
}

const selection = (code: string, count: number, value: number, more: Partial<Selection> = {}): Selection => ({
  code,
  price: 150,
  name: undefined,
  capacity: undefined,
  level: undefined,
  sinceStart: { count, value },
  sinceReset: undefined,
  lastEvent: undefined,
  ...more,
})

function readingAt(at: number, selections: readonly Selection[], soldOut: readonly string[] = []): MachineReading {
  const count = selections.reduce((sum, { sinceStart }) => sum + (sinceStart?.count ?? 0), 0)
  const total = { count, value: 0, sinceReset: { count: 0, value: 0 } }
  const reading = { total, selections, soldOut, reconciled: true } as unknown as Reading
  return { location: 'M1', hash: `h${at}`, at, stamp: undefined, notices: [], reading } as unknown as MachineReading
}

function bookOf(readings: readonly MachineReading[], now = readings.at(-1)?.at ?? 0): MachineBook {
  let book: MachineBook | undefined
  for (const reading of readings) book = countReading(book, reading, NAMING, now).book
  if (!book) throw new Error('no reading')
  return book
}

function salesOf(book: MachineBook): readonly LedgerRecord[] {
  const sales = new SalesWindow(new Map([['M1', book]]), 0, Infinity)
  return sales.records(0, sales.total)
}

test('what was sold between readings is spread over that time: every unit once, every cent, none outside', () => {
  const step = fc.record({
    passed: fc.integer({ min: 1, max: 40 * DAY }),
    units: fc.integer({ min: 0, max: 60 }),
    value: fc.integer({ min: 0, max: 20_000 }),
  })
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 5 }), (steps) => {
      let at = START
      let count = 500
      let value = 90_000
      const readings = [readingAt(at, [selection('A1', count, value)])]
      for (const { passed, units, value: taken } of steps) {
        at += passed
        count += units
        value += units === 0 ? 0 : taken
        readings.push(readingAt(at, [selection('A1', count, value)]))
      }
      const book = bookOf(readings)
      const sales = salesOf(book)
      expect(sales).toHaveLength(count - 500)
      expect(sales.reduce((sum, { totalFen }) => sum + totalFen, 0)).toBe(value - 90_000)
      expect(new Set(sales.map(({ orderNo }) => orderNo)).size).toBe(sales.length)
      for (const [i, reading] of readings.entries()) {
        const own = sales.filter(({ orderNo }) => orderNo.startsWith(`M1.${reading.hash}.`))
        const from = readings[i - 1]?.at ?? Infinity
        expect(own.every(({ createdAt }) => (createdAt ?? 0) >= from && (createdAt ?? 0) <= reading.at)).toBe(true)
      }
      expect(salesOf(JSON.parse(JSON.stringify(book)) as MachineBook), 'the same after a restart').toEqual(sales)
      // A window lists exactly its part.
      const middle = START + Math.floor((at - START) / 2)
      const older = new SalesWindow(new Map([['M1', book]]), 0, middle).total
      const newer = new SalesWindow(new Map([['M1', book]]), middle + 1, Infinity).total
      expect(older + newer).toBe(sales.length)
    }),
    { numRuns: 60 },
  )
})

test('a week of sales is even over its days', () => {
  const book = bookOf([
    readingAt(START, [selection('A1', 0, 0)]),
    readingAt(START + 7 * DAY, [selection('A1', 14, 2100)]),
  ])
  const perDay = Map.groupBy(salesOf(book), ({ createdAt }) => Math.floor(((createdAt ?? 0) - START) / DAY))
  expect([...perDay.values()].map((sales) => sales.length)).toEqual([2, 2, 2, 2, 2, 2, 2])
})

test('a selection that is sold out sold its last unit then; one that was filled again has sold since', () => {
  const lastEvent = { date: '20260909', time: '073000' }
  const before = readingAt(START, [selection('A1', 0, 0), selection('A2', 0, 0), selection('A3', 0, 0)])
  const after = readingAt(
    START + 10 * DAY,
    [
      selection('A1', 8, 1200, { lastEvent }),
      selection('A2', 8, 1200, { lastEvent, level: 0 }),
      selection('A3', 8, 1200, { lastEvent }),
    ],
    ['A3'],
  )
  const sales = salesOf(bookOf([before, after]))
  const lastOf = (code: string) =>
    Math.max(
      ...sales.flatMap(({ lines, createdAt }) => (lines[0]?.vendorSku === `sku-${code}` ? [createdAt ?? 0] : [])),
    )
  expect(['A1', 'A2', 'A3'].map((code) => (lastOf(code) - START) / DAY)).toEqual([expect.closeTo(9.375), 2, 2])
  // Only that one has a time of its own; of the others the readings around them are known.
  const rawOf = (code: string) =>
    new Set(sales.flatMap(({ lines, createdAtRaw }) => (lines[0]?.vendorSku === `sku-${code}` ? createdAtRaw : [])))
  const [start, end, event] = [START, START + 10 * DAY, START + 2 * DAY].map((at) => new Date(at).toISOString())
  expect(rawOf('A1')).toEqual(new Set([`${start}/${end}`]))
  expect(rawOf('A2')).toEqual(new Set([`${start}/${event}`, event]))
})

test('a reading whose clock is ahead puts no sale into the future', () => {
  const now = START + 2 * HOUR
  const book = bookOf(
    [readingAt(START, [selection('A1', 0, 0)]), readingAt(START + 9 * HOUR, [selection('A1', 9, 9)])],
    now,
  )
  expect(salesOf(book).every(({ createdAt }) => (createdAt ?? Infinity) < now)).toBe(true)
})

test('sales that an earlier version counted keep their number, their time and all their units', () => {
  const counted = bookOf([readingAt(START, [selection('A1', 0, 0)])])
  const sold = [{ selection: 'A1', vendorSku: 'sku-A1', count: 3, value: 451, at: START + DAY }]
  const book: MachineBook = { ...counted, intervals: [{ hash: 'old', addedAt: START + DAY, sold }] }
  const after = countReading(book, readingAt(START + 2 * DAY, [selection('A1', 2, 300)]), NAMING, START + 2 * DAY).book
  expect(salesOf(after).map(({ orderNo, lines, totalFen }) => [orderNo, lines.length, totalFen])).toEqual([
    [`M1.h${START + 2 * DAY}.A1.2`, 1, 150],
    ['M1.old.A1', 3, 451],
    [`M1.h${START + 2 * DAY}.A1.1`, 1, 150],
  ])
})

test('units between two times that are one, or turned round, are all at the end', () => {
  expect(spreadBetween(100, 100, 3)).toEqual({ first: 100, at: 100 })
  expect(spreadBetween(200, 100, 3)).toEqual({ first: 100, at: 100 })
  expect(spreadTo(0, 100, 1)).toEqual({ first: 100, at: 100 })
})
