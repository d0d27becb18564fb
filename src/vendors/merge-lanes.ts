/**
 * One slot per product: a platform may list a product once per lane. Stock and capacity of the lanes are added up; one
 * unknown part makes the sum unknown, because a partial sum would pass for the whole.
 */
import type { MachineLane, MachineSlot } from './machine-vendor.ts'
import { newestKnown, sumKnown } from './lanes.ts'

export function mergeLanes(slots: readonly MachineSlot[]): readonly MachineSlot[] {
  const byProduct = Map.groupBy(slots, ({ vendorSku }) => vendorSku)
  const isPlain = byProduct.size === slots.length && slots.every(({ lanes }) => lanes === undefined)
  return isPlain ? slots : [...byProduct.values()].map(mergeProduct)
}

/** Title, picture and price are those of the first lane. */
function mergeProduct(entries: readonly MachineSlot[]): MachineSlot {
  const [first] = entries as [MachineSlot]
  if (entries.length === 1) return withSums(first)
  const lanes = entries.flatMap((entry, i) => entry.lanes ?? [numberedLane(entry, `${i + 1}`)])
  const asOf = newestKnown(entries.map((entry) => entry.asOf ?? null))
  const { capacity: _, asOf: __, ...rest } = first
  return withSums({
    ...rest,
    ...(asOf === null ? {} : { asOf }),
    stock: sumKnown(entries.map((entry) => withSums(entry).stock)),
    lanes,
  })
}

/** What the platform states for the whole product counts before the sum of its lanes. */
function withSums(slot: MachineSlot): MachineSlot {
  const { lanes } = slot
  if (lanes === undefined || lanes.length === 0) return slot
  const capacity = slot.capacity ?? sumKnown(lanes.map((lane) => lane.capacity))
  return {
    ...slot,
    stock: slot.stock ?? sumKnown(lanes.map(({ stock }) => stock)),
    ...(capacity === null ? {} : { capacity }),
  }
}

const numberedLane = ({ priceFen, stock, capacity, asOf }: MachineSlot, code: string): MachineLane => ({
  code,
  isNumbered: true,
  priceFen,
  stock,
  capacity: capacity ?? null,
  ...(asOf === undefined ? {} : { asOf }),
})
