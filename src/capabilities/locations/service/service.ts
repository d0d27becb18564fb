/** A service: what a person did at a machine at one time, as it is stored and returned. */
import type { Service as WireService } from '../../../contract/service.ts'
import { UNDO_MS } from '../../../contract/limits.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import type { Person } from '../../../kernel/person.ts'
import type { BookedWork, SlotBefore } from './book-work.ts'
import type { SlotWork } from './work.ts'

export interface ServicedSlot extends SlotWork {
  readonly slotId: string
  readonly title: string
  readonly after: number | null
  readonly difference?: number
  readonly before: SlotBefore
}

export interface Service {
  readonly id: string
  readonly location: string
  readonly run?: string
  readonly at: number
  readonly note?: string
  readonly slots: readonly ServicedSlot[]
  readonly undoneAt?: number
  readonly by?: Person
}

export const toServicedSlot = ({ work, slot, before, after, difference }: BookedWork): ServicedSlot => ({
  ...work,
  slotId: slot.slotId,
  title: slot.title,
  after,
  ...(difference === undefined ? {} : { difference }),
  before,
})

export const undoUntil = (at: number): number => at + UNDO_MS

export function serviceView(service: Service, timeZone: string): WireService {
  const { id, location, run, at, note, slots, undoneAt, by } = service
  return {
    id,
    location,
    ...(run === undefined ? {} : { run }),
    occurred_at: rfc3339(at, timeZone),
    ...(by === undefined ? {} : { by }),
    delivered: slots.flatMap(({ slotId, loaded }) => (loaded ? [{ slot_id: slotId, quantity: loaded.quantity }] : [])),
    removed: slots.flatMap(({ slotId, removed = [] }) =>
      removed.map(({ quantity, reason }) => ({ slot_id: slotId, quantity, reason })),
    ),
    counted: slots.flatMap(({ slotId, counted, difference }) =>
      counted ? [{ slot_id: slotId, ...counted, ...(difference === undefined ? {} : { difference }) }] : [],
    ),
    stock: slots.map(({ slotId, after }) => ({ slot_id: slotId, stock: after })),
    ...(note === undefined ? {} : { note }),
    undo_until: rfc3339(undoUntil(at), timeZone),
    ...(undoneAt === undefined ? {} : { undone_at: rfc3339(undoneAt, timeZone) }),
  }
}
