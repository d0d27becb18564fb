/**
 * The emergency stop under load: hundreds of writes are claimed and wait for their turn at slow upstreams. Once the stop
 * is answered no instance sends another first byte, and whatever was called off says so.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, onTestFinished } from 'vitest'
import { plainCode } from '../../src/kernel/text.ts'
import { openStore } from '../../src/store/open.ts'
import { register } from '../pricing/machines.ts'
import { DATABASE, databaseUrl } from '../support/database.ts'
import { RULES, startService } from '../support/service.ts'
import type { Answered, Service } from '../support/service.ts'
import { slowUpstreams } from './slow-upstreams.ts'

const INSTANCES = DATABASE === 'postgres' ? 3 : 1
const PURCHASES = 120
const MACHINES = 90
/** So many writes have arrived when the stop is pulled: the first ones run, the others wait for one of 16 places. */
const UNDER_WAY = 20

const BASKET = {
  line_items: [{ item: { id: 'acme-supply:SP1001' }, quantity: 1 }],
  fulfillment: {
    methods: [
      {
        type: 'shipping',
        destinations: [{ street_address: '世纪大道 100 号', first_name: '伟', phone_number: '13800000000' }],
      },
    ],
  },
}

async function startInstances() {
  const upstreams = await slowUpstreams()
  const state = { isAnswered: false, grantedTooLate: 0 }
  const url = await databaseUrl()
  const instances: Service[] = []
  for (let n = 0; n < INSTANCES; n++) {
    // A busy machine may keep a request waiting for a connection; whether that is refused is not the question here.
    const store = await openStore(url, { connectionWaitMs: 60_000 })
    onTestFinished(() => store.close())
    const [first] = instances
    instances.push(
      await startService({
        store,
        entries: upstreams.entries(() => void (state.grantedTooLate += Number(state.isAnswered))),
        config: { upstreamTimeoutMs: 20_000, ...(first && { guardrailsFile: first.config.guardrailsFile }) },
        beforeReady: async (server) => {
          server.addHook('onSend', async (request) => {
            if (request.url.endsWith('/guardrails/stop')) state.isAnswered = true
          })
        },
      }),
    )
  }
  const at = (n: number): Service => instances[n % INSTANCES] as Service
  return { upstreams, state, at }
}

type Instances = Awaited<ReturnType<typeof startInstances>>

const STOPS = {
  'POST /guardrails/stop': async ({ at }: Instances) => {
    expect((await at(INSTANCES - 1).post('/guardrails/stop', { reason: 'prices look wrong' })).status).toBe(200)
  },
  'killSwitchEngaged in the file': async ({ at, state }: Instances) => {
    at(0).writeRules({ ...RULES, rules: { ...RULES.rules, killSwitchEngaged: true } })
    state.isAnswered = true
  },
}

/** Starts all writes at once, pulls the stop in the middle of them, and gives their answers. */
async function race(
  running: Instances,
  stop: (running: Instances) => Promise<void>,
  writes: readonly (() => Promise<Answered>)[],
): Promise<readonly Answered[]> {
  const { upstreams, state } = running
  const answers = Promise.all(writes.map((write) => write()))
  while (upstreams.arrived.length < UNDER_WAY) await sleep(5)
  await stop(running)
  await upstreams.drain()
  const before = upstreams.arrived.length
  const settled = await answers
  expect(upstreams.arrived.length - before, 'writes that arrived after the stop was answered').toBe(0)
  expect(state.grantedTooLate, 'first bytes that were allowed after the stop was answered').toBe(0)
  expect(before).toBeLessThan(writes.length)
  return settled
}

/** A busy machine takes its time for hundreds of requests; on a quiet one each test takes two to three seconds. */
const PATIENCE = { timeout: 120_000 }

/**
 * Why a write was not sent: the stop; or, on a machine so busy that the lock arrives seconds late, because the stop could not
 * be checked (ADR 21). Undefined: another answer.
 */
function calledOffBy({ status, body }: Answered): 'kill_switch_engaged' | 'guard_unverifiable' | undefined {
  const code = body.messages?.[0]?.code
  return (status === 409 && code === 'kill_switch_engaged') || (status === 503 && code === 'guard_unverifiable')
    ? code
    : undefined
}

/** The reason of each write that was not sent. Most name the stop; all others were sent. */
function reasonsOf(answers: readonly Answered[]): readonly (string | undefined)[] {
  const reasons = answers.map(calledOffBy)
  const others = answers.filter((answer, n) => answer.status !== 200 && reasons[n] === undefined)
  expect(others.map(({ status, body }) => [status, body.messages])).toEqual([])
  expect(reasons).toContain('kill_switch_engaged')
  return reasons
}

describe.each(Object.entries(STOPS))('once the emergency stop is on (%s) nothing more is sent', (_name, stop) => {
  test(
    `${PURCHASES} purchases: what was sent completes, the rest is ready again, each with its event`,
    PATIENCE,
    async () => {
      const running = await startInstances()
      const { upstreams, at } = running
      const ids: string[] = []
      while (ids.length < PURCHASES) {
        const opened = Array.from({ length: 20 }, (_, n) => at(n).post('/checkout-sessions', BASKET))
        ids.push(...(await Promise.all(opened)).map(({ body }): string => body.id))
      }
      const answers = await race(
        running,
        stop,
        ids.map((id, n) => () => at(n).post(`/checkout-sessions/${id}/complete`, { confirm: true })),
      )

      const completed = ids.filter((_, n) => answers[n]?.status === 200)
      const reasons = new Map(reasonsOf(answers).map((reason, n) => [ids[n] as string, reason]))
      const calledOff = ids.filter((id) => reasons.get(id) !== undefined)
      expect(completed.toSorted()).toEqual([...upstreams.orders.keys()].toSorted())
      expect(completed).toHaveLength(upstreams.arrived.length)
      const summaries = new Set((await at(0).events('checkout')).map(({ summary }) => summary))
      const sessions = await Promise.all(calledOff.map((id) => at(0).get(`/checkout-sessions/${id}`)))
      expect(new Set(sessions.map(({ body }) => body.status))).toEqual(new Set(['ready_for_complete']))
      for (const id of calledOff)
        expect(summaries).toContain(`${id} not completed: ${plainCode(reasons.get(id) ?? '')}`)
      const attempts = await at(0).ctx.store.db.selectFrom('checkout_attempt').selectAll().execute()
      for (const { checkout, outcome, denied } of attempts)
        expect([outcome, denied]).toEqual(
          completed.includes(checkout) ? ['accepted', null] : ['unsent', reasons.get(checkout)],
        )
      expect(attempts.filter(({ denied }) => denied !== null)).not.toHaveLength(0)
    },
  )

  test(
    `${MACHINES} price changes: the rest is refused, each with its event, and not tried again by itself`,
    PATIENCE,
    async () => {
      const running = await startInstances()
      const { upstreams, at } = running
      const machines = await registerMachines(running)
      const prices = [{ item: { id: 'acme-machine:G-0001' }, price: { amount: 300, currency: 'CNY' } }]
      const answers = await race(
        running,
        stop,
        machines.map((id, n) => () => at(n).put(`/locations/${id}/prices`, { prices, confirm: true })),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(upstreams.arrived.length)
      const reasons = reasonsOf(answers).filter((reason) => reason !== undefined)
      expect(reasons).toHaveLength(MACHINES - upstreams.arrived.length)
      const events = await at(0).events('price_change')
      expect(events).toHaveLength(MACHINES)
      const refused = events.flatMap(({ summary }) => /refused: ([a-z ]+)/.exec(summary)?.[1] ?? [])
      expect(refused.toSorted()).toEqual(reasons.map(plainCode).toSorted())
      const open = await at(0)
        .ctx.store.db.selectFrom('price_change')
        .select('status')
        .where('status', 'in', ['approved', 'executing'])
        .execute()
      expect(open).toEqual([])
    },
  )

  test(`${MACHINES} recommendations: the rest is refused`, PATIENCE, async () => {
    const running = await startInstances()
    const { upstreams, at } = running
    const machines = await registerMachines(running)
    const line_items = [{ item: { id: 'acme-machine:G-0001' }, quantity: 1, reason: 'sells fast' }]
    const answers = await race(
      running,
      stop,
      machines.map(
        (id, n) => () => at(n).post(`/locations/${id}/restock-recommendations`, { reference: `b-${n}`, line_items }),
      ),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(upstreams.arrived.length)
    const reasons = reasonsOf(answers).filter((reason) => reason !== undefined)
    expect(reasons).toHaveLength(MACHINES - upstreams.arrived.length)
  })
})

async function registerMachines({ at }: Instances): Promise<readonly string[]> {
  const ids = Array.from({ length: MACHINES }, (_, n) => `M${n}`)
  await Promise.all(ids.map((id) => register(at(0), id)))
  return ids
}
