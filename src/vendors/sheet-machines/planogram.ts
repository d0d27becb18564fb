/** Planogram exports as slots: what lies in each machine, at which price, and how much of it where the platform exports that. */
import { fen } from '../../kernel/fen.ts'
import type { DecimalSign } from '../../kernel/minor-units.ts'
import { parseLocationId } from '../../kernel/ids.ts'
import type { UnreadableRow, Result } from '../contract.ts'
import { type LaneSlot, sumKnown } from '../lanes.ts'
import { succeed } from '../result.ts'
import { countOfText, minorOfCell } from './amount.ts'
import { type Cells, type Columns, type SheetRow, failedSheet, readSheetRows, UnreadableCell } from './sheet-rows.ts'

type Column = 'machine' | 'code' | 'title' | 'price' | 'stock' | 'capacity' | 'barcode' | 'lane'

export interface PlanogramSheet {
  readonly columns: Columns<'machine' | 'code' | 'title' | 'price', 'stock' | 'capacity' | 'barcode' | 'lane'>
  readonly digits: number
  readonly decimal?: DecimalSign | undefined
  /** Those of the currency, which may stand around an amount. */
  readonly signs?: RegExp
  readonly firstRow?: number
  /** When the file was written: its stock is of that moment. */
  readonly asOf: number
}

type PlanogramRow = Readonly<ReturnType<typeof readRow>>

export interface MachinePlanogram {
  readonly slots: readonly LaneSlot[]
  readonly unreadable: readonly UnreadableRow[]
}

export interface Planogram {
  readonly machines: ReadonlyMap<string, MachinePlanogram>
  readonly notices: readonly string[]
}

/** Refused rows are listed with the machine they name; those whose machine cannot be read stand beside the value. */
export function readPlanogram(rows: readonly SheetRow[], sheet: PlanogramSheet): Result<Planogram> {
  const machineOfRefused: (string | undefined)[] = []
  const read = readSheetRows<Column, PlanogramRow>(rows, {
    kind: 'slot',
    columns: sheet.columns,
    needed: ['machine', 'code', 'title', 'price'],
    ...(sheet.firstRow !== undefined && { firstRow: sheet.firstRow }),
    idOf: (cells) => {
      machineOfRefused.push(parseLocationId(cells('machine') ?? ''))
      return cells('code')
    },
    read: (cells, row) => readRow(cells, row, sheet),
  })
  if ('problem' in read) return failedSheet(read.problem)
  const { kept, conflicts, notices } = withoutRepeatedLanes(read.rows)
  const unreadable = [
    ...read.unreadable.map((entry, i) => ({ machine: machineOfRefused[i], entry })),
    ...conflicts.map((row) => ({ machine: row.machine, entry: laneConflict(row) })),
  ]
  const rowsOf = Map.groupBy(kept, ({ machine }) => machine)
  const unreadableOf = Map.groupBy(unreadable, ({ machine }) => machine)
  const names = new Set([...kept, ...unreadable].flatMap(({ machine }) => machine ?? []))
  const machines = new Map(
    [...names].map((machine) => {
      const own = (unreadableOf.get(machine) ?? []).map(({ entry }) => entry)
      const unreadable = new Set(own.map(({ id }) => id))
      const lanes = (rowsOf.get(machine) ?? []).filter(({ code }) => !unreadable.has(code))
      return [machine, { slots: toSlots(lanes, sheet.asOf), unreadable: own }] as const
    }),
  )
  const withoutMachine = (unreadableOf.get(undefined) ?? []).map(({ entry }) => entry)
  return succeed({ machines, notices: [...read.notices, ...notices] }, withoutMachine)
}

function readRow(cells: Cells<Column>, row: number, sheet: PlanogramSheet) {
  const cell = (column: Column) => cells(column) ?? ''
  const machine: string | undefined = parseLocationId(cell('machine'))
  if (machine === undefined) throw new UnreadableCell('machine', cell('machine'))
  const code = cell('code')
  if (!/^[^:\s]+$/.test(code)) throw new UnreadableCell('product code', code)
  const price = minorOfCell(cell('price'), sheet.digits, sheet.decimal, sheet.signs)
  if (price === undefined) throw new UnreadableCell('price', cell('price'))
  const count = (column: Column): number | null => {
    const text = cells(column)
    if (text === undefined) return null
    const n = countOfText(text, sheet.decimal)
    if (n === undefined) throw new UnreadableCell(column, text)
    return n
  }
  return {
    row,
    machine,
    code,
    title: cell('title').replaceAll(/\s+/g, ' '),
    priceFen: fen(price),
    stock: count('stock'),
    capacity: count('capacity') || null,
    barcode: cells('barcode'),
    lane: cells('lane'),
  }
}

/** Where lanes are named, the same lane twice with the same contents is one; with other contents, neither can be trusted. */
function withoutRepeatedLanes(rows: readonly PlanogramRow[]) {
  const seen = new Map<string, PlanogramRow>()
  const kept: PlanogramRow[] = []
  const conflicts: PlanogramRow[] = []
  let repeated = 0
  for (const row of rows) {
    const key = row.lane === undefined ? undefined : JSON.stringify([row.machine, row.lane])
    const before = key === undefined ? undefined : seen.get(key)
    if (before === undefined) {
      kept.push(row)
      if (key !== undefined) seen.set(key, row)
    } else if (JSON.stringify({ ...before, row: 0 }) === JSON.stringify({ ...row, row: 0 })) repeated += 1
    else conflicts.push(before, row)
  }
  const notices = repeated > 0 ? [`${repeated} rows repeat a lane with the same contents`] : []
  const inConflict = new Set(conflicts)
  return { kept: kept.filter((row) => !inConflict.has(row)), conflicts: [...inConflict], notices }
}

const laneConflict = ({ row, code, lane = '' }: PlanogramRow): UnreadableRow => ({
  kind: 'slot',
  id: code,
  problem: 'its lane is listed with other contents as well',
  detail: `row ${row}: lane "${lane}"`,
})

/** Rows of one code in one machine are its lanes, numbered where there are several and the export does not name them. */
const toSlots = (rows: readonly PlanogramRow[], asOf: number): readonly LaneSlot[] =>
  [...Map.groupBy(rows, ({ code }) => code)].flatMap(([vendorSku, lanes]) => {
    const [first] = lanes
    if (!first) return []
    const barcode = lanes.find((lane) => lane.barcode !== undefined)?.barcode
    const stock = sumKnown(lanes.map((lane) => lane.stock))
    return [
      {
        vendorSku,
        title: first.title,
        ...(barcode !== undefined && { barcode }),
        priceFen: first.priceFen,
        stock,
        capacity: sumKnown(lanes.map(({ capacity }) => capacity)),
        asOf: stock === null ? null : asOf,
        lanes: lanes.flatMap(({ lane: code, priceFen, stock, capacity }, i) => {
          if (code !== undefined) return [{ code, priceFen, stock, capacity }]
          return lanes.length === 1 ? [] : [{ code: `${i + 1}`, isNumbered: true, priceFen, stock, capacity }]
        }),
      },
    ]
  })
