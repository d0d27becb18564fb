/** A product in several lanes: rules, `previous` and "applied" look at all of them, in whatever order the platform lists them. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { acmeMachine } from '../../src/vendors/acme/machine.ts'
import { cachedMachine } from '../../src/vendors/cache/cached-vendors.ts'
import type { MachineLane } from '../../src/vendors/machine-vendor.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { acmeMachineUpstream, CLIENT_ID, CLIENT_SECRET, rawSlot } from '../contracts/acme-machine-upstream.ts'
import { machineSlot, scriptedMachine } from '../support/scripted-vendors.ts'
import { NOW, RULES, startService } from '../support/service.ts'
import type { Service } from '../support/service.ts'
import { change, COLA, decisionOf, line, MACHINE, priceRequest, register, startPricing, TEA } from './machines.ts'

/** The service beside the Acme platform over HTTP, whose machine has the product once per price. */
async function startWithLanes(...prices: readonly number[]) {
  const clock = manualClock(NOW)
  const upstream = await acmeMachineUpstream()
  const vendor = acmeMachine({
    url: upstream.url,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    timeoutMs: 2000,
    clock,
    sleep: () => Promise.resolve(),
    random: () => 0,
  })
  onTestFinished(async () => {
    await vendor.close()
    await upstream.close()
  })
  const lanes = prices.map((salePrice) => rawSlot({ salePrice }))
  upstream.slots.set(MACHINE, lanes)
  const service = await startService({
    clock,
    entries: [registerLive('acme-machine' as Namespace, cachedMachine(vendor, clock))],
  })
  await register(service, MACHINE)
  const sent = () => upstream.received.filter(({ path }) => path.endsWith('/prices')).length
  return { service, sent, onMachine: () => lanes.map(({ salePrice }) => salePrice) }
}

const previousOf = (answer: Awaited<ReturnType<typeof change>>) =>
  answer.body.updated.map(({ previous }: { previous: { amount: number } }) => previous.amount)

describe('4.6 one product in two lanes, cap ¥1.00', () => {
  test.each([
    [[470, 1000], 480],
    [[1000, 470], 480],
    [[480, 1000], 490],
    [[1000, 480], 490],
    [[490, 2000], 490],
    [[2000, 490], 490],
  ])('%j asked for %i: the far lane needs approval, and nothing is sent', async (prices, asked) => {
    const { service, sent, onMachine } = await startWithLanes(...prices)
    const dry = await service.put(`/locations/${MACHINE}/prices?dry_run=true`, priceRequest(line(COLA, asked)))
    expect(dry.body).toMatchObject({ updated: [], messages: [{ code: 'approval_required' }] })
    const answer = await change(service, priceRequest(line(COLA, asked)))
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({ updated: [], messages: [{ code: 'approval_required' }] })
    expect(sent()).toBe(0)
    expect(onMachine()).toEqual(prices)
    const details = (await service.get('/approvals?details=true')).body.approvals[0].details
    expect(details.lines[0].previous_price).toBe(Math.max(...prices))

    const approved = await service.post(`/approvals/${decisionOf(answer)}`, { approved: true })
    expect(approved.body.messages ?? []).toEqual([])
    expect(onMachine()).toEqual([asked, asked])
  })

  test.each([
    [[470, 500], 480, 500],
    [[500, 470], 480, 500],
    [[480, 560], 480, 560],
    [[560, 480], 480, 560],
  ])(
    '%j asked for %i is within the cap: all lanes change, previous is the furthest one',
    async (prices, asked, far) => {
      const { service, onMachine } = await startWithLanes(...prices)
      const answer = await change(service, priceRequest(line(COLA, asked)))
      expect(answer.status).toBe(200)
      expect(previousOf(answer)).toEqual([far])
      expect(onMachine()).toEqual([asked, asked])
    },
  )

  test('asked for what every lane has: nothing is sent', async () => {
    const { service, sent } = await startWithLanes(490, 490)
    expect(previousOf(await change(service, priceRequest(line(COLA, 490))))).toEqual([490])
    expect(sent()).toBe(0)
  })

  test('catalog and machine show the lanes, and the range of their prices', async () => {
    const { service } = await startWithLanes(490, 2000)
    const filters = { namespace: 'acme-machine', location: MACHINE }
    const [product] = (await service.post('/catalog/search', { query: '农夫山泉', filters })).body.products
    expect(product.price_range).toMatchObject({ min: { amount: 490 }, max: { amount: 2000 } })
    expect(product.variants[0].inventory.lanes).toMatchObject([{ price: { amount: 490 } }, { price: { amount: 2000 } }])
  })

  test('after the change the stored lanes have the new price, without a sync', async () => {
    const { service } = await startWithLanes(470, 500)
    await service.post('/locations/sync', {})
    await change(service, priceRequest(line(COLA, 480)))
    const [slot] = await service.ctx.store.db.selectFrom('slot').select(['price', 'lanes']).execute()
    expect(slot?.price).toBe(480)
    expect(JSON.parse(slot?.lanes ?? '[]')).toMatchObject([{ priceFen: 480 }, { priceFen: 480 }])
  })
})

const lane = (code: string, priceFen: number | null): MachineLane => ({
  code,
  priceFen: priceFen === null ? null : fen(priceFen),
  stock: 3,
  capacity: 8,
})

/** A platform that names its lanes, as Nayax does. */
async function startNamed(prices: readonly (number | null)[], rules: object = RULES) {
  const slot = (now: readonly (number | null)[]) =>
    machineSlot('G-0001', {
      title: '可乐',
      priceFen: fen(now.find((price) => price !== null) ?? 0),
      lanes: now.map((price, i) => lane(`A${i + 1}`, price)),
    })
  const machine = scriptedMachine({ [MACHINE]: [slot(prices)] })
  let current = prices
  /** Which lanes the platform changes. */
  const takes = { lanes: (_index: number): boolean => true }
  const vendor: typeof machine.vendor = {
    ...machine.vendor,
    async updatePrices(id, sent, permit) {
      const result = await machine.vendor.updatePrices(id, sent, permit)
      current = current.map((price, i) => (takes.lanes(i) ? (sent[0]?.priceFen ?? price) : price))
      machine.slotsByMachine[MACHINE] = [slot(current)]
      return result
    },
  }
  const clock = manualClock(NOW)
  const service = await startPricing({
    machine,
    rules,
    clock,
    entries: [registerLive('acme-machine' as Namespace, cachedMachine(vendor, clock))],
  })
  const set = (...next: readonly (number | null)[]) => {
    current = next
    machine.slotsByMachine[MACHINE] = [slot(next)]
  }
  return { service, takes, set, onMachine: () => current, sent: () => machine.script.count('updatePrices') }
}

const codes = async (service: Service): Promise<string[]> =>
  (await service.events('price_change')).map(({ code }) => code)

describe('4.6 a change is applied when every lane has the price', () => {
  test('the platform confirms but changes one lane: not reported as changed; applied once the other lane follows', async () => {
    const { service, takes, set } = await startNamed([300, 320])
    takes.lanes = (index) => index === 0
    const answer = await change(service, priceRequest(line(COLA, 310)))
    expect(answer.status).toBe(502)
    expect(await codes(service)).toEqual(['price_change_unconfirmed'])
    set(310, 310)
    service.clock.advance(1000)
    await service.job('effects.price_change')
    expect(await codes(service)).toEqual(['price_change_confirmed', 'price_change_unconfirmed'])
  })

  test('the other lane never follows: reported as not applied', async () => {
    const { service, takes } = await startNamed([300, 320])
    takes.lanes = (index) => index === 0
    await change(service, priceRequest(line(COLA, 310)))
    service.clock.advance(60_000)
    await service.job('effects.price_change')
    expect(await codes(service)).toEqual(['price_change_not_applied', 'price_change_unconfirmed'])
  })

  test('an approval does not cover a lane whose price the owner did not see', async () => {
    const { service, set, onMachine } = await startNamed([300, 500])
    const asked = await change(service, priceRequest(line(COLA, 310)))
    set(300, 900)
    const approved = await service.post(`/approvals/${decisionOf(asked)}`, { approved: true })
    expect(approved.body.messages).toMatchObject([{ code: 'approval_required' }])
    expect(onMachine()).toEqual([300, 900])
  })

  test('a lane whose price the platform does not state needs approval, also where the others have the price', async () => {
    const { service, sent, onMachine } = await startNamed([300, null])
    const asked = await change(service, priceRequest(line(COLA, 300)))
    expect(asked.body).toMatchObject({ updated: [], messages: [{ code: 'approval_required' }] })
    expect(sent()).toBe(0)
    await service.post(`/approvals/${decisionOf(asked)}`, { approved: true })
    expect(onMachine()).toEqual([300, 300])
  })

  test('the drift over a week counts from the furthest lane of then', async () => {
    const rules = { ...RULES, rules: { ...RULES.rules, priceDriftPerWeek: 150 } }
    const { service } = await startNamed([300, 380], rules)
    expect((await change(service, priceRequest(line(COLA, 390)))).body.updated).toHaveLength(1)
    service.clock.advance(60_000)
    // ¥4.60 is ¥1.60 away from the lane that had ¥3.00, and ¥0.80 from the other.
    expect((await change(service, priceRequest(line(COLA, 460)))).body.messages).toMatchObject([
      { code: 'approval_required' },
    ])
  })

  test('a product with one lane is confirmed by the answer alone', async () => {
    const service = await startPricing()
    await change(service, priceRequest(line(TEA, 310)))
    expect(service.machine.script.count('inventory')).toBe(1)
  })
})
