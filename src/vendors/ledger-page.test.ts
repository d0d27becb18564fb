import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fen } from '../kernel/fen.ts'
import type { LedgerRecord } from './machine-vendor.ts'
import { pageOfRecords } from './ledger-page.ts'

const record = (orderNo: string, createdAt: number | null, settled = true): LedgerRecord => ({
  orderNo,
  status: '',
  settled,
  locationId: 'M1',
  totalFen: fen(100),
  createdAt,
  createdAtRaw: '',
  lines: [],
})
const ALL = { fromMs: 0, toMs: 1_000 }
const orderNos = (records: readonly LedgerRecord[], query: Parameters<typeof pageOfRecords>[1]) =>
  pageOfRecords(records, query).records.map(({ orderNo }) => orderNo)

describe('pages of a ledger in memory', () => {
  test('are newest first; sales without a time come last in every window', () => {
    const records = [record('a', 10), record('b', null), record('d', 30), record('c', 30), record('e', 2_000)]
    expect(orderNos(records, ALL)).toEqual(['c', 'd', 'a', 'b'])
    expect(orderNos(records, { fromMs: 10, toMs: 10 })).toEqual(['a', 'b'])
  })

  test('hold settled sales only when asked', () => {
    const records = [record('a', 10), record('b', 20, false)]
    expect(orderNos(records, { ...ALL, settledOnly: true })).toEqual(['a'])
  })

  test('an empty ledger has no pages', () => {
    expect(pageOfRecords([], ALL)).toEqual({ records: [], page: 1, pages: 0, total: 0 })
  })

  test('read one after the other hold every record once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { maxLength: 60 }), fc.integer({ min: 1, max: 200 }), (times, size) => {
        const records = times.map((at, i) => record(String(i), at))
        const { pages, total } = pageOfRecords(records, { ...ALL, size })
        const read = [...Array(pages).keys()].flatMap((n) => orderNos(records, { ...ALL, size, page: n + 1 }))
        expect(total).toBe(times.length)
        expect(read.toSorted()).toEqual(records.map(({ orderNo }) => orderNo).toSorted())
      }),
    )
  })
})
