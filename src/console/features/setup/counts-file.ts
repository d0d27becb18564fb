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

interface RowProblem {
  readonly line: number
  readonly problem: CountProblem
  /** What stands in the file. */
  readonly value: string
}

/** Names of columns as people write them. */
const COLUMNS = {
  machine: ['machine', 'machine id', 'machine name', 'location', '机器', '机器编号', '机器名称'],
  slot: ['slot', 'selection', 'lane', 'position', '货道', '货道号'],
  product: ['product', 'sku', 'title', 'name', '商品', '商品名称'],
  units: ['units', 'count', 'counted', 'quantity', 'qty', 'stock', '数量', '盘点', '盘点数', '库存'],
} as const
type Column = keyof typeof COLUMNS

const plain = (text: string): string => text.trim().toLowerCase()

export function readCountsFile(text: string, machines: readonly CountedMachine[]) {
  const { headings, rows } = readDelimited(text)
  const columnOf = (column: Column) => headings.filter((name) => (COLUMNS[column] as readonly string[]).includes(name))
  const named = { machine: columnOf('machine'), slot: columnOf('slot'), product: columnOf('product') }
  const units = columnOf('units')
  const missing = [
    ...(units.length === 1 ? [] : ['units' as const]),
    ...(named.slot.length + named.product.length > 0 ? [] : ['slot' as const]),
  ]
  const counts = new Map<string, Map<string, string>>()
  const problems: RowProblem[] = []
  const seen = new Set<string>()
  if (missing.length > 0) return { missing, counts, problems }
  for (const { line, cells } of rows) {
    const cell = (names: readonly string[]) => names.map((name) => cells[name] ?? '').find((one) => one !== '') ?? ''
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
