/**
 * The pick list of a machine: what a driver should bring. Generating a new one replaces the old. Its stock is a snapshot
 * of the moment of generation, so it only fills in for lanes whose stock is otherwise unknown.
 */
import type { Result } from '../contract.ts'
import { succeeded } from '../result.ts'
import type { LynxLane } from './lanes.ts'
import { checkMachine, idText, nullableId, nullableText, nullableWhole, readReply, readRows } from './reply.ts'

export interface PickListItem {
  readonly productId: string | null
  readonly name: string | null
  readonly mdbCode: string | null
  readonly paCode: string | null
  readonly onHand: number | null
  readonly missing: number | null
  readonly capacity: number | null
}

const WORDS = {
  NayaxProductID: 'product code',
  MachineID: 'machine',
  MDBCode: 'lane',
  PACode: 'lane',
  PAR: 'capacity',
  OnHandStock: 'stock',
  MissingStock: 'stock',
  ProductName: 'title',
}

export const readPickList = (json: unknown, machineId: string): Result<readonly PickListItem[]> =>
  readReply(json, (reply) => {
    const { rows, refused } = readRows(reply, {
      kind: 'slot',
      words: WORDS,
      idOf: (row) => idText(row['NayaxProductID']),
      read: (row): PickListItem => {
        checkMachine(row, machineId)
        const mdb = nullableWhole(row, 'MDBCode', 0, Number.MAX_SAFE_INTEGER)
        return {
          productId: nullableId(row, 'NayaxProductID'),
          name: nullableText(row, 'ProductName'),
          mdbCode: mdb === null ? null : String(mdb),
          paCode: nullableText(row, 'PACode'),
          onHand: nullableWhole(row, 'OnHandStock'),
          missing: nullableWhole(row, 'MissingStock'),
          capacity: nullableWhole(row, 'PAR', 0) || null,
        }
      },
    })
    return succeeded(rows, refused)
  })

/** The list has no lane ids: a lane is found by its product and codes, and only when exactly one entry fits. */
export function withPickListStock(
  lanes: readonly LynxLane[],
  items: readonly PickListItem[],
  generatedAt: number | null,
): readonly LynxLane[] {
  const keyOf = ({ productId, mdbCode, paCode }: PickListItem | LynxLane) =>
    JSON.stringify([productId, mdbCode, paCode])
  const byLane = Map.groupBy(items, keyOf)
  const lanesAlike = Map.groupBy(lanes, keyOf)
  return lanes.map((lane) => {
    const [item, second] = byLane.get(keyOf(lane)) ?? []
    if (lane.stock !== null || !item || second || (lanesAlike.get(keyOf(lane))?.length ?? 0) > 1) return lane
    if (item.onHand === null) return lane
    const capacity = lane.capacity ?? item.capacity
    return { ...lane, capacity, stock: clamp(item.onHand, capacity ?? Infinity), stockAt: generatedAt }
  })
}

const clamp = (n: number, most: number) => Math.min(Math.max(n, 0), most)

export interface PickLine {
  readonly vendorSku: string
  readonly quantity: number
}

/** Body of the update of pick lists. */
export type PickListUpdate = readonly [
  {
    readonly MachineId: number
    readonly Products: readonly { readonly MachineProductId: number; readonly PickQty: number }[]
  },
]

export interface PickListPlan {
  readonly body: PickListUpdate
  /** Codes of lines that have no lane in this machine, or none that can be named. */
  readonly missing: readonly string[]
}

/**
 * Sets every lane of the machine: lanes that no line names get 0, because the generated list holds the platform's own
 * quantities. A line's quantity goes to the lanes with room first, what is left over to its first lane.
 */
export function planPickList(
  machineId: string,
  lanes: readonly LynxLane[],
  lines: readonly PickLine[],
): PickListPlan | undefined {
  const machine = Number(machineId)
  if (!Number.isSafeInteger(machine)) return undefined
  const quantities = new Map<number, number>()
  const named = lanes.flatMap((lane) => {
    const id = Number(lane.machineProductId)
    if (lane.productId === null || lane.machineProductId === null || !Number.isSafeInteger(id)) return []
    quantities.set(id, 0)
    return [{ ...lane, id }]
  })
  const missing: string[] = []
  for (const { vendorSku, quantity } of lines) {
    const own = named.filter(({ productId }) => productId === vendorSku)
    const [first] = own
    if (!first) {
      missing.push(vendorSku)
      continue
    }
    let left = quantity
    for (const { id, capacity, stock } of own) {
      const room = capacity === null || stock === null ? 0 : capacity - stock - (quantities.get(id) ?? 0)
      const put = Math.min(Math.max(room, 0), left)
      quantities.set(id, (quantities.get(id) ?? 0) + put)
      left -= put
    }
    quantities.set(first.id, (quantities.get(first.id) ?? 0) + left)
  }
  const products = [...quantities].map(([MachineProductId, PickQty]) => ({ MachineProductId, PickQty }))
  return { body: [{ MachineId: machine, Products: products }], missing }
}
