/** The lanes of a machine as they stand once every accepted change is made. Pure. */
import type { StoredSlot } from '../../../route/locations/index.ts'
import { DAY } from '../../../kernel/clock.ts'
import type { StoredLaneChange } from './records.ts'

export interface Lane {
  readonly lane: string
  readonly capacity: number
  /** It was given to its product not long ago. */
  readonly isFixed?: boolean
}

type LaneSlot = Pick<StoredSlot, 'slotId' | 'skuId' | 'lanes' | 'capacity' | 'capacitySource'>
type Change = Pick<StoredLaneChange, 'lane' | 'capacity' | 'to' | 'status' | 'changedAt'>

/** A lane that was changed stays until its product has shown what it sells there. */
const SETTLED_MS = 90 * DAY

/**
 * By slot id. A slot of which one lane is of unknown size has none: how much room its product has is unknown then, too. A
 * platform that names lanes may still show them as they were before a change.
 */
export function lanesAfterChanges(
  slots: readonly LaneSlot[],
  changes: readonly Change[],
  now: number,
): ReadonlyMap<string, readonly Lane[]> {
  const made = changes.filter(({ status }) => status !== 'canceled')
  const moved = new Map(made.map((change) => [change.lane, change]))
  const lanes = new Map<string, readonly Lane[]>()
  for (const slot of slots) {
    const known = knownLanes(slot, made)
    const kept = known.filter(({ lane }) => (moved.get(lane)?.to ?? slot.skuId) === slot.skuId)
    const gained = made.filter(({ to, lane }) => to === slot.skuId && !known.some((each) => each.lane === lane))
    const all = [...kept, ...(hasKnownRoom(slot) ? gained : [])]
    lanes.set(
      slot.slotId,
      all.map(({ lane, capacity }) => {
        const change = moved.get(lane)
        const isFixed = change !== undefined && (change.status === 'accepted' || now - change.changedAt < SETTLED_MS)
        return { lane, capacity, ...(isFixed && { isFixed }) }
      }),
    )
  }
  return lanes
}

/**
 * False: how much room its product has cannot be told. The highest level ever seen is no room: a slot that was never filled to
 * the top would look small, and a product would get the lanes of another for nothing.
 */
export const hasKnownRoom = ({ lanes, capacity, capacitySource }: Omit<LaneSlot, 'slotId' | 'skuId'>): boolean =>
  lanes && lanes.length > 1
    ? lanes.every((each) => each.capacity !== null)
    : capacity !== null && capacitySource !== 'inferred'

function knownLanes(slot: LaneSlot, made: readonly Change[]): readonly Lane[] {
  if (!hasKnownRoom(slot)) return []
  const { slotId, skuId, lanes, capacity } = slot
  if (lanes && lanes.length > 1)
    return lanes.map(({ code, isNumbered, capacity: units }) => ({
      lane: isNumbered ? `${slotId}-${code}` : code,
      capacity: units ?? 0,
    }))
  const [only] = lanes ?? []
  const lane = only && !only.isNumbered ? only.code : slotId
  // What other lanes brought is in the stated capacity, too.
  const own = (capacity ?? 0) - sumOf(made.filter((change) => change.to === skuId && change.lane !== lane))
  return own < 1 ? [] : [{ lane, capacity: own }]
}

const sumOf = (changes: readonly Change[]): number => changes.reduce((total, { capacity }) => total + capacity, 0)

/** Where a lane is that is named by its slot, as an operator stated it. */
export function placesOf(slots: readonly Pick<StoredSlot, 'slotId' | 'position'>[]) {
  const positions = new Map<string, StoredSlot['position']>(slots.map(({ slotId, position }) => [slotId, position]))
  return (lane: string) => {
    const position = positions.get(lane)
    return position ? { position } : {}
  }
}
