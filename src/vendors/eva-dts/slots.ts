/** The slots of a machine: the selections of its last reading, named by the planogram. Pure. */
import { fen } from '../../kernel/fen.ts'
import type { MachineLane, MachineSlot } from '../machine-vendor.ts'
import { sumKnown } from '../lanes.ts'
import type { Selection } from './dex-reading.ts'
import type { CountedReading } from './machine-book.ts'
import type { PlannedSelection } from './planogram.ts'

type Planned = ReadonlyMap<string, PlannedSelection>

const withoutZeros = (code: string): string => code.replace(/^0+(?=\d)/, '')

/**
 * The rows of the planogram by the selections of a machine. A spreadsheet makes `1` of `01`, so leading zeros are ignored
 * where that leaves one row and one selection without a partner of the same spelling.
 */
export function matchPlanned(planned: Planned | undefined, codes: Iterable<string>): Planned {
  const matched = new Map<string, PlannedSelection>()
  if (!planned) return matched
  const unmatched = new Set<string>()
  for (const code of codes) {
    const row = planned.get(code)
    if (row) matched.set(code, row)
    else unmatched.add(code)
  }
  if (unmatched.size === 0) return matched
  const rows = Map.groupBy(
    [...planned.values()].filter(({ selection }) => !matched.has(selection)),
    ({ selection }) => withoutZeros(selection),
  )
  for (const [plain, same] of Map.groupBy(unmatched, withoutZeros)) {
    const [code, otherCode] = same
    const [row, otherRow] = rows.get(plain) ?? []
    if (code !== undefined && row && otherCode === undefined && !otherRow) matched.set(code, row)
  }
  return matched
}

/** A selection that the planogram does not list is a product of its own: taking it for another would buy the wrong one. */
export const skuOfSelection = (location: string, matched: Planned, selection: string): string =>
  matched.get(selection)?.vendorSku ?? `sel-${location}-${selection}`

interface Lane extends MachineLane {
  readonly title: string
  readonly barcode?: string
}

export function slotsOf(
  location: string,
  planned: Planned | undefined,
  reading: CountedReading | undefined,
): readonly MachineSlot[] {
  const read = new Map((reading?.state.selections ?? []).map((selection) => [selection.code, selection] as const))
  const matched = new Map(matchPlanned(planned, read.keys()))
  const taken = new Set(matched.values())
  // What the planogram lists and the machine does not report is shown as well.
  for (const row of planned?.values() ?? []) if (!taken.has(row)) matched.set(row.selection, row)
  const codes = new Set([...read.keys(), ...matched.keys()])
  const bySku = new Map<string, Lane[]>()
  for (const code of codes) {
    const vendorSku = skuOfSelection(location, matched, code)
    const lane = toLane(code, read.get(code), matched.get(code), reading?.state.soldOut.includes(code) ?? false)
    bySku.set(vendorSku, [...(bySku.get(vendorSku) ?? []), lane])
  }
  return [...bySku].flatMap(([vendorSku, lanes]) => {
    const [first] = lanes
    const priced = lanes.find(({ priceFen }) => priceFen !== null)
    // A product without any price cannot be shown with one.
    if (!first || priced?.priceFen === undefined || priced.priceFen === null) return []
    const capacity = sumKnown(lanes.map((lane) => lane.capacity))
    return [
      {
        vendorSku,
        title: first.title,
        ...(first.barcode === undefined ? {} : { barcode: first.barcode }),
        priceFen: priced.priceFen,
        stock: sumKnown(lanes.map((lane) => lane.stock)),
        ...(reading && { asOf: reading.at }),
        ...(capacity === null ? {} : { capacity }),
        lanes: lanes.map(({ code, priceFen, stock, capacity: room }) => ({ code, priceFen, stock, capacity: room })),
      },
    ]
  })
}

function toLane(
  code: string,
  read: Selection | undefined,
  planned: PlannedSelection | undefined,
  isSoldOut: boolean,
): Lane {
  const price = read?.price ?? planned?.price
  const capacity = planned?.capacity ?? positiveCount(read?.capacity)
  return {
    code,
    title: planned?.title ?? read?.name ?? `Selection ${code}`,
    ...(planned?.barcode === undefined ? {} : { barcode: planned.barcode }),
    priceFen: price === undefined ? null : fen(price),
    stock: isSoldOut ? 0 : (read?.level ?? null),
    capacity: capacity ?? null,
  }
}

const positiveCount = (count: number | undefined): number | undefined =>
  count !== undefined && count > 0 ? count : undefined
