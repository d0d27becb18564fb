/** Purchases for whoever has to approve them: what is bought, for how much, where it goes, and what the machines sell of it. */
import type { ApprovalDetails } from '../../contract/shapes/approval.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Decision, DecisionId } from '../../rules/approvals/index.ts'
import type { Context } from '../../context.ts'
import { listSlotsWith } from '../../route/locations/index.ts'
import { loadUnitsPerDay } from '../../route/sales/index.ts'
import { findIdentities, isConfirmed } from '../../route/skus/index.ts'
import { shownDestination } from './basket/basket.ts'
import { findSessions } from './records.ts'
import type { Line, Session } from './session.ts'
import { lineTotal } from './basket/totals.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** On a larger route this figure would take too long; it is left out. */
const SLOTS_MAX = 5000

/** The most expensive first: the rest is on the page of the purchase. */
const shownLines = ({ lines }: Session, linesMax: number): readonly Line[] =>
  lines.toSorted((a, b) => lineTotal(b) - lineTotal(a)).slice(0, linesMax)

/** Units a day in all machines, of the machine products that are confirmed to be this supplier product. */
async function loadProductUnitsPerDay(ctx: Deps, ids: readonly SkuId[]): Promise<ReadonlyMap<SkuId, number>> {
  const { db } = ctx.store
  const identities = await findIdentities(db, ids, isConfirmed)
  const machineSkuIds = new Set([...identities.values()].flatMap((found) => found.map(({ skuId }) => skuId as SkuId)))
  const slots = await listSlotsWith(db, [...machineSkuIds], SLOTS_MAX + 1)
  if (slots.length > SLOTS_MAX) return new Map()
  const unitsPerDayOf = await loadUnitsPerDay(ctx, slots)
  const slotsOf = Map.groupBy(slots, ({ skuId }) => skuId)
  return new Map(
    [...identities].flatMap(([id, found]) => {
      const ownSlots = found.flatMap(({ skuId }) => slotsOf.get(skuId as SkuId) ?? [])
      return ownSlots.length === 0 ? [] : [[id, ownSlots.reduce((sum, slot) => sum + unitsPerDayOf(slot), 0)] as const]
    }),
  )
}

export async function describeSessions(
  ctx: Deps,
  decisions: readonly Decision[],
  linesMax: number,
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const ids = decisions.map(({ subject }) => subject.id)
  const sessions = new Map((await findSessions(ctx.store.db, ids)).map((session) => [session.id, session]))
  const shown = [...sessions.values()].flatMap((session) => shownLines(session, linesMax))
  const perDayBySku = await loadProductUnitsPerDay(ctx, [...new Set(shown.map(({ skuId }) => skuId))])
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const { id, subject } of decisions) {
    const session = sessions.get(subject.id)
    if (!session) continue
    const destination = shownDestination(session)
    details.set(id, {
      currency: ctx.config.currency,
      subject_status: session.status,
      supplier: session.vendor,
      ...(destination && { destination }),
      total: session.totalFen,
      line_count: session.lines.length,
      lines: shownLines(session, linesMax).map((line) => {
        const perDay = perDayBySku.get(line.skuId)
        return {
          sku_id: line.skuId,
          title: line.title,
          quantity: line.quantity,
          unit: line.unit,
          price: line.priceFen,
          total: lineTotal(line),
          ...(perDay === undefined ? {} : { sales_per_day: perDay }),
        }
      }),
    })
  }
  return details
}
