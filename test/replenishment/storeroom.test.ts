/** The store room: what stays of whole cases is kept, used before anything is bought, counted and undone. */
import { describe, expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { addKey } from '../people/keys.ts'
import type { Json, Service } from '../support/service.ts'
import {
  codes,
  COLA,
  create,
  entryOf,
  inFull,
  MACHINE,
  place,
  placed,
  plan,
  receive,
  routeSlots,
  run,
  slotOf,
  startRoute,
  stockOf,
  suppliesOf,
  sync,
  TEA,
  withRules,
} from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
const CASES = 'acme-supply:SP1'
const dry = () => routeSlots().map((slot) => ({ ...slot, stock: 0 }))

type Options = Parameters<typeof startRoute>[0]

/** A supplier that sells cola only in cases of 24 at ¥48.00. */
function startCases(more: Options = {}): Promise<Service> {
  const supply = suppliesOf()
  supply.products[0] = {
    ...supply.products[0]!,
    units: 'pack',
    packSize: 24,
    packPriceFen: fen(4800),
    eachPriceFen: fen(200),
  }
  return startRoute({ config: REAL, supply, slotsByMachine: { [MACHINE]: dry() }, ...more })
}

/** Placed and bought. */
async function bought(service: Service): Promise<Json> {
  const body = await placed(service)
  for (const { id } of body.checkouts) await complete(service, id)
  return run(service, body.id)
}

async function complete(service: Service, id: string): Promise<void> {
  const { body } = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
  expect(body.status, body.messages).toBe('completed')
}

const storeroom = async (service: Service, token?: string): Promise<Json> =>
  (await service.get('/storeroom', token === undefined ? {} : { token })).body
const productOf = (body: Json, id = CASES): Json => body.products.find(({ item }: Json) => item.id === id)
const unitsThere = async (service: Service, id = CASES): Promise<number> =>
  productOf(await storeroom(service), id)?.units ?? 0
const lineOf = (body: Json, skuId = COLA): Json => body.line_items.find(({ item }: Json) => item.id === skuId)
const totalOf = ({ totals }: Json): number => totals.find(({ type }: Json) => type === 'total').amount
const count = (service: Service, units: number, more: object = {}, options = {}) =>
  service.put(`/storeroom/products/${CASES}`, { units, reason: 'count', ...more }, options)
const pickOf = async (service: Service, id: string): Promise<Json> =>
  (await service.get(`/replenishment/runs/${id}/pick-list`)).body.products.find(({ item }: Json) => item.id === COLA)
const movements = async (service: Service): Promise<Json[]> =>
  (await service.get('/storeroom/movements?limit=100')).body.movements

/** Empties the machine again, so that the next run needs the same. */
async function sellOut(service: Service): Promise<void> {
  service.clock.advance(DAY)
  service.machine.slotsByMachine[MACHINE] = dry()
  await sync(service)
  for (const skuId of [COLA, TEA])
    await service.put(`/locations/${MACHINE}/slots/${slotOf(skuId)}`, { stock: 0, confirm_count: true })
}

describe('cases', () => {
  test('what does not go into machines stays, and the next run buys only what is missing', async () => {
    const service = await startCases()
    const first = await bought(service)
    const needed = lineOf(first).quantity.total
    const cases = Math.ceil(needed / 24)
    expect(first.stays_in_storeroom).toEqual({ amount: (cases * 24 - needed) * 200, currency: 'CNY' })
    expect(first.totals.map(({ type }: Json) => type)).toEqual(['subtotal', 'total'])
    await receive(service, first.id, inFull(first))
    const left = cases * 24 - needed
    expect(productOf(await storeroom(service))).toMatchObject({
      units: left,
      reserved: 0,
      free: left,
      value: { amount: left * 200, currency: 'CNY' },
      lots: [{ units: left, best_before: null }],
      counted_at: null,
    })
    expect(await movements(service)).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({
          kind: 'bought',
          units: cases * 24,
          reference: { type: 'order', id: first.checkouts[0].id },
        }),
        expect.objectContaining({
          kind: 'loaded',
          units: -needed,
          reference: { type: 'service', id: expect.any(String), location: MACHINE, run: first.id },
        }),
      ]),
    )

    await sellOut(service)
    const entry = entryOf(await plan(service), slotOf(COLA))
    expect(entry.from_storeroom).toBe(Math.min(left, entry.recommendation.quantity))
    const second = await bought(service)
    const line = lineOf(second)
    expect(line.from_storeroom).toBe(Math.min(left, line.quantity.total))
    const missing = line.quantity.total - line.from_storeroom
    expect(line.totals.at(-1).amount).toBe(missing * 200)
    const session = (await service.get(`/checkout-sessions/${second.checkouts[0].id}`)).body
    const ordered = session.line_items.find(({ item }: Json) => item.id === CASES)
    expect(ordered?.quantity ?? 0).toBe(Math.ceil(missing / 24))
  })

  test('a run that the store room covers is placed without a purchase and without the owner', async () => {
    const service = await startCases({ rules: withRules({ spendingLimitPerRun: 0 }) })
    await count(service, 500)
    await service.put('/storeroom/products/acme-supply:SP2', { units: 500, reason: 'count' })
    const { body: created } = await create(service)
    expect([created.status, totalOf(created)]).toEqual(['approved', 0])
    const { body } = await place(service, created.id)
    expect(body).toMatchObject({ status: 'placed', checkouts: [] })
    expect(totalOf(body)).toBe(0)
    expect(body.supplier).toBeUndefined()
    const needed = lineOf(body).quantity.total
    expect(productOf(await storeroom(service))).toMatchObject({ units: 500, reserved: needed, free: 500 - needed })
    expect(await pickOf(service, body.id)).toMatchObject({ from_storeroom: needed, from_delivery: 0, bought: 0 })
    await receive(service, body.id, inFull(body))
    expect(productOf(await storeroom(service))).toMatchObject({ units: 500 - needed, reserved: 0 })
    expect(await stockOf(service, 'G-1')).toBe(needed)
  })

  test('it needs no supplier either', async () => {
    const service = await startCases({ config: { env: 'live', simulatedPurchasing: false } })
    await count(service, 500)
    await service.put('/storeroom/products/acme-supply:SP2', { units: 500, reason: 'count' })
    expect((await place(service, (await create(service)).body.id)).body.status).toBe('placed')
  })

  test('two runs never promise the same unit', async () => {
    const service = await startCases({
      slotsByMachine: { [MACHINE]: dry(), M1002: dry() },
      config: REAL,
    })
    await count(service, 6)
    const make = async (location: string) =>
      (
        await service.post('/replenishment/runs', {
          locations: [location],
          lines: [{ slot_id: slotOf(COLA, location), quantity: 6 }],
        })
      ).body
    const [one, other] = [await make(MACHINE), await make('M1002')]
    expect([lineOf(one).from_storeroom, lineOf(other).from_storeroom], 'a forecast').toEqual([6, 6])
    const answers = await Promise.all([place(service, one.id), place(service, other.id)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const given = answers.map(({ body }) => lineOf(body).from_storeroom ?? 0)
    expect(given.toSorted((a, b) => a - b)).toEqual([0, 6])
    expect(productOf(await storeroom(service))).toMatchObject({ units: 6, reserved: 6, free: 0 })
  })

  test('placing computes again: more than the owner approved goes back to the owner', async () => {
    const service = await startCases({ rules: withRules({ spendingLimitPerRun: 1 }) })
    await count(service, 500)
    const { body: created } = await create(service)
    expect(created.status).toBe('pending_approval')
    await service.post(`/approvals/${created.actions['com.example.vending.approval'][0].id}`, { approved: true })
    await count(service, 0, { reason: 'lost' })
    const refused = await place(service, created.id)
    expect([refused.status, codes(refused.body)]).toEqual([409, ['approval_required']])
    expect((await run(service, created.id)).status).toBe('pending_approval')
  })

  test('a run made later does not count on what the owner was asked about, so that nobody is asked twice', async () => {
    const service = await startCases({
      slotsByMachine: { [MACHINE]: dry(), M1002: dry() },
      rules: withRules({ spendingLimitPerRun: 1 }),
    })
    await count(service, 6)
    const make = async (location: string) => {
      const lines = [{ slot_id: slotOf(COLA, location), quantity: 12 }]
      const { body } = await service.post('/replenishment/runs', { locations: [location], lines })
      expect(body.status).toBe('pending_approval')
      service.clock.advance(MINUTE)
      return body
    }
    const [one, other] = [await make(MACHINE), await make('M1002')]
    expect([lineOf(one).from_storeroom, lineOf(other).from_storeroom]).toEqual([6, undefined])
    for (const { actions } of [one, other])
      await service.post(`/approvals/${actions['com.example.vending.approval'][0].id}`, { approved: true })
    for (const { id } of [one, other]) expect((await place(service, id)).body.status).toBe('placed')
    expect(lineOf(await run(service, one.id)).from_storeroom).toBe(6)
    expect(productOf(await storeroom(service))).toMatchObject({ units: 6, reserved: 6, free: 0 })
  })
})

describe('receiving', () => {
  test('stop by stop: the delivery comes with the first stop, the others keep what they will get, undo gives all back', async () => {
    const service = await startCases({ slotsByMachine: { [MACHINE]: dry(), M1002: dry() } })
    const body = await bought(service)
    const at = (location: string) =>
      inFull({ line_items: body.line_items.filter((line: Json) => line.location === location) })
    const stop = (location: string) =>
      service.post(`/replenishment/runs/${body.id}/visits/${location}/receive`, { delivered: at(location) })
    const colaAt = (location: string): number =>
      body.line_items.find((line: Json) => line.location === location && line.item.id === COLA).quantity.total
    const came = Math.ceil((colaAt(MACHINE) + colaAt('M1002')) / 24) * 24
    expect((await stop(MACHINE)).status).toBe(200)
    const half = productOf(await storeroom(service))
    expect([half.units, half.reserved]).toEqual([came - colaAt(MACHINE), colaAt('M1002')])
    await stop('M1002')
    const whole = productOf(await storeroom(service))
    expect([whole.units, whole.reserved]).toEqual([came - colaAt(MACHINE) - colaAt('M1002'), 0])

    const { visits } = await run(service, body.id)
    const undo = (location: string) =>
      service.post(
        `/locations/${location}/service/${visits.find((each: Json) => each.location === location).service_id}/undo`,
      )
    expect((await undo(MACHINE)).status).toBe(200)
    expect(productOf(await storeroom(service))).toMatchObject({
      units: came - colaAt('M1002'),
      reserved: colaAt(MACHINE),
    })
    await undo('M1002')
    expect(productOf(await storeroom(service))).toMatchObject({ units: 0, reserved: 0 })
    expect(entryOf(await plan(service), slotOf(COLA)).recommendation.action).toBe('in_transit')
    const all = await movements(service)
    expect(all.reduce((sum, { item, units }) => sum + (item.id === CASES ? units : 0), 0)).toBe(0)
  })

  test('a short delivery: the store room holds what came, the other stops get what is left, and undo forgets it', async () => {
    const service = await startCases({ slotsByMachine: { [MACHINE]: dry(), M1002: dry() } })
    const body = await bought(service)
    const [purchase] = body.checkouts
    const ordered = (await service.get(`/orders/${purchase.id}`)).body
    expect(ordered.received_at).toBeUndefined()
    const tea = ordered.line_items.find(({ item }: Json) => item.id === 'acme-supply:SP2').quantity.total
    const colaAt = (of: Json, location: string): Json =>
      of.line_items.find((line: Json) => line.location === location && line.item.id === COLA)
    const first = colaAt(body, MACHINE).quantity.total
    const stop = (location: string, more: object) =>
      service.post(`/replenishment/runs/${body.id}/visits/${location}/receive`, {
        delivered: inFull({ line_items: body.line_items.filter((line: Json) => line.location === location) }),
        ...more,
      })
    const delivery = async (): Promise<Json[]> =>
      (await service.get(`/replenishment/runs/${body.id}/pick-list`)).body.delivery
    const expected = [
      expect.objectContaining({ item: expect.objectContaining({ id: CASES }), units: 24, contains: 24 }),
      expect.objectContaining({ units: tea, contains: 1 }),
    ]
    expect(await delivery()).toEqual(expected)
    const came = [
      { item: { id: CASES }, quantity: first + 3 },
      { item: { id: 'acme-supply:SP2' }, quantity: tea },
    ]
    const wrong = await stop(MACHINE, { came: [{ item: { id: COLA }, quantity: 1 }] })
    expect([wrong.status, wrong.body.messages[0].path]).toEqual([400, '$.came[0].item.id'])
    expect(await unitsThere(service)).toBe(0)
    expect((await stop(MACHINE, { came })).status).toBe(200)
    expect(productOf(await storeroom(service))).toMatchObject({ units: 3, reserved: 3, free: 0 })
    expect((await service.get(`/orders/${purchase.id}`)).body.received_at).toEqual(expect.any(String))
    const now = await run(service, body.id)
    expect(colaAt(now, 'M1002').quantity).toMatchObject({ total: 3 })
    expect(now.stays_in_storeroom, 'nothing is left over').toBeUndefined()
    expect(await pickOf(service, body.id)).toMatchObject({ units: 3, spare: 0 })
    expect(codes((await stop('M1002', { came })).body)).toEqual(['already_received'])
    expect(await delivery()).toBeUndefined()

    const { service_id: id } = now.visits.find((each: Json) => each.location === MACHINE)
    await service.post(`/locations/${MACHINE}/service/${id}/undo`)
    expect(productOf(await storeroom(service))).toMatchObject({ units: 0, reserved: 0 })
    expect(colaAt(await run(service, body.id), 'M1002').quantity.total).toBe(colaAt(body, 'M1002').quantity.total)
    expect((await run(service, body.id)).stays_in_storeroom).toEqual(body.stays_in_storeroom)
    expect(await delivery()).toEqual(expected)
    const whole = await service.post(`/replenishment/runs/${body.id}/receive`, {
      delivered: inFull(body),
      came: [{ item: { id: CASES }, quantity: 1 }],
    })
    expect(whole.body.status).toBe('delivered')
    expect([await unitsThere(service), await unitsThere(service, 'acme-supply:SP2')]).toEqual([0, 0])
    expect((await service.get('/events?limit=100')).body.events.map(({ summary }: Json) => summary)).toContainEqual(
      expect.stringMatching(/: 1 unit of 1 product came into the store room, \d+ were confirmed/),
    )
  })

  test('less came, or nothing at all: what stays is less, and a later stop books nothing either', async () => {
    const service = await startCases({ slotsByMachine: { [MACHINE]: dry(), M1002: dry() } })
    const body = await bought(service)
    const needed = body.line_items.reduce(
      (sum: number, line: Json) => sum + (line.item.id === COLA ? line.quantity.total : 0),
      0,
    )
    expect(body.stays_in_storeroom.amount).toBe((24 - needed) * 200)
    const [first, second] = [MACHINE, 'M1002'].map(
      (location) => (quantities: (n: number) => number, more: object) =>
        service.post(`/replenishment/runs/${body.id}/visits/${location}/receive`, {
          delivered: inFull({ line_items: body.line_items.filter((line: Json) => line.location === location) }).map(
            (line) => ({ ...line, quantity: quantities(line.quantity) }),
          ),
          ...more,
        }),
    )
    const undo = async () => {
      const { service_id: id } = (await run(service, body.id)).visits.find((each: Json) => each.location === MACHINE)
      expect((await service.post(`/locations/${MACHINE}/service/${id}/undo`)).status).toBe(200)
    }
    await first!((n) => n, { came: [{ item: { id: CASES }, quantity: needed + 2 }] })
    expect((await run(service, body.id)).stays_in_storeroom).toEqual({ amount: 400, currency: 'CNY' })
    expect(await pickOf(service, body.id)).toMatchObject({ spare: 2 })
    await undo()

    expect((await first!(() => 0, { came: [] })).status).toBe(200)
    const none = await run(service, body.id)
    expect(none.stays_in_storeroom).toBeUndefined()
    expect(none.line_items.map(({ quantity }: Json) => quantity.total)).toEqual(body.line_items.map(() => 0))
    await undo()
    expect((await run(service, body.id)).stays_in_storeroom).toEqual(body.stays_in_storeroom)
    await first!(() => 0, { came: [] })
    expect((await second!(() => 0, {})).body.status).toBe('delivered')
    expect([await unitsThere(service), await unitsThere(service, 'acme-supply:SP2')]).toEqual([0, 0])
  })

  test('more loaded than there is: counted first, with a warning; never below 0', async () => {
    const service = await startCases({ config: { simulatedPurchasing: true } })
    const body = await placed(service)
    const came = lineOf(body).source.ordered ?? lineOf(body).quantity.total
    const delivered = inFull(body).map((line) =>
      line.slot_id === slotOf(COLA) ? { ...line, quantity: came + 3 } : line,
    )
    const { body: done } = await receive(service, body.id, delivered)
    expect(codes(done)).toContain('storeroom_short')
    expect(done.messages.find(({ code }: Json) => code === 'storeroom_short').params).toMatchObject({ units: 3 })
    expect(await unitsThere(service)).toBe(0)
  })

  test('a run received although its purchase was not completed: nothing came in', async () => {
    const service = await startCases()
    const body = await placed(service)
    const { body: done } = await receive(service, body.id, inFull(body))
    expect(codes(done)).toEqual(expect.arrayContaining(['purchase_not_completed', 'storeroom_short']))
    expect(await unitsThere(service)).toBe(0)
  })

  test('what the supplier did not confirm never came', async () => {
    const service = await startCases()
    const body = await bought(service)
    const purchase = body.checkouts[0].id
    Object.assign(service.supply.orders.get(purchase)!, {
      lineStatuses: [{ vendorSku: 'SP1', shipped: 0, cancelled: Math.ceil(lineOf(body).quantity.total / 24) }],
    })
    service.clock.advance(MINUTE)
    const { totals } = (await service.get(`/orders/${purchase}`)).body
    const short = await run(service, body.id)
    expect([short.stays_in_storeroom, lineOf(short).source.ordered]).toEqual([undefined, undefined])
    expect(totalOf(short), 'what is paid').toBe(totalOf({ totals }))
    await receive(service, body.id, inFull(short))
    expect(await unitsThere(service)).toBe(0)
    expect(await unitsThere(service, 'acme-supply:SP2')).toBe(0)
  })

  test('a purchase that ends is served from the store room where that can be', async () => {
    const service = await startCases()
    const body = await placed(service)
    await count(service, 5)
    await service.post(`/checkout-sessions/${body.checkouts[0].id}/cancel`)
    const now = await run(service, body.id)
    expect(now.status).toBe('placed')
    expect(lineOf(now)).toMatchObject({ from_storeroom: 5, quantity: { total: 5 }, status: 'processing' })
    expect(lineOf(now, TEA).status).toBe('removed')
    await receive(service, body.id, inFull(now))
    expect(await unitsThere(service)).toBe(0)
    expect(await stockOf(service, 'G-1')).toBe(5)
  })

  test('nothing to serve it with: the run closes as before', async () => {
    const service = await startCases()
    const body = await placed(service)
    await service.post(`/checkout-sessions/${body.checkouts[0].id}/cancel`)
    expect((await run(service, body.id)).status).toBe('rejected')
  })
})

describe('counting', () => {
  test('a count sets what is there; the difference is a movement of its reason', async () => {
    const service = await startCases()
    expect((await count(service, 30)).body).toMatchObject({ item: { id: CASES }, units: 30, value: null })
    await count(service, 28, { reason: 'damaged', note: 'fell down' })
    await count(service, 28)
    await count(service, 31, { reason: 'returned' })
    await count(service, 30, { reason: 'other' })
    expect((await movements(service)).map(({ kind, units, reason, note }) => [kind, units, reason, note])).toEqual([
      ['counted', -1, 'other', undefined],
      ['returned', 3, 'returned', undefined],
      ['lost', -2, 'damaged', 'fell down'],
      ['counted', 30, 'count', undefined],
    ])
    const event = (await service.events('replenishment')).find(({ code }: Json) => code === 'storeroom_counted')
    expect(event.params).toMatchObject({ units: 30, difference: '-1' })
  })

  test.each([
    ['a machine product', `acme-machine:G-1`, { units: 1, reason: 'count' }, 400, 'namespace_mismatch'],
    ['a product nobody lists', 'acme-supply:NONE', { units: 1, reason: 'count' }, 404, 'not_found'],
    ['a vendor nobody knows', 'other-supply:SP1', { units: 1, reason: 'count' }, 404, 'not_found'],
    ['fewer than none', CASES, { units: -1, reason: 'count' }, 400, 'invalid'],
    ['half a unit', CASES, { units: 1.5, reason: 'count' }, 400, 'invalid'],
    ['no reason', CASES, { units: 1 }, 400, 'missing'],
    ['another reason', CASES, { units: 1, reason: 'stolen' }, 400, 'invalid'],
    ['a day that does not exist', CASES, { units: 1, reason: 'count', best_before: '2026-02-30' }, 400, 'invalid'],
    ['a mistyped year', CASES, { units: 1, reason: 'count', best_before: '0206-09-20' }, 400, 'invalid'],
    ['damaged units that raise the count', CASES, { units: 5, reason: 'damaged' }, 400, 'invalid'],
    ['another number there', CASES, { units: 1, reason: 'count', expected_units: 7 }, 409, 'conflict'],
  ])('%s: refused, and nothing is changed', async (_, sku, body, status, code) => {
    const service = await startCases()
    await count(service, 3)
    const before = await storeroom(service)
    const answer = await service.put(`/storeroom/products/${sku}`, body)
    expect([answer.status, codes(answer.body)[0]]).toEqual([status, code])
    expect(await storeroom(service)).toEqual(before)
  })

  test('dated lots go out oldest first, and what will not be sold before its date is told and not planned', async () => {
    const service = await startCases()
    await count(service, 400, { best_before: '2026-09-20' })
    const { messages, products } = await storeroom(service)
    expect(products[0].lots).toEqual([{ units: 400, best_before: '2026-09-20' }])
    expect(messages).toMatchObject([{ code: 'expires_soon', params: { sku_id: CASES, date: '2026-09-20' } }])
    const { body } = await create(service)
    // Cola sells three a day: in ten days 30, whatever lies there.
    expect(lineOf(body).from_storeroom).toBeLessThanOrEqual(30)
    await count(service, 400, { best_before: '2026-09-01' })
    expect(lineOf((await create(service)).body).from_storeroom).toBeUndefined()
  })

  test('a driver counts and sees no amounts, a viewer reads and writes nothing', async () => {
    const service = await startCases()
    await service.post('/checkout-sessions', {
      id: 'PO-1',
      line_items: [{ item: { id: CASES }, quantity: 1, quantity_unit: { unit: 'BX' } }],
      fulfillment: { methods: [{ type: 'shipping', destinations: [HOME] }] },
    })
    await complete(service, 'PO-1')
    await service.post('/orders/PO-1/receive')
    const keys = Object.fromEntries(
      await Promise.all(
        (['owner', 'driver', 'viewer'] as const).map(async (role) => [role, (await addKey(service, role, role)).key]),
      ),
    )
    expect((await storeroom(service, keys['owner'])).value).toEqual({ amount: 4800, currency: 'CNY' })
    for (const role of ['driver', 'viewer'])
      expect(JSON.stringify(await storeroom(service, keys[role]))).not.toMatch(/value|amount|4800/)
    expect((await count(service, 20, {}, { token: keys['driver'] })).status).toBe(200)
    expect((await count(service, 21, {}, { token: keys['viewer'] })).status).toBe(403)
    expect((await service.get('/storeroom/movements', { token: keys['driver'] })).body.movements[0]).toMatchObject({
      by: { name: 'driver', role: 'driver' },
    })
  })
})

describe('POST /orders/{id}/receive', () => {
  async function startOrdered() {
    const service = await startCases()
    await service.post('/checkout-sessions', {
      id: 'PO-1',
      line_items: [
        { item: { id: CASES }, quantity: 2, quantity_unit: { unit: 'BX' } },
        { item: { id: 'acme-supply:SP2' }, quantity: 10 },
      ],
      fulfillment: { methods: [{ type: 'shipping', destinations: [HOME] }] },
    })
    return service
  }

  test('as confirmed, once', async () => {
    const service = await startOrdered()
    expect((await service.post('/orders/PO-1/receive')).status).toBe(409)
    await complete(service, 'PO-1')
    const { status, body } = await service.post('/orders/PO-1/receive')
    expect([status, body.id, typeof body.received_at, body.run]).toEqual([200, 'PO-1', 'string', undefined])
    expect([await unitsThere(service), await unitsThere(service, 'acme-supply:SP2')]).toEqual([48, 10])
    const canceled = await service.post('/checkout-sessions/PO-1/outcome', { placed: true, canceled: true })
    expect([canceled.status, codes(canceled.body)], 'what came was not canceled').toEqual([409, ['not_editable']])
    const again = await service.post('/orders/PO-1/receive')
    expect([again.status, codes(again.body)]).toEqual([409, ['already_received']])
    expect(await unitsThere(service)).toBe(48)
  })

  test('two receipts and two counts at once: one of each wins, and the book is in some order of them', async () => {
    const service = await startOrdered()
    await complete(service, 'PO-1')
    const statuses = async (calls: readonly Promise<{ readonly status: number }>[]) =>
      (await Promise.all(calls)).map(({ status }) => status).toSorted((a, b) => a - b)
    const receive = () => service.post('/orders/PO-1/receive')
    const countFrom = (units: number) => count(service, units, { expected_units: 0 })
    const [receipts, counts] = await Promise.all([
      statuses([receive(), receive()]),
      statuses([countFrom(5), countFrom(7)]),
    ])
    expect(receipts).toEqual([200, 409])
    // Both counts expect nothing there: none fits once the receipt is booked.
    expect([
      [200, 409],
      [409, 409],
    ]).toContainEqual(counts)
    const units = await unitsThere(service)
    expect(counts[0] === 409 ? [48] : [48 + 5, 48 + 7]).toContain(units)
    const moved = await movements(service)
    expect(moved.reduce((sum: number, { item, units: n }: Json) => sum + (item.id === CASES ? n : 0), 0)).toBe(units)
  })

  test('as counted: products left out count 0, more than confirmed is accepted with a warning', async () => {
    const service = await startOrdered()
    await complete(service, 'PO-1')
    const wrong = await service.post('/orders/PO-1/receive', { delivered: [{ item: { id: COLA }, quantity: 1 }] })
    expect(wrong.status).toBe(400)
    const { body } = await service.post('/orders/PO-1/receive', { delivered: [{ item: { id: CASES }, quantity: 50 }] })
    expect(codes(body)).toEqual(['more_than_ordered'])
    expect([await unitsThere(service), await unitsThere(service, 'acme-supply:SP2')]).toEqual([50, 0])
  })

  test('a purchase of a run, an unknown order', async () => {
    const service = await startCases()
    const body = await bought(service)
    const purchase = body.checkouts[0].id
    expect((await service.get(`/orders/${purchase}`)).body.run).toBe(body.id)
    expect((await service.get('/orders?kind=purchase')).body.orders).toMatchObject([{ id: purchase, run: body.id }])
    expect((await service.post('/orders/PO-9/receive')).status).toBe(404)
    // It comes before anybody drives, one tea short: the stops book only what they load.
    const { line_items: lines } = (await service.get(`/orders/${purchase}`)).body
    const tea = lines.find(({ item }: Json) => item.id === 'acme-supply:SP2').quantity.total
    const delivered = [
      { item: { id: CASES }, quantity: 24 },
      { item: { id: 'acme-supply:SP2' }, quantity: tea - 1 },
    ]
    expect((await service.post(`/orders/${purchase}/receive`, { delivered })).status).toBe(200)
    const needed = lineOf(body).quantity.total
    expect(productOf(await storeroom(service))).toMatchObject({ units: 24, reserved: needed })
    expect((await service.get(`/replenishment/runs/${body.id}/pick-list`)).body.delivery).toBeUndefined()
    expect(codes((await service.post(`/orders/${purchase}/receive`)).body)).toEqual(['already_received'])
    const now = await run(service, body.id)
    expect(lineOf(now, TEA).quantity.total).toBe(tea - 1)
    const { body: done } = await receive(service, body.id, inFull(now))
    expect(done.status).toBe('delivered')
    expect(codes(done)).not.toContain('storeroom_short')
    expect([await unitsThere(service), await unitsThere(service, 'acme-supply:SP2')]).toEqual([24 - needed, 0])
    // The delivery has come, also when the receipt is undone.
    const [{ service_id: id }] = done.visits
    await service.post(`/locations/${MACHINE}/service/${id}/undo`)
    expect([await unitsThere(service), await unitsThere(service, 'acme-supply:SP2')]).toEqual([24, tea - 1])
  })

  test('the emergency stop does not keep goods out', async () => {
    const service = await startOrdered()
    await complete(service, 'PO-1')
    await service.post('/guardrails/stop', { reason: 'test' })
    expect((await service.post('/orders/PO-1/receive')).status).toBe(200)
  })
})

describe('units taken back', () => {
  test('the slot falls and the store room rises; undo takes it back', async () => {
    const service = await startRoute({ config: REAL })
    const returned = [{ slot_id: slotOf(TEA), quantity: 4 }]
    const { body } = await service.post(`/locations/${MACHINE}/service`, { returned })
    expect(body.service.returned).toEqual([{ slot_id: slotOf(TEA), quantity: 4, item: 'acme-supply:SP2' }])
    expect([await stockOf(service, 'G-2'), await unitsThere(service, 'acme-supply:SP2')]).toEqual([5, 4])
    await service.post(`/locations/${MACHINE}/service/${body.service.id}/undo`)
    expect([await stockOf(service, 'G-2'), await unitsThere(service, 'acme-supply:SP2')]).toEqual([9, 0])
  })

  test('more than can have been in the slot: refused until somebody confirms it', async () => {
    const service = await startRoute({ config: REAL })
    const line = { slot_id: slotOf(TEA), quantity: 999 }
    const out = (work: object) => service.post(`/locations/${MACHINE}/service`, work)
    for (const work of [{ returned: [line] }, { removed: [{ ...line, reason: 'expired' }] }]) {
      const { status, body } = await out(work)
      expect([status, body.messages[0].path]).toEqual([400, `$.${Object.keys(work)[0]}[0].quantity`])
      expect(body.messages[0].content).toContain('999 taken out')
    }
    expect([await stockOf(service, 'G-2'), await unitsThere(service, 'acme-supply:SP2')]).toEqual([9, 0])
    expect((await out({ returned: [line], confirm_count: true })).status).toBe(200)
    expect(await unitsThere(service, 'acme-supply:SP2')).toBe(999)
  })

  test('a product without a supplier, or another one: refused', async () => {
    const service = await startRoute({ config: REAL })
    const back = async (returned: object) =>
      (await service.post(`/locations/${MACHINE}/service`, { returned: [returned] })).status
    expect(await back({ slot_id: slotOf('acme-machine:G-3'), quantity: 1 })).toBe(400)
    expect(await back({ slot_id: slotOf(TEA), quantity: 1, item: { id: CASES } })).toBe(400)
    expect(await back({ slot_id: 'M9999-G-1', quantity: 1 })).toBe(400)
    expect(await stockOf(service, 'G-2')).toBe(9)
  })
})

describe('units taken back where several products are linked', () => {
  const link = (service: Service) =>
    service.put(`/skus/${TEA}/aliases`, { aliases: [{ sku_id: CASES }, { sku_id: 'acme-supply:SP2' }] })
  const choices = async (service: Service) =>
    (await service.get(`/replenishment/plan?location=${MACHINE}`)).body.take_backs

  test('the plan of the machine lists them, and the one that is named is booked', async () => {
    const service = await startRoute({ config: REAL })
    expect(await choices(service)).toBeUndefined()
    await link(service)
    const [{ slot_id, items, last_loaded }] = await choices(service)
    expect([slot_id, items.map(({ id }: Json) => id), last_loaded]).toEqual([
      slotOf(TEA),
      [CASES, 'acme-supply:SP2'],
      undefined,
    ])
    expect(items.every(({ id, title }: Json) => title !== '' && title !== id)).toBe(true)
    expect((await service.get('/replenishment/plan')).body.take_backs).toBeUndefined()
    const back = (item?: object) =>
      service.post(`/locations/${MACHINE}/service`, { returned: [{ slot_id, quantity: 2, item }] })
    expect((await back()).status).toBe(400)
    expect((await back({ id: CASES })).status).toBe(200)
    expect([await unitsThere(service), await stockOf(service, 'G-2')]).toEqual([2, 7])
  })

  test('the one of the last delivery is proposed', async () => {
    const service = await startRoute({ config: REAL })
    const run = await bought(service)
    await receive(service, run.id, inFull(run))
    await link(service)
    const line = run.line_items.find(({ slot_id }: Json) => slot_id === slotOf(TEA))
    expect(line?.source?.sku_id, 'the run brings it').toBe('acme-supply:SP2')
    expect((await choices(service))[0].last_loaded).toBe('acme-supply:SP2')
  })
})

describe('STOREROOM=off', () => {
  test('left-overs are told and not kept', async () => {
    const service = await startCases({ config: { ...REAL, hasStoreroom: false } })
    expect((await service.get('/me')).body.storeroom).toBe(false)
    const body = await bought(service)
    expect(body.stays_in_storeroom).toBeUndefined()
    expect(codes(body)).toContain('rounded_up')
    expect(body.totals.map(({ type }: Json) => type)).not.toContain('fee')
    await receive(service, body.id, inFull(body))
    for (const path of ['/storeroom', '/storeroom/movements']) {
      const answer = await service.get(path)
      expect([answer.status, codes(answer.body)]).toEqual([409, ['not_enabled']])
    }
    expect((await count(service, 1)).status).toBe(409)
    const rows = await service.ctx.store.db.selectFrom('storeroom_movement').selectAll().execute()
    expect(rows).toEqual([])
  })
})
