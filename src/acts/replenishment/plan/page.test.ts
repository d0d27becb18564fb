import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PlanQuery } from '../../../contract/shapes/replenishment.ts'
import type { PlanEntry } from '../planner/machine-plan.ts'
import type { Plan } from '../planner/plan.ts'
import { parsePlanCursor, planPage } from './page.ts'

const ACTIONS = ['order', 'watch', 'none', 'locked', 'in_transit'] as const

const entry = fc.record({
  location: fc.constantFrom('M1', 'M2', 'M3'),
  action: fc.constantFrom(...ACTIONS),
  atRisk: fc.boolean(),
  daysOfCover: fc.option(fc.integer({ min: 0, max: 50 })),
})

const plansOf = (rows: readonly { location: string; action: string; atRisk: boolean; daysOfCover: number | null }[]) =>
  rows.map(
    ({ location, action, atRisk, daysOfCover }, n) =>
      ({
        slotId: `S${n}`,
        location,
        daysOfCover,
        recommendation: { action },
        basis: { atRisk },
      }) as unknown as PlanEntry,
  )

function allPages(plan: Pick<Plan, 'plans' | 'visits'>, query: PlanQuery) {
  const found: PlanEntry[] = []
  let cursor: string | undefined
  do {
    const after = parsePlanCursor(cursor)
    if (!after.ok) throw new Error('the cursor of a page is not understood')
    const page = planPage(plan, query, after.value)
    expect(page.entries.length).toBeLessThanOrEqual(query.limit ?? 500)
    found.push(...page.entries)
    cursor = page.pagination.cursor
    expect(page.pagination.has_next_page).toBe(cursor !== undefined)
  } while (cursor !== undefined)
  return found
}

test('the pages hold every matching slot once, the most urgent first', () => {
  const query = fc.record(
    {
      location: fc.constantFrom('M1', 'M9'),
      action: fc.constantFrom(...ACTIONS),
      at_risk: fc.boolean(),
      limit: fc.integer({ min: 1, max: 7 }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 30 }), query, (rows, asked) => {
      const plans = plansOf(rows)
      const found = allPages({ plans, visits: [] }, asked)
      const wanted = plans.filter(
        (one) =>
          (asked.location === undefined || one.location === asked.location) &&
          (asked.action === undefined || one.recommendation.action === asked.action) &&
          (asked.at_risk === undefined || one.basis.atRisk === asked.at_risk),
      )
      expect(new Set(found.map(({ slotId }) => slotId))).toEqual(new Set(wanted.map(({ slotId }) => slotId)))
      expect(found).toHaveLength(wanted.length)
      const urgency = ({ basis, daysOfCover }: PlanEntry) => (basis.atRisk ? 0 : 1000) + (daysOfCover ?? 999)
      expect(found.map(urgency)).toEqual(found.map(urgency).toSorted((a, b) => a - b))
    }),
  )
})

test('a cursor that no page issued is refused', () => {
  for (const cursor of ['x', 'W10', Buffer.from('["a",1,"b"]').toString('base64url')])
    expect(parsePlanCursor(cursor).ok).toBe(false)
})
