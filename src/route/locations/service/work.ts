/** What was done at the slots of one machine: loaded, taken out, counted. Pure. */
import type { SkuId } from '../../../kernel/ids.ts'
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import type { CountedWhen, RemovalReason, ServiceRequest } from '../../../contract/shapes/service.ts'
import { type ErrorMessage, error } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import { loweredLevel, raisedLevel } from '../stock/booked-level.ts'

export interface Removal {
  readonly quantity: number
  readonly reason: RemovalReason
}

export interface Counted {
  readonly stock: number
  readonly when: CountedWhen
}

/** Good units that go back to the store room, as this supply product. */
export interface Returned {
  readonly quantity: number
  readonly supplySku: SkuId
}

export interface SlotWork {
  readonly vendorSku: string
  /** Fewer loaded than ordered shows the capacity of the slot. */
  readonly loaded?: { readonly quantity: number; readonly ordered: number } | undefined
  readonly removed?: readonly Removal[] | undefined
  readonly returned?: readonly Returned[] | undefined
  readonly counted?: Counted | undefined
}

/** `slot_id` is `<location>-<vendor_sku>`; undefined for a slot of another machine. */
export const vendorSkuIn = (location: string, slotId: string): string | undefined =>
  slotId.startsWith(`${location}-`) ? slotId.slice(location.length + 1) : undefined

type Requested = Pick<ServiceRequest, 'removed' | 'counted' | 'returned'>

/** What was taken out and counted, by slot. Only slots of the machine, and each counted once. `supplies` are those of `returned`. */
export function workOf(
  location: string,
  { removed = [], counted = [], returned = [] }: Requested,
  isSlot: (vendorSku: string) => boolean,
  supplies: readonly SkuId[] = [],
): Outcome<ReadonlyMap<string, SlotWork>> {
  const problems: ErrorMessage[] = []
  const work = new Map<string, { vendorSku: string; removed?: Removal[]; returned?: Returned[]; counted?: Counted }>()
  const findOrAdd = (slotId: string, path: string) => {
    const vendorSku = vendorSkuIn(location, slotId)
    if (vendorSku === undefined || !isSlot(vendorSku)) {
      problems.push(error('invalid', `Machine ${location} has no such slot`, path))
      return undefined
    }
    const known = work.get(vendorSku) ?? { vendorSku }
    work.set(vendorSku, known)
    return known
  }
  for (const [index, { slot_id, quantity, reason }] of removed.entries()) {
    const slot = findOrAdd(slot_id, `$.removed[${index}].slot_id`)
    if (slot) (slot.removed ??= []).push({ quantity, reason })
  }
  for (const [index, { slot_id, quantity }] of returned.entries()) {
    const slot = findOrAdd(slot_id, `$.returned[${index}].slot_id`)
    const supplySku = supplies[index]
    if (slot && supplySku) (slot.returned ??= []).push({ quantity, supplySku })
  }
  for (const [index, { slot_id, stock, when = 'end' }] of counted.entries()) {
    const path = `$.counted[${index}].slot_id`
    const slot = findOrAdd(slot_id, path)
    if (slot?.counted) problems.push(error('invalid', 'This slot is listed twice', path))
    else if (slot) slot.counted = { stock, when }
  }
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept(work)
}

/** Thrown away or taken back to the store room. */
export const removedUnits = ({ removed = [], returned = [] }: Pick<SlotWork, 'removed' | 'returned'>): number =>
  [...removed, ...returned].reduce((total, { quantity }) => total + quantity, 0)

export interface LevelChange {
  /** Null while nobody knows what is in the slot. */
  readonly after: number | null
  /** Counted minus expected; undefined where nothing was counted, or nothing expected. */
  readonly difference?: number
}

/** Old units are taken out before new ones are loaded: the room they leave can be filled. */
export function levelAfterWork(
  before: number | null,
  work: Omit<SlotWork, 'vendorSku'>,
  capacity: number | null,
): LevelChange {
  const { counted, loaded } = work
  const isArrival = counted?.when === 'arrival'
  const start = isArrival ? counted.stock : before
  const expected =
    start === null ? null : raisedLevel(loweredLevel(start, removedUnits(work)), loaded?.quantity ?? 0, capacity)
  const after = counted && !isArrival ? counted.stock : expected
  const compared = isArrival ? before : expected
  return { after, ...(counted && compared !== null ? { difference: counted.stock - compared } : {}) }
}
