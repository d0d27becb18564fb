/**
 * GET /replenishment/layouts: which lanes of a machine would earn more with another of its products, and the changes that
 * were accepted. It changes nothing.
 */
import type { Reply } from '../../../contract/handlers.ts'
import type { LayoutQuery } from '../../../contract/shapes/planning/layout.ts'
import type { Context } from '../../../context.ts'
import { DAY, addDays, localDay } from '../../../kernel/clock.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type NoteMessage, info } from '../../../kernel/message.ts'
import { type Outcome, accept, mapOutcome, refuse } from '../../../kernel/outcome.ts'
import { count } from '../../../kernel/text.ts'
import { type StoredSlot, findLocation, listSlots } from '../../../route/locations/index.ts'
import { sumSales } from '../../../route/sales/index.ts'
import { findSources } from '../../../route/skus/index.ts'
import { computePlan } from '../plan/get-plan.ts'
import { GAIN_ERROR_SHARE, type LaneChange, layOut } from '../planner/layout/layout.ts'
import { LAYOUT_WINDOW_DAYS, toLayoutMachine } from '../planner/layout/machine-layout.ts'
import { hasKnownRoom, lanesAfterChanges, placesOf } from './lanes.ts'
import { type StoredLaneChange, listLaneChanges } from './records.ts'
import { measureLayout } from './result.ts'

export const getLayout = (ctx: Context, { location }: LayoutQuery): Promise<Outcome<Reply<'getLayout'>>> =>
  layoutReply(ctx, location)

export const layoutReply = async (ctx: Context, location: string): Promise<Outcome<Reply<'getLayout'>>> =>
  mapOutcome(await computeLayout(ctx, location), (found) => ({ body: layoutView(ctx, location, found) }))

type MachineLayout = Exclude<Awaited<ReturnType<typeof computeLayout>>, { readonly ok: false }>['value']

export async function computeLayout(ctx: Context, location: string) {
  if (!(await findLocation(ctx.store.db, location))) return refuse('not_found', 'Machine not found', '$.location')
  const { plan } = await computePlan(ctx, { location, windowDays: LAYOUT_WINDOW_DAYS })
  const slots = await listSlots(ctx.store.db, [location])
  const changes = await listLaneChanges(ctx.store.db, [location])
  const lanes = lanesAfterChanges(slots, changes, ctx.clock.now())
  const rated = plan.areas[0]?.machines[0]?.rated
  const sources = await findSources(
    ctx,
    slots.map(({ skuId }) => skuId),
  )
  const pinned = new Set<string>(slots.filter(({ isPinned }) => isPinned).map(({ slotId }) => slotId))
  const { params } = plan
  const layout = rated
    ? layOut(
        toLayoutMachine(rated, {
          lanesOf: ({ slotId }) => lanes.get(slotId) ?? [],
          categoryOf: (sku) => sources.get(sku as SkuId)?.category,
          isPinned: (slotId) => pinned.has(slotId),
          visitCostFen: params.stop_cost ?? params.visit_cost ?? rated.assumedCostFen,
          leadDays: plan.leadTime.days,
        }),
      )
    : undefined
  const result = await loadResult(ctx, location, changes)
  const titles = new Map<string, string>(slots.map(({ skuId, title }) => [skuId, title]))
  const capacities = new Map([...lanes.values()].flat().map(({ lane, capacity }) => [lane, capacity]))
  return accept({
    changes,
    proposals: (layout?.changes ?? []).map((change) => toProposal(change, capacities)),
    visitDays: layout?.visitDays,
    result,
    unknown: slots.filter((slot) => !hasKnownRoom(slot)),
    titleOf: (sku: SkuId) => titles.get(sku) ?? sku,
    placeOf: placesOf(slots),
  })
}

/** Days before a change, and days after it that say something. */
const DAYS_BEFORE = 28
const DAYS_AFTER_MIN = 14
/** Changes of longer ago are no news. */
const RESULT_DAYS = 120

/** Of all lanes that were changed lately, together: they share their products. */
async function loadResult({ store, clock, config }: Context, location: string, changes: readonly StoredLaneChange[]) {
  const now = clock.now()
  const done = changes.filter(({ status, changedAt }) => status === 'done' && now - changedAt < RESULT_DAYS * DAY)
  if (done.length === 0) return undefined
  const dayOf = (at: number) => localDay(at, config.timeZone)
  const first = dayOf(Math.min(...done.map(({ changedAt }) => changedAt)))
  const last = dayOf(Math.max(...done.map(({ changedAt }) => changedAt)))
  const days = Math.round((Date.parse(dayOf(now)) - Date.parse(last)) / DAY) - 1
  if (days < DAYS_AFTER_MIN) return undefined
  const sumsOf = async (from: string, to: string) =>
    (await sumSales(store.db, 'slot', { from, to, locations: [location] })).map(
      ({ namespace, vendorSku, units, revenue, cost }) => ({
        sku: `${namespace}:${vendorSku}`,
        units,
        marginFen: revenue - cost,
      }),
    )
  const measured = measureLayout({
    before: { days: DAYS_BEFORE, sums: await sumsOf(addDays(first, -DAYS_BEFORE), addDays(first, -1)) },
    after: { days, sums: await sumsOf(addDays(last, 1), addDays(dayOf(now), -1)) },
    changed: new Set<string>(done.flatMap(({ from, to }) => [from, to])),
  })
  const expectedFen = done.reduce((sum, { weeklyGainFen }) => sum + weeklyGainFen, 0)
  return { lanes: done.length, expectedFen, days, ...measured }
}

const toProposal = ({ lane, from, to, weeklyGainFen }: LaneChange, capacities: ReadonlyMap<string, number>) => ({
  lane,
  from: from as SkuId,
  to: to as SkuId,
  weeklyGainFen,
  capacity: capacities.get(lane) ?? 0,
})

/** How long a lane that was changed is listed. */
const DONE_SHOWN_MS = 30 * DAY

function layoutView(ctx: Context, location: string, found: MachineLayout) {
  const { proposals, changes, visitDays, result, unknown, titleOf, placeOf } = found
  const now = ctx.clock.now()
  const shown = changes.filter(
    ({ status, changedAt }) => status === 'accepted' || (status === 'done' && now - changedAt < DONE_SHOWN_MS),
  )
  const item = (id: SkuId) => ({ id, title: titleOf(id) })
  const view = (change: Proposal, status: 'proposed' | StoredLaneChange['status']) => ({
    lane: change.lane,
    ...placeOf(change.lane),
    now: item(change.from),
    proposed: item(change.to),
    weekly_gain: change.weeklyGainFen,
    gain_error: Math.round(GAIN_ERROR_SHARE * change.weeklyGainFen),
    status,
  })
  const messages = unknownCapacities(unknown)
  return {
    location,
    currency: ctx.config.currency,
    lanes: [...proposals.map((each) => view(each, 'proposed')), ...shown.map((each) => view(each, each.status))],
    weekly_gain: proposals.reduce((sum, { weeklyGainFen }) => sum + weeklyGainFen, 0),
    ...(visitDays && proposals.length > 0 ? { visit_days: { now: visitDays.now, after: visitDays.after } } : {}),
    ...(result && {
      result: {
        lanes: result.lanes,
        days: result.days,
        expected: result.expectedFen,
        gain: result.gainFen,
        error: result.errorFen,
      },
    }),
    ...(messages.length > 0 && { messages }),
  }
}

type Proposal = Pick<StoredLaneChange, 'lane' | 'from' | 'to' | 'weeklyGainFen'>

const unknownCapacities = ({ length }: readonly StoredSlot[]): readonly NoteMessage[] => {
  if (length === 0) return []
  const text = `The capacity of ${count(length, 'slot')} is unknown, so they stay as they are`
  return [info('capacity_unknown', text, undefined, { slots: length })]
}
