import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive, ROLE_CAPABILITIES } from '../../src/vendors/registry.ts'
import type { SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { failure, supplyProduct, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { RULES } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'
import {
  codes,
  COLA,
  create,
  entryOf,
  inFull,
  MACHINE,
  place,
  plan,
  receive,
  run,
  routeSlots,
  slotOf,
  startRoute,
  suppliesOf,
  usualSales,
  withRules,
} from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
const dry = () => ({ [MACHINE]: routeSlots().map((slot) => ({ ...slot, stock: 0 })) })

/** A purchase order number. */
const PO = expect.stringMatching(/^po_\d{8}_[1-9]\d*$/)

const startReal = (more: Parameters<typeof startRoute>[0] = {}) => startRoute({ config: REAL, ...more })
const sessions = async (service: Service): Promise<Json[]> => (await service.get('/checkout-sessions')).body.checkouts

describe('3.2 with a real supplier', () => {
  test('place opens one checkout session per supply namespace, shipped to the default destination', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { status, body } = await place(service, created.id)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'placed',
      supplier: 'acme-supply',
      checkouts: [{ id: PO, vendor: 'acme-supply', status: 'ready_for_complete' }],
    })
    const session = (await service.get(`/checkout-sessions/${body.checkouts[0].id}`)).body
    expect(session.line_items.map(({ item, quantity }: Json) => [item.id, quantity])).toEqual(
      created.line_items.map(({ source, quantity }: Json) => [source.sku_id, quantity.total]),
    )
    expect(session.fulfillment.methods[0].destinations[0]).toMatchObject(HOME)
  })

  test('completing stays a separate, confirmed call; the run has the status of its sessions', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { body } = await place(service, created.id)
    expect(service.supply.orders.size).toBe(0)
    const [{ id }] = body.checkouts
    await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    expect(service.supply.orders.size).toBe(1)
    expect((await run(service, created.id)).checkouts[0].status).toBe('completed')
    expect((await service.get('/replenishment/runs')).body.runs[0].checkouts[0].status).toBe('completed')
  })

  test('4.5 GET /orders?kind=purchase&location= lists purchases of runs that bring something there, and no others', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { body } = await place(service, created.id)
    const [{ id }] = body.checkouts
    await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
    const { body: other } = await service.post('/checkout-sessions', {
      line_items: [{ item: { id: 'acme-supply:SP1' }, quantity: 1 }],
      fulfillment: { methods: [{ type: 'shipping', line_item_ids: ['*'], destinations: [HOME] }] },
    })
    await service.post(`/checkout-sessions/${other.id}/complete`, { confirm: true })
    const listed = async (query: string) =>
      new Set((await service.get(`/orders?kind=purchase${query}`)).body.orders.map((order: Json) => order.id))
    expect(await listed('')).toEqual(new Set([id, other.id]))
    expect(await listed(`&location=${MACHINE}`)).toEqual(new Set([id]))
    expect(await listed('&location=M9')).toEqual(new Set())
  })

  test('the real supplier wins over SIMULATED_PURCHASING in live', async () => {
    const service = await startReal({ config: { ...REAL, simulatedPurchasing: true } })
    const { body: created } = await create(service)
    expect((await place(service, created.id)).body.checkouts).toHaveLength(1)
  })

  test('without a default destination the session is incomplete and says what is missing', async () => {
    const service = await startReal({ config: { ...REAL, defaultDestination: undefined } })
    const { body: created } = await create(service)
    const { body } = await place(service, created.id)
    expect(body.checkouts[0].status).toBe('incomplete')
    const session = (await service.get(`/checkout-sessions/${body.checkouts[0].id}`)).body
    expect(codes(session)).toContain('missing')
  })

  test('a product for several slots is one line of the order', async () => {
    const slotsByMachine = { [MACHINE]: routeSlots(), M1002: routeSlots() }
    const trades = [
      ...usualSales(),
      ...usualSales().map((each) => ({ ...each, orderNo: `2${each.orderNo}`, locationId: 'M1002' })),
    ]
    const service = await startReal({ slotsByMachine, trades })
    const { body: created } = await create(service)
    expect(created.line_items).toHaveLength(4)
    const { body } = await place(service, created.id)
    const session = (await service.get(`/checkout-sessions/${body.checkouts[0].id}`)).body
    expect(session.line_items.map(({ item }: Json) => item.id)).toEqual(['acme-supply:SP1', 'acme-supply:SP2'])
    const units = (list: Json[]) => list.reduce((sum, { quantity }) => sum + (quantity.total ?? quantity), 0)
    expect(units(session.line_items)).toBe(units(created.line_items))
  })

  test('several suppliers: a session each, every product from the cheapest', async () => {
    const near = suppliesOf()
    const far = scriptedSupply([
      supplyProduct('T2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(150) }),
    ])
    const machine = scriptedMachine({ [MACHINE]: routeSlots() }, usualSales())
    const service = await startReal({
      entries: [
        registerLive('acme-supply' as Namespace, near.vendor),
        registerLive('far-supply' as Namespace, far.vendor),
        registerLive('acme-machine' as Namespace, machine.vendor),
      ],
    })
    const { body: created } = await create(service)
    expect(created.line_items.map(({ source, item }: Json) => [source.sku_id, item.price])).toEqual([
      ['acme-supply:SP1', 120],
      ['far-supply:T2', 150],
    ])
    const { body } = await place(service, created.id)
    expect(body.supplier).toBe('acme-supply, far-supply')
    expect(body.checkouts.map(({ vendor }: Json) => vendor)).toEqual(['acme-supply', 'far-supply'])
    expect(body.checkouts.map(({ id }: Json) => id.split('_').at(-1))).toEqual(['1', '2'])
  })

  /** A run takes only products that are linked: the third one is linked until its runs are created. */
  const linkThird = (service: Service, source: 'manual' | 'rejected') =>
    service.put('/skus/acme-machine:G-3/aliases', { aliases: [{ sku_id: 'acme-supply:SP2', source }] })

  test('unresolved lines become errors at the line, and are removed', async () => {
    const service = await startReal({ slotsByMachine: dry() })
    await linkThird(service, 'manual')
    const { body: created } = await create(service)
    await linkThird(service, 'rejected')
    const { body } = await place(service, created.id)
    expect(body.messages).toEqual([
      expect.objectContaining({
        type: 'error',
        code: 'unresolved_sku',
        path: '$.line_items[2]',
        severity: 'recoverable',
      }),
    ])
    expect(body.line_items[2]).toMatchObject({ status: 'removed', quantity: { total: 0 } })
    expect((await receive(service, created.id, [{ slot_id: created.line_items[2].slot_id, quantity: 1 }])).status).toBe(
      400,
    )
    expect((await receive(service, created.id, inFull(body))).status).toBe(200)
  })

  test('a mix of reasons why nothing can be ordered: 409 with all of them, an event, and the run is unchanged', async () => {
    const service = await startReal({ slotsByMachine: dry() })
    await linkThird(service, 'manual')
    const [{ body: first }, { body: second }] = [await create(service), await create(service)]
    await linkThird(service, 'rejected')
    expect((await place(service, first.id)).body.status).toBe('placed')
    const before = await run(service, second.id)
    const preview = await service.post(`/replenishment/runs/${second.id}/place?dry_run=true`)
    const { status, body } = await place(service, second.id)
    expect([status, codes(body)]).toEqual([
      409,
      ['not_placeable', 'already_placed', 'already_placed', 'unresolved_sku'],
    ])
    expect([preview.status, codes(preview.body)]).toEqual([409, codes(body)])
    expect(body.ucp.status).toBe('error')
    expect(await run(service, second.id)).toEqual(before)
    const [event, ...others] = (await service.events('replenishment')).filter(
      ({ params }: Json) => params.run === second.id,
    )
    expect([event.code, others]).toEqual(['run_not_placed', []])
    expect(event.reasoning).toContain('is not linked to a product')
  })

  test('if no line resolves the run stays as it was', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    await service.ctx.store.db.deleteFrom('sku_alias').execute()
    const answer = await place(service, created.id)
    expect(answer.status).toBe(409)
    expect(codes(answer.body)).toEqual(['not_placeable', 'unresolved_sku', 'unresolved_sku'])
    expect(await run(service, created.id)).toEqual(created)
    expect(await sessions(service)).toEqual([])
  })

  test('an alias to a SKU the supplier does not list does not resolve', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const [gone] = service.supply.products.splice(1, 1)
    service.clock.advance(2 * 60_000)
    const { body } = await place(service, created.id)
    expect([gone?.vendorSku === undefined, codes(body)]).toEqual([false, ['unresolved_sku']])
    expect(body.line_items.map(({ status }: Json) => status)).toEqual(['processing', 'removed'])
  })

  test('a product that is not for sale is not ordered, with a message', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    service.supply.products[1] = { ...service.supply.products[1]!, isForSale: false }
    service.clock.advance(2 * 60_000)
    const { body } = await place(service, created.id)
    expect(body.messages).toEqual([expect.objectContaining({ code: 'item_unavailable', path: '$.line_items[1]' })])
    expect(body.line_items.map(({ status }: Json) => status)).toEqual(['processing', 'removed'])
  })

  test('with nothing for sale the run stays as it was, and can be placed when there is', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const products = [...service.supply.products]
    service.supply.products.splice(0, 2, ...products.map((each) => ({ ...each, isForSale: false })))
    service.clock.advance(2 * 60_000)
    const answer = await place(service, created.id)
    expect([answer.status, codes(answer.body)]).toEqual([
      409,
      ['not_placeable', 'item_unavailable', 'item_unavailable'],
    ])
    expect((await run(service, created.id)).status).toBe('approved')
    service.supply.products.splice(0, 2, ...products)
    service.clock.advance(2 * 60_000)
    expect((await place(service, created.id)).body.status).toBe('placed')
  })

  test('a session above the limit asks the owner for itself where the run was not asked about', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { body } = await place(service, created.id)
    service.writeRules(withRules({ spendingLimitPerRun: 1000 }))
    const { body: session } = await service.put(`/checkout-sessions/${body.checkouts[0].id}`, {})
    expect(session.status).toBe('requires_escalation')
  })
})

describe('3.3 one approval: a run that the owner approved covers its purchases', () => {
  const POOR_RULES = withRules({ spendingLimitPerRun: 1000 })
  const approve = async (service: Service, { actions }: Json) =>
    service.post(`/approvals/${actions['com.example.vending.approval'][0].id}`, { approved: true })
  const complete = (service: Service, id: string) =>
    service.post(`/checkout-sessions/${id}/complete`, { confirm: true })

  async function placeApproved(service: Service) {
    const { body: created } = await create(service)
    expect(created.status).toBe('pending_approval')
    await approve(service, created)
    const { body: placed } = await place(service, created.id)
    const { id } = placed.checkouts[0]
    return { created, id, session: (await service.get(`/checkout-sessions/${id}`)).body }
  }

  test('above the limit per purchase and during probation the owner is asked once', async () => {
    const service = await startReal({
      rules: { ...withRules({ spendingLimitPerRun: 1000 }), probationUntil: '2030-01-01T00:00:00Z' },
    })
    const { id, session, created } = await placeApproved(service)
    expect([session.status, (await service.get('/approvals')).body.approvals]).toEqual(['ready_for_complete', []])
    expect((await complete(service, id)).body.status).toBe('completed')
    const attempt = await service.ctx.store.db.selectFrom('checkout_attempt').selectAll().executeTakeFirstOrThrow()
    const decision = created.actions['com.example.vending.approval'][0].id
    expect(JSON.parse(attempt.intent).authority.decision).toBe(decision)
  })

  test('the limit per day still counts, also when it is reached only at complete', async () => {
    const service = await startReal({ rules: POOR_RULES })
    const { id, session } = await placeApproved(service)
    expect(session.status).toBe('ready_for_complete')
    service.writeRules({ ...RULES, rules: { ...RULES.rules, spendingLimitPerRun: 1000, spendingLimitPerDay: 1001 } })
    expect((await complete(service, id)).body.status).toBe('requires_escalation')
    expect(service.supply.orders.size).toBe(0)
  })

  test('not more than was approved, not to another place, not after seven days; less is covered', async () => {
    const service = await startReal({ rules: POOR_RULES })
    const { id, session } = await placeApproved(service)
    const put = async (body: object) => (await service.put(`/checkout-sessions/${id}`, body)).body.status
    const lines = (change: (quantity: number) => number) => ({
      line_items: session.line_items.map(({ item, quantity }: Json) => ({
        item: { id: item.id },
        quantity: change(quantity),
      })),
    })
    expect(await put(lines((quantity) => quantity + 1))).toBe('requires_escalation')
    expect(await put(lines((quantity) => quantity - 1))).toBe('ready_for_complete')
    expect(await put(lines((quantity) => quantity))).toBe('ready_for_complete')
    const elsewhere = { methods: [{ type: 'shipping', destinations: [{ ...HOME, street_address: 'elsewhere' }] }] }
    expect(await put({ fulfillment: elsewhere })).toBe('requires_escalation')
    expect(await put({ fulfillment: { methods: [{ type: 'shipping', destinations: [HOME] }] } })).toBe(
      'ready_for_complete',
    )
    service.supply.products[0] = { ...service.supply.products[0]!, eachPriceFen: fen(121) }
    const dearer = (await complete(service, id)).body
    expect([dearer.status, codes(dearer).slice(0, 2)]).toEqual([
      'requires_escalation',
      ['price_changed', 'approval_required'],
    ])
    expect(service.supply.orders.size).toBe(0)
  })

  test('a session of an earlier placement of the run uses up its approval, too', async () => {
    const service = await startReal({ rules: POOR_RULES })
    const { id, created } = await placeApproved(service)
    const { db } = service.ctx.store
    const earlier = await db.selectFrom('checkout').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    await db
      .insertInto('checkout')
      .values({ ...earlier, id: 'po_earlier' })
      .execute()
    // Each alone is within what was approved for the run; together they are twice that.
    expect((await complete(service, id)).body.status).toBe('requires_escalation')
    expect((await complete(service, 'po_earlier')).body.status).toBe('requires_escalation')
    expect([service.supply.orders.size, created.status]).toEqual([0, 'pending_approval'])
  })

  test('place above the approved sum: 409 with both sums, and the run waits for the owner again', async () => {
    const service = await startReal({ rules: POOR_RULES })
    const { body: created } = await create(service)
    await approve(service, created)
    service.supply.products[0] = { ...service.supply.products[0]!, eachPriceFen: fen(200) }
    service.clock.advance(2 * 60_000)
    const { status, body } = await place(service, created.id)
    expect([status, codes(body)]).toEqual([409, ['approval_required']])
    const waiting = await run(service, created.id)
    const [before, now] = [created, waiting].map(({ totals }) => totals.at(-1).amount)
    expect(now).toBeGreaterThan(before)
    const sums = { approved: { amount: before, currency: 'CNY' }, now: { amount: now, currency: 'CNY' } }
    expect([body.messages[0].params, waiting.status, waiting.messages[0].params]).toEqual([
      sums,
      'pending_approval',
      sums,
    ])
    await approve(service, waiting)
    expect((await place(service, created.id)).body.checkouts[0].status).toBe('ready_for_complete')
  })

  test('an approval of more than seven days ago covers nothing any more', async () => {
    const service = await startReal({ rules: POOR_RULES })
    const { body: created } = await create(service)
    await approve(service, created)
    service.clock.advance(7 * DAY)
    expect([(await place(service, created.id)).status, (await run(service, created.id)).status]).toEqual([
      409,
      'pending_approval',
    ])
  })

  test('the approved sum includes the tax and delivery that the supplier quotes', async () => {
    const quoting = suppliesOf()
    const quote: NonNullable<SupplyVendor['quote']> = ({ lines }) => {
      const subtotal = lines.reduce((total, { unitPriceFen, quantity }) => total + unitPriceFen * quantity, 0)
      const totals = {
        subtotal: fen(subtotal),
        fulfillment: fen(500),
        tax: fen(100),
        fee: fen(0),
        total: fen(subtotal + 600),
      }
      return Promise.resolve({ ok: true, value: { totals, isFinal: true } })
    }
    const machine = scriptedMachine({ [MACHINE]: routeSlots() }, usualSales())
    const service = await startReal({
      rules: POOR_RULES,
      entries: [
        registerLive('acme-supply' as Namespace, { ...quoting.vendor, quote }, [...ROLE_CAPABILITIES.supply, 'quote']),
        registerLive('acme-machine' as Namespace, machine.vendor),
      ],
    })
    const { created, id, session } = await placeApproved(service)
    expect(created.totals.find(({ type }: Json) => type === 'tax').amount).toBe(600)
    expect([session.status, session.totals.at(-1).amount]).toEqual(['ready_for_complete', created.totals.at(-1).amount])
    expect((await complete(service, id)).body.status).toBe('completed')
  })
})

describe('a placement that broke off', () => {
  test('the supplier does not answer: 502, the run waits, and the next try goes on with the same plan', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    service.clock.advance(2 * 60_000)
    service.supply.script.always('catalog', failure('unknown', 'the line is dead'))
    const broken = await place(service, created.id)
    expect([broken.status, codes(broken.body)]).toEqual([502, ['upstream_unreachable']])
    expect((await run(service, created.id)).status).toBe('approved')
    service.supply.script.always('catalog', undefined)
    expect((await place(service, created.id)).body.status).toBe('placed')
    expect(await sessions(service)).toHaveLength(1)
  })

  test('a crash after the session was opened: the next try finds it and opens no second', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const first = (await place(service, created.id)).body
    // As if the process had died before the run was written.
    const { db } = service.ctx.store
    await db
      .updateTable('replenishment_run')
      .set({ status: 'approved', placed_at: null, supplier: null, decision: null })
      .execute()
    await db.updateTable('run_line').set({ checkout: null }).execute()
    // Meanwhile an alias changed: what was intended still counts.
    await db.deleteFrom('sku_alias').execute()
    const again = await place(service, created.id)
    expect(again.body).toMatchObject({ status: 'placed', checkouts: first.checkouts })
    expect(await sessions(service)).toHaveLength(1)
  })

  test('many placers at once open one session', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const answers = await Promise.all(Array.from({ length: 5 }, () => place(service, created.id)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409])
    expect(await sessions(service)).toHaveLength(1)
    expect(await service.events('replenishment')).toHaveLength(1)
  })
})

describe('products that will not be delivered', () => {
  const complete = (service: Service, id: string) =>
    service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
  /** The supplier calls the order off, and the service asks about it. */
  async function cancelAtSupplier(
    service: Service,
    supply: Pick<Service['supply'], 'orders'>,
    id: string,
  ): Promise<void> {
    Object.assign(supply.orders.get(id)!, { state: 'cancelled', rawStatus: 90, description: 'canceled' })
    service.clock.advance(10 * 60_000)
    expect((await service.get(`/orders/${id}`)).body.supplier_status.mapped).toBe('cancelled')
    await service.job('close-ended-runs')
  }

  test('3.2 the supplier cancels the only purchase: the run is rejected by itself, and its slots are planned again', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { body: placed } = await place(service, created.id)
    const [{ id }] = placed.checkouts
    await complete(service, id)
    expect((await service.post(`/replenishment/runs/${created.id}/cancel`)).body.messages[0].code).toBe('not_editable')
    await cancelAtSupplier(service, service.supply, id)
    const after = await run(service, created.id)
    expect([after.status, codes(after)]).toEqual(['rejected', ['canceled', 'canceled']])
    expect(after.line_items.map(({ status }: Json) => status)).toEqual(['removed', 'removed'])
    expect([after.checkouts[0].status, after.visits]).toEqual(['canceled', undefined])
    expect(after.fulfillment.events.map(({ type }: Json) => type)).toEqual([
      'planned',
      'approved',
      'ordered',
      'canceled',
    ])
    expect(after.fulfillment.events.at(-1).line_items).toHaveLength(2)
    expect((await service.events('replenishment'))[0]).toMatchObject({
      code: 'run_purchase_ended',
      params: { run: created.id, supplier: 'acme-supply', slots: 2 },
    })
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('order')
    const { body: next } = await create(service)
    expect((await place(service, next.id)).body.status).toBe('placed')
    expect(service.supply.orders.size).toBe(1)
  })

  test('3.2 one of two purchases ends: its lines are removed, the rest is received', async () => {
    const near = suppliesOf()
    const far = scriptedSupply([
      supplyProduct('T2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(150) }),
    ])
    const machine = scriptedMachine({ [MACHINE]: routeSlots() }, usualSales())
    const service = await startReal({
      entries: [
        registerLive('acme-supply' as Namespace, near.vendor),
        registerLive('far-supply' as Namespace, far.vendor),
        registerLive('acme-machine' as Namespace, machine.vendor),
      ],
    })
    const { body: created } = await create(service)
    const { body: placed } = await place(service, created.id)
    const [nearby, remote] = placed.checkouts.map(({ id }: Json) => id)
    await complete(service, nearby)
    await complete(service, remote)
    await cancelAtSupplier(service, far, remote)
    const after = await run(service, created.id)
    expect([after.status, codes(after)]).toEqual(['placed', ['canceled']])
    expect(after.line_items.map(({ status }: Json) => status)).toEqual(['processing', 'removed'])
    expect(after.messages[0].params).toEqual({ supplier: 'far-supply', slots: 1 })
    const received = await receive(service, created.id, inFull(after))
    expect([received.status, received.body.status]).toEqual([200, 'delivered'])
  })

  test('3.2 a placed run whose purchases were never completed can be canceled; they are closed with it', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { body: placed } = await place(service, created.id)
    const { status, body } = await service.post(`/replenishment/runs/${created.id}/cancel`)
    expect([status, body.status, codes(body)]).toEqual([200, 'rejected', ['canceled', 'canceled']])
    expect((await service.get(`/checkout-sessions/${placed.checkouts[0].id}`)).body.status).toBe('canceled')
    expect((await complete(service, placed.checkouts[0].id)).status).toBe(409)
    expect((await create(service)).body.status).toBe('approved')
  })

  test('a session called off before anything was sent frees its slots for the next plan', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    const { body } = await place(service, created.id)
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('in_transit')
    await service.post(`/checkout-sessions/${body.checkouts[0].id}/cancel`)
    const after = await run(service, created.id)
    expect([after.status, after.checkouts[0].status]).toEqual(['rejected', 'canceled'])
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('order')
    expect((await create(service)).body.line_items).toHaveLength(created.line_items.length)
  })

  test('an expired session counts as canceled', async () => {
    const service = await startReal()
    const { body: created } = await create(service)
    await place(service, created.id)
    service.clock.advance(DAY)
    const after = await run(service, created.id)
    expect([after.status, after.checkouts[0].status]).toEqual(['rejected', 'canceled'])
    expect((await service.get(`/checkout-sessions/${after.checkouts[0].id}`)).body.messages[0].code).toBe('expired')
  })
})
