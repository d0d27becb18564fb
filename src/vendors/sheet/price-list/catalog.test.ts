import { renameSync, rmSync, utimesSync, writeFileSync, appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fen } from '../../../kernel/fen.ts'
import type { Result } from '../../contract.ts'
import type { SupplyCatalog } from '../../supply-vendor.ts'
import { readList } from './examine-list.ts'
import { type TestCell, ods, xlsx } from '../../../../test/support/workbooks.ts'
import type { StatedPack } from '../../packs.ts'
import { findSamples } from './samples.test-support.ts'
import { CATALOG, LIST, openSheet } from '../sheet.test-support.ts'

const skus = (result: Result<SupplyCatalog>) =>
  result.ok ? result.value.products.map(({ vendorSku }) => vendorSku) : result

const lines = (...rows: readonly string[]) => ['sku,title,pack,case', ...rows, ''].join('\n')
const many = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `S${from + i},Product ${from + i},EA,1.00`)

/** Not written to for a while. */
function write(path: string, content: string | Uint8Array, ageSeconds = 60 * 60) {
  writeFileSync(path, content)
  const at = Date.now() / 1000 - ageSeconds
  utimesSync(path, at, at)
}

describe('the catalog of a sheet supplier', () => {
  test('is its list, with the sites of the settings', async () => {
    const { vendor } = openSheet({ sites: [{ id: 'north', name: 'Depot North', address: '5 Dock Street' }] })
    const result = await vendor.catalog()
    expect(result).toMatchObject({
      ok: true,
      value: {
        products: [
          { vendorSku: 'TEA-24', units: 'pack', packSize: 24, packPriceFen: 1250, eachPriceFen: 52, stock: null },
          { vendorSku: 'BAR', units: 'each', packSize: 1, eachPriceFen: 95 },
          { vendorSku: 'GUM/7', units: 'pack', packSize: 12 },
        ],
        sites: [{ id: 'north', name: 'Depot North', address: '5 Dock Street' }],
      },
    })
    expect(result).not.toHaveProperty('refused')
  })

  test('is read again only when the file has changed', async () => {
    const { vendor, folder } = openSheet()
    const path = join(folder, 'list.csv')
    write(path, lines('A,Tea,EA,1.00'))
    const first = await vendor.catalog()
    expect(await vendor.catalog()).toBe(first)
    write(path, lines('A,Tea,EA,1.10'), 60)
    expect(await vendor.catalog()).toMatchObject({ value: { products: [{ packPriceFen: 110 }] } })
  })

  test('the newest file of a glob counts', async () => {
    const { vendor, folder } = openSheet({ catalog: { file: 'lists/week-*.csv' } })
    mkdirSync(join(folder, 'lists'))
    expect(await vendor.catalog()).toMatchObject({ reason: 'unsent' })
    write(join(folder, 'lists/week-2.csv'), lines('NEW,Tea,EA,1.00'), 60)
    write(join(folder, 'lists/week-1.csv'), lines('OLD,Tea,EA,1.00'), 600)
    write(join(folder, 'lists/other.csv'), lines('OTHER,Tea,EA,1.00'), 1)
    expect(skus(await vendor.catalog())).toEqual(['NEW'])
    rmSync(join(folder, 'lists'), { recursive: true })
    expect(await vendor.catalog()).toMatchObject({ reason: 'unsent', raw: 'ENOENT' })
  })

  test('a list that is missing is not there to be asked; one that cannot be read says so', async () => {
    const { vendor, folder, notices } = openSheet()
    const path = join(folder, 'list.csv')
    expect(skus(await vendor.catalog())).toHaveLength(3)
    renameSync(path, `${path}.away`)
    expect(await vendor.catalog()).toMatchObject({ ok: false, reason: 'unsent' })
    write(path, 'code;name\nA;Tea\n')
    expect(await vendor.catalog()).toMatchObject({ ok: false, reason: 'unknown' })
    await vendor.catalog()
    expect(notices).toEqual([expect.stringMatching(/^Price list list\.csv cannot be read: there is no column "sku"/)])
    renameSync(`${path}.away`, path)
    expect(skus(await vendor.catalog())).toHaveLength(3)
  })

  test('while a list is being written the earlier one is used', async () => {
    const { vendor, folder } = openSheet()
    const path = join(folder, 'list.csv')
    expect(skus(await vendor.catalog())).toEqual(['TEA-24', 'BAR', 'GUM/7'])
    writeFileSync(path, `${lines('TEA-24,Iced tea,24/CS,12.50', 'BAR,Bar,EA,0.95')}COLA,Cola,EA,1`)
    expect(skus(await vendor.catalog())).toEqual(['TEA-24', 'BAR', 'GUM/7'])
    appendFileSync(path, '0.50\n')
    const result = await vendor.catalog()
    expect(skus(result)).toEqual(['TEA-24', 'BAR', 'COLA'])
    expect(result).toMatchObject({ value: { products: [{}, {}, { packPriceFen: 1050 }] } })
  })

  test('a file that grows is not read', async () => {
    const { vendor, folder } = openSheet()
    const path = join(folder, 'list.csv')
    await vendor.catalog()
    writeFileSync(path, lines('TEA-24,Iced tea,24/CS,19.00', 'BAR,Bar,EA,0.95'))
    const reading = vendor.catalog()
    await sleep(30)
    appendFileSync(path, 'COLA,Cola,EA,1.00\n')
    expect(await reading).toMatchObject({ value: { products: [{ packPriceFen: 1250 }, {}, {}] } })
    expect(skus(await vendor.catalog())).toEqual(['TEA-24', 'BAR', 'COLA'])
  })

  test('without an earlier list, one that is being written is not there yet', async () => {
    const { vendor, folder } = openSheet()
    writeFileSync(join(folder, 'list.csv'), 'sku,title,pack,case\nA,Tea,EA,1')
    expect(await vendor.catalog()).toMatchObject({ ok: false, reason: 'unsent' })
  })

  test('a last line that stays incomplete is left out, because its price may be cut', async () => {
    const { vendor, folder, notices } = openSheet()
    write(join(folder, 'list.csv'), `${lines('A,Tea,EA,1.00')}B,Milk,EA,12`)
    expect(skus(await vendor.catalog())).toEqual(['A'])
    expect(notices).toEqual([
      'Price list list.csv: the last line has no line end and is left out, it may be incomplete',
    ])
  })

  test('rows that are left out are reported with the first five numbers, unreadable ones by code', async () => {
    const { vendor, folder, notices } = openSheet()
    const bare = Array.from({ length: 7 }, () => ',Section,,')
    write(
      join(folder, 'list.csv'),
      lines(...bare, ...many(1, 20), 'X,Bad,EA,1.2.3', 'Y,Twice,EA,1.00', 'Y,Twice,EA,2.00'),
    )
    const result = await vendor.catalog()
    expect(skus(result)).toHaveLength(20)
    expect(result).toMatchObject({
      unreadable: [
        { kind: 'product', id: 'X', row: 29, problem: 'its price cannot be read: "1.2.3" in the column "case"' },
        { kind: 'product', id: 'Y', problem: 'its rows contradict each other' },
      ],
    })
    expect(notices).toEqual([
      'Price list list.csv: 7 rows without a code left out (rows 2, 3, 4, 5, 6, …)',
      'Price list list.csv: 1 row whose price cannot be read left out (row 29)',
      'Price list list.csv: 2 rows that contradict another row with the same code left out (rows 30, 31)',
    ])
  })

  describe('a list that has lost more than half of its products', () => {
    test('is refused, and the earlier one stays', async () => {
      const { vendor, folder, notices } = openSheet()
      const path = join(folder, 'list.csv')
      write(path, lines(...many(1, 10)))
      await vendor.catalog()
      write(path, lines(...many(1, 4)), 60)
      const result = await vendor.catalog()
      expect(skus(result)).toHaveLength(10)
      expect(result).toMatchObject({
        unreadable: [{ id: 'price-list', problem: expect.stringContaining('4 products') }],
      })
      expect(notices).toHaveLength(1)
      write(path, lines(...many(1, 5)), 30)
      expect(skus(await vendor.catalog())).toHaveLength(5)
    })

    test('also after a restart, and for another instance', async () => {
      const first = openSheet()
      const path = join(first.folder, 'list.csv')
      write(path, lines(...many(1, 10)))
      await first.vendor.catalog()
      write(path, lines(...many(1, 4)), 60)
      const restarted = openSheet({ folder: first.folder, memory: first.memory })
      expect(skus(await restarted.vendor.catalog())).toHaveLength(10)
      write(path, lines(...many(1, 9)), 30)
      expect(skus(await restarted.vendor.catalog())).toHaveLength(9)
    })

    test('one that was remembered by earlier rules is not used: a pack may stand in it as one item', async () => {
      const first = openSheet()
      const path = join(first.folder, 'list.csv')
      write(path, lines(...many(1, 10)))
      await first.vendor.catalog()
      const stored = await first.memory.get('price-list')
      await first.memory.put('price-list', { ...(stored?.value as object), rules: 1 }, stored?.version ?? 0)
      write(path, lines(...many(1, 4)), 60)
      const restarted = openSheet({ folder: first.folder, memory: first.memory })
      expect(skus(await restarted.vendor.catalog())).toHaveLength(4)
    })

    test('unless the operator allows it', async () => {
      const { vendor, folder } = openSheet({ catalog: { max_loss: 100 } })
      const path = join(folder, 'list.csv')
      write(path, lines(...many(1, 10)))
      await vendor.catalog()
      write(path, lines(...many(1, 2)), 60)
      expect(skus(await vendor.catalog())).toHaveLength(2)
    })
  })

  test.each([
    ['utf-8', Buffer.from('sku,title,pack,case\nA,Müsli 茶,EA,1.00\n'), 'Müsli 茶'],
    ['windows-1252', Buffer.from('sku,title,pack,case\nA,M\xFCsli,EA,1.00\n', 'latin1'), 'Müsli'],
    [
      'gb18030',
      Buffer.concat([Buffer.from('sku,title,pack,case\nA,'), Buffer.from([0xb2, 0xe8]), Buffer.from(',EA,1.00\n')]),
      '茶',
    ],
  ])('in %s', async (encoding, bytes, title) => {
    const { vendor, folder } = openSheet({ catalog: { encoding } })
    write(join(folder, 'list.csv'), bytes)
    expect(await vendor.catalog()).toMatchObject({ value: { products: [{ title }] } })
  })
})

test('a list most of whose prices moved is refused, and the earlier one stays; also after a restart a price waits', async () => {
  const rows = (price: string) => Array.from({ length: 20 }, (_, i) => `S${i},Product ${i},EA,${price}`)
  const first = openSheet()
  const path = join(first.folder, 'list.csv')
  write(path, lines(...rows('1.00')))
  expect(skus(await first.vendor.catalog())).toHaveLength(20)
  write(path, lines(...rows('100.00')), 60)
  expect(await first.vendor.catalog()).toMatchObject({
    value: { products: { length: 20, 0: { eachPriceFen: 100 } } },
    unreadable: [{ id: 'price-list', problem: expect.stringContaining('20 of 20 prices are more than three times') }],
  })
  write(path, lines(...rows('1.00').slice(1), 'S0,Product 0,EA,9.00'), 30)
  expect(skus(await first.vendor.catalog())).toHaveLength(19)
  const restarted = openSheet({ folder: first.folder, memory: first.memory })
  expect(skus(await restarted.vendor.catalog())).toHaveLength(19)
  expect(restarted.vendor.askedPacks?.()).toMatchObject([{ vendorSku: 'S0', packPriceFen: 900, eachPriceFen: 900 }])
  // Left out of one list and back in the next at the same price: still asked.
  write(path, lines(...rows('1.00').slice(1)), 20)
  expect(skus(await restarted.vendor.catalog())).toHaveLength(19)
  write(path, lines(...rows('1.00').slice(1), 'S0,Product 0,EA,9.00'), 10)
  expect(skus(await restarted.vendor.catalog())).toHaveLength(19)
  const loose = openSheet({ folder: first.folder, memory: first.memory, catalog: { max_loss: 100 } })
  write(path, lines(...rows('100.00')), 5)
  expect(await loose.vendor.catalog()).toMatchObject({ value: { products: [] }, unreadable: { length: 20 } })
})

describe('a list of thousands of rows', () => {
  const rows = 20_000

  test('is read aside: the event loop turns for every few products, and the earlier list is recalled the same way', async () => {
    const first = openSheet()
    const path = join(first.folder, 'list.csv')
    write(path, lines(...many(1, rows)))
    let turns = 0
    let isDone = false
    const turn = () => {
      turns += 1
      if (!isDone) setImmediate(turn)
    }
    turn()
    const result = await first.vendor.catalog()
    isDone = true
    expect(skus(result)).toHaveLength(rows)
    expect(result).toMatchObject({ value: { products: { 0: { vendorSku: 'S1', eachPriceFen: 100, units: 'each' } } } })
    expect(turns).toBeGreaterThan(rows / 1_000)
    const restarted = openSheet({ folder: first.folder, memory: first.memory })
    write(path, lines(...many(1, 4)), 60)
    expect(skus(await restarted.vendor.catalog())).toHaveLength(rows)
  })

  test('names its problems like a short one', async () => {
    const { vendor, folder, notices } = openSheet()
    const path = join(folder, 'list.csv')
    write(path, lines(...many(1, 2_000), 'X,Tea,20-24/CS,9.00', `Y,${'y'.repeat(1_001)},EA,1.00`))
    expect(await vendor.catalog()).toMatchObject({
      unreadable: [
        { id: 'X', problem: 'needs your word: how many items are in its pack ("20-24/CS")' },
        { id: 'Y', problem: 'its cells cannot be read' },
      ],
    })
    expect(notices).toContain(
      'Price list list.csv: 1 row with more than 1,000 characters in a cell left out (row 2003)',
    )
    write(path, lines(...many(1, 2_000), `Z,"${'z'.repeat(200_000)}",EA,1.00`), 60)
    expect(await vendor.catalog()).toMatchObject({ ok: false, reason: 'unknown' })
    expect(notices.at(-1)).toMatch(/row 2002 has more than 100,000 characters; a quotation mark may be missing$/)
    write(path, lines(...many(1, 200_000)), 30)
    expect(await vendor.catalog()).toMatchObject({ ok: false })
    expect(notices.at(-1)).toMatch(/it has more than 200,000 rows$/)
  })

  test('a workbook that is none is refused, and one of before 2007 named as one, with what to do', async () => {
    const { vendor, folder, notices } = openSheet()
    const path = join(folder, 'list.csv')
    write(path, Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(20_000, 7)]))
    expect(await vendor.catalog()).toMatchObject({ ok: false, raw: expect.stringContaining('damaged') })
    write(path, Buffer.concat([Buffer.of(0xd0, 0xcf, 0x11, 0xe0), Buffer.alloc(20_000, 7)]), 60)
    expect(await vendor.catalog()).toMatchObject({ ok: false })
    expect(notices.at(-1)).toContain('save it as .xlsx without a password')
  })
})

describe.each([
  ['xlsx', xlsx],
  ['ods', ods],
] as const)('a workbook (%s)', (_, workbook) => {
  const columns = { sku: 'Item', title: 'Description', pack: 'Pack', pack_price: 'Case price', on_shelf: 'Note' }
  const rows = (more: readonly (readonly TestCell[])[] = []): TestCell[][] => [
    [{ merged: 'Wholesale Inc., prices from', over: 3 }, { date: '2026-11-01' }],
    [],
    ['Item', 'Description', 'Pack', 'Case price', 'Note'],
    [{ merged: 'DRINKS', over: 5 }],
    ['A-1', 'Cola 12 oz', '24/CS', 13.49, null, null, 'a note beside the table'],
    [1002, 'Water', '12 ct', { formula: '=D5/2', value: 6.744999999999999 }],
    [1003, 'Tea', '20-24/CS', 9],
    [1004, 'Juice', '6 ct', { value: 5.005, format: '"$"#,##0.00' }],
    [1005, 'Milk', '6 ct', 7.5, 'discontinued'],
    [1006, 'Soup', '6 ct', { value: 7.5, format: '#,##0.00 [$€-407]' }],
    ...Array.from({ length: 6 }, (_, i) => [`G${i}`, `Gum ${i}`, '12 ct', 9]),
    ...more.map((cells) => [...cells]),
    [],
    [{ merged: 'All prices without tax. Subject to change.', over: 5 }],
  ]
  const open = (bytes: Uint8Array, catalog: object = {}) => {
    const opened = openSheet({ catalog: { file: 'list.x', columns, skip_rows: 2, ...catalog } })
    write(join(opened.folder, 'list.x'), bytes)
    return opened
  }

  test('is read below its titles; sections, notes and what stands beside the table are passed over', async () => {
    const { vendor, notices } = open(workbook({ name: 'Prices', rows: rows() }))
    const result = await vendor.catalog()
    expect(result).toMatchObject({
      value: {
        products: [
          { vendorSku: 'A-1', packSize: 24, packPriceFen: 1349, units: 'pack', isForSale: true },
          { vendorSku: '1004', packPriceFen: 501 },
          { vendorSku: '1005', isForSale: false },
          ...Array.from({ length: 6 }, (_, i) => ({ vendorSku: `G${i}` })),
        ],
      },
      unreadable: [
        // 6.745 is no amount of dollars.
        { id: '1002', problem: 'its price cannot be read: "6.745" in the column "Case price"' },
        { id: '1003', problem: 'needs your word: how many items are in its pack ("20-24/CS")' },
        { id: '1006', problem: expect.stringMatching(/^its price cannot be read: "(?:€|EUR) 7.5" in the column/) },
      ],
    })
    expect(notices.join('\n')).toMatch(/2 rows whose price cannot be read left out \(rows 6, 10\)/)
  })

  test('a sheet by its name, and a small file aside: it may unpack to a large one', async () => {
    const bytes = workbook({ name: 'Notes', rows: [['nothing']] }, { name: 'Prices', rows: rows() })
    expect(skus(await open(bytes, { sheet: 'Prices' }).vendor.catalog())).toHaveLength(9)
    expect(await open(bytes).vendor.catalog()).toMatchObject({ ok: false, raw: expect.stringContaining('header') })
    const many = workbook({ name: 'A', rows: Array.from({ length: 30_000 }, () => ['x']) })
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)
    await open(many).vendor.catalog()
    clearInterval(timer)
    expect(turns).toBeGreaterThan(5)
  })

  test('formulas that were never computed are told', async () => {
    const bytes = workbook({ name: 'A', rows: rows([[1007, 'Gum', '6 ct', { formula: '=D5' }]]) })
    const { vendor, notices } = open(bytes)
    expect(skus(await vendor.catalog())).toHaveLength(9)
    expect(notices.join('\n')).toContain('1 formula without a saved value')
  })

  test('10,000 rows are read', async () => {
    const more = Array.from({ length: 10_000 }, (_, i) => [`S${i}`, `Product ${i}`, '24/CS', 10 + (i % 500) / 100])
    const result = await open(workbook({ name: 'A', rows: rows(more) })).vendor.catalog()
    expect(skus(result)).toHaveLength(10_009)
  }, 60_000)
})

test('a quote adds the tax once and is an estimate; a missed cut-off gives a warning', async () => {
  const { vendor, clock } = openSheet({ order: { cutoff: 'Mon 08:00', lead_days: 2 } })
  const lines = [{ vendorSku: 'BAR', title: 'Bar', quantity: 30, unit: 'each', contains: 1, unitPriceFen: 95 }] as never
  const quote = await vendor.quote?.({ lines, currency: 'USD' })
  expect(quote).toEqual({
    ok: true,
    value: {
      totals: { subtotal: 2850, fulfillment: 0, tax: 200, fee: 0, total: 3050 },
      isFinal: false,
      warnings: [
        'The cut-off of Monday 08:00 has passed: the order goes with the next one, on 2026-11-16, expected on 2026-11-18',
      ],
    },
  })
  clock.set(Date.parse('2026-11-09T13:00:00Z'))
  expect(await vendor.quote?.({ lines, currency: 'USD' })).not.toHaveProperty('value.warnings')
  expect(await vendor.quote?.({ lines, currency: 'EUR' })).toMatchObject({ reason: 'rejected' })
  const gross = openSheet({ catalog: { prices: 'gross' } })
  expect(await gross.vendor.quote?.({ lines, currency: 'USD' })).toMatchObject({
    value: { totals: { tax: 0, total: 2850 } },
  })
})

test('a quote adds the tax of each row, and that of the connection where a row states none', async () => {
  const { vendor, folder } = openSheet({ catalog: { columns: { ...CATALOG.columns, tax: 'vat' }, tax_rate: 10 } })
  write(join(folder, 'list.csv'), 'sku,title,pack,case,vat\nA,Tea,EA,1.00,19%\nB,Milk,EA,1.00,7%\nC,Gum,EA,1.00,\n')
  const line = (vendorSku: string, quantity: number) => ({
    vendorSku,
    title: 'x',
    quantity,
    unit: 'each' as const,
    contains: 1,
    unitPriceFen: fen(100),
  })
  const lines = [line('A', 10), line('B', 10), line('C', 1)]
  // 1.90 + 0.70 + 0.10
  expect(await vendor.quote?.({ lines, currency: 'USD' })).toMatchObject({
    value: { totals: { tax: 270, total: 2370 } },
  })
})

test('a file can be tried before it is used', () => {
  const options = { currency: 'USD', today: '2026-11-09' }
  const list = readList(Buffer.from(lines('A,Tea,24/CS,12.00', ',No code,EA,')), CATALOG, options)
  expect(list).toMatchObject({ ok: true, products: [{ vendorSku: 'A' }], leftOut: [{ reason: 'no_sku', rows: [3] }] })
  expect(readList(Buffer.from(''), CATALOG, options)).toMatchObject({ ok: false })
  expect(readList(Buffer.from(LIST), CATALOG, { ...options, currency: 'XXX' })).toMatchObject({ ok: false })
})

const samples = findSamples('price-lists')

test.runIf(samples)('a real list of a wholesaler, half of whose rows have no code', async () => {
  const columns = { sku: 'SKU', title: 'ProductName', pack: 'PackSize', pack_price: 'Price' }
  const { vendor, folder, notices } = openSheet({ catalog: { file: 'real.csv', columns } })
  write(join(folder, 'real.csv'), samples?.read('us-218-supply-products.csv') ?? '')
  const result = await vendor.catalog()
  expect(skus(result)).toHaveLength(77)
  // `10-100 / CS` is ten sleeves of a hundred here and a range in other lists; `RL` says nothing about the number of rolls.
  const problems = result.ok ? (result.unreadable ?? []).map(({ problem }) => problem) : []
  expect(problems).toHaveLength(200)
  expect(problems).toContain('needs your word: how many items are in its pack ("10-100 / CS")')
  expect(notices[1]).toMatch(/^Price list real\.csv: 88 rows without a code left out \(rows (?:\d+, ){5}…\)$/)
  expect(notices).toContainEqual(expect.stringContaining('29 rows without an article number: named 29 by a number'))
})

test.runIf(samples)('a real list offers 266 products once the sizes of its packs were said', () => {
  const columns = { sku: 'SKU', title: 'ProductName', pack: 'PackSize', pack_price: 'Price' }
  const read = (statedPacks: readonly StatedPack[]) => {
    const options = { currency: 'USD', today: '2026-11-09', statedPacks }
    const list = readList(samples?.read('us-218-supply-products.csv') ?? Buffer.of(), { ...CATALOG, columns }, options)
    if (!list.ok) throw new Error(list.problem)
    return { offered: list.products.length, waiting: list.asked.filter(({ contains }) => contains === undefined) }
  }
  const { offered, waiting } = read([])
  expect(offered).toBe(77)
  const said = waiting.map(({ text, vendorSku }) => ({ text, contains: 10, ...(text === '' && { vendorSku }) }))
  expect(read(said)).toEqual({ offered: 266, waiting: [] })
})
