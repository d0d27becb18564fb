/**
 * PUT /locations/{id}/slots/{slot_id}: what an operator says about a slot. Restocking skips a locked slot. A count starts
 * our own book where the platform reports no stock; elsewhere it counts until the platform reports a newer level. A
 * capacity overrides that of the platform, a par level is what visits fill to, a pinned product keeps a lane. A sync keeps
 * lock, capacity, par level, position and pin.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Inventory } from '../../contract/shapes/catalog.ts'
import type { SlotRequest } from '../../contract/shapes/location.ts'
import { currentCaller } from '../../kernel/caller.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../kernel/outcome.ts'
import { copyFields } from '../../lib/objects.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import type { Tx } from '../../store/store.ts'
import { findLocation, lockLocation } from './records.ts'
import { type StoredSlot, findSlot, setSlotLock } from './slot-records.ts'
import { bookService } from './service/book-service.ts'
import { findDoubtfulCounts } from './service/check-counts.ts'
import { vendorSkuIn } from './service/work.ts'
import { type SlotSettings, listSlotSettings, saveSlotSettings, updateSlotCapacity } from './slot-setting-records.ts'
import { UNKNOWN } from './sync/infer-capacity.ts'
import { slotLocked, slotSettingsChanged } from './texts.ts'
import { slotView } from './view.ts'

const SETTINGS = ['capacity', 'par', 'position', 'pinned'] as const
/** What only an operator may state; a driver counts. */
const OPERATORS = ['locked', ...SETTINGS] as const

export async function updateSlot(
  ctx: Pick<Context, 'store' | 'clock' | 'config' | 'vendors'>,
  location: string,
  slotId: string,
  request: SlotRequest,
): Promise<Outcome<Inventory>> {
  const { locked, stock } = request
  const stated = OPERATORS.find((member) => request[member] !== undefined)
  if (stated === undefined && stock === undefined)
    return refuse('missing', 'One of locked, stock, capacity, par, position and pinned is required', '$.locked')
  if (stated !== undefined && currentCaller()?.by?.role === 'driver')
    return refuse('forbidden', 'Drivers may count slots; only operators may change their settings', `$.${stated}`)
  const vendorSku = vendorSkuIn(location, slotId)
  return ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    // Row lock: a count and a setting serialize with a running sync and with receipts.
    if (stock !== undefined || SETTINGS.some((member) => request[member] !== undefined))
      await lockLocation(tx, location, now)
    const slot = vendorSku === undefined ? undefined : await findSlot(tx, location, vendorSku)
    if (!slot) return refuse('not_found', `Slot "${slotId}" not found in machine ${location}`)
    if (stock !== undefined && !request.confirm_count) {
      const { capacity } = request
      const counted = { vendorSku: slot.vendorSku, counted: stock, capacity, path: '$.stock' }
      const doubtful = await findDoubtfulCounts(tx, location, [counted])
      if (doubtful.length > 0) return refuseAll(doubtful)
    }
    const machine = await findLocation(tx, location)
    if (locked !== undefined && (await setSlotLock(tx, slot, locked, now)))
      await recordEvent(ctx, tx, slotLocked(slot, machine?.name, locked))
    const settings = await saveSettings(tx, slot, request, now)
    if (settings) await recordEvent(ctx, tx, slotSettingsChanged(slot, machine?.name, settings))
    if (stock !== undefined) {
      const counted = { stock, when: 'end' as const }
      await bookService(ctx, tx, { location, slotWorks: [{ vendorSku: slot.vendorSku, counted }], note: undefined })
    }
    const after = await findSlot(tx, location, slot.vendorSku)
    if (!after) throw new Error(`slot ${slotId} is not there in the transaction that wrote it`)
    return accept(slotView(after, ctx.config.currency))
  })
}

/** The settings after the request; undefined when it changes none. */
async function saveSettings(
  tx: Tx,
  slot: StoredSlot,
  request: SlotRequest,
  now: number,
): Promise<SlotSettings | undefined> {
  const before = (await listSlotSettings(tx, [slot.location]))(slot.location, slot.vendorSku)
  const { capacity = before.capacity, par = before.par, position = before.position } = request
  const { pinned: isPinned = before.isPinned } = request
  const place = position && copyFields({ ...position, row: position.row.trim() }, { row: true, column: true })
  const settings = { capacity, par, position: place, isPinned }
  if (isDeepStrictEqual(settings, before)) return undefined
  await saveSlotSettings(tx, slot, settings, now)
  if (capacity !== before.capacity)
    // What the platform says about it comes back with the next sync.
    await updateSlotCapacity(tx, slot, capacity === null ? UNKNOWN : { capacity, source: 'counted' })
  return settings
}
