/**
 * GET /replenishment/layouts: which lanes of a machine would earn more with another of its products. A proposal: it
 * changes nothing, and people change lanes.
 */
import type { Reply } from '../../../contract/handlers.ts'
import type { LayoutQuery } from '../../../contract/shapes/planning/layout.ts'
import type { Context } from '../../../context.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type NoteMessage, info } from '../../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { count } from '../../../kernel/text.ts'
import { type StoredSlot, findLocation, listSlots } from '../../../route/locations/index.ts'
import { findSources } from '../../../route/skus/index.ts'
import { computePlan } from '../plan/get-plan.ts'
import { type Layout, layOut } from '../planner/layout/layout.ts'
import { LAYOUT_WINDOW_DAYS, toLayoutMachine } from '../planner/layout/machine-layout.ts'

export async function getLayout(ctx: Context, { location }: LayoutQuery): Promise<Outcome<Reply<'getLayout'>>> {
  if (!(await findLocation(ctx.store.db, location))) return refuse('not_found', 'Machine not found', '$.location')
  const { plan } = await computePlan(ctx, { location, windowDays: LAYOUT_WINDOW_DAYS })
  const slots = await listSlots(ctx.store.db, [location])
  const lanes = new Map<string, readonly Lane[]>(slots.map((slot) => [slot.slotId, knownLanes(slot)]))
  const messages = unknownCapacities(slots.filter(({ slotId }) => lanes.get(slotId)?.length === 0))
  const rated = plan.areas[0]?.machines[0]?.rated
  const sources = await findSources(
    ctx,
    slots.map(({ skuId }) => skuId),
  )
  const { params } = plan
  const layout = rated
    ? layOut(
        toLayoutMachine(rated, {
          lanesOf: ({ slotId }) => lanes.get(slotId) ?? [],
          categoryOf: (sku) => sources.get(sku as SkuId)?.category,
          isPinned: () => false,
          visitCostFen: params.stop_cost ?? params.visit_cost ?? rated.assumedCostFen,
          leadDays: plan.leadTime.days,
        }),
      )
    : undefined
  const body = { location, currency: ctx.config.currency, ...layoutView(layout, slots) }
  return accept({ body: { ...body, ...(messages.length > 0 && { messages }) } })
}

interface Lane {
  readonly lane: string
  readonly capacity: number
}

/** None where one of them is of unknown size: how much room the product has is unknown then, too. */
function knownLanes({ slotId, lanes, capacity }: StoredSlot): readonly Lane[] {
  if (!lanes || lanes.length < 2) return capacity === null ? [] : [{ lane: lanes?.[0]?.code ?? slotId, capacity }]
  return lanes.every((each) => each.capacity !== null)
    ? lanes.map(({ code, capacity: units }) => ({ lane: code, capacity: units ?? 0 }))
    : []
}

const unknownCapacities = ({ length }: readonly StoredSlot[]): readonly NoteMessage[] => {
  if (length === 0) return []
  const text = `The capacity of ${count(length, 'slot')} is unknown, so they stay as they are`
  return [info('capacity_unknown', text, undefined, { slots: length })]
}

function layoutView(layout: Layout | undefined, slots: readonly StoredSlot[]) {
  const titles = new Map<string, string>(slots.map(({ skuId, title }) => [skuId, title]))
  const item = (id: string) => ({ id, title: titles.get(id) ?? id })
  return {
    lanes: (layout?.changes ?? []).map(({ lane, from, to, weeklyGainFen }) => ({
      lane,
      now: item(from),
      proposed: item(to),
      weekly_gain: weeklyGainFen,
    })),
    weekly_gain: layout?.weeklyGainFen ?? 0,
    ...(layout && layout.changes.length > 0
      ? { visit_days: { now: layout.visitDays.now, after: layout.visitDays.after } }
      : {}),
  }
}
