import { describe, expect, test } from 'vitest'
import { HOUR } from '../../src/kernel/clock.ts'
import type { Json, Service } from '../support/service.ts'
import {
  ADDRESS,
  codes,
  complete,
  create,
  get,
  line,
  OFF_SHELF,
  SHIPPING,
  start,
  supplier,
  TEA,
  WATER,
} from './support.ts'

const methodOf = (session: Json): Json => session.fulfillment.methods[0]
const paths = (session: Json) => session.messages.map(({ code, path }: Json) => `${code} ${path}`)

describe('shipping', () => {
  test('a single address and the single option are selected; ids are made and kept', async () => {
    const service = await start()
    const address = { ...ADDRESS, address_region: '华东' }
    const { body } = await create(service, {
      fulfillment: { methods: [{ type: 'shipping', destinations: [address] }] },
    })
    expect(methodOf(body)).toMatchObject({
      id: 'method_1',
      type: 'shipping',
      line_item_ids: ['li_1'],
      destinations: [{ id: 'dest_1', type: 'shipping_address', ...address }],
      selected_destination_id: 'dest_1',
      groups: [
        {
          id: 'group_1',
          line_item_ids: ['li_1'],
          options: [{ id: 'standard', title: 'Delivery by the supplier', totals: [{ type: 'total', amount: 0 }] }],
          selected_option_id: 'standard',
        },
      ],
    })
    const echoed = await service.put(`/checkout-sessions/${body.id}`, { fulfillment: body.fulfillment })
    expect(echoed.body).toEqual(body)
    expect((await complete(service, body.id)).body.status).toBe('completed')
    expect(service.supply.orders.get(body.id)?.fulfillment).toMatchObject({ address: '华东 上海市 世纪大道 100 号' })
  })

  test('several addresses and none selected: missing at selected_destination_id', async () => {
    const service = await start()
    const destinations = [{ id: 'home', ...ADDRESS }, ADDRESS]
    const { body } = await create(service, { fulfillment: { methods: [{ type: 'shipping', destinations }] } })
    expect([body.status, paths(body)]).toEqual([
      'incomplete',
      ['missing $.fulfillment.methods[0].selected_destination_id'],
    ])
    expect(methodOf(body).destinations.map(({ id }: Json) => id)).toEqual(['home', 'dest_1'])
    const chosen = await service.put(`/checkout-sessions/${body.id}`, {
      fulfillment: { methods: [{ type: 'shipping', destinations, selected_destination_id: 'home' }] },
    })
    expect([chosen.body.status, methodOf(chosen.body).selected_destination_id]).toEqual(['ready_for_complete', 'home'])
  })

  test('no address: none is invented', async () => {
    const { body } = await create(await start(), { fulfillment: { methods: [{ type: 'shipping' }] } })
    expect(methodOf(body).destinations).toEqual([])
    expect(paths(body)).toEqual(['missing $.fulfillment.methods[0].destinations'])
  })

  test("line_item_ids: absent or ['*'] are all lines, the answer lists the real ids; a gap is missing", async () => {
    const service = await start()
    const line_items = [
      { id: 'a', ...line(WATER) },
      { id: 'b', ...line(TEA) },
    ]
    const sent = async (line_item_ids: string[]) =>
      (await create(service, { line_items, fulfillment: { methods: [{ ...SHIPPING.methods[0], line_item_ids }] } }))
        .body
    expect(methodOf(await sent(['*'])).line_item_ids).toEqual(['a', 'b'])
    expect(methodOf(await sent(['b', 'a'])).line_item_ids).toEqual(['a', 'b'])
    const partly = await sent(['a'])
    expect([partly.status, paths(partly)[0]]).toEqual(['incomplete', 'missing $.fulfillment.methods[0].line_item_ids'])
    expect(codes(await sent(['nope']))).toEqual(['invalid'])
  })

  test('line_item_ids may name a line that is not for sale: it is left out, and the others are covered', async () => {
    const line_items = [
      { id: 'gone', ...line(OFF_SHELF) },
      { id: 'b', ...line(TEA) },
    ]
    const methods = [{ ...SHIPPING.methods[0], line_item_ids: ['gone', 'b'] }]
    const { status, body } = await create(await start(), { line_items, fulfillment: { methods } })
    expect([status, body.status, codes(body)]).toEqual([201, 'incomplete', ['item_unavailable']])
    expect(methodOf(body).line_item_ids).toEqual(['b'])
  })

  test('line_item_ids never name a line that is no longer there', async () => {
    const service = await start()
    const line_items = [
      { id: 'a', ...line(WATER) },
      { id: 'b', ...line(TEA) },
    ]
    const methods = [{ ...SHIPPING.methods[0], line_item_ids: ['a'] }]
    const { body } = await create(service, { line_items, fulfillment: { methods } })
    const put = (id: string) =>
      service.put(`/checkout-sessions/${body.id}`, { line_items: [{ id, ...line(TEA) }, line(WATER)] })
    const updated = (await put('a')).body
    expect([methodOf(updated).line_item_ids, methodOf(updated).groups[0].line_item_ids]).toEqual([['a'], ['a']])
    const replaced = (await put('c')).body
    expect(methodOf(replaced).line_item_ids).toEqual([])
    expect(paths(replaced)).toContain('missing $.fulfillment.methods[0].line_item_ids')
  })

  test('one order goes one way: a second method, a second group or a repeated id is invalid', async () => {
    const service = await start()
    const [method] = SHIPPING.methods
    const tries: [object[], string][] = [
      [[method, method], '$.fulfillment.methods[1]'],
      [[{ ...method, groups: [{}, {}] }], '$.fulfillment.methods[0].groups[1]'],
      [
        [
          {
            ...method,
            destinations: [
              { id: 'x', ...ADDRESS },
              { id: 'x', ...ADDRESS },
            ],
          },
        ],
        '$.fulfillment.methods[0].destinations[1].id',
      ],
    ] as never
    for (const [methods, path] of tries) {
      const { status, body } = await create(service, { fulfillment: { methods } })
      expect([status, body.messages[0].path]).toEqual([400, path])
    }
  })
})

describe('pickup', () => {
  const pickup = (more: object = {}) => ({ fulfillment: { methods: [{ type: 'pickup', ...more }] } })

  test('4.4 rule 5: sites and slots are offered by the service; what the caller sends as sites is ignored', async () => {
    const { body } = await create(
      await start(),
      pickup({ destinations: [{ id: 'site:EVIL', street_address: 'mine' }] }),
    )
    const method = methodOf(body)
    expect(method.destinations).toEqual([
      {
        id: 'site:S01',
        type: 'business_location',
        name: '浦东自提仓',
        street_address: '上海市浦东新区川沙路 1200 号',
        address: { street_address: '上海市浦东新区川沙路 1200 号' },
      },
      { id: 'site:S02', type: 'business_location', name: 'S02', address: {} },
    ])
    const [first] = method.groups[0].options
    expect(first).toEqual({
      id: 'slot_20260910_0900',
      title: 'Pickup 2026-09-10 09:00',
      totals: [{ type: 'total', amount: 0 }],
      fulfillable_on: '2026-09-10T09:00:00.000+08:00',
      earliest_fulfillment_time: '2026-09-10T09:00:00.000+08:00',
    })
    expect(method.groups[0].options).toHaveLength(63)
    expect([body.status, paths(body)]).toEqual([
      'incomplete',
      [
        'missing $.fulfillment.methods[0].selected_destination_id',
        'missing $.fulfillment.methods[0].groups[0].selected_option_id',
      ],
    ])
  })

  const chosen = pickup({ selected_destination_id: 'site:S01', groups: [{ selected_option_id: 'slot_20260911_1000' }] })

  test('site and slot are handed to the supplier and shown in the order', async () => {
    const service = await start()
    const { body } = await create(service, chosen)
    expect(body.status).toBe('ready_for_complete')
    const done = await complete(service, body.id)
    expect(methodOf(done.body).groups[0].options.map(({ id }: Json) => id)).toEqual(['slot_20260911_1000'])
    expect(service.supply.orders.get(body.id)?.fulfillment).toEqual({
      method: 'pickup',
      siteId: 'S01',
      pickupAt: Date.parse('2026-09-11T10:00:00+08:00'),
    })
    const order = (await service.get(`/orders/${body.id}`)).body
    expect(order.fulfillment.expectations).toMatchObject([
      {
        method_type: 'pickup',
        description: 'Pickup 2026-09-11 10:00',
        fulfillable_on: '2026-09-11T10:00:00.000+08:00',
        destination: { street_address: '上海市浦东新区川沙路 1200 号' },
      },
    ])
  })

  test('an unknown selection on creation: invalid at its path, nothing is put in its place', async () => {
    const supply = supplier()
    supply.sites.length = 1
    const { status, body } = await create(
      await start({ supply }),
      pickup({ selected_destination_id: 'site:S99', groups: [{ selected_option_id: 'never' }] }),
    )
    expect([status, body.status, paths(body)]).toEqual([
      201,
      'incomplete',
      [
        'invalid $.fulfillment.methods[0].selected_destination_id',
        'invalid $.fulfillment.methods[0].groups[0].selected_option_id',
      ],
    ])
    expect([methodOf(body).selected_destination_id, methodOf(body).groups[0].selected_option_id]).toEqual([null, null])
  })

  test('an unknown selection on PUT: 200, the session unchanged, invalid at its path', async () => {
    const service = await start()
    const { body } = await create(service, chosen)
    const wrong = await service.put(`/checkout-sessions/${body.id}`, {
      line_items: [line(TEA)],
      ...pickup({ selected_destination_id: 'site:S99', groups: [{ selected_option_id: 'slot_20260911_1000' }] }),
    })
    expect(wrong.status).toBe(200)
    expect(wrong.body).toEqual({ ...body, messages: wrong.body.messages })
    expect(wrong.body.messages).toMatchObject([
      { code: 'invalid', severity: 'recoverable', path: '$.fulfillment.methods[0].selected_destination_id' },
    ])
    expect(await get(service, body.id)).toEqual(body)
  })

  test('a slot that has passed is not ordered: it has to be chosen again', async () => {
    const service = await start()
    const { body } = await create(
      service,
      pickup({ selected_destination_id: 'site:S01', groups: [{ selected_option_id: 'slot_20260910_0900' }] }),
    )
    service.clock.advance(2 * HOUR)
    const late = await complete(service, body.id)
    expect([late.status, late.body.status, paths(late.body)]).toEqual([
      200,
      'incomplete',
      ['missing $.fulfillment.methods[0].groups[0].selected_option_id'],
    ])
    expect(service.supply.orders.size).toBe(0)
    const [event] = await service.events('checkout')
    expect([event.code, event.reasoning]).toEqual([
      'purchase_reassessed',
      expect.stringContaining('The selection is no longer available; choose again.'),
    ])
  })

  test.each(['GET', 'list', 'list of the incomplete', 'PUT'])(
    'a slot that has passed: %s reads incomplete at once, with the message',
    async (read) => {
      const service = await start()
      const { body } = await create(
        service,
        pickup({ selected_destination_id: 'site:S01', groups: [{ selected_option_id: 'slot_20260910_0900' }] }),
      )
      service.clock.advance(HOUR - 1)
      expect((await get(service, body.id)).status).toBe('ready_for_complete')
      service.clock.advance(1)
      const listed = async (query: string) => (await service.get(`/checkout-sessions${query}`)).body.checkouts[0]
      const late =
        read === 'GET'
          ? await get(service, body.id)
          : read === 'PUT'
            ? (await service.put(`/checkout-sessions/${body.id}`, {})).body
            : await listed(read === 'list' ? '' : '?status=incomplete')
      expect([late.status, paths(late), methodOf(late).groups[0].selected_option_id]).toEqual([
        'incomplete',
        expect.arrayContaining(['missing $.fulfillment.methods[0].groups[0].selected_option_id']),
        null,
      ])
      const next = await service.put(`/checkout-sessions/${body.id}`, {
        fulfillment: { methods: [{ type: 'pickup', groups: [{ selected_option_id: 'slot_20260910_1100' }] }] },
      })
      expect(next.body.status).toBe('ready_for_complete')
      expect((await complete(service, body.id)).body.status).toBe('completed')
    },
  )

  test('a site that closed is not replaced by the one that is left', async () => {
    const service = await start()
    const { body } = await create(service, chosen)
    service.supply.sites.shift()
    const gone = await complete(service, body.id)
    expect([gone.body.status, methodOf(gone.body).selected_destination_id]).toEqual(['incomplete', null])
    expect(service.supply.orders.size).toBe(0)
  })

  test('a supplier without sites has no pickup', async () => {
    const supply = supplier()
    supply.sites.length = 0
    const { body } = await create(
      await start({ supply }),
      pickup({ groups: [{ selected_option_id: 'slot_20260911_1000' }] }),
    )
    expect([body.status, paths(body)]).toEqual(['incomplete', ['missing $.fulfillment.methods[0].destinations']])
  })

  test('hours and zone come from the configuration', async () => {
    const service = await start({ config: { timeZone: 'Europe/Berlin', pickupHours: { from: 7, to: 8 } } })
    const options = methodOf((await create(service, pickup())).body).groups[0].options
    expect(options).toHaveLength(7)
    expect(options[0].fulfillable_on).toBe('2026-09-10T07:00:00.000+02:00')
  })
})

describe('PUT merges a method: it keeps what its request leaves out', () => {
  const put = (service: Service, id: string, method: object) =>
    service.put(`/checkout-sessions/${id}`, { fulfillment: { methods: [method] } })
  const selections = (session: Json) => [
    methodOf(session).selected_destination_id,
    methodOf(session).groups[0].selected_option_id,
  ]
  const SLOT = 'slot_20260911_1000'

  test('pickup in two steps, the site and then the slot, each with the ids of the last answer', async () => {
    const service = await start()
    const { body } = await create(service, { fulfillment: { methods: [{ type: 'pickup' }] } })
    const { id, line_item_ids, groups } = methodOf(body)
    const site = await put(service, body.id, { id, line_item_ids, selected_destination_id: 'site:S02' })
    expect([site.status, site.body.status, selections(site.body)]).toEqual([200, 'incomplete', ['site:S02', null]])
    const chosen = [{ id: groups[0].id, selected_option_id: SLOT }]
    const slot = await put(service, body.id, { id, line_item_ids, groups: chosen })
    expect([slot.body.status, selections(slot.body)]).toEqual(['ready_for_complete', ['site:S02', SLOT]])
    const moved = await put(service, body.id, { id, type: 'pickup', selected_destination_id: 'site:S01' })
    expect([moved.body.status, selections(moved.body)]).toEqual(['ready_for_complete', ['site:S01', SLOT]])
    await complete(service, body.id)
    expect(service.supply.orders.get(body.id)?.fulfillment).toMatchObject({ method: 'pickup', siteId: 'S01' })
  })

  test('shipping in two steps, the address and then the option, as the official update example does', async () => {
    const service = await start()
    const { body } = await create(service, { fulfillment: undefined })
    const address = await put(service, body.id, {
      type: 'shipping',
      destinations: [{ id: 'home', ...ADDRESS }, ADDRESS],
    })
    expect([address.body.status, selections(address.body)]).toEqual(['incomplete', [null, 'standard']])
    const { id, line_item_ids, groups } = methodOf(address.body)
    const where = await put(service, body.id, { id, line_item_ids, selected_destination_id: 'home' })
    expect([where.body.status, selections(where.body)]).toEqual(['ready_for_complete', ['home', 'standard']])
    const update = {
      id: body.id,
      buyer: { first_name: 'Wei', email: 'wei@example.com' },
      line_items: [{ id: 'li_1', item: { id: WATER, title: 'Water', price: 1 }, quantity: 2 }],
      fulfillment: {
        methods: [{ id, line_item_ids, groups: [{ id: groups[0].id, selected_option_id: 'standard' }] }],
      },
    }
    const option = await service.put(`/checkout-sessions/${body.id}`, update)
    expect([option.status, option.body.status]).toEqual([200, 'ready_for_complete'])
    expect(methodOf(option.body)).toEqual(methodOf(where.body))
  })

  test('null or an empty list clears; what there is only one of is selected again', async () => {
    const service = await start()
    const pickup = { type: 'pickup', selected_destination_id: 'site:S01', groups: [{ selected_option_id: SLOT }] }
    const { body } = await create(service, { fulfillment: { methods: [pickup] } })
    const after = async (change: object) => {
      await put(service, body.id, pickup)
      return selections((await put(service, body.id, change)).body)
    }
    expect(await after({ selected_destination_id: null })).toEqual([null, SLOT])
    expect(await after({ groups: [] })).toEqual(['site:S01', null])
    expect(await after({ groups: null })).toEqual(['site:S01', null])
    expect(await after({ groups: [{ selected_option_id: null }] })).toEqual(['site:S01', null])
    expect(await after({ groups: [{}] })).toEqual(['site:S01', SLOT])
    const shipped = (await put(service, body.id, SHIPPING.methods[0] ?? {})).body
    expect(selections(shipped)).toEqual(['dest_1', 'standard'])
    for (const destinations of [[], null]) {
      const { body: cleared } = await put(service, body.id, { destinations })
      expect([cleared.status, methodOf(cleared).type, methodOf(cleared).destinations]).toEqual([
        'incomplete',
        'shipping',
        [],
      ])
    }
  })

  test('another type starts afresh: addresses mean nothing to pickup, sites nothing to shipping', async () => {
    const service = await start()
    const { body } = await create(service)
    const { body: pickup } = await put(service, body.id, { type: 'pickup' })
    expect([methodOf(pickup).id, selections(pickup)]).toEqual(['method_1', [null, null]])
    const { body: shipping } = await put(service, body.id, { type: 'shipping' })
    expect([methodOf(shipping).destinations, shipping.status]).toEqual([[], 'incomplete'])
  })

  test('another id is another method: nothing is kept, and it needs a type', async () => {
    const service = await start()
    const { body } = await create(service)
    const untyped = await put(service, body.id, { id: 'other', groups: [{ selected_option_id: 'standard' }] })
    expect([untyped.status, untyped.body.messages]).toMatchObject([
      400,
      [{ code: 'missing', path: '$.fulfillment.methods[0].type' }],
    ])
    const { body: replaced } = await put(service, body.id, { id: 'other', type: 'shipping' })
    expect([methodOf(replaced).id, methodOf(replaced).destinations]).toEqual(['other', []])
    expect((await create(service, { fulfillment: { methods: [{}] } })).status).toBe(400)
  })

  test('a selection ends with the addresses it was made among, unless one of them carries its id', async () => {
    const service = await start()
    const { body } = await create(service)
    const elsewhere = { ...ADDRESS, street_address: 'elsewhere' }
    const { body: several } = await put(service, body.id, { destinations: [elsewhere, ADDRESS] })
    expect([several.status, paths(several)]).toEqual([
      'incomplete',
      ['missing $.fulfillment.methods[0].selected_destination_id'],
    ])
    await put(service, body.id, { destinations: [{ id: 'home', ...ADDRESS }], selected_destination_id: 'home' })
    const { body: updated } = await put(service, body.id, { destinations: [elsewhere, { id: 'home', ...ADDRESS }] })
    expect([updated.status, selections(updated)[0]]).toEqual(['ready_for_complete', 'home'])
  })

  test('a slot that has passed is missing, and not a mistake of a request that selects the site', async () => {
    const service = await start()
    const soon = { type: 'pickup', groups: [{ selected_option_id: 'slot_20260910_0900' }] }
    const { body } = await create(service, { fulfillment: { methods: [soon] } })
    service.clock.advance(2 * HOUR)
    const { body: site } = await put(service, body.id, { selected_destination_id: 'site:S01' })
    expect([selections(site), paths(site)]).toEqual([
      ['site:S01', null],
      ['missing $.fulfillment.methods[0].groups[0].selected_option_id'],
    ])
  })

  test('a line left uncovered stays uncovered until line_item_ids are sent', async () => {
    const service = await start()
    const line_items = [
      { id: 'a', ...line(WATER) },
      { id: 'b', ...line(TEA) },
    ]
    const methods = [{ ...SHIPPING.methods[0], line_item_ids: ['a'] }]
    const { body } = await create(service, { line_items, fulfillment: { methods } })
    expect((await put(service, body.id, { groups: [] })).body.status).toBe('incomplete')
    expect((await put(service, body.id, { line_item_ids: ['*'] })).body.status).toBe('ready_for_complete')
  })
})
