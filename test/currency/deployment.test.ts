/** One deployment, one currency: every answer, sentence and document is in it, and requests that name another are refused. */
import { describe, expect, test } from 'vitest'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../../src/cli/cli.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { EXIT } from '../../src/cli/exit.ts'
import { memoryTerminal } from '../../src/cli/memory-terminal.test-support.ts'
import { fetchInto } from '../../src/cli/simulate/simulation.ts'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply, trade } from '../support/scripted-vendors.ts'
import { type Json, type Service, NOW, RULES, startService, TOKEN } from '../support/service.ts'
import type { SupplyOrder } from '../../src/vendors/supply-vendor.ts'
import { codes, decisionOf } from '../replenishment/route.ts'

const WATER = 'acme-supply:SP1'
const COLA = 'acme-machine:G-1'
const DESTINATION = {
  first_name: 'Ada',
  phone_number: '555',
  street_address: '1 Main St',
  address_locality: 'Springfield',
}
const SHIPPING = { methods: [{ type: 'shipping', destinations: [DESTINATION] }] }
const DAY = 86_400_000

interface Written {
  readonly currency: string
  /** 450, 1152, 50000, 57600, 100 and 250 minor units. */
  readonly each: string
  readonly limit: string
  readonly dear: string
  readonly cap: string
  readonly cola: string
  /** 57600 as a person elsewhere may type it. */
  readonly typed: string
}

const CURRENCIES: readonly Written[] = [
  {
    currency: 'USD',
    each: '$1.20',
    limit: '$500.00',
    dear: '$576.00',
    cap: '$1.00',
    cola: '$2.50',
    typed: '576,00',
  },
  {
    currency: 'JPY',
    each: 'JP¥120',
    limit: 'JP¥50,000',
    dear: 'JP¥57,600',
    cap: 'JP¥100',
    cola: 'JP¥250',
    typed: '57,600',
  },
  {
    currency: 'KWD',
    each: 'KWD 0.120',
    limit: 'KWD 50.000',
    dear: 'KWD 57.600',
    cap: 'KWD 0.100',
    cola: 'KWD 0.250',
    typed: '57.6',
  },
]

async function start(currency: string): Promise<Service & { readonly sent: readonly SupplyOrder[] }> {
  const sales = Array.from({ length: 40 }, (_, i) =>
    trade(`T${i}`, NOW - (1 + (i % 20)) * DAY + i * 1000, {
      locationId: 'M1',
      lines: [{ vendorSku: 'G-1', priceFen: fen(250), costFen: null, status: 'paid' }],
    }),
  )
  const supply = scriptedSupply([supplyProduct('SP1', { title: 'Water 550ml', barcode: '6901234567892' })])
  const { createOrder } = supply.vendor
  const sent: SupplyOrder[] = []
  supply.vendor.createOrder = (order, permit) => {
    sent.push(order)
    return createOrder(order, permit)
  }
  const service = await startService({
    config: { currency },
    supply,
    machine: scriptedMachine({ M1: [machineSlot('G-1', { title: 'Water', stock: 1, barcode: '6901234567892' })] }, [
      ...sales,
      trade('T-now', NOW - 60_000, { locationId: 'M1' }),
    ]),
  })
  await service.put('/locations/M1', { name: 'Hall' })
  await service.post('/locations/sync', {})
  return { ...service, sent }
}

const buy = (service: Service, boxes: number): Promise<Json> =>
  service
    .post('/checkout-sessions', {
      line_items: [{ item: { id: WATER }, quantity: boxes, quantity_unit: { unit: 'BX' } }],
      fulfillment: SHIPPING,
    })
    .then(({ body }) => body)

const change = (service: Service, amount: number, currency: string) =>
  service.put('/locations/M1/prices', { prices: [{ item: { id: COLA }, price: { amount, currency } }], confirm: true })

const summaries = async (service: Service, kind: string): Promise<Json[]> =>
  (await service.get('/events?limit=100')).body.events.filter((event: Json) => event.kind === kind)

/** Every value of a member called `currency`, however deep. */
const currenciesIn = (value: unknown): string[] =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) =>
        key === 'currency' && typeof inner === 'string' ? [inner] : currenciesIn(inner),
      )

/** As the tables of the command line write it: JP¥50,000. */
const grouped = (amount: string): string =>
  amount.replace(/\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ','))

describe.each(CURRENCIES)('a deployment in $currency', ({ currency, each, limit, dear, cap, cola, typed }) => {
  test('2.4 the catalog of suppliers and machines has its prices, also per unit and per measure', async () => {
    const service = await start(currency)
    const supplied = (await service.post('/catalog/lookup', { ids: [WATER] })).body.products[0].variants[0]
    expect(supplied.price).toEqual({ amount: 120, currency })
    expect(supplied.sale_units.map(({ price }: Json) => price)).toEqual([
      { amount: 120, currency },
      { amount: 2880, currency },
    ])
    expect(supplied.unit_price).toMatchObject({ amount: 22, currency })
    const filters = { namespace: 'acme-machine', location: 'M1' }
    const inMachine = (await service.post('/catalog/search', { filters })).body.products[0].variants[0]
    expect(inMachine.price).toEqual({ amount: 250, currency })
    const record = (await service.get(`/skus/${COLA}`)).body
    expect(record.purchasable_from[0].sale_units[0].price).toEqual({ amount: 120, currency })
  })

  test('2.4 a price filter in another currency is ignored with a warning that names its own', async () => {
    const service = await start(currency)
    const search = (own: string) =>
      service.post('/catalog/search', { filters: { price: { min: 1_000_000 } }, context: { currency: own } })
    const { body } = await search('CNY')
    expect(body.messages).toMatchObject([
      {
        code: 'price_filter_ignored',
        content: `Prices are in ${currency}, so the price filter was ignored.`,
        params: { currency: 'CNY', prices: currency },
      },
    ])
    expect((await search(currency.toLowerCase())).body.products).toEqual([])
  })

  test('3.1 purchases, their approval and their evidence are in it; what is sent to the supplier, too', async () => {
    const service = await start(currency)
    const session = await buy(service, 20)
    expect([session.status, session.currency]).toEqual(['requires_escalation', currency])
    expect(session.totals.at(-1)).toMatchObject({ type: 'total', amount: 57_600 })
    const decision = (await service.get(`/approvals/${decisionOf(session)}`)).body
    expect(decision.reasoning).toContain(`${dear} exceeds the ${limit} limit per purchase, so it needs approval.`)
    expect(decision.summary).toContain(`for ${dear}:`)
    expect(decision.params).toMatchObject({
      total: { amount: 57_600, currency },
      limit: { amount: 50_000, currency },
    })
    await service.post(`/approvals/${decision.id}`, { approved: true })
    const completed = await service.post(`/checkout-sessions/${session.id}/complete`, { confirm: true })
    expect(completed.body.status).toBe('completed')
    expect(service.sent.map((order) => [order.currency, order.totals.total])).toEqual([[currency, 57_600]])
    const order = (await service.get(`/orders/${session.id}`)).body
    expect([order.kind, order.currency, order.totals.at(-1).amount]).toEqual(['purchase', currency, 57_600])
  })

  test('3.1 a changed total is reported with both totals', async () => {
    const service = await start(currency)
    const { id } = await buy(service, 1)
    service.supply.products[0] = supplyProduct('SP1', { title: 'Water 550ml', packPriceFen: fen(3000) })
    service.clock.advance(120_000)
    const { body } = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    const changed = body.messages.find(({ code }: Json) => code === 'price_changed')
    expect(changed.params).toEqual({ before: { amount: 2880, currency }, now: { amount: 3000, currency } })
  })

  test('4.5 sales are in it: orders, their events and the sums of days', async () => {
    const service = await start(currency)
    await service.job('poll-ledger')
    const sale = (await service.get('/orders/T-now')).body
    expect([sale.currency, sale.totals.at(-1).amount]).toEqual([currency, 250])
    const event = (await summaries(service, 'order')).find(({ params }: Json) => params.order === 'T-now')
    expect(event.summary).toContain(`1 item, ${cola}`)
    expect(event.params.total).toEqual({ amount: 250, currency })
    expect((await service.get('/sales/daily')).body).toMatchObject({ currency })
  })

  test('4.6 live prices are changed in it alone; above the cap the owner sees the amounts in it', async () => {
    const service = await start(currency)
    const foreign = await change(service, 300, 'CNY')
    expect([foreign.status, foreign.body.messages]).toMatchObject([
      400,
      [{ code: 'invalid', path: '$.prices[0].price.currency', content: expect.stringContaining(`one of ${currency}`) }],
    ])
    const changed = await change(service, 300, currency)
    expect(changed.body.updated[0]).toMatchObject({
      previous: { amount: 250, currency },
      price: { amount: 300, currency },
    })
    expect((await summaries(service, 'price_change'))[0].params).toMatchObject({
      previous: { amount: 250, currency },
      price: { amount: 300, currency },
    })
    const asked = await change(service, 500, currency)
    const decision = (await service.get(`/approvals/${decisionOf(asked.body)}`)).body
    expect(decision.reasoning).toContain(`exceeds the ${cap} cap per item`)
    expect(service.machine.slotsByMachine['M1']?.[0]?.priceFen).toBe(300)
  })

  test('2.8 plan, run and guardrails are in it', async () => {
    const service = await start(currency)
    const plan = (await service.get('/replenishment/plan')).body
    expect(plan.plans[0].price).toEqual({ amount: 250, currency })
    const run = (await service.post('/replenishment/runs')).body
    expect([run.currency, codes(run)]).toEqual([currency, []])
    expect((await service.get('/guardrails')).body).toMatchObject({ currency, rules: RULES.rules })
    await service.post(`/replenishment/runs/${run.id}/cancel`)
    const [event] = await summaries(service, 'replenishment')
    expect(event.summary).toContain(each.replace(/[\d.]+$/, ''))
  })

  test('9 the interface description it serves allows no other currency, and its example is accepted', async () => {
    const service = await start(currency)
    const document = (await service.get('/openapi.json')).body
    const ajv = new Ajv2020({ strict: false, schemas: { 'openapi.json': document } })
    formats.default(ajv)
    const accepts = (name: string, value: unknown) =>
      ajv.validate({ $ref: `openapi.json#/components/schemas/${name}` }, value)
    expect([accepts('Price', { amount: 1, currency }), accepts('Price', { amount: 1, currency: 'CNY' })]).toEqual([
      true,
      false,
    ])
    const { requestBody } = document.paths['/locations/{id}/prices'].put
    expect(accepts('PriceChangeRequest', requestBody.content['application/json'].example)).toBe(true)
    expect(new Set(currenciesIn(document.paths))).toEqual(new Set([currency]))
  })

  test('the command line writes amounts in it, and reads what people type', async () => {
    const service = await start(currency)
    const client = createClient({ token: TOKEN, fetch: fetchInto(service.server), attempts: 1 })
    const vendops = async (line: string, answers: string[] = []) => {
      const terminal = memoryTerminal(answers)
      const { signal } = new AbortController()
      const env = { TIMEZONE: 'Asia/Shanghai' }
      const exit = await runCli(line.split(' '), { commands: COMMANDS, terminal, env, signal, connect: () => client })
      return { exit, out: terminal.stdout, err: terminal.stderr, questions: terminal.questions }
    }
    expect((await vendops('catalog')).out).toContain(each)
    expect((await vendops('slots M1')).out).toContain(cola)
    expect((await vendops('status')).out).toContain(`spending limit     ${grouped(limit)} per purchase`)

    const session = await buy(service, 20)
    await service.post(`/approvals/${decisionOf(session)}`, { approved: true })
    const wrong = await vendops(`checkout complete ${session.id}`, ['5,76'])
    expect([wrong.exit, wrong.questions]).toEqual([
      EXIT.declined,
      [`Type the total (${grouped(dear)}) to place the order: `],
    ])
    const completed = await vendops(`checkout complete ${session.id}`, [typed])
    expect([completed.exit, service.supply.orders.size]).toEqual([EXIT.ok, 1])
    expect((await vendops('orders --kind purchase')).out).toContain(grouped(dear))

    const ambiguous = await vendops('price M1 G-1=1,234 --yes')
    expect(ambiguous.exit).toBe(currency === 'JPY' ? EXIT.guarded : EXIT.usage)
    expect((await vendops('price M1 G-1=1,23456 --yes')).exit).toBe(EXIT.usage)
  })
})

test('4.6 without CURRENCY the deployment is in CNY and refuses others', async () => {
  const service = await start('CNY')
  expect((await change(service, 300, 'USD')).body.messages).toMatchObject([
    { code: 'invalid', content: 'prices[0].price.currency must be one of CNY' },
  ])
  expect((await change(service, 300, 'CNY')).status).toBe(200)
})
