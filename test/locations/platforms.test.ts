/** Several machine platforms side by side: a machine belongs to one, and its stock, prices and sales come from there. */
import { describe, expect, test } from 'vitest'
import { addDays, DAY, HOUR } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { failure, machineSlot, trade } from '../support/scripted-vendors.ts'
import { NOW } from '../support/service.ts'
import { FIRST, SECOND, startTwoPlatforms } from './two-platforms.ts'

const codes = (body: { messages?: { code: string }[] }) => (body.messages ?? []).map(({ code }) => code)

describe('PUT /locations/{id} with a namespace', () => {
  test('without one it is the default platform; with one it is that, and it is shown', async () => {
    const { service } = await startTwoPlatforms()
    const own = await service.put('/locations/M1', { name: 'Hall' })
    expect(own.body.location.namespace).toBe(FIRST)
    const other = await service.put('/locations/M2', { name: 'Lobby', namespace: SECOND })
    expect([other.status, other.body.location.namespace]).toEqual([200, SECOND])
    const { body } = await service.post('/locations/lookup', { ids: ['M1', 'M2'] })
    expect(body.locations.map((each: { namespace: string }) => each.namespace)).toEqual([FIRST, SECOND])
  })

  test('it is fixed at registration: the same again is accepted, another is 409 not_editable, none keeps it', async () => {
    const { service } = await startTwoPlatforms()
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    expect((await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })).status).toBe(200)
    const moved = await service.put('/locations/M1', { name: 'Other', namespace: FIRST })
    expect([moved.status, moved.body.messages[0].code, moved.body.messages[0].path]).toEqual([
      409,
      'not_editable',
      '$.namespace',
    ])
    const kept = await service.put('/locations/M1', { name: 'New name' })
    expect(kept.body.location).toMatchObject({ namespace: SECOND, name: 'New name' })
  })

  test.for<[string, string]>([
    ['unknown-machine', 'invalid'],
    ['acme-supply', 'namespace_mismatch'],
    ['Acme machine', 'invalid'],
  ])('%s is refused as %s', async ([namespace, code]) => {
    const { service } = await startTwoPlatforms()
    const answer = await service.put('/locations/M1', { name: 'Hall', namespace })
    expect([answer.status, answer.body.messages[0].code]).toEqual([400, code])
  })
})

test('ids with a prefix keep machines apart that two platforms call the same', async () => {
  const { service, second } = await startTwoPlatforms()
  second.slotsByMachine['b.M1'] = [machineSlot('G-0001', { stock: 4 })]
  second.trades.push(trade('B1', NOW - HOUR, { locationId: 'b.M1' }))
  await service.put('/locations/M1', { name: 'Hall' })
  await service.put('/locations/b.M1', { name: 'Lobby', namespace: SECOND })
  await service.post('/locations/sync')
  const { plans } = (await service.get('/replenishment/plan')).body
  const shown = plans.map(({ slot_id, stock }: { slot_id: string; stock: number }) => [slot_id, stock])
  expect(shown).toEqual([
    ['M1-G-0001', 3],
    ['b.M1-G-0001', 4],
  ])
  expect((await service.get('/sales/daily?location=b.M1')).body.days).toHaveLength(1)
  expect((await service.get('/sales/daily?location=M1')).body.days).toEqual([])
})

describe('a machine is read from its own platform', () => {
  test('sync, catalog and plan show the stock of the second platform', async () => {
    const { service, first } = await startTwoPlatforms()
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    await service.post('/locations/sync')
    const search = await service.post('/catalog/search', { filters: { namespace: SECOND, location: 'M1' } })
    expect(search.body.products[0].variants[0].inventory.stock).toBe(9)
    const plan = await service.get('/replenishment/plan')
    expect(plan.body.plans).toMatchObject([{ item: { id: `${SECOND}:G-0001` }, stock: 9 }])
    expect(first.script.count('inventory')).toBe(0)
  })

  test('a catalog request for another platform than the machine’s is refused', async () => {
    const { service } = await startTwoPlatforms()
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    const search = await service.post('/catalog/search', { filters: { namespace: FIRST, location: 'M1' } })
    expect([search.status, search.body.messages[0].code]).toEqual([400, 'namespace_mismatch'])
  })

  test('4.6 prices go to the platform of the machine, products of another one are refused', async () => {
    const { service, first, second } = await startTwoPlatforms()
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    const change = (id: string) =>
      service.put('/locations/M1/prices', {
        prices: [{ item: { id }, price: { amount: 260, currency: 'CNY' } }],
        confirm: true,
      })
    expect((await change(`${FIRST}:G-0001`)).body.messages[0].code).toBe('namespace_mismatch')
    expect((await change(`${SECOND}:G-0001`)).body.updated).toHaveLength(1)
    expect([first.script.count('updatePrices'), second.script.count('updatePrices')]).toEqual([0, 1])
  })
})

describe('sales of two platforms with the same machine id and code', () => {
  const sale = (orderNo: string, price: number) =>
    trade(orderNo, NOW - HOUR, {
      locationId: 'M1',
      totalFen: fen(price),
      lines: [{ vendorSku: 'G-0001', priceFen: fen(price), costFen: null, status: 'paid' }],
    })

  test('are not added up: the machine counts those of its own platform', async () => {
    const { service, first, second } = await startTwoPlatforms()
    first.trades.push(sale('A1', 250))
    second.trades.push(sale('B1', 900))
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    const sync = await service.post('/locations/sync')
    expect(sync.body.sales).toBe(1)
    const daily = await service.get('/sales/daily?location=M1')
    expect(daily.body.days).toMatchObject([{ units: 1, revenue: 900 }])
    const orders = await service.get('/orders?location=M1')
    expect(orders.body.orders.map(({ id }: { id: string }) => id)).toEqual(['B1'])
    expect((await service.get('/orders')).body.orders).toHaveLength(2)
    const plan = await service.get('/replenishment/plan')
    expect(plan.body.plans[0].demand.naive_daily_rate).toBe(0)
  })

  test('a machine is not confirmed by the sales of another platform', async () => {
    const { service, first } = await startTwoPlatforms()
    first.trades.push(sale('A1', 250))
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    expect(codes((await service.post('/locations/sync')).body)).toContain('location_unverified')
  })

  test('a platform whose ledger cannot be read keeps the other’s machines readable', async () => {
    const { service, first, second } = await startTwoPlatforms()
    second.trades.push(sale('B1', 900))
    await service.put('/locations/M1', { name: 'Hall', namespace: SECOND })
    await service.put('/locations/M2', { name: 'Lobby' })
    first.script.always('ledger', failure('unknown', 'down'))
    first.script.always('inventory', failure('unknown', 'down'))
    const sync = await service.post('/locations/sync')
    expect([sync.status, codes(sync.body)]).toEqual([200, ['sync_problem', 'sync_problem', 'location_unverified']])
    expect((await service.get('/orders?location=M1')).body.orders).toHaveLength(1)
    expect((await service.get('/orders?location=M2')).status).toBe(502)
    expect((await service.get('/orders/B1')).status).toBe(200)
  })
})

describe('the time zone of a machine', () => {
  /** 23:30 in Shanghai is 10:30 in Chicago; an hour later it is the next day in Shanghai. */
  const EVENING = Date.parse('2026-09-09T23:30:00+08:00')
  const sales = [EVENING, EVENING + HOUR].map((at, i) => trade(`T${i}`, at, { locationId: 'M1' }))
  const days = async (service: Awaited<ReturnType<typeof startTwoPlatforms>>['service']) =>
    (await service.get('/sales/daily?location=M1')).body.days.map(({ day, units }: { day: string; units: number }) => [
      day,
      units,
    ])

  test('is the deployment’s unless stated; stated in the profile it moves the days of its sales', async () => {
    const { service, first } = await startTwoPlatforms()
    first.trades.push(...sales)
    const before = await service.put('/locations/M1', { name: 'Hall' })
    expect(before.body.location.timezone).toBe('Asia/Shanghai')
    await service.post('/locations/sync')
    expect(await days(service)).toEqual([
      ['2026-09-09', 1],
      ['2026-09-10', 1],
    ])
    const after = await service.put('/locations/M1', { name: 'Hall', profile: { time_zone: 'America/Chicago' } })
    expect(after.body.location.timezone).toBe('America/Chicago')
    expect(await days(service)).toEqual([['2026-09-09', 2]])
    await service.put('/locations/M1', { name: 'Hall', profile: {} })
    expect(await days(service)).toHaveLength(2)
  })

  test('is taken from the platform’s list at registration, and by a sync when the list was not there', async () => {
    const { service, first, second } = await startTwoPlatforms()
    first.trades.push(...sales)
    first.roster.push({ id: 'M1', name: 'Hall', timeZone: 'America/Chicago' })
    const { body } = await service.put('/locations/M1', { name: 'Hall' })
    expect(body.location.timezone).toBe('America/Chicago')
    await service.post('/locations/sync')
    expect(await days(service)).toEqual([['2026-09-09', 2]])

    second.roster.push({ id: 'M2', name: 'Lobby', timeZone: 'Europe/Berlin' })
    second.script.next('locations', { instead: failure('unknown', 'down') })
    const late = await service.put('/locations/M2', { name: 'Lobby', namespace: SECOND })
    expect([late.status, late.body.location.timezone]).toEqual([200, 'Asia/Shanghai'])
    await service.post('/locations/sync')
    const found = await service.post('/locations/lookup', { ids: ['M2'] })
    expect(found.body.locations[0].timezone).toBe('Europe/Berlin')
  })

  test.each([
    ['23 hours, when summer time begins', '2027-03-14', '2027-03-14T06:00:00Z', '2027-03-15T05:00:00Z'],
    ['25 hours, when it ends', '2026-11-01', '2026-11-01T05:00:00Z', '2026-11-02T06:00:00Z'],
  ])('a day of %s, holds the sales between its two midnights', async (_, day, begins, ends) => {
    const [from, to] = [Date.parse(begins), Date.parse(ends)]
    const { service, first, clock } = await startTwoPlatforms()
    clock.set(to + HOUR)
    // In the hour around the change as well, which comes twice or not at all.
    const times = [from - 1_000, from, from + HOUR, from + 2 * HOUR, from + 3 * HOUR, to - 1_000, to]
    first.trades.push(...times.map((at, i) => trade(`T${i}`, at, { locationId: 'M1' })))
    await service.put('/locations/M1', { name: 'Hall', profile: { time_zone: 'America/Chicago' } })
    await service.post('/locations/sync')
    expect(await days(service)).toEqual([
      [addDays(day, -1), 1],
      [day, 5],
      [addDays(day, 1), 1],
    ])
  })

  test('an unknown zone is refused', async () => {
    const { service } = await startTwoPlatforms()
    const answer = await service.put('/locations/M1', { name: 'Hall', profile: { time_zone: 'Mars/Olympus' } })
    expect([answer.status, answer.body.messages[0].path]).toEqual([400, '$.profile.time_zone'])
  })

  test('the plan counts its demand by its own days', async () => {
    const { service, first } = await startTwoPlatforms()
    // Yesterday in Shanghai, but still today in Chicago, and today does not count yet.
    first.trades.push(trade('T1', EVENING, { locationId: 'M1' }))
    await service.put('/locations/M1', { name: 'Hall' })
    await service.post('/locations/sync')
    const rate = async () => (await service.get('/replenishment/plan')).body.plans[0].demand.naive_daily_rate
    expect(await rate()).toBeGreaterThan(0)
    await service.put('/locations/M1', { name: 'Hall', profile: { time_zone: 'America/Chicago' } })
    expect(await rate()).toBe(0)
  })
})

describe('the health of a machine', () => {
  test('is read by a sync and shown without asking the platform', async () => {
    const { service, first } = await startTwoPlatforms()
    first.health.set('M1', { online: false, lastSeenAt: NOW - DAY, problems: ['Bill acceptor jammed'] })
    const { body } = await service.put('/locations/M1', { name: 'Hall' })
    expect(body.location.health).toBeUndefined()
    await service.post('/locations/sync')
    const calls = first.script.count('health')
    const found = await service.post('/locations/lookup', { ids: ['M1'] })
    expect(found.body.locations[0]).toMatchObject({
      online: false,
      health: {
        online: false,
        last_seen_at: '2026-09-09T08:00:00.000+08:00',
        problems: ['Bill acceptor jammed'],
        checked_at: '2026-09-10T08:00:00.000+08:00',
      },
    })
    expect(first.script.count('health')).toBe(calls)
  })

  test('a platform that does not say whether a machine is online leaves it open', async () => {
    const { service, first } = await startTwoPlatforms()
    first.health.set('M1', { online: null, lastSeenAt: NOW, problems: [] })
    await service.put('/locations/M1', { name: 'Hall' })
    await service.post('/locations/sync')
    const { body } = await service.post('/locations/lookup', { ids: ['M1'] })
    expect(body.locations[0].health).toMatchObject({ online: null })
    expect(body.locations[0]).not.toHaveProperty('online')
  })

  test('stays as it was while the platform does not answer, and no sync fails for it', async () => {
    const { service, first } = await startTwoPlatforms()
    first.health.set('M1', { online: true, lastSeenAt: NOW, problems: [] })
    await service.put('/locations/M1', { name: 'Hall' })
    await service.post('/locations/sync')
    first.script.always('health', failure('unknown', 'down'))
    service.clock.advance(HOUR)
    expect((await service.post('/locations/sync')).status).toBe(200)
    const found = await service.post('/locations/lookup', { ids: ['M1'] })
    expect(found.body.locations[0].health).toMatchObject({ online: true, checked_at: '2026-09-10T08:00:00.000+08:00' })
  })
})

describe('sales that a platform does not list', () => {
  test('demand counts from the first known day, with history_truncated where it is shown', async () => {
    const { service, first } = await startTwoPlatforms()
    const from = NOW - 5 * DAY
    first.slotsByMachine['M1'] = [machineSlot('G-0001', { stock: 3 })]
    first.completeFrom['M1'] = from
    for (let i = 0; i < 5; i += 1) first.trades.push(trade(`T${i}`, NOW - i * DAY - HOUR, { locationId: 'M1' }))
    await service.put('/locations/M1', { name: 'Hall' })
    await service.post('/locations/sync')
    const plan = await service.get('/replenishment/plan')
    const { demand } = plan.body.plans[0]
    expect([codes(plan.body), demand.naive_daily_rate, demand.available_days]).toEqual([['history_truncated'], 1, 4])
    expect(codes((await service.get('/sales/daily?location=M1')).body)).toEqual(['history_truncated'])
    expect(codes((await service.get('/orders?location=M1')).body)).toEqual(['history_truncated'])
    // Days since then are complete.
    expect(codes((await service.get('/sales/daily?location=M1&from=2026-09-08')).body)).toEqual([])
  })

  test('a later listing that reaches back to a known sale loses nothing; one that does not, does', async () => {
    const { service, first } = await startTwoPlatforms()
    const since = async () =>
      (await service.get('/orders?location=M1')).body.messages?.map(
        ({ params }: { params: { since: string } }) => params.since,
      )
    first.completeFrom['M1'] = NOW - 9 * DAY
    first.trades.push(trade('T1', NOW - HOUR, { locationId: 'M1' }))
    await service.put('/locations/M1', { name: 'Hall' })
    await service.post('/locations/sync')
    first.completeFrom['M1'] = NOW - HOUR
    service.clock.advance(HOUR)
    expect(await since()).toEqual(['2026-09-01T08:00:00.000+08:00'])
    first.completeFrom['M1'] = NOW + HOUR
    service.clock.advance(2 * HOUR)
    expect(await since()).toEqual(['2026-09-10T09:00:00.000+08:00'])
  })

  test('a machine without a listed sale is not unverified while its sales are unknown', async () => {
    const { service, first } = await startTwoPlatforms()
    first.completeFrom['M1'] = NOW - DAY
    await service.put('/locations/M1', { name: 'Hall' })
    await service.post('/locations/sync')
    const { body } = await service.post('/locations/lookup', { ids: ['M1'] })
    expect([body.locations[0].online, body.locations[0].messages]).toEqual([true, undefined])
  })
})
