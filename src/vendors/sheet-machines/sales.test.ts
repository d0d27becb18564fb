import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Result } from '../contract.ts'
import type { LedgerRecord } from '../machine-vendor.ts'
import { readSalesAside } from '../aside/read-aside.ts'
import { toRows } from './export-file.ts'
import { readSalesExport } from './read-sales-export.ts'
import { type SalesFile, type SalesSheet, mergeSales, readSalesFile } from './sales.ts'
import type { SheetRow } from './sheet-rows.ts'

const SHEET: SalesSheet = {
  columns: { machine: 'Asset', time: 'When', code: 'Item', price: 'Price', quantity: 'Qty' },
  digits: 2,
  timeZone: 'America/Chicago',
}
const WITH_TRANSACTION: SalesSheet = {
  ...SHEET,
  columns: { ...SHEET.columns, transaction: 'Txn', status: 'State' },
}
const row = (more: SheetRow = {}): SheetRow => ({
  Asset: 'M1',
  When: '2026-09-19 14:03:22',
  Item: 'COLA',
  ' Price ': '1.50',
  Qty: '1',
  Txn: '',
  State: '',
  ...more,
})
const file = (rows: readonly SheetRow[], sheet = SHEET): SalesFile => valueOf(readSalesFile(rows, sheet))
const records = (...files: (readonly SheetRow[])[]) => mergeSales(files.map((rows) => file(rows))).records

function valueOf<T>(result: Result<T>): T {
  expect(result).toMatchObject({ ok: true })
  return (result as { value: T }).value
}

describe('sales exports', () => {
  test('become ledger records', () => {
    expect(records([row({ Qty: '2' })])).toEqual([
      {
        orderNo: 'M1.20260919T140322.COLA.1',
        status: 'EXPORTED',
        settled: true,
        locationId: 'M1',
        totalFen: 300,
        createdAt: Date.parse('2026-09-19T19:03:22Z'),
        createdAtRaw: '2026-09-19 14:03:22',
        lines: [
          { vendorSku: 'COLA', priceFen: 150, costFen: null, status: 'paid' },
          { vendorSku: 'COLA', priceFen: 150, costFen: null, status: 'paid' },
        ],
      },
    ])
  })

  test('without a quantity column each row is one unit', () => {
    const { quantity: _, ...columns } = SHEET.columns
    expect(mergeSales([file([row({ Qty: 'x' })], { ...SHEET, columns })]).records[0]?.lines).toHaveLength(1)
  })

  test('equal rows are numbered', () => {
    expect(records([row(), row(), row({ Item: 'TEA' })]).map(({ orderNo }) => orderNo)).toEqual([
      'M1.20260919T140322.COLA.1',
      'M1.20260919T140322.COLA.2',
      'M1.20260919T140322.TEA.1',
    ])
  })

  test('a transaction is one record with all its rows', () => {
    const rows = [row({ Txn: '88', Item: 'TEA' }), row({ Txn: '88' }), row({ Txn: '89', State: 'Refunded' })]
    expect(mergeSales([file(rows, WITH_TRANSACTION)]).records).toMatchObject([
      { orderNo: 'M1.20260919.88', totalFen: 300, lines: [{ vendorSku: 'COLA' }, { vendorSku: 'TEA' }] },
      { orderNo: 'M1.20260919.89', status: 'Refunded', settled: true, lines: [{ status: 'refunded' }] },
    ])
  })

  test('a transaction number that comes again on another day is another sale', () => {
    const [monday, tuesday] = ['2026-09-14 09:00:00', '2026-09-15 09:00:00'].map((When) =>
      file([row({ Txn: '12', When })], WITH_TRANSACTION),
    )
    expect(mergeSales([monday!, tuesday!]).records.map(({ orderNo }) => orderNo)).toEqual([
      'M1.20260914.12',
      'M1.20260915.12',
    ])
  })

  test('the same transaction number at two machines is two sales', () => {
    const rows = [row({ Txn: '88' }), row({ Txn: '88', Asset: 'M2' })]
    expect(mergeSales([file(rows, WITH_TRANSACTION)]).records).toHaveLength(2)
  })

  test('a status that is not known counts as unpaid and is reported', () => {
    const read = file([row({ State: 'Odd' }), row({ State: 'constructor' }), row({ State: 'VOID' })], WITH_TRANSACTION)
    expect(mergeSales([read]).records.map(({ settled }) => settled)).toEqual([false, false, false])
    expect(read.notices).toEqual([
      'status "Odd" is not known and counts as unpaid',
      'status "constructor" is not known and counts as unpaid',
    ])
    const own = { ...WITH_TRANSACTION, statuses: { odd: 'paid' } as const }
    expect(mergeSales([file([row({ State: 'Odd' })], own)]).records[0]?.settled).toBe(true)
  })

  test('rows without machine, time, code or price are left out and counted', () => {
    const total = { Asset: 'Total', When: '', Item: '', ' Price ': '99.00', Qty: '66', Txn: '', State: '' }
    const read = file([row(), total, row({ ' Price ': '   -     ' }), row({ Qty: '0' })])
    expect(read.notices).toEqual(['3 rows without machine, time, code, price were left out (rows 3, 4, 5)'])
    expect(mergeSales([read]).records).toHaveLength(1)
  })

  test.each([
    [{ Asset: 'M 1' }, 'machine'],
    [{ When: 'yesterday' }, 'time'],
    [{ Item: 'NOVA 3000' }, 'product code'],
    [{ ' Price ': '1.505' }, 'price'],
    [{ ' Price ': '-1.50' }, 'price'],
    [{ ' Price ': '99999999999.00' }, 'price'],
    [{ Qty: '1.5' }, 'quantity'],
    [{ Qty: '' }, 'quantity'],
    [{ Qty: '5000' }, 'quantity'],
    [{ Qty: '1,000' }, 'quantity'],
  ])('%j is refused alone: %s', (more: SheetRow, word) => {
    const good = [...Array(5).keys()].map(() => row())
    const result = readSalesFile([...good, row(more)], SHEET)
    expect(result).toMatchObject({ ok: true, unreadable: [{ kind: 'sale', problem: `its ${word} cannot be read` }] })
    expect(result.ok && result.unreadable?.[0]?.detail).toContain('row 7')
  })

  test('a file of another shape is refused whole', () => {
    expect(readSalesFile([{ A: '1' }], SHEET)).toMatchObject({
      ok: false,
      reason: 'unknown',
      message: 'the file has no column "Asset", "When", "Item", "Price", "Qty"',
    })
    expect(readSalesFile([row(), row({ When: 'x' })], SHEET)).toMatchObject({ ok: false, reason: 'unknown' })
    expect(readSalesFile([], SHEET)).toMatchObject({ ok: true })
  })

  test('of a sale with a row that cannot be read, no row counts: its total would be another', () => {
    const others = [...Array(9).keys()].map((i) => row({ Txn: `7${i}` }))
    const rows = [...others, row({ Txn: '88' }), row({ Txn: '88', ' Price ': '1.5O' })]
    const read = file(rows, WITH_TRANSACTION)
    expect(mergeSales([read]).records.map(({ orderNo }) => orderNo)).not.toContain('M1.20260919.88')
    const whole = file([row({ Txn: '88' }), row({ Txn: '88' })], WITH_TRANSACTION)
    for (const files of [
      [whole, read],
      [read, whole],
    ])
      expect(mergeSales(files).records).toContainEqual(
        expect.objectContaining({ orderNo: 'M1.20260919.88', totalFen: 300 }),
      )
  })

  test('a separator lost in any rows refuses the file, and a total below them may be short', () => {
    const sales = [...Array(6).keys()].map((i) => [
      'M1',
      '2026-09-19 14:03',
      `C${i}`,
      '1.50',
      '1',
      `A${i >> 1}`,
      'paid',
    ])
    const recordsOf = (lines: readonly string[]) => {
      const bytes = Buffer.from(['Asset,When,Item,Price,Qty,Txn,State', ...lines, ''].join('\r\n'))
      const { quantity: qty, ...columns } = WITH_TRANSACTION.columns
      const split = toRows({ bytes, isCut: false }, { columns: { ...columns, ...(qty && { qty }) } })
      const read = split.ok ? readSalesFile(split.rows, WITH_TRANSACTION) : undefined
      return read?.ok ? mergeSales([read.value]).records : undefined
    }
    const write = (cut: ReadonlyMap<number, number>, put: string) =>
      sales.map((cells, n) => cells.reduce((line, cell, i) => line + (cut.get(n) === i - 1 ? put : ',') + cell))
    expect(recordsOf([...write(new Map(), ''), 'Total,6,9.00'])).toHaveLength(3)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1 }),
        fc.constantFrom('', 'x', '-', '.', '1', ' '),
        (cut, put) => {
          expect(recordsOf(write(new Map(cut), put))).toBeUndefined()
        },
      ),
    )
  })

  test('a later export contains refunds', () => {
    const before = file([row({ Txn: '88', State: 'Paid' })], WITH_TRANSACTION)
    const after = file([row({ Txn: '88', State: 'Refund' })], WITH_TRANSACTION)
    expect(mergeSales([before, after]).records).toMatchObject([
      { orderNo: 'M1.20260919.88', lines: [{ status: 'refunded' }] },
    ])
  })

  test('a window that ends inside a second does not take sales away', () => {
    const cheap = row({ ' Price ': '1.00' })
    const whole = records([row(), cheap])
    expect(records([row(), cheap], [row()])).toEqual(whole)
    expect(records([row()], [row(), cheap])).toEqual(whole)
  })

  test('what came before the oldest sale of a machine is not known', () => {
    const rows = [row(), row({ When: '2026-09-01 10:00:00' }), row({ Asset: 'M2' })]
    expect(mergeSales([file(rows)]).completeFrom).toEqual({
      M1: Date.parse('2026-09-01T15:00:00Z'),
      M2: Date.parse('2026-09-19T19:03:22Z'),
    })
  })
})

describe('order numbers', () => {
  const cell = (...values: readonly string[]) => fc.constantFrom(...values)
  const sale = fc
    .record({
      Asset: cell('M1', 'M2'),
      minute: fc.nat(9),
      Item: cell('COLA', 'TEA'),
      ' Price ': cell('1.50', '2.00'),
      Qty: cell('1', '2'),
    })
    .map(({ minute, ...cells }): SheetRow => ({ ...row(cells), When: `2026-09-19 14:0${minute}:00` }))
  const sales = fc.array(sale, { maxLength: 30 })
  const sorted = (list: readonly LedgerRecord[]) => list.toSorted((a, b) => (a.orderNo < b.orderNo ? -1 : 1))

  test('are the same whatever the order of the rows, and however often they are exported', () => {
    fc.assert(
      fc.property(
        sales.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length }))),
        ([rows, shuffled]) => {
          const once = sorted(records(rows))
          expect(new Set(once.map(({ orderNo }) => orderNo)).size).toBe(rows.length)
          expect(sorted(records(shuffled))).toEqual(once)
          expect(sorted(records(rows, shuffled, rows))).toEqual(once)
        },
      ),
    )
  })

  test('windows that overlap give what one window over all of it gives', () => {
    fc.assert(
      fc.property(sales, fc.nat(9), fc.nat(9), (rows, a, b) => {
        const minute = (entry: SheetRow) => Number(entry['When']?.slice(15, 16))
        const [from, to] = [Math.min(a, b), Math.max(a, b)]
        const first = rows.filter((entry) => minute(entry) <= to)
        const second = rows.filter((entry) => minute(entry) >= from)
        expect(sorted(records(first, second))).toEqual(sorted(records(rows)))
        expect(sorted(records(second, first))).toEqual(sorted(records(rows)))
      }),
    )
  })

  test('no cell of any row makes it throw, or changes the price of another', () => {
    const garble = fc.oneof(
      fc.constantFrom('', '-', 'string', 'null', '-1', '1e308', '9'.repeat(40), '1.005', 'NaN', '__proto__', '\u0000'),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.nat(9), fc.constantFrom('Asset', 'When', 'Item', ' Price ', 'Qty'), garble, (n, key, value) => {
        const rows = [...Array(10).keys()].map((i) => row({ Item: `P${i}` }))
        const read = readSalesFile(
          rows.map((entry, i) => (i === n ? { ...entry, [key]: value } : entry)),
          SHEET,
        )
        if (!read.ok) return expect.fail(read.message)
        const others = mergeSales([read.value]).records.filter(({ lines }) => lines[0]?.vendorSku !== `P${n}`)
        expect(others.filter(({ totalFen }) => totalFen === 150).length).toBeGreaterThanOrEqual(9)
      }),
    )
  })
})

test('a large export is read beside the requests, and becomes the same sales', async () => {
  const times = Array.from({ length: 2_000 }, (_, i) => new Date(Date.UTC(2026, 8, 1) + i * 60_000).toISOString())
  const toRead = (lines: readonly string[]) => ({
    file: { bytes: Buffer.from(['Asset,When,Item,Price,Qty', ...lines, ''].join('\n')), isCut: false },
    settings: { file: 'sales.csv', columns: { ...SHEET.columns, qty: 'Qty' } },
    sheet: { ...SHEET, signs: /\$/g },
  })
  const large = toRead([...times.map((time) => `M1,${time},COLA,$1.50,1`), 'M1,nobody knows,COLA,1.50,1'])
  let turns = 0
  const count = () => void setImmediate(() => (turns += 1))
  count()
  const read = await readSalesAside(large)
  // Reading it here would have answered nobody meanwhile.
  expect(turns).toBe(1)
  expect(read).toEqual(readSalesExport(large))
  expect(valueOf(read).groups.size).toBe(2_000)
  expect(read).toMatchObject({ unreadable: [expect.anything()] })
  count()
  await readSalesAside(toRead([]))
  expect(turns, 'a small one is read at once').toBe(1)
})
