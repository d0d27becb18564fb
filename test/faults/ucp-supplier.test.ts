/**
 * Schedules with the real `ucp` adapter: sessions, callers and the recovery job of two instances over HTTP, a merchant over
 * real HTTP whose requests and replies get lost, whose prices move and who declines, and processes that are replaced while
 * their calls still run. `FAULT_SEED=<seed> npx vitest run test/faults/ucp-supplier` plays one again.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { UCP_SUPPLY } from '../../src/vendors/ucp/index.ts'
import { gateway } from '../contracts/scripted-upstream.ts'
import type { Fault, Received } from '../contracts/scripted-upstream.ts'
import { completesOrder, UCP_CARD, ucpMerchant, ucpProduct, UCP_TOKEN } from '../contracts/ucp-merchant.ts'
import type { UcpMerchant } from '../contracts/ucp-merchant.ts'
import { DATABASE, freshStore } from '../support/database.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import { chance, pick, randomOf, upTo, weighted } from './random.ts'
import type { Random } from './random.ts'

const SCHEDULES = propertyRuns(DATABASE === 'sqlite' ? 40 : 15)
const ONLY = process.env['FAULT_SEED'] === undefined ? undefined : Number(process.env['FAULT_SEED'])
/** Of the adapter, in real time: a reply that never comes costs this much. */
const TIMEOUT_MS = 400
const SHOP = 'shop-supply' as Namespace
const PRICE = 80

const merchants = new Map<string, UcpMerchant>()
beforeAll(async () => {
  for (const transport of ['rest', 'mcp'] as const)
    merchants.set(transport, await ucpMerchant({ transport, currency: 'CNY' }))
})
afterAll(async () => {
  for (const merchant of merchants.values()) await merchant.close()
})

const SHIPPING = {
  methods: [{ type: 'shipping', destinations: [{ street_address: 'Road 1', first_name: 'Wei', phone_number: '138' }] }],
}
const FAULTS: readonly Fault[] = [
  { kind: 'dropped' },
  { kind: 'truncated' },
  gateway(502),
  gateway(500),
  gateway(403),
  gateway(404),
  gateway(429, '1'),
  { kind: 'json', json: {} },
  { kind: 'text', text: 'oops' },
]

/** An instance whose process can be replaced while its calls still run. */
async function startInstance(
  merchant: () => UcpMerchant,
  clock: ReturnType<typeof manualClock>,
  store: Service['ctx']['store'],
) {
  const open = () => {
    const { vendor } = UCP_SUPPLY.open(
      {
        url: merchant().url,
        profile: 'https://vendops.example/.well-known/ucp',
        bearer: UCP_TOKEN,
        handler: 'card',
        instrument: { id: 'instr_1', type: 'card', credential: { type: 'token', token: UCP_CARD } },
      },
      {
        connection: { namespace: SHOP, currency: 'CNY', timeZone: 'Asia/Shanghai', isReadOnly: false },
        timeoutMs: TIMEOUT_MS,
        clock,
        sleep: () => Promise.resolve(),
        random: () => 0,
        resolvePath: (path) => path,
        reportOlderSales: () => {},
        memory: connectionNeeds(store, silentLog).memory(SHOP),
      },
    )
    if (vendor.role !== 'supply') throw new Error('not a supplier')
    return vendor
  }
  let current: ReturnType<typeof open> = open()
  const replaced: (typeof current)[] = []
  const vendor: SupplyVendor = {
    role: 'supply',
    catalog: () => current.catalog(),
    createOrder: (order, permit) => current.createOrder(order, permit),
    orderStatus: (ref) => current.orderStatus(ref),
    quote: (request) => current.quote?.(request) ?? Promise.reject(new Error('no quote')),
  }
  const service = await startService({
    clock,
    store,
    entries: [registerLive(SHOP, vendor, ['catalog', 'createOrder', 'orderStatus', 'quote'])],
    config: { upstreamTimeoutMs: TIMEOUT_MS },
  })
  return {
    service,
    /** The old one keeps running until its calls end. */
    replace() {
      replaced.push(current)
      current = open()
    },
    async close() {
      for (const each of [current, ...replaced]) await each.close()
    },
  }
}
type Instance = Awaited<ReturnType<typeof startInstance>>

interface Bought {
  readonly id: string
  readonly quantity: number
}

async function runSchedule(
  random: Random,
  merchant: UcpMerchant,
  instances: readonly Instance[],
  clock: ReturnType<typeof manualClock>,
): Promise<readonly string[]> {
  const any = () => pick(random, instances)
  merchant.heal()
  merchant.products = [ucpProduct('water', { price: { amount: PRICE, currency: 'CNY' } })]
  Object.assign(merchant, { delivery: 500, declinesPayment: false, isSlow: false })
  const before = merchant.orders.length
  const sessions: Bought[] = []
  for (let wanted = 1 + upTo(random, 3), tries = 0; sessions.length < wanted && tries < 20; tries++) {
    const quantity = sessions.length + 1
    const { body } = await any().service.post('/checkout-sessions', {
      line_items: [{ item: { id: `${SHOP}:water` }, quantity }],
      fulfillment: SHIPPING,
    })
    // On a busy computer even a good merchant may answer too late.
    if (body.status === 'ready_for_complete') sessions.push({ id: body.id, quantity })
  }

  const rounds = 3 + upTo(random, 5)
  for (let round = 0; round < rounds; round++) {
    merchant.heal()
    for (let n = upTo(random, 4); n > 0; n--) {
      const only = weighted(random, { complete: 4, any: 2, session: 2 })
      const when = (request: Received) =>
        only === 'any' || (only === 'complete' ? completesOrder(request) : /checkout/.test(request.path + request.body))
      merchant.fail({ fault: pick(random, FAULTS), when, acting: chance(random, 0.5), times: 1 + upTo(random, 2) })
    }
    if (chance(random, 0.05))
      merchant.fail({ fault: { kind: 'silent' }, when: completesOrder, acting: chance(random, 0.5), times: 1 })
    merchant.declinesPayment = chance(random, 0.1)
    merchant.isSlow = chance(random, 0.1)
    const work = Array.from({ length: 1 + upTo(random, 4) }, async () => {
      const { id } = pick(random, sessions)
      const kind = weighted(random, { complete: 6, recover: 2, replace: 1, dearer: 1, cheaper: 1, cancel: 0.3 })
      const instance = any()
      const { service } = instance
      if (kind === 'complete') await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
      if (kind === 'recover') await service.job('effects.purchase')
      if (kind === 'replace') instance.replace()
      if (kind === 'dearer') merchant.delivery += 50
      if (kind === 'cheaper') merchant.delivery = Math.max(0, merchant.delivery - 50)
      if (kind === 'cancel') await service.post(`/checkout-sessions/${id}/cancel`)
    })
    await Promise.all(work)
    clock.advance(Math.round(random() * random() * 20 * TIMEOUT_MS))
  }

  merchant.heal()
  Object.assign(merchant, { declinesPayment: false, isSlow: false })
  const [first] = instances
  if (!first) throw new Error('no instance')
  for (let round = 0; round < 20; round++) {
    await first.service.job('effects.purchase')
    const open = await Promise.all(
      sessions.map(async ({ id }) => (await first.service.get(`/checkout-sessions/${id}`)).body.status),
    )
    if (!open.includes('complete_in_progress')) break
    clock.advance(5 * SECOND)
  }
  return findProblems(first.service, sessions, merchant.orders.slice(before))
}

async function findProblems(
  service: Service,
  sessions: readonly Bought[],
  orders: UcpMerchant['orders'],
): Promise<string[]> {
  const problems: string[] = []
  for (const { id, quantity } of sessions) {
    const { body } = await service.get(`/checkout-sessions/${id}`)
    const own = orders.filter(({ lines: [line] }) => line?.quantity === quantity)
    const [order] = own
    if (own.length > 1) problems.push(`${id} was bought ${own.length} times`)
    if (body.status === 'complete_in_progress') problems.push(`${id} never came to an end`)
    if (order && body.status !== 'completed') problems.push(`the merchant has ${order.id}, but ${id} is ${body.status}`)
    if (!order && body.status === 'completed') problems.push(`${id} is completed without an order`)
    if (order && body.status === 'completed') {
      if (body.order.label !== order.id) problems.push(`${id} has ${body.order.label}, the merchant ${order.id}`)
      const agreed = body.totals.find(({ type }: Json) => type === 'total').amount
      if (order.total > agreed) problems.push(`${id} costs ${order.total}, but ${agreed} was agreed`)
    }
  }
  if (orders.length > sessions.length) problems.push(`${orders.length} orders for ${sessions.length} sessions`)
  return problems
}

test(
  `with a UCP merchant, in ${SCHEDULES} schedules no order is lost, doubled or above the agreed total`,
  async () => {
    const clock = manualClock(NOW)
    const seeds = ONLY === undefined ? SCHEDULES : 1
    let bought = 0
    for (const transport of ['rest', 'mcp']) {
      const merchant = merchants.get(transport) ?? expect.fail('no merchant')
      // Of its own: both merchants count their orders from 1.
      const store = await freshStore()
      const instances = [
        await startInstance(() => merchant, clock, store),
        await startInstance(() => merchant, clock, store),
      ]
      for (let seed = ONLY ?? 1, left = seeds; left > 0; seed++, left--) {
        const before = merchant.orders.length
        const problems = await runSchedule(randomOf(seed), merchant, instances, clock)
        expect(problems.map((problem) => `FAULT_SEED=${seed} ${transport}: ${problem}`)).toEqual([])
        bought += merchant.orders.length - before
      }
      for (const instance of instances) await instance.close()
      expect(merchant.violations).toEqual([])
    }
    // Schedules in which nothing is ever bought would prove nothing.
    expect(bought).toBeGreaterThan(seeds)
  },
  20 * MINUTE,
)
