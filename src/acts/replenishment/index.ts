/** The plan, the runs created from it, the score of its forecasts, and restock advice to the platform. */
import { isDryRun } from '../../contract/dry-run.ts'
import type { Handlers } from '../../contract/handlers.ts'
import { PAGE_DEFAULT, PAGE_MAX, SCORE_HORIZON_DAYS_DEFAULT } from '../../contract/limits.ts'
import type { Job } from '../../jobs/runner.ts'
import { MINUTE, SECOND } from '../../kernel/clock.ts'
import { type Chunk, encodeCursor, paginationOf, parseCursor, listReply } from '../../lib/pages.ts'
import type { LocationId } from '../../kernel/ids.ts'
import type { Message } from '../../kernel/message.ts'
import { accept, mapOutcome } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { dryRunView } from '../../rules/guardrails/index.ts'
import { newerStockInfo, serviceView } from '../../route/locations/index.ts'
import { loadPurchaseView } from '../orders/index.ts'
import { cancelRun } from './runs/cancel-run.ts'
import { createRun, previewRun } from './runs/create/create-run.ts'
import { removeEndedLines } from './runs/purchases/end-purchases.ts'
import { recordDailyForecasts } from './forecasts/record-forecasts.ts'
import { getPlan } from './plan/get-plan.ts'
import { getTrips } from './plan/get-trips.ts'
import { scoreForecasts } from './forecasts/get-score.ts'
import { getPickList } from './runs/receive/get-pick-list.ts'
import { placeRun, previewPlacement } from './runs/place/place-run.ts'
import { receiveRun } from './runs/receive/receive-run.ts'
import { receiveStop } from './runs/receive/receive-stop.ts'
import { undoServiceAndReopenStop } from './runs/receive/undo-stop.ts'
import { recommendRestock } from './recommend-restock.ts'
import { type RunFilter, findRun, listRuns } from './runs/records.ts'
import type { Run } from './runs/run.ts'
import { getMovements } from './storeroom/get-movements.ts'
import { getStoreroom } from './storeroom/get-storeroom.ts'
import { receiveOrder } from './storeroom/receive-order.ts'
import { acceptLayout } from './layouts/accept-layout.ts'
import { endLane, finishLaneChanges } from './layouts/end-lane-change.ts'
import { getLayout } from './layouts/get-layout.ts'
import { acceptSwap, getSwaps } from './swaps/accept-swap.ts'
import { endSwap, finishSwaps } from './swaps/end-swap.ts'
import { scoreView } from './forecasts/view.ts'
import { withConfirmedUnits } from './runs/purchases/confirmed-lines.ts'
import { findOverlaps } from './runs/slot-run-records.ts'
import { findSessionStatuses } from './runs/purchases/sessions.ts'
import { refuseUnknownRun } from './runs/texts.ts'
import { narrowToMachine, runListEntry, runView } from './runs/view.ts'

export { listSimulatedCostsSince } from './runs/records.ts'
export { runSubject } from './runs/approval-subject.ts'
export { swapSubject } from './swaps/accept-swap.ts'

/** Lines in one page of runs: a run may have thousands. */
const PAGE_LINES_MAX = 20_000
/** Runs and lines read at once where all are listed. */
const CHUNK_RUNS = 100
const CHUNK_LINES = 2000
/** How soon after the day's first sync the forecasts are stored. */
const FORECASTS_EVERY_MS = 5 * MINUTE
/** How soon a swap that a machine reports as made is stored as done. */
const FINISH_SWAPS_MS = MINUTE

/** How soon the slots of a purchase that ended without products are planned for again. */
const CLOSE_ENDED_MS = 15 * SECOND

type RunEntry = ReturnType<typeof runListEntry>

export function replenishmentHandlers(ctx: Context) {
  const { store, clock, config } = ctx

  async function reply(run: Run, messages: readonly Message[] = []) {
    const sessions = await findSessionStatuses(store.db, [run], clock.now())
    const overlaps = await findOverlaps(store.db, [run])
    const [confirmed = run] = await withConfirmedUnits(store.db, [run])
    return { body: runView(confirmed, config, sessions, [...messages, ...(overlaps.get(run.id) ?? [])]) }
  }

  return {
    getPlan: ({ query }) => getPlan(ctx, query),

    async listRuns({ query }) {
      const { status, cursor } = query
      const position = parseCursor(cursor, '$.cursor', 'number', 'string')
      if (!position.ok) return position

      async function read(after: RunFilter['after'], limit: number, lines: number): Promise<Chunk<RunEntry, Run>> {
        const { runs, hasMore } = await listRuns(store.db, { status, after, limit, lines })
        const sessions = await findSessionStatuses(store.db, runs, clock.now())
        const overlaps = await findOverlaps(store.db, runs)
        return {
          entries: (await withConfirmedUnits(store.db, runs)).map((run) =>
            runListEntry(runView(run, config, sessions, overlaps.get(run.id))),
          ),
          next: hasMore ? runs.at(-1) : undefined,
        }
      }

      if (query.limit === undefined && cursor === undefined)
        return accept(await listReply('runs', (after: RunFilter['after']) => read(after, CHUNK_RUNS, CHUNK_LINES)))
      const limit = Math.min(query.limit ?? PAGE_DEFAULT, PAGE_MAX)
      const after = position.value && { createdAt: position.value[0], id: position.value[1] }
      const { entries, next } = await read(after, limit, PAGE_LINES_MAX)
      const pagination = paginationOf(next, ({ createdAt, id }) => encodeCursor(createdAt, id))
      return accept({ body: { runs: entries, pagination } })
    },

    getLayout: ({ query }) => getLayout(ctx, query),
    acceptLayout: ({ body }) => acceptLayout(ctx, body),
    endLaneChange: ({ params, body }) => endLane(ctx, params.id, body),
    getSwaps: async ({ query }) => mapOutcome(await getSwaps(ctx, query), wrapBody),
    acceptSwap: async ({ body }) => mapOutcome(await acceptSwap(ctx, body), wrapBody),
    endSwap: async ({ params, body }) => mapOutcome(await endSwap(ctx, params.slot_id, body), wrapBody),

    getTrips: async ({ query }) => accept(await getTrips(ctx, query)),

    async createRun({ body, query }) {
      if (isDryRun(query)) {
        const preview = await previewRun(ctx, body)
        if (!preview.ok) return preview
        const { run, evidence } = preview.value
        return accept({ body: { ...(await reply(run)).body, ...dryRunView(evidence) } })
      }
      const created = await createRun(ctx, body)
      return created.ok ? accept(await reply(created.value)) : created
    },

    async getRun({ params, query }) {
      await removeEndedLines(ctx)
      const run = await findRun(store.db, params.id)
      if (!run) return refuseUnknownRun(params.id)
      const { body } = await reply(run)
      return accept({ body: query.location === undefined ? body : narrowToMachine(body, query.location) })
    },

    async placeRun({ params, query }) {
      if (isDryRun(query)) {
        const preview = await previewPlacement(ctx, params.id)
        if (!preview.ok) return preview
        const { run, messages, evidence } = preview.value
        return accept({ body: { ...(await reply(run, messages)).body, ...dryRunView(evidence) } })
      }
      const placed = await placeRun(ctx, params.id)
      return placed.ok ? accept(await reply(placed.value)) : placed
    },

    async cancelRun({ params }) {
      const canceled = await cancelRun(ctx, params.id)
      return canceled.ok ? accept(await reply(canceled.value)) : canceled
    },

    async receiveRun({ params, body }) {
      const received = await receiveRun(ctx, params.id, body)
      return received.ok ? accept(await reply(received.value.run, received.value.messages)) : received
    },

    getStoreroom: async ({ query }) => mapOutcome(await getStoreroom(ctx, query), wrapBody),

    listStoreroomMovements: async ({ query }) => mapOutcome(await getMovements(ctx, query), wrapBody),

    async receiveOrder({ params, body }) {
      const received = await receiveOrder(ctx, params.id, body)
      if (!received.ok) return received
      const { purchase, messages } = received.value
      const order = await loadPurchaseView(ctx, purchase)
      const all = [...(order.messages ?? []), ...messages]
      return accept({ body: { ...order, ...(all.length > 0 && { messages: all }) } })
    },

    getPickList: ({ params, query }) => getPickList(ctx, params.id, query),

    async receiveStop({ params, body }) {
      const received = await receiveStop(ctx, params.id, params.location, body)
      if (!received.ok) return received
      const { run, service } = received.value
      return accept(await reply(run, newerStockInfo(service)))
    },

    undoService: async ({ params }) =>
      mapOutcome(await undoServiceAndReopenStop(ctx, params.id, params.service_id), (undone) => ({
        body: { service: serviceView(undone, config.timeZone) },
      })),

    async getScore({ query }) {
      const score = await scoreForecasts(ctx, query.horizon_days ?? SCORE_HORIZON_DAYS_DEFAULT)
      return accept({ body: scoreView(score, config.timeZone) })
    },

    recommendRestock: async ({ params, body }) =>
      mapOutcome(await recommendRestock(ctx, params.id as LocationId, body), wrapBody),
  } satisfies Partial<Handlers>
}

const wrapBody = <T>(body: T) => ({ body })

export const replenishmentJobs = (ctx: Context): readonly Job[] => [
  { name: 'record-forecasts', everyMs: FORECASTS_EVERY_MS, run: () => recordDailyForecasts(ctx) },
  { name: 'close-ended-runs', everyMs: CLOSE_ENDED_MS, run: () => removeEndedLines(ctx) },
  { name: 'finish-swaps', everyMs: FINISH_SWAPS_MS, run: () => finishSwaps(ctx) },
  { name: 'finish-lane-changes', everyMs: FINISH_SWAPS_MS, run: () => finishLaneChanges(ctx) },
]

// What other folders use.
export { computePlan } from './plan/get-plan.ts'
export { routeSource } from './plan/trial-route.ts'
export { loadSwaps } from './swaps/propose.ts'
export { WEEKS_TO_SELL, listDeadStock } from './swaps/dead-stock.ts'
export { loadMoves } from './moves/load-moves.ts'
export { GAIN_ERROR_SHARE } from './planner/layout/layout.ts'
export { layoutReply } from './layouts/get-layout.ts'
export { placeOf } from './planner/trips/places.ts'
export { type ExplainedEntry, type Language, explain } from './planner/explain.ts'
