/** Undoes a service within ten minutes. Where the machine was read or counted since, that newer level stays. */
import { currentCaller } from '../../../kernel/caller.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import type { Tx } from '../../../store/store.ts'
import type { WriteContext } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { rebuildLevelSeries } from '../../sales/index.ts'
import { findLocation, lockLocation } from '../records.ts'
import { findSlot, updateSlotLevel } from '../slot-records.ts'
import { deleteStockReading } from '../stock/stock-log-records.ts'
import { restoreBook } from '../stock/book-records.ts'
import { serviceUndone } from '../texts.ts'
import { findLaterService, findService, markUndone } from './records.ts'
import { type Service, type ServicedSlot, undoDeadlineOf } from './service.ts'

/** In the transaction of the caller, which reopens the stop of the run where there is one. */
export async function undoService(ctx: WriteContext, tx: Tx, location: string, id: string): Promise<Outcome<Service>> {
  const now = ctx.clock.now()
  await lockLocation(tx, location, now)
  const service = await findService(tx, location, id)
  if (!service) return refuse('not_found', `Service "${id}" not found at machine ${location}`)
  if (service.undoneAt !== undefined) return refuse('not_editable', `Service ${id} has already been undone`)
  if (now > undoDeadlineOf(service)) return refuse('undo_expired', 'A service can be undone within ten minutes')
  if (!mayUndo(service)) return refuse('forbidden', 'Drivers may undo only what they booked themselves')
  const later = await findLaterService(tx, service)
  if (later !== undefined)
    return refuse('not_editable', `Service ${later} was booked later at this machine. Undo it first`)
  for (const slot of service.slots) await restoreSlot(tx, service, slot)
  await markUndone(tx, id, now)
  const machine = await findLocation(tx, location)
  await recordEvent(ctx, tx, serviceUndone(service, machine?.name))
  return accept({ ...service, undoneAt: now })
}

/** A driver's key that was stolen must not open the receipts of others again. */
function mayUndo({ by }: Service): boolean {
  const caller = currentCaller()?.by
  return caller?.role !== 'driver' || caller.name === by?.name
}

async function restoreSlot(
  tx: Tx,
  { location, at }: Service,
  { vendorSku, after, before, isStockKept }: ServicedSlot,
): Promise<void> {
  const slot = await findSlot(tx, location, vendorSku)
  if (!slot || after === null || isStockKept) return
  const { updatedAt, countedAt = updatedAt, booking } = before
  // Only a capacity that the service showed: an operator may have stated one since.
  const capacity =
    slot.capacitySource === 'inferred' ? before.capacity : { capacity: slot.capacity, source: slot.capacitySource }
  const isStanding = before.stock === null ? slot.stockSource !== 'told' : slot.booking?.at === at
  if (isStanding) {
    const fallen = Math.max(0, (before.reported?.stock ?? 0) - (slot.reported?.stock ?? 0))
    const stock = before.stock === null ? null : Math.max(0, before.stock - fallen)
    await updateSlotLevel(tx, {
      location,
      vendorSku,
      stock,
      ...capacity,
      // Readings since that fell lowered what was booked; they lower what was there before it, too.
      updatedAt: fallen > 0 ? slot.updatedAt : updatedAt,
      countedAt,
      booking,
    })
  } else if (slot.capacitySource === 'inferred' && before.capacity.source !== 'inferred') {
    // Read since: the newer level stays, but not the capacity that the undone service showed.
    const newer = slot.stockSource === 'told' ? slot.stock : null
    const { updatedAt: readAt, booking: standing } = slot
    await updateSlotLevel(tx, {
      location,
      vendorSku,
      stock: newer,
      ...before.capacity,
      updatedAt: readAt,
      booking: standing,
    })
  }
  await restoreBook(tx, slot, at, before.book)
  await deleteStockReading(tx, slot, at)
  await rebuildLevelSeries(tx, [{ location, vendorSku, at }])
}
