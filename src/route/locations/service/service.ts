/** A service: what a person did at a machine at one time, as it is stored and returned. */
import type { Service as WireService } from '../../../contract/shapes/service.ts'
import { OCCURRED_AHEAD_MS, OCCURRED_BEFORE_MS, UNDO_MS } from '../../../contract/limits.ts'
import { mayReadCosts } from '../../../kernel/caller.ts'
import { parseRfc3339, rfc3339 } from '../../../kernel/clock.ts'
import type { Person } from '../../../kernel/person.ts'
import type { BookedWork, SlotBefore } from './book-work.ts'
import type { SlotWork } from './work.ts'

export interface ServicedSlot extends SlotWork {
  readonly slotId: string
  readonly title: string
  readonly after: number | null
  readonly difference?: number
  /** Read or counted after the service was done: it changed no level. */
  readonly isStockKept?: true
  readonly before: SlotBefore
}

/** Coins and notes taken out of a machine, in minor units. */
export interface Cash {
  readonly amount: number
  readonly bag?: string | undefined
}

export interface Service {
  readonly id: string
  readonly location: string
  readonly run?: string
  /** When it was done. */
  readonly at: number
  readonly bookedAt: number
  readonly note?: string
  readonly slots: readonly ServicedSlot[]
  readonly cash?: Cash
  readonly undoneAt?: number
  readonly by?: Person
}

export const toServicedSlot = ({ work, slot, before, after, difference, isStockKept }: BookedWork): ServicedSlot => ({
  ...work,
  slotId: slot.slotId,
  title: slot.title,
  after,
  ...(difference === undefined ? {} : { difference }),
  ...(isStockKept ? { isStockKept } : {}),
  before,
})

/** A received stop, or a machine where something was loaded, counted or collected. Only taking out is none. */
export const isVisit = ({ run, slots, cash }: VisitFacts): boolean =>
  run !== undefined ||
  cash !== undefined ||
  slots.some(({ loaded, counted }) => (loaded?.quantity ?? 0) > 0 || counted !== undefined)

type VisitFacts = Pick<Service, 'run' | 'slots'> & { readonly cash?: Cash | undefined }

export const undoDeadlineOf = ({ bookedAt }: Pick<Service, 'bookedAt'>): number => bookedAt + UNDO_MS

/** When a caller says that a service was done. Undefined: too long ago, or not yet. */
export function parseOccurredAt(stated: string, now: number): number | undefined {
  const at = parseRfc3339(stated)
  if (at === undefined || at < now - OCCURRED_BEFORE_MS || at > now + OCCURRED_AHEAD_MS) return undefined
  return Math.min(at, now)
}

const cashView = ({ amount, bag }: Cash) => ({
  ...(mayReadCosts() ? { amount } : {}),
  ...(bag === undefined ? {} : { bag }),
})

function returnedView(slots: readonly ServicedSlot[]): Pick<WireService, 'returned'> {
  const returned = slots.flatMap(({ slotId, returned: own = [] }) =>
    own.map(({ quantity, supplySku }) => ({ slot_id: slotId, quantity, item: supplySku })),
  )
  return returned.length === 0 ? {} : { returned }
}

export function serviceView(service: Service, timeZone: string): WireService {
  const { id, location, run, at, bookedAt, note, slots, cash, undoneAt, by } = service
  return {
    id,
    location,
    ...(run === undefined ? {} : { run }),
    occurred_at: rfc3339(at, timeZone),
    booked_at: rfc3339(bookedAt, timeZone),
    ...(by === undefined ? {} : { by }),
    delivered: slots.flatMap(({ slotId, loaded }) => (loaded ? [{ slot_id: slotId, quantity: loaded.quantity }] : [])),
    removed: slots.flatMap(({ slotId, removed = [] }) =>
      removed.map(({ quantity, reason }) => ({ slot_id: slotId, quantity, reason })),
    ),
    ...returnedView(slots),
    counted: slots.flatMap(({ slotId, counted, difference }) =>
      counted ? [{ slot_id: slotId, ...counted, ...(difference === undefined ? {} : { difference }) }] : [],
    ),
    stock: slots.map(({ slotId, after }) => ({ slot_id: slotId, stock: after })),
    ...(cash === undefined ? {} : { cash: cashView(cash) }),
    ...(note === undefined ? {} : { note }),
    undo_until: rfc3339(undoDeadlineOf(service), timeZone),
    ...(undoneAt === undefined ? {} : { undone_at: rfc3339(undoneAt, timeZone) }),
  }
}
