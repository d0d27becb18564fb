/** The service gathers its state from tables; the plan of that state must be the one the same facts give on one line. */
import { describe, expect, test } from 'vitest'
import { goldenCases, stateOf } from '../../src/acts/replenishment/planner/golden.test-support.ts'
import { planLine } from '../../src/acts/replenishment/planner-cli/plan-lines.ts'
import { configFor, nowOf } from '../support/planner-state.ts'
import type { PlannerState } from '../support/planner-state.ts'
import { randomRoute } from '../support/random-route.ts'
import { sample } from '../support/sample.ts'
import { startService } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { stateIntoStore, withReceipts } from '../support/state-into-store.ts'

async function throughService(state: PlannerState): Promise<Json> {
  const { timeZone, statedLeadDays, planParams } = configFor(state)
  const service = await startService({
    now: nowOf(state),
    config: { timeZone, statedLeadDays, planParams },
  })
  await stateIntoStore(service.ctx.store, state, service.config)
  return (await service.get('/replenishment/plan')).body
}

/** All that both forms of a plan tell. */
const expectedCodes = ({ strategy_version, params, lead_time, plans, visits }: Json) => ({
  strategy_version,
  params,
  lead_time,
  plans: plans.map(({ slot_id, location, stock, demand, days_of_cover, stockout_at, recommendation }: Json) => ({
    slot_id,
    location,
    stock,
    demand,
    days_of_cover,
    stockout_at,
    recommendation,
  })),
  visits: visits.map(({ location, go, risk_share, load }: Json) => ({
    location,
    go,
    risk_share: Math.round(risk_share * 1e4) / 1e4,
    load,
  })),
})

async function expectParity(state: PlannerState): Promise<Json> {
  const alone = JSON.parse(planLine(JSON.stringify(withReceipts(state))))
  expect(alone.error).toBeUndefined()
  const served = await throughService(state)
  expect((served.messages ?? []).filter(({ code }: Json) => code !== 'dead_stock')).toEqual([])
  expect(expectedCodes(served)).toEqual(expectedCodes(alone))
  return served
}

describe('2.8 a worked plan is the same through the service', () => {
  for (const [name, golden] of goldenCases)
    test(`${name.slice(0, 2)} ${golden.title}`, async () => {
      await expectParity(stateOf(golden))
    })
})

describe('2.8 the plan of a random route is the same through the service', () => {
  const routes = Array.from({ length: 40 }, (_, seed) => randomRoute(seed))
  for (const [seed, state] of sample('random routes', [...routes.entries()]))
    test(`route ${seed}`, async () => {
      await expectParity(state)
    })

  test('and these routes show every action, on slots of known and unknown capacity', () => {
    const shown = routes.flatMap((state) => {
      const unknown = new Set(state.slots.filter(({ capacity }) => capacity === null).map(({ slot_id }) => slot_id))
      return JSON.parse(planLine(JSON.stringify(state))).plans.map(
        ({ slot_id, recommendation }: Json) => `${recommendation.action} ${unknown.has(slot_id) ? 'unknown' : 'known'}`,
      )
    })
    for (const action of ['order', 'watch', 'none', 'locked', 'in_transit'])
      for (const capacity of ['known', 'unknown'])
        expect(shown.filter((each) => each === `${action} ${capacity}`).length, action).toBeGreaterThan(3)
  })
})
