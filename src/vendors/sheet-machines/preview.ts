/** What an export would become, for a trial before it is used: slots by machine, or sales. */
import { basename } from 'node:path'
import { formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import {
  type AdapterNeeds,
  type LeftOutRow,
  type Preview,
  type PreviewFile,
  refusedPreview,
} from '../adapter-module.ts'
import type { UnreadableRow } from '../contract.ts'
import { endsMidLine, decodeText } from '../sheet/documents/csv/csv-text.ts'
import { isOfPattern, sizeProblem } from '../sheet/price-list/list-file.ts'
import { toRows } from './export-file.ts'
import { planogramSheet } from './planogram-export.ts'
import { readPlanogram } from './planogram.ts'
import { salesSheet } from './sales-exports.ts'
import { mergeSales, readSalesFile } from './sales.ts'
import type { FormatSettings, SheetMachineSettings } from './settings.ts'

type Kind = 'sales' | 'planogram'

export async function previewExport(
  { path, bytes }: PreviewFile,
  settings: SheetMachineSettings,
  { connection, clock }: AdapterNeeds,
): Promise<Preview> {
  const problem = sizeProblem(bytes.length)
  if (problem !== undefined) return refusedPreview(`The file is refused: ${problem}`)
  const name = basename(path)
  const kinds = (['sales', 'planogram'] as const).filter((kind) => isOfPattern(name, basename(settings[kind].file)))
  // Under a name that says nothing, or both, the columns decide.
  const candidates: readonly Kind[] = kinds.length === 1 ? kinds : ['sales', 'planogram']
  const previews = candidates.map((kind) =>
    kind === 'sales'
      ? previewSales(bytes, settings, connection)
      : previewPlanogram(bytes, settings, connection, clock.now()),
  )
  const [first] = previews
  const accepted = previews.find(({ isRefused }) => !isRefused)
  if (accepted) return accepted
  if (previews.length === 1 && first) return first
  const reasons = previews.map(({ summary }, i) => `as ${candidates[i]}: ${summary}`)
  return refusedPreview(`The file is neither a sales export nor a planogram; ${reasons.join('; ')}`)
}

function previewSales(
  bytes: Uint8Array,
  { sales: settings }: SheetMachineSettings,
  connection: AdapterNeeds['connection'],
): Preview {
  const file = { bytes, isCut: isCut(bytes, settings) }
  const rows = toRows(file, settings)
  if (!rows.ok) return refusedPreview(`The sales export is refused: ${rows.problem}`)
  const read = readSalesFile(rows.rows, { ...salesSheet(settings, connection), firstRow: rows.firstRow })
  if (!read.ok) return refusedPreview(`The sales export is refused: ${read.message}`)
  const { records, completeFrom } = mergeSales([read.value])
  const machines = Object.keys(completeFrom)
  const leftOut = leftOutRows(read.unreadable ?? [], read.value.notices, file.isCut)
  const counted = records.filter(({ settled }) => settled).length
  return {
    summary: [
      `${count(records.length, 'sale')} of ${count(machines.length, 'machine')}`,
      ...(counted === records.length ? [] : [`${records.length - counted} not paid`]),
      `${count(read.unreadable?.length ?? 0, 'row')} refused`,
    ].join(', '),
    tables: [
      {
        title: 'sales',
        columns: ['sale', 'machine', 'time', 'products', 'total', 'status'],
        rows: records
          .toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0))
          .map(({ orderNo, locationId, createdAt, lines, totalFen, settled }) => [
            orderNo,
            locationId,
            createdAt === null ? '' : new Date(createdAt).toISOString(),
            describeProducts(lines.map(({ vendorSku }) => vendorSku)),
            formatAmount(totalFen, connection.currency),
            settled ? (lines[0]?.status ?? '') : 'not paid',
          ]),
      },
    ],
    leftOut,
  }
}

/** `2 × COLA, TEA` */
const describeProducts = (skus: readonly string[]): string =>
  [...Map.groupBy(skus, (sku) => sku)]
    .map(([sku, units]) => (units.length === 1 ? sku : `${units.length} × ${sku}`))
    .join(', ')

function previewPlanogram(
  bytes: Uint8Array,
  { planogram: settings }: SheetMachineSettings,
  connection: AdapterNeeds['connection'],
  now: number,
): Preview {
  const file = { bytes, isCut: isCut(bytes, settings) }
  const rows = toRows(file, settings)
  if (!rows.ok) return refusedPreview(`The planogram is refused: ${rows.problem}`)
  const read = readPlanogram(rows.rows, {
    ...planogramSheet(settings, connection),
    firstRow: rows.firstRow,
    asOf: now,
  })
  if (!read.ok) return refusedPreview(`The planogram is refused: ${read.message}`)
  const { machines, notices } = read.value
  const unreadable = [...(read.unreadable ?? []), ...[...machines.values()].flatMap((machine) => machine.unreadable)]
  const slots = [...machines].flatMap(([machine, own]) => own.slots.map((slot) => ({ machine, ...slot })))
  const known = (number: number | null | undefined) =>
    number === null || number === undefined ? 'unknown' : String(number)
  return {
    summary: `${count(slots.length, 'slot')} of ${count(machines.size, 'machine')}, ${count(unreadable.length, 'row')} refused`,
    tables: [
      {
        title: 'slots',
        columns: ['machine', 'code', 'title', 'price', 'stock', 'capacity', 'lanes'],
        rows: slots.map(({ machine, vendorSku, title, priceFen, stock, capacity, lanes }) => [
          machine,
          vendorSku,
          title,
          formatAmount(priceFen, connection.currency),
          known(stock),
          known(capacity),
          (lanes ?? []).map(({ code }) => code).join(', '),
        ]),
      },
    ],
    leftOut: leftOutRows(unreadable, notices, file.isCut),
  }
}

const isCut = (bytes: Uint8Array, { encoding = 'utf-8' }: FormatSettings): boolean =>
  endsMidLine(decodeText(bytes, encoding) ?? '')

/** Refused rows with their cells, then what was left out without being wrong. */
const leftOutRows = (
  unreadable: readonly UnreadableRow[],
  notices: readonly string[],
  isFileCut: boolean,
): readonly LeftOutRow[] => [
  ...unreadable.map(({ problem, detail }) => {
    const [where = '', cell = ''] = detail.split(/: (.*)/s)
    return { where, reason: cell === '' ? problem : `${problem}: ${cell}` }
  }),
  ...notices.map((reason) => ({ where: 'file', reason })),
  ...(isFileCut ? [{ where: 'last row', reason: 'has no line end, so it may be incomplete' }] : []),
]
