/** Part of a plan: filtered, and the most urgent slots first. Pure. */
import { PLAN_PAGE_MAX } from '../../../contract/limits.ts'
import type { PlanQuery } from '../../../contract/shapes/replenishment.ts'
import { DAY, SECOND } from '../../../kernel/clock.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { encodeCursor, pageOf, parseCursor } from '../../../lib/pages.ts'
import type { PlanEntry } from '../planner/machine-plan.ts'
import type { Plan } from '../planner/plan.ts'

export interface PlanPage extends Partial<Pick<ReturnType<typeof planPage>, 'pagination'>> {
  readonly entries: Plan['plans']
  readonly visits: Plan['visits']
}

/** Without slots: all machines, or none where the summary counts them. */
const withoutSlots = ({ visits }: Pick<Plan, 'visits'>, only: 'summary' | 'visits'): PlanPage => ({
  entries: [],
  visits: only === 'visits' ? visits : [],
})

/** Undefined: the whole plan, as the contract describes it. */
export const partOf = (
  plan: Pick<Plan, 'plans' | 'visits'>,
  query: PlanQuery,
  after: PagePosition | undefined,
): PlanPage | undefined =>
  query.only !== undefined
    ? withoutSlots(plan, query.only)
    : Object.values(query).every((value) => value === undefined)
      ? undefined
      : planPage(plan, query, after)

/**
 * Where a slot stands: at risk before the others, then by how long its stock lasts, then by id. Not by the time at which it
 * runs out: that time moves on with the clock while nothing sells, and slots would pass the cursor of the page before.
 */
type PagePosition = readonly [notAtRisk: number, lastsSeconds: number, slotId: string]

const positionOf = ({ basis, daysOfCover, slotId }: PlanEntry): PagePosition => [
  basis.atRisk ? 0 : 1,
  daysOfCover === null ? Number.MAX_SAFE_INTEGER : Math.round((daysOfCover * DAY) / SECOND),
  slotId,
]

const compare = (a: PagePosition, b: PagePosition): number =>
  a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0)

export const parsePlanCursor = (cursor: string | undefined): Outcome<PagePosition | undefined> =>
  parseCursor(cursor, '$.cursor', 'number', 'number', 'string')

export function planPage(
  { plans, visits }: Pick<Plan, 'plans' | 'visits'>,
  { location, sku_id, action, at_risk, limit = PLAN_PAGE_MAX }: PlanQuery,
  after: PagePosition | undefined,
) {
  const matching = plans.filter(
    (entry) =>
      (location === undefined || entry.location === location) &&
      (sku_id === undefined || entry.sku === sku_id) &&
      (action === undefined || entry.recommendation.action === action) &&
      (at_risk === undefined || entry.basis.atRisk === at_risk),
  )
  const ordered = matching
    .map((entry) => ({ entry, position: positionOf(entry) }))
    .toSorted((a, b) => compare(a.position, b.position))
  const rest = after === undefined ? ordered : ordered.filter(({ position }) => compare(position, after) > 0)
  const page = pageOf(rest, Math.min(limit, PLAN_PAGE_MAX), ({ position }) => encodeCursor(...position))
  const entries = page.entries.map(({ entry }) => entry)
  const shown = new Set(entries.map((entry) => entry.location))
  return {
    entries,
    /** Of the machines in the page only. */
    visits: visits.filter((visit) => shown.has(visit.location)),
    pagination: { ...page.pagination, total_count: matching.length },
  }
}
