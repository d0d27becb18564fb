import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Result } from '../contract.ts'
import { damage } from '../sheet/price-list/damage.test-support.ts'
import { toRows } from './export-file.ts'
import { type PlanogramSheet, readPlanogram } from './planogram.ts'
import type { SheetRow } from './sheet-rows.ts'
import { propertyRuns } from '../../../test/support/property-runs.ts'

const SHEET: PlanogramSheet = {
  columns: {
    machine: 'Asset',
    code: 'Item',
    title: 'Name',
    price: 'Price',
    stock: 'On hand',
    capacity: 'Par',
    barcode: 'UPC',
  },
  digits: 2,
  asOf: 77,
}
const LANES: PlanogramSheet = { ...SHEET, columns: { ...SHEET.columns, lane: 'Coil' } }
const row = (more: SheetRow = {}): SheetRow => ({
  Asset: 'M1',
  Item: 'COLA',
  Name: 'Cola',
  Price: '1.50',
  'On hand': '4',
  Par: '10.0',
  UPC: '4001',
  Coil: 'A1',
  ...more,
})
function valueOf<T>(result: Result<T>): T {
  expect(result).toMatchObject({ ok: true })
  return (result as { value: T }).value
}
const machine = (rows: readonly SheetRow[], sheet = SHEET, name = 'M1') =>
  valueOf(readPlanogram(rows, sheet)).machines.get(name)

describe('separators that were lost', () => {
  const HEADER = 'Asset,Item,Name,Price,On hand,Par,UPC'
  const settings = { columns: { ...SHEET.columns } }
  const slotsOf = (lines: readonly string[]): readonly string[] | undefined => {
    const rows = toRows({ bytes: Buffer.from([HEADER, ...lines, ''].join('\n')), isCut: false }, settings)
    const read = rows.ok ? readPlanogram(rows.rows, SHEET) : undefined
    if (!read?.ok) return undefined
    return [...read.value.machines].flatMap(([id, { slots }]) => slots.map((slot) => JSON.stringify([id, slot])))
  }

  test('one in any rows: the file is refused, also where two rows are lanes of one slot', () => {
    const rows = Array.from({ length: 6 }, (_, i) => ['M1', `C${i >> 1}`, `Cola ${i}`, '1.50', `${i}`, `1${i}`, '4001'])
    const write = (cut: ReadonlyMap<number, number>, put: string) =>
      rows.map((cells, row) => cells.reduce((line, cell, i) => line + (cut.get(row) === i - 1 ? put : ',') + cell))
    expect(slotsOf(write(new Map(), ''))).toHaveLength(3)
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { minLength: 1 }),
        fc.constantFrom('', 'x', '-', '.', '1', ' '),
        (cut, put) => {
          expect(slotsOf(write(new Map(cut), put))).toBeUndefined()
        },
      ),
    )
  })

  test('any number in any rows: a slot of one row is the same, left out, or the file is refused', () => {
    const rows = Array.from({ length: 6 }, (_, i) => ['M1', `C${i}`, `Cola ${i}`, '1.50', `${i}`, `1${i}`, '4001'])
    const write = (cut: ReadonlySet<string>) =>
      rows.map((cells, row) => cells.reduce((line, cell, i) => line + (cut.has(`${row},${i - 1}`) ? '' : ',') + cell))
    const whole = new Set(slotsOf(write(new Set())))
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(5)).map(String), { minLength: 1, maxLength: 20 }), (cut) => {
        expect((slotsOf(write(new Set(cut))) ?? []).filter((slot) => !whole.has(slot))).toEqual([])
      }),
    )
  })

  test('one byte that is not a digit may cost slots, but gives none another price or stock', () => {
    const rows = Array.from({ length: 8 }, (_, i) => `M${i % 3},C${i},"Cola, ${i}",1.${i}0,${i + 2},1${i},`)
    const text = Buffer.from([HEADER, ...rows, ''].join('\r\n'))
    const numbersOf = (bytes: Buffer): readonly string[] => {
      const split = toRows({ bytes, isCut: !/[\r\n]$/.test(bytes.toString('latin1')) }, settings)
      const read = split.ok ? readPlanogram(split.rows, SHEET) : undefined
      return [...(read?.ok ? read.value.machines.values() : [])].flatMap(({ slots }) =>
        slots.map(({ priceFen, stock, capacity }) => JSON.stringify([priceFen, stock, capacity])),
      )
    }
    const whole = numbersOf(text)
    expect(whole).toHaveLength(8)
    fc.assert(
      fc.property(damage(text), (damaged) => {
        expect(numbersOf(damaged).filter((slot) => !whole.includes(slot))).toEqual([])
      }),
      { numRuns: propertyRuns(300) },
    )
  })

  test('titles and totals may have fewer cells', () => {
    expect(slotsOf(['Building 7', 'M1,C1,Cola,1.50,5,10,4001', 'Total,5,10', ''])).toHaveLength(1)
    // The end of the row above.
    expect(slotsOf(['M1,C1,Cola,1.50,5,10,40', '01'])).toBeUndefined()
  })
})

describe('planograms', () => {
  test('a title is one line, also where its cell has line breaks', () => {
    expect(machine([row({ Name: 'Cola\n 0.5 l' })])?.slots).toMatchObject([{ title: 'Cola 0.5 l' }])
  })

  test('become slots', () => {
    expect(machine([row(), row({ Asset: 'M2' })])).toEqual({
      slots: [
        {
          vendorSku: 'COLA',
          title: 'Cola',
          barcode: '4001',
          priceFen: 150,
          stock: 4,
          capacity: 10,
          asOf: 77,
          lanes: [],
        },
      ],
      unreadable: [],
    })
  })

  test('what is not filled in is unknown', () => {
    expect(machine([row({ 'On hand': '', Par: '-', UPC: ' ' })])?.slots).toEqual([
      { vendorSku: 'COLA', title: 'Cola', priceFen: 150, stock: null, capacity: null, asOf: null, lanes: [] },
    ])
    expect(machine([row({ Par: '0' })])?.slots).toMatchObject([{ capacity: null, stock: 4 }])
  })

  test('rows of one product are its lanes: summed, one unknown makes the sum unknown', () => {
    expect(machine([row(), row({ 'On hand': '3', Price: '2.00' })])?.slots).toMatchObject([
      { stock: 7, capacity: 20, priceFen: 150 },
    ])
    expect(machine([row(), row({ 'On hand': '' })])?.slots).toMatchObject([{ stock: null, capacity: 20 }])
  })

  test('named lanes are kept; the same lane twice counts once', () => {
    const rows = [row(), row({ Coil: 'A2', Price: '2.00' }), row()]
    expect(machine(rows, LANES)?.slots).toMatchObject([
      {
        stock: 8,
        lanes: [
          { code: 'A1', priceFen: 150, stock: 4, capacity: 10 },
          { code: 'A2', priceFen: 200, stock: 4, capacity: 10 },
        ],
      },
    ])
    expect(valueOf(readPlanogram(rows, LANES)).notices).toEqual(['1 rows repeat a lane with the same contents'])
  })

  test('a lane with two contents is refused with both products', () => {
    const rows = [row(), row({ Item: 'TEA' }), row({ Item: 'GUM', Coil: 'A9' })]
    expect(machine(rows, LANES)).toMatchObject({
      slots: [{ vendorSku: 'GUM' }],
      unreadable: [{ id: 'COLA' }, { id: 'TEA' }],
    })
  })

  test('rows without machine, code, title or price are left out and counted', () => {
    const rows = [row(), row({ Item: '' }), row({ Name: ' ' }), row({ Price: '   -     ' })]
    expect(machine(rows)?.slots).toHaveLength(1)
    expect(valueOf(readPlanogram(rows, SHEET)).notices).toEqual([
      '3 rows without machine, code, title, price were left out (rows 3, 4, 5)',
    ])
  })

  test.each([
    [{ Price: '1.505' }, 'price'],
    [{ 'On hand': 'many' }, 'stock'],
    [{ Par: '2.5' }, 'capacity'],
    [{ Item: 'A:1' }, 'product code'],
  ])('%j is refused alone, and its product with it', (more: SheetRow, word) => {
    const good = [...Array(5).keys()].map((n) => row({ Item: `P${n}` }))
    expect(machine([...good, row(), row(), row(more)])?.unreadable).toMatchObject([
      { kind: 'slot', problem: `its ${word} cannot be read` },
    ])
    const codes = machine([...good, row(), row(), row(more)])?.slots.map(({ vendorSku }) => vendorSku)
    expect(codes?.includes('COLA')).toBe(word === 'product code')
  })

  test('a refused row belongs to its machine, or to none that can be read', () => {
    const good = [...Array(9).keys()].map((n) => row({ Item: `P${n}` }))
    expect(machine([...good, row({ Asset: 'M2', Price: 'x' })], SHEET, 'M2')).toMatchObject({
      slots: [],
      unreadable: [{ id: 'COLA' }],
    })
    expect(readPlanogram([...good, row({ Asset: 'M 2' })], SHEET)).toMatchObject({
      ok: true,
      unreadable: [{ id: 'COLA', problem: 'its machine cannot be read' }],
    })
  })

  test('a file of another shape is refused whole', () => {
    expect(readPlanogram([{ Item: 'COLA' }], SHEET)).toMatchObject({ ok: false, reason: 'unknown' })
  })

  test('no cell makes it throw or changes the price of another product', () => {
    const garble = fc.oneof(fc.constantFrom('', '-', 'string', '-1', '1e308', '9'.repeat(40), '1.005'), fc.string())
    fc.assert(
      fc.property(fc.nat(9), fc.constantFrom(...Object.keys(row())), garble, (n, key, value) => {
        const rows = [...Array(10).keys()].map((i) => row({ Item: `P${i}`, Coil: `C${i}` }))
        const read = readPlanogram(
          rows.map((entry, i) => (i === n ? { ...entry, [key]: value } : entry)),
          LANES,
        )
        if (!read.ok) return expect.fail(read.message)
        const others = read.value.machines.get('M1')?.slots.filter(({ vendorSku }) => vendorSku !== `P${n}`)
        expect(others?.filter(({ priceFen, stock }) => priceFen === 150 && stock === 4).length).toBeGreaterThanOrEqual(
          8,
        )
      }),
    )
  })
})
