/**
 * The pick list of a machine: what a driver should bring. Generating a new one replaces the old. Its stock is a snapshot
 * of the moment of generation, so it only fills in for lanes whose stock is otherwise unknown.
 */
import type { Result } from '../contract.ts'
import { succeed } from '../result.ts'
import { type Fields, list, object } from '../upstream/read-json.ts'
import type { LynxLane } from './lanes.ts'
import {
  keepRows,
  checkMachine,
  idIn,
  idText,
  nullableId,
  nullableText,
  nullableWhole,
  readListing,
  readReply,
} from './reply.ts'

export interface PickListItem extends Pick<LynxLane, 'productId' | 'name' | 'mdbCode' | 'paCode' | 'capacity'> {
  readonly onHand: number | null
  readonly missing: number | null
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
  readListing(
    json,
    { kind: 'slot', id: idIn('NayaxProductID'), fieldNames: WORDS, read: (row) => readItem(row, machineId) },
    keepRows,
  )

function readItem(row: Fields, machineId: string): PickListItem {
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
}

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

type PickListPlan = NonNullable<ReturnType<typeof planPickList>>

/**
 * Sets every lane of the machine: lanes that no line names get 0, because the generated list holds the platform's own
 * quantities. A line's quantity goes to the lanes with room first, what is left over to its first lane. Undefined when
 * the machine's id does not fit a JSON number.
 */
export function planPickList(machineId: string, lanes: readonly LynxLane[], lines: readonly PickLine[]) {
  if (!Number.isSafeInteger(Number(machineId))) return undefined
  const named = lanes.flatMap(({ productId, machineProductId: id, capacity, stock }) => {
    if (productId === null || id === null || !Number.isSafeInteger(Number(id))) return []
    return [{ productId, id, room: capacity === null || stock === null ? 0 : capacity - stock }]
  })
  const quantities = new Map(named.map(({ id }) => [id, 0]))
  /** The lanes of each line; a line without any has no lane in this machine that can be named. */
  const planned = new Map<string, readonly string[]>()
  for (const { vendorSku, quantity } of lines) {
    const own = named.filter(({ productId }) => productId === vendorSku)
    let left = quantity
    for (const { id, room } of own) {
      const put = Math.min(room, left)
      quantities.set(id, put)
      left -= put
    }
    const [first] = own
    if (first) quantities.set(first.id, (quantities.get(first.id) ?? 0) + left)
    planned.set(
      vendorSku,
      own.map(({ id }) => id),
    )
  }
  const products = [...quantities].map(([id, PickQty]) => ({ MachineProductId: Number(id), PickQty }))
  return { body: [{ MachineId: Number(machineId), Products: products }] as const, lanes: planned }
}

/** How many lines the platform took: those of which it names every lane in its reply. */
export const countPicked = (json: unknown, machineId: string, { lanes }: PickListPlan): Result<{ count: number }> =>
  readReply(json, (reply) => {
    const machines = list(reply, 'reply').map((entry) => object(entry, 'machine'))
    const own = machines.filter((machine) => idText(machine['MachineID']) === machineId)
    const taken = new Set(
      own.flatMap((machine) =>
        list(machine['Products'] ?? [], 'Products').map((product) =>
          idText(object(product, 'product')['MachineProductID']),
        ),
      ),
    )
    const counted = [...lanes.values()].filter((ids) => ids.length > 0 && ids.every((id) => taken.has(id)))
    return succeed({ count: counted.length })
  })
