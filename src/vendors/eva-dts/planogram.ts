/**
 * What lies behind each selection of each machine, as the operator lists it (CSV with a header). DEX files name selections
 * only, and the same selection is another product in every machine. Pure.
 */
import { type DecimalSign, minorOf } from '../../kernel/minor-units.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { type Encoding, decodeText, isBlankRow, isNumberTail, parseRows } from '../sheet/documents/csv/csv-text.ts'
import { barcodeOf, isUsableSku } from '../sheet/price-list/listed-products.ts'

export type PlannedSelection = Readonly<Exclude<ReturnType<typeof readRow>, string>>

/** By machine as the file names it, then by selection. */
export type Planogram = ReadonlyMap<string, ReadonlyMap<string, PlannedSelection>>

export interface PlanogramFormat {
  readonly encoding: Encoding
  readonly delimiter: string
  readonly decimal: DecimalSign
  readonly digits: number
}

export type PlanogramResult =
  | { readonly ok: true; readonly planogram: Planogram; readonly problems: readonly string[] }
  | { readonly ok: false; readonly problem: string }

const NEEDED = ['location', 'selection', 'sku', 'title'] as const
const OPTIONAL = ['barcode', 'capacity', 'price'] as const
type Column = (typeof NEEDED)[number] | (typeof OPTIONAL)[number]
const CAPACITY_MAX = 10_000

export function readPlanogram(bytes: Uint8Array, format: PlanogramFormat): PlanogramResult {
  const text = decodeText(bytes, format.encoding)
  if (text === undefined) return { ok: false, problem: `it is not ${format.encoding} text` }
  const parsed = parseRows(text, format.delimiter)
  if (!parsed.ok) return { ok: false, problem: parsed.problem }
  const [header = [], ...rows] = parsed.rows
  const places = new Map([...NEEDED, ...OPTIONAL].map((column) => [column, header.indexOf(column)]))
  const repeated = [...NEEDED, ...OPTIONAL].find((column) => header.indexOf(column) !== header.lastIndexOf(column))
  if (repeated) return { ok: false, problem: `it has two columns ${repeated}` }
  const missing = NEEDED.filter((column) => (places.get(column) ?? -1) < 0)
  if (missing.length > 0) return { ok: false, problem: `it has no column ${missing.join(', ')}` }

  const planogram = new Map<string, Map<string, PlannedSelection>>()
  const problems: string[] = []
  for (const [i, cells] of rows.entries()) {
    if (isBlankRow(cells)) continue
    const cell = (column: Column): string => cells[places.get(column) ?? -1] ?? ''
    // Of a separator that was lost or is one too many, nobody knows which cells it moved.
    const isWhole = cells.length === header.length && !isNumberTail(rows[i + 1])
    const read = isWhole ? readRow(cell, format) : 'it has not as many cells as the header'
    const machine = planogram.get(cell('location')) ?? new Map<string, PlannedSelection>()
    if (typeof read === 'string') problems.push(`row ${i + 2}: ${read}`)
    else if (machine.has(read.selection)) problems.push(`row ${i + 2}: selection ${read.selection} is listed twice`)
    else planogram.set(cell('location'), machine.set(read.selection, read))
  }
  return { ok: true, planogram, problems }
}

function readRow(cell: (column: Column) => string, { decimal, digits }: PlanogramFormat) {
  const empty = NEEDED.find((column) => cell(column) === '')
  if (empty) return `${empty} is empty`
  if (!isUsableSku(cell('sku'))) return 'the SKU has a blank or a colon in it'
  const capacity = cell('capacity') === '' ? undefined : minorOf(cell('capacity'), 0, decimal)
  if (cell('capacity') !== '' && (capacity === undefined || capacity < 1 || capacity > CAPACITY_MAX))
    return 'the capacity cannot be read'
  const price = cell('price') === '' ? undefined : minorOf(cell('price'), digits, decimal)
  if (cell('price') !== '' && price === undefined) return 'the price cannot be read'
  return omitUndefined({
    selection: cell('selection'),
    vendorSku: cell('sku'),
    title: cell('title'),
    barcode: barcodeOf(cell('barcode')),
    capacity,
    /** Minor units; the price in the machine counts before it. */
    price,
  })
}
