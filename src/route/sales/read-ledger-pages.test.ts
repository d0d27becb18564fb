import { describe, expect, test } from 'vitest'
import { fen } from '../../kernel/fen.ts'
import type { Result } from '../../vendors/contract.ts'
import type { LedgerPage, LedgerQuery, LedgerRecord, MachineVendor } from '../../vendors/machine-vendor.ts'
import { readLedgerWindow } from './read-ledger-pages.ts'

const record = (n: number, createdAt: number | null = 1_000_000 - n): LedgerRecord => ({
  orderNo: `T${n}`,
  status: 'S',
  settled: true,
  locationId: 'M1',
  totalFen: fen(0),
  createdAt,
  createdAtRaw: '',
  lines: [],
})

type Ledger = (query: LedgerQuery) => Result<LedgerPage>

const listing =
  (all: readonly LedgerRecord[]): Ledger =>
  ({ page = 1, size = 100 }) => ({
    ok: true,
    value: {
      records: all.slice((page - 1) * size, page * size),
      page,
      pages: Math.ceil(all.length / size),
      total: all.length,
    },
  })

const readPages = (ledger: Ledger, pagesMax = 20) => {
  const vendor = { ledger: async (query: LedgerQuery) => ledger(query) } as unknown as MachineVendor
  return readLedgerWindow(vendor, { fromMs: 0, toMs: 2_000_000 }, pagesMax)
}

const lots = (count: number) => Array.from({ length: count }, (_, i) => record(i))
const gateway = { ok: false, reason: 'unknown', message: 'gateway' } as const

describe('reading a ledger backwards', () => {
  test('to its end', async () => {
    const pages = await readPages(listing(lots(250)))
    expect([pages.records.length, pages.pages, pages.reachedMs, pages.failure]).toEqual([250, 3, 0, undefined])
  })

  test('an empty one', async () => {
    expect(await readPages(listing([]))).toMatchObject({ records: [], pages: 1, reachedMs: 0 })
  })

  test('cut by the page limit, it has seen everything after the oldest instant, but perhaps not all of that instant', async () => {
    const pages = await readPages(listing(lots(1000)), 5)
    expect([pages.records.length, pages.pages]).toEqual([500, 5])
    expect(pages.reachedMs).toBe(1_000_000 - 499 + 1)
  })

  test('cut among sales without a time, it claims to have read nothing', async () => {
    const undated = Array.from({ length: 300 }, (_, i) => record(i, null))
    expect((await readPages(listing(undated), 2)).reachedMs).toBe(2_000_000)
  })

  test('again when the total changed meanwhile, and never beyond the page limit', async () => {
    let asked = 0
    const growing: Ledger = (query) => listing(lots(250 + asked++))(query)
    expect((await readPages(growing)).pages).toBe(9)
    asked = 0
    const pages = await readPages(growing, 4)
    expect([pages.pages, pages.reachedMs]).toEqual([4, 0])
  })

  test('ends with the page that lists the wanted sale', async () => {
    const vendor = { ledger: async (query: LedgerQuery) => listing(lots(1000))(query) } as unknown as MachineVendor
    const pages = await readLedgerWindow(vendor, { fromMs: 0, toMs: 2_000_000 }, 20, 'T250')
    expect([pages.records.length, pages.pages, pages.reachedMs]).toEqual([300, 3, 1_000_000 - 299 + 1])
  })

  test('a failure keeps what was read and is returned', async () => {
    const breaking: Ledger = (query) => (query.page === 3 ? gateway : listing(lots(1000))(query))
    const pages = await readPages(breaking)
    expect([pages.records.length, pages.failure]).toEqual([200, gateway])
    expect(pages.reachedMs).toBe(1_000_000 - 199 + 1)
  })

  test('a failure during a repeated pass is ignored: the first pass was complete', async () => {
    let asked = 0
    const breaking: Ledger = (query) => (++asked > 3 ? gateway : listing(lots(250 + asked))(query))
    const pages = await readPages(breaking)
    expect([pages.reachedMs, pages.failure]).toEqual([0, undefined])
  })
})
