/**
 * Plans through the service, for the benchmark: `POST /plan` writes a state into a new store, calls the real service for
 * its plan and returns the orders. `node bench/plan-http.ts [port]`
 */
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { assemble, createContext } from '../src/assemble.ts'
import type { ReplenishmentPlan } from '../src/contract/shapes/replenishment.ts'
import { manualClock } from '../src/kernel/clock.ts'
import type { Namespace } from '../src/kernel/ids.ts'
import { silentLog } from '../src/kernel/log.ts'
import { openStore } from '../src/store/open.ts'
import { cachedMachine } from '../src/vendors/cache/cached-vendors.ts'
import { registerLive, registry } from '../src/vendors/registry.ts'
import { configFor, nowOf } from '../test/support/planner-state.ts'
import type { PlannerState } from '../test/support/planner-state.ts'
import { scriptedMachine } from '../test/support/scripted-vendors.ts'
import { stateIntoStore } from '../test/support/state-into-store.ts'

const TOKEN = 'bench-token-0123456789'

async function planThroughService(state: PlannerState): Promise<ReplenishmentPlan> {
  const config = configFor(state, { OPERATOR_TOKEN: TOKEN })
  const store = await openStore('sqlite::memory:')
  const clock = manualClock(nowOf(state))
  const vendors = registry([registerLive('acme-machine' as Namespace, cachedMachine(scriptedMachine().vendor, clock))])
  const { server, stream } = await assemble(createContext({ store, clock, vendors, config, log: silentLog }), TOKEN)
  try {
    await stateIntoStore(store, state, config)
    const answer = await server.inject({
      method: 'GET',
      url: '/ucp/v1/replenishment/plan',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    if (answer.statusCode !== 200) throw new Error(`the service answered ${answer.statusCode}: ${answer.body}`)
    const plan = answer.json<ReplenishmentPlan>()
    // Truncated or stale sales would be a different state.
    if (plan.messages) throw new Error(JSON.stringify(plan.messages))
    return plan
  } finally {
    await server.close()
    await stream.close()
    await store.close()
  }
}

/** The API reports a rate per open day, not the week ahead, so forecasts are valid only for machines that never close. */
const benchmarkAnswer = ({ plans }: ReplenishmentPlan) => ({
  orders: plans.flatMap(({ slot_id, recommendation: { action, quantity } }) =>
    action === 'order' ? [{ slot_id, quantity }] : [],
  ),
  forecasts: plans.map(({ slot_id, demand }) => ({ slot_id, mean_7d: 7 * demand.daily_rate })),
})

async function answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
  if (request.method !== 'POST' || request.url !== '/plan') return { status: 404, body: { error: 'POST /plan' } }
  try {
    return { status: 200, body: benchmarkAnswer(await planThroughService((await json(request)) as PlannerState)) }
  } catch (problem) {
    return { status: 500, body: { error: problem instanceof Error ? problem.message : 'no plan' } }
  }
}

const server = createServer((request, response) => {
  void answer(request).then(({ status, body }) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
  )
})
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/plan`)
})
