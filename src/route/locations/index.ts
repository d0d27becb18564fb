/** Machines as store locations, and the jobs that sync them with their platform. */
import type { Handlers } from '../../contract/handlers.ts'
import type { Job } from '../../jobs/runner.ts'
import { HOUR, SECOND } from '../../kernel/clock.ts'
import { type Outcome, catchRefusal, mapOutcome } from '../../kernel/outcome.ts'
import type { SkuContext } from '../skus/index.ts'
import { getCalendar, putCalendar } from './calendar.ts'
import { getHolidays, putHoliday } from './holidays/holidays.ts'
import { getCash } from './cash/get-cash.ts'
import { updateSlot } from './update-slot.ts'
import { putLocation } from './put-location.ts'
import { deleteLocation } from './delete-location.ts'
import { listLocationIds } from './records.ts'
import { removeOldStockReadings } from './remove-old-readings.ts'
import { lookupLocations, searchLocations } from './search.ts'
import { fixFault, listMachineReports, removeOldReports, reportMachine } from './reports/reports.ts'
import { serviceMachine } from './service/book-service.ts'
import { serviceView } from './service/service.ts'
import { listLocationsAwaitingSync } from './sync/records.ts'
import { syncLocations } from './sync/sync.ts'
import { newerStockInfo } from './texts.ts'

/** How soon a newly registered machine is read for the first time. */
const FIRST_SYNC_MS = 5 * SECOND

const toReply = <T>(outcome: Outcome<T>) => mapOutcome(outcome, (body) => ({ body }))

export const locationsHandlers = (ctx: SkuContext) =>
  ({
    searchLocations: async ({ body }) => toReply(await searchLocations(ctx, body)),
    lookupLocations: async ({ body }) => toReply(await lookupLocations(ctx, body)),
    syncLocations: async ({ body }) => toReply(await syncLocations(ctx, { windowDays: body.sales_window_days })),
    putLocation: async ({ params, body }) =>
      mapOutcome(await putLocation(ctx, params.id, body), (location) => ({ body: { location } })),
    deleteLocation: async ({ params }) => toReply(await deleteLocation(ctx, params.id)),
    getCalendar: async ({ params }) => toReply(await getCalendar(ctx, params.id)),
    putCalendar: async ({ params, body }) => toReply(await putCalendar(ctx, params.id, body)),
    getHolidays: async () => toReply(await getHolidays(ctx)),
    putHoliday: ({ params, body }) => catchRefusal(async () => toReply(await putHoliday(ctx, params.date, body))),
    updateSlot: async ({ params, body }) =>
      mapOutcome(await updateSlot(ctx, params.id, params.slot_id, body), (inventory) => ({ body: { inventory } })),
    getCash: async ({ query }) => toReply(await getCash(ctx, query)),
    reportMachine: async ({ params, body }) =>
      mapOutcome(await reportMachine(ctx, params.id, body), (report) => ({ body: { report } })),
    listReports: async ({ params }) =>
      mapOutcome(await listMachineReports(ctx, params.id), (reports) => ({ body: { reports } })),
    fixFault: async ({ params }) =>
      mapOutcome(await fixFault(ctx, params.id, params.report_id), (report) => ({ body: { report } })),
    serviceMachine: async ({ params, body }) =>
      mapOutcome(await serviceMachine(ctx, params.id, body), (booked) => {
        const messages = newerStockInfo(booked)
        const service = serviceView(booked, ctx.config.timeZone)
        return { body: { service, ...(messages.length > 0 ? { messages } : {}) } }
      }),
  }) satisfies Partial<Handlers>

export function locationsJobs(ctx: SkuContext): readonly Job[] {
  const report = (job: string, outcome: Outcome<unknown>) => {
    if (!outcome.ok) ctx.log.warn({ job, messages: outcome.refusal.messages }, 'sync failed')
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
        if ((await listLocationsAwaitingSync(ctx.store.db)).length > 0)
          report('sync-new-machines', await syncLocations(ctx, { newOnly: true }))
      },
    },
    { name: 'prune-stock-log', everyMs: HOUR, run: () => removeOldStockReadings(ctx) },
    { name: 'prune-reports', everyMs: HOUR, run: () => removeOldReports(ctx) },
  ]
}

// What other folders use.
export { knownDaysOf } from './calendar.ts'
export { findCashDifferences } from './cash/get-cash.ts'
export { addressOf } from './profile.ts'
export { applyToSimulatedMachines, bookService, readRequestedWork } from './service/book-service.ts'
export {
  findServiceOfWrite,
  findStopsOfServices,
  listLosses,
  listRemovals,
  listServices,
  listVisits,
  listLoads,
  loadKnownShelfLives,
} from './service/records.ts'
export type { Span } from './service/records.ts'
export { type Service, serviceView, undoDeadlineOf } from './service/service.ts'
export { undoService } from './service/undo-service.ts'
export type { SlotWork } from './service/work.ts'
export { isMissingFromLedger } from './seen-in-ledger.ts'
export { type LocationRecord, findLocation, findLocations, listLocations, lockLocation } from './records.ts'
export { hasPrices, listSellingPrices, listSlotProducts, listSlotsWith } from './carried-product-records.ts'
export { findSlotFacts, laneNameOf, listSlots, listSlotStocks, listVendorSkus, setSlotPrice } from './slot-records.ts'
export type { SlotFacts, SlotStock, StoredSlot } from './slot-records.ts'
export { saveSlotSettings, stateCapacity } from './slot-setting-records.ts'
export { listUnreadableRowsByNamespace, listUnreadableSales } from './unreadable-row-records.ts'
export { reportUnreadableRows } from './unreadable-rows.ts'
export type { StockSource } from './stock/booked-level.ts'
export { capacityOf, UNKNOWN as CAPACITY_UNKNOWN } from './sync/infer-capacity.ts'
export { type Booking, chooseLevel } from './stock/choose-level.ts'
export { pictureLoader } from './pictures.ts'
export { listOpenFaults } from './reports/records.ts'
export { loadPhoto } from './reports/reports.ts'
export {
  machineNotFound,
  machineOfOtherPlatform,
  newerStockInfo,
  unreadableInfo,
  truncatedWarning,
  unverifiedWarning,
} from './texts.ts'
export { bookingView, laneView, statedView } from './view.ts'
export { listStockLog } from './stock/stock-log-records.ts'
