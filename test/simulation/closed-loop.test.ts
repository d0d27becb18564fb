import { expect, test } from 'vitest'
import { formatAmount } from '../../src/kernel/currency.ts'
import { RULES } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { planLine } from '../../src/acts/replenishment/planner-cli/plan-lines.ts'
import { playRoute } from './closed-loop.ts'
import { stateOf } from './state-of.ts'

const DAYS = 60
const MACHINES = 3
const totalOf = (run: Json): number => run.totals.find(({ type }: Json) => type === 'total').amount

/** The planner by itself, from a state put together without the service's own way of reading it, decides the same. */
async function compareWithPlanner(service: Service): Promise<number> {
  const plan = (await service.get('/replenishment/plan')).body
  const alone = JSON.parse(planLine(JSON.stringify(await stateOf(service, plan))))
  const orders = plan.plans.filter(({ recommendation }: Json) => recommendation.action === 'order')
  expect(alone.orders).toEqual(
    orders.map(({ slot_id, recommendation }: Json) => ({ slot_id, quantity: recommendation.quantity })),
  )
  expect(alone.plans.map(({ demand }: Json) => demand)).toEqual(plan.plans.map(({ demand }: Json) => demand))
  expect(alone.lead_time).toEqual(plan.lead_time)
  return orders.length
}

test('sixty days of a route through service, adapters and world: sold well, nothing bought twice, all within the rules', async () => {
  let compared = 0
  const beforeOrder = async (service: Service, day: number) => {
    if (day % 6 === 4) compared += await compareWithPlanner(service)
  }
  const loop = await playRoute({ days: DAYS, machines: MACHINES, seed: 7, beforeOrder })
  const { service, sold, lost, visits, orderedUnits, loadedUnits, spentFen, revenueFen, approvals } = loop
  const served = sold / (sold + lost)
  console.log(
    `${DAYS} days, ${MACHINES} machines: ${sold} sold, ${lost} lost (${(100 * served).toFixed(1)} % served), ` +
      `${visits} visits, ${orderedUnits} ordered, ${loadedUnits} loaded, ${formatAmount(spentFen, 'CNY')} spent, ` +
      `${formatAmount(revenueFen, 'CNY')} taken, ${approvals} approvals`,
  )

  expect(compared).toBeGreaterThan(50)
  expect(loop.twice).toEqual([])
  expect(served).toBeGreaterThan(0.9)
  expect(visits).toBeLessThan((MACHINES * DAYS) / 4)
  expect(revenueFen).toBeGreaterThan(spentFen)
  // What capacities are is learnt from deliveries that came short; after that little is carried for nothing.
  expect(loadedUnits).toBeGreaterThan(0.85 * orderedUnits)

  const runs: Json[] = []
  for (const { id } of loop.runs) runs.push((await service.get(`/replenishment/runs/${id}`)).body)
  const bought = runs.filter(({ placed_at }) => placed_at !== undefined)
  const decisions = await service.ctx.store.db.selectFrom('decision').selectAll().execute()
  expect(decisions.map(({ subject_id }) => subject_id).toSorted()).toEqual(
    bought.map(({ id }): string => id).toSorted(),
  )
  for (const run of bought) {
    const decision = decisions.find(({ subject_id }) => subject_id === run.id)
    const byOwner = decision?.resolved_by === 'operator'
    expect(byOwner).toBe(totalOf(run) > RULES.rules.spendingLimitPerRun)
  }
  expect(bought.reduce((sum, run) => sum + totalOf(run), 0)).toBe(spentFen)
  expect(
    bought.flatMap(({ line_items }) => line_items).reduce((sum, { quantity }) => sum + quantity.fulfilled, 0),
  ).toBe(loadedUnits)

  const { reports, pending, total_forecasts } = (await service.get('/replenishment/score')).body
  const { overall } = reports
  console.log(
    `forecasts of 7 days: ${overall.scored} scored, ${pending} pending, ${overall.excluded} excluded, ` +
      `wape ${overall.wape}, naive ${overall.naive_wape}, bias ${overall.bias}, within p95 ${overall.coverage_p95}`,
  )
  expect(overall.scored + overall.excluded + pending).toBe(total_forecasts)
  expect(Math.abs(overall.bias)).toBeLessThan(0.1)
  expect(overall.rel_mae).toBeLessThan(1)
  expect(overall.coverage_p95).toBeGreaterThan(0.9)
}, 300_000)
