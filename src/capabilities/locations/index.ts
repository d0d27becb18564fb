/** Section 4.3: machines as store locations, and the jobs that keep them in step with their platform. */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { HOUR, SECOND } from '../../kernel/clock.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { pruneStockLog } from './history.ts'
import { lockSlot } from './lock-slot.ts'
import { putLocation } from './put-location.ts'
import { deleteLocation } from './delete-location.ts'
import { listLocationIds } from './records.ts'
import { lookupLocations, searchLocations } from './search.ts'
import { locationsAwaitingSync } from './sync/records.ts'
import { syncLocations } from './sync/sync.ts'

/** How soon a machine just registered is read for the first time. */
const FIRST_SYNC_MS = 5 * SECOND

const answered = <T>(outcome: Outcome<T>) => (outcome.ok ? accept({ body: outcome.value }) : outcome)

export const locationsHandlers = (
  ctx: Context,
): HandlersOf<
  'searchLocations' | 'lookupLocations' | 'syncLocations' | 'putLocation' | 'deleteLocation' | 'lockSlot'
> => ({
  searchLocations: async ({ body }) => answered(await searchLocations(ctx, body)),
  lookupLocations: async ({ body }) => answered(await lookupLocations(ctx, body)),
  syncLocations: async ({ body }) => answered(await syncLocations(ctx, { windowDays: body.sales_window_days })),
  putLocation: async ({ params, body }) => {
    const outcome = await putLocation(ctx, params.id, body)
    return outcome.ok ? accept({ body: { location: outcome.value } }) : outcome
  },
  deleteLocation: async ({ params }) => answered(await deleteLocation(ctx, params.id)),
  lockSlot: async ({ params, body }) => {
    const outcome = await lockSlot(ctx, { location: params.id, slotId: params.slot_id, locked: body.locked })
    return outcome.ok ? accept({ body: { inventory: outcome.value } }) : outcome
  },
})

export function locationsJobs(ctx: Context): readonly Job[] {
  const report = (job: string, outcome: Outcome<unknown>) => {
    if (!outcome.ok) ctx.log.warn({ job, messages: outcome.refusal.messages }, 'the sync failed')
  }
  return [
    {
      name: 'sync-machines',
      everyMs: ctx.config.syncIntervalMs,
      run: async () => {
        if ((await listLocationIds(ctx.store.db)).length > 0) report('sync-machines', await syncLocations(ctx))
      },
    },
    {
      name: 'sync-new-machines',
      everyMs: FIRST_SYNC_MS,
      run: async () => {
        const waiting = await locationsAwaitingSync(ctx.store.db)
        if (waiting.length > 0) report('sync-new-machines', await syncLocations(ctx, { newOnly: true }))
      },
    },
    { name: 'prune-stock-log', everyMs: HOUR, run: () => pruneStockLog(ctx) },
  ]
}

// What other folders use.
export { addressOf } from './profile.ts'
export { raiseStock } from './receive.ts'
export type { Receipt } from './receive.ts'
export { findLocation, findLocations, isSeenInLedger, listLocations, listSlotStocks, slotFacts } from './records.ts'
export type { LocationRecord, SlotFacts, SlotStock } from './records.ts'
export { refusedInfo, refusedSales, reportRefusedRows } from './refused-rows.ts'
export { noteLevels } from './sync/replace-slots.ts'
