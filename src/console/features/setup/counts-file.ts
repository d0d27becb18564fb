/** Counts in a file: machine, slot or product, units. A row that is not understood is listed and becomes no number. */
import { readDelimited } from '../../../lib/delimited-rows.ts'
import { readCount } from './typed-counts.ts'

export interface CountedSlot {
  readonly slotId: string
  /** As shown, such as `A-1`, or all selections of its lanes. */
  readonly places: readonly string[]
  readonly title: string
  readonly skuId: string
}

export interface CountedMachine {
  readonly id: string
  readonly name: string
  readonly slots: readonly CountedSlot[]
}

export type CountProblem = 'machine' | 'machine_missing' | 'slot' | 'several' | 'units' | 'twice'

export interface CountedProduct {
  readonly id: string
  readonly title: string
  readonly barcode?: string | undefined
}

interface RowProblem {
  readonly line: number
  readonly problem: CountProblem
  /** What stands in the file. */
  readonly value: string
}

/** Names of columns as people write them, without signs: `Selection #` is a selection. */
const COLUMNS = {
  machine: ['machine', 'machine id', 'machine name', 'machine no', 'location', '机器', '机器编号', '机器名称'],
  slot: [
    'slot',
    'slot no',
    'selection',
    'selection no',
    'selection number',
    'sel',
    'lane',
    'position',
    'coil',
    '货道',
    '货道号',
  ],
  product: ['product', 'product name', 'sku', 'title', 'name', 'item name', 'description', '商品', '商品名称', '品名'],
  article: ['item', 'item no', 'item number', 'item code', 'article', 'article no', 'art nr', 'code', '货号', '编号'],
  barcode: ['upc', 'ean', 'gtin', 'barcode', '条码', '条形码'],
  units: [
    'units',
    'count',
    'counted',
    'quantity',
    'qty',
    'qty on hand',
    'on hand',
    'stock',
    '数量',
    '盘点',
    '盘点数',
    '库存',
  ],
} as const
type Column = keyof typeof COLUMNS

const plain = (text: string): string => text.trim().toLowerCase()
const wordsOf = (heading: string): string => plain(heading.replaceAll(/[^\p{L}\p{N}]+/gu, ' '))
const isNamed = (column: Column, heading: string): boolean =>
  (COLUMNS[column] as readonly string[]).includes(wordsOf(heading))

/** A table with one column of units, and one that says of what. */
function readTable(text: string, keys: readonly Column[]) {
  const has = (cells: readonly string[], columns: readonly Column[]) =>
    cells.some((cell) => columns.some((column) => isNamed(column, cell)))
  const { headings, rows } = readDelimited(text, (cells) => has(cells, ['units']) && has(cells, keys))
  const columnOf = (column: Column) => headings.filter((name) => isNamed(column, name))
  return { rows, columnOf, hasUnits: columnOf('units').length === 1, hasKey: has(headings, keys) }
}

const cellIn =
  (cells: Readonly<Record<string, string>>) =>
  (names: readonly string[]): string =>
    names.map((name) => cells[name] ?? '').find((one) => one !== '') ?? ''

export function readCountsFile(text: string, machines: readonly CountedMachine[]) {
  const { rows, columnOf, hasUnits, hasKey } = readTable(text, ['slot', 'product'])
  const named = { machine: columnOf('machine'), slot: columnOf('slot'), product: columnOf('product') }
  const units = columnOf('units')
  const missing = [...(hasUnits ? [] : ['units' as const]), ...(hasKey ? [] : ['slot' as const])]
  const counts = new Map<string, Map<string, string>>()
  const problems: RowProblem[] = []
  const seen = new Set<string>()
  if (missing.length > 0) return { missing, counts, problems }
  for (const { line, cells } of rows) {
    const cell = cellIn(cells)
    const count = cell(units)
    // Nothing was counted there.
    if (count === '') continue
    const [machineText, slotText, productText] = [cell(named.machine), cell(named.slot), cell(named.product)]
    const fail = (problem: CountProblem, value: string) => problems.push({ line, problem, value })
    const found = machineText === '' ? machines : machines.filter((one) => isCalled(machineText, [one.id, one.name]))
    const [machine] = found
    if (!machine) fail('machine', machineText)
    else if (found.length > 1) fail(machineText === '' ? 'machine_missing' : 'several', machineText)
    else {
      const slots = machine.slots.filter(
        ({ slotId, places, title, skuId }) =>
          (slotText === '' || isCalled(slotText, [slotId, ...places])) &&
          (productText === '' || isCalled(productText, [title, skuId, skuId.replace(/^[^:]*:/, '')])),
      )
      const value = [slotText, productText].filter((one) => one !== '').join(', ')
      const [slot] = slots
      if (!slot || value === '') fail('slot', value)
      else if (slots.length > 1) fail('several', value)
      else {
        const key = JSON.stringify([machine.id, slot.slotId])
        const own = counts.get(machine.id) ?? new Map<string, string>()
        counts.set(machine.id, own)
        // Which of two rows is right, the file does not say.
        if (seen.has(key)) {
          own.delete(slot.slotId)
          fail('twice', value)
        } else if (readCount(count, undefined).kind === 'count') own.set(slot.slotId, count)
        else fail('units', count)
        seen.add(key)
      }
    }
  }
  return { missing, counts, problems }
}

const isCalled = (text: string, names: readonly string[]): boolean => names.some((name) => plain(name) === plain(text))

/** Units of the store room by product. An article number or a barcode says more than a name. */
export function readStoreroomFile(text: string, products: readonly CountedProduct[]) {
  const { rows, columnOf, hasUnits, hasKey } = readTable(text, ['article', 'barcode', 'product'])
  const named = { article: columnOf('article'), barcode: columnOf('barcode'), product: columnOf('product') }
  const units = columnOf('units')
  const missing = [...(hasUnits ? [] : ['units' as const]), ...(hasKey ? [] : ['product' as const])]
  const counts = new Map<string, number>()
  const problems: (Omit<RowProblem, 'problem'> & { readonly problem: 'product' | 'several' | 'units' | 'twice' })[] = []
  if (missing.length > 0) return { missing, counts, problems }
  const seen = new Set<string>()
  for (const { line, cells } of rows) {
    const cell = cellIn(cells)
    const [count, article, barcode, title] = [
      cell(units),
      cell(named.article),
      cell(named.barcode),
      cell(named.product),
    ]
    if (count === '') continue
    const fail = (problem: (typeof problems)[number]['problem'], value: string) =>
      problems.push({ line, problem, value })
    const found = products.filter((product) =>
      article !== '' || barcode !== ''
        ? (article !== '' && isCalled(article, idsOf(product))) || (barcode !== '' && barcode === product.barcode)
        : isCalled(title, [product.title, ...idsOf(product)]),
    )
    const [product] = found
    const value = [article, barcode, title].filter((one) => one !== '').join(', ')
    const read = readCount(count, undefined)
    if (!product) fail('product', value)
    else if (found.length > 1) fail('several', value)
    else if (seen.has(product.id)) {
      counts.delete(product.id)
      fail('twice', value)
    } else if (read.kind === 'count') counts.set(product.id, read.count)
    else fail('units', `${value}: ${count}`)
    if (product && found.length === 1) seen.add(product.id)
  }
  return { missing, counts, problems }
}

const idsOf = ({ id }: CountedProduct): readonly string[] => [id, id.replace(/^[^:]*:/, '')]
