import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { slotsOf } from './slots.ts'
import { skuContext } from '../../src/route/skus/context.ts'
import { MACHINES_AT_ONCE, syncLocations } from '../../src/route/locations/sync/sync.ts'
import { DAY, HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { waitForLease } from '../../src/store/lease.ts'
import type { MachineVendor } from '../../src/vendors/machine-vendor.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { failure, machineSlot, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const codes = (body: Json): string[] => (body.messages ?? []).map(({ code }: { code: string }) => code)

async function route(machines: readonly string[], machine = scriptedMachine()) {
  for (const id of machines) {
    machine.slotsByMachine[id] ??= [machineSlot('G-0001'), machineSlot('G-0002', { stock: 0 })]
    machine.trades.push(trade(`T-${id}`, NOW - HOUR, { locationId: id }))
  }
  const service = await startService({ machine })
  for (const id of machines) await service.put(`/locations/${id}`, { name: `at ${id}` })
  return service
}

const sync = (service: Service, body: unknown = {}) => service.post('/locations/sync', body)
const stocks = async (service: Service, id: string) =>
  (await slotsOf(service.ctx.store.db, id)).map(({ vendorSku, stock }) => `${vendorSku} ${stock}`)

/** One machine gets this answer, the others answer normally. */
function only(
  machine: ReturnType<typeof scriptedMachine>,
  id: string,
  answer: ReturnType<typeof failure>,
): MachineVendor {
  return {
    ...machine.vendor,
    inventory: (asked) => (asked === id ? Promise.resolve(answer) : machine.vendor.inventory(asked)),
  }
}

describe('4.3 POST /locations/sync', () => {
  test('pulls inventory and sales of every registered machine and counts them', async () => {
    const service = await route(['M1001', 'M1002'])
    service.machine.slotsByMachine['M1002']?.push(machineSlot('G-0003'))
    const { status, body } = await service.post('/locations/sync')
    expect(status).toBe(200)
    expect(body).toMatchObject({ locations: 2, products: 3, slots: 5, sales: 2 })
    expect(body).not.toHaveProperty('messages')
    expect(await service.events('sync')).toMatchObject([
      {
        code: 'sync_completed',
        summary: 'Stock and sales read: 2 machines (route total: 5 slots, 3 products, 2 sales in 30 days)',
        reasoning: 'All 2 answered.',
      },
    ])
  })

  test('replaces products and slots wholesale, and keeps operator slot locks', async () => {
    const service = await route(['M1001'])
    await sync(service)
    await service.put('/locations/M1001/slots/M1001-G-0001', { locked: true })
    await service.put('/locations/M1001/slots/M1001-G-0002', { locked: true })
    service.machine.slotsByMachine['M1001'] = [
      machineSlot('G-0002', { stock: 3, title: 'new name', priceFen: fen(300) }),
    ]
    service.clock.advance(HOUR)
    expect((await sync(service)).body).toMatchObject({ products: 1, slots: 1 })
    expect(await slotsOf(service.ctx.store.db, 'M1001')).toMatchObject([
      { vendorSku: 'G-0002', title: 'new name', price: 300, stock: 3, locked: true, firstSeenAt: NOW },
    ])
    // A product that comes back still has its lock.
    service.machine.slotsByMachine['M1001'] = [machineSlot('G-0001')]
    await sync(service)
    expect(await slotsOf(service.ctx.store.db, 'M1001')).toMatchObject([{ vendorSku: 'G-0001', locked: true }])
  })

  test('a machine that fails is a sync_problem and keeps its old data; the others are synced', async () => {
    const machine = scriptedMachine()
    const first = await route(['M1001', 'M1002'], machine)
    await sync(first)
    for (const id of ['M1001', 'M1002']) machine.slotsByMachine[id] = [machineSlot('G-0001', { stock: 1 })]
    const service = await startService({
      store: first.ctx.store,
      now: NOW + HOUR,
      entries: [
        registerLive('acme-machine' as Namespace, only(machine, 'M1002', failure('rejected', 'DEVICE_OFFLINE'))),
      ],
    })
    const { status, body } = await sync(service)
    expect([status, codes(body)]).toEqual([200, ['sync_problem']])
    expect(body.messages[0].content).toBe('at M1002 (M1002) could not be read: DEVICE_OFFLINE')
    expect(await stocks(service, 'M1001')).toEqual(['G-0001 1'])
    expect(await stocks(service, 'M1002')).toEqual(['G-0001 7', 'G-0002 0'])
    const { locations } = (await service.post('/locations/lookup', { ids: ['M1001', 'M1002'] })).body
    expect(locations).toMatchObject([
      { online: true, last_synced_at: '2026-09-10T09:00:00.000+08:00' },
      { online: false, last_synced_at: '2026-09-10T08:00:00.000+08:00' },
    ])
    expect((await service.events('sync'))[0].summary).toContain('Stock and sales read: 1 of 2 machines')
  })

  test('an inventory that is suddenly empty is not believed', async () => {
    const service = await route(['M1001'])
    await sync(service)
    service.machine.slotsByMachine['M1001'] = []
    const { body } = await sync(service)
    expect(codes(body)).toEqual(['sync_problem'])
    expect(body).toMatchObject({ locations: 1, slots: 2 })
    expect(await stocks(service, 'M1001')).toEqual(['G-0001 7', 'G-0002 0'])
  })

  test('a machine without sales is location_unverified', async () => {
    const service = await route(['M1001'])
    service.machine.slotsByMachine['GHOST'] = [machineSlot('G-0001')]
    await service.put('/locations/GHOST', { name: 'nowhere' })
    const { body } = await sync(service)
    expect(codes(body)).toEqual(['location_unverified'])
    expect(body.messages[0].params).toEqual({ machine: 'GHOST', name: 'nowhere', days: 30 })
  })

  test('4.2 a machine that last sold before the sync window is location_unverified again', async () => {
    const service = await route(['M1001'])
    service.machine.trades.splice(0, Infinity, trade('T-old', NOW - 25 * DAY, { locationId: 'M1001' }))
    expect(codes((await sync(service)).body)).toEqual([])
    expect(codes((await sync(service, { sales_window_days: 21 })).body)).toEqual(['location_unverified'])
    const slots = { filters: { namespace: 'acme-machine', location: 'M1001' } }
    expect(codes((await service.post('/catalog/search', slots)).body)).toEqual([])
    service.clock.advance(6 * DAY)
    expect(codes((await service.post('/catalog/search', slots)).body)).toEqual(['location_unverified'])
  })

  test('5.3 an upstream that refuses our credentials is 401, never an empty inventory, and an event', async () => {
    const service = await route(['M1001', 'M1002'])
    await sync(service)
    service.machine.script.always('inventory', failure('unauthorized', 'bad secret'))
    service.machine.script.always('ledger', failure('unauthorized', 'bad secret'))
    const { status, body } = await sync(service)
    expect([status, codes(body)]).toEqual([401, ['unauthorized']])
    expect(await stocks(service, 'M1001')).toEqual(['G-0001 7', 'G-0002 0'])
    expect((await service.events('sync'))[0].summary).toMatch(
      /^Stock and sales could not be read: .*acme-machine.*bad secret$/,
    )
  })

  test('a platform that does not answer at all is 502; one whose ledger fails alone is a sync_problem', async () => {
    const service = await route(['M1001'])
    service.machine.script.always('ledger', failure('unknown', 'gateway'))
    const partly = await sync(service)
    expect([partly.status, codes(partly.body)]).toEqual([200, ['sync_problem', 'location_unverified']])
    expect(partly.body.slots).toBe(2)
    service.machine.script.always('inventory', failure('unknown', 'gateway'))
    const down = await sync(service)
    expect([down.status, codes(down.body)]).toEqual([502, ['upstream_unreachable']])
    expect((await service.events('sync'))[0].summary).toBe('Stock and sales could not be read: gateway')
    service.machine.script.always('ledger', undefined)
    expect([(await sync(service)).status, codes((await sync(service)).body)]).toEqual([200, ['sync_problem']])
  })

  test('a platform that is only planned is namespace_unsupported', async () => {
    const service = await startService({ entries: [plannedVendor('acme-machine' as Namespace)] })
    await service.put('/locations/M1001', { name: 'Hall' })
    const { status, body } = await sync(service)
    expect([status, codes(body)]).toEqual([400, ['namespace_unsupported']])
  })

  test('8 sales_window_days is at least 21, 30 by default, and only widens what is read', async () => {
    const service = await route(['M1001'])
    for (const bad of [20, 0, 21.5, '30', null]) {
      const { status, body } = await sync(service, { sales_window_days: bad })
      expect([bad, status, codes(body)]).toEqual([bad, 400, ['invalid']])
    }
    service.machine.trades.push(
      trade('T-25', NOW - 25 * DAY, { locationId: 'M1001' }),
      trade('T-40', NOW - 40 * DAY, { locationId: 'M1001' }),
    )
    expect((await sync(service)).body.sales).toBe(2)
    expect((await sync(service, { sales_window_days: 21 })).body.sales).toBe(1)
    expect((await sync(service, { sales_window_days: 60 })).body.sales).toBe(3)
    expect((await service.get('/orders/T-40')).status).toBe(200)
  })

  test('an empty roster syncs to nothing', async () => {
    const service = await startService()
    expect((await sync(service)).body).toMatchObject({ locations: 0, products: 0, slots: 0, sales: 0 })
    expect(service.machine.script.calls).toEqual([])
  })

  test('products with the barcode of a supplier product have their alias after the sync', async () => {
    const service = await route([])
    service.supply.products.push({
      ...(await import('../support/scripted-vendors.ts')).supplyProduct('SP1', { barcode: '6921168509256' }),
    })
    service.machine.slotsByMachine['M1001'] = [machineSlot('G-0001', { barcode: '6921168509256' })]
    await service.put('/locations/M1001', { name: 'Hall' })
    await sync(service)
    const { body } = await service.post('/skus/resolve', { ids: ['acme-machine:G-0001'], to_namespace: 'acme-supply' })
    expect(body.resolved).toEqual([{ from: 'acme-machine:G-0001', to: 'acme-supply:SP1' }])
  })
})

describe('stock history', () => {
  const log = (service: Service) =>
    service.ctx.store.db.selectFrom('stock_log').select(['at', 'stock']).orderBy('at').execute()

  test('each sync keeps the change points of stock, and only those', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001', { stock: 5 })] })
    const service = await route(['M1001'], machine)
    for (const stock of [5, 5, 3, 3, 0, 9]) {
      machine.slotsByMachine['M1001'] = [machineSlot('G-0001', { stock })]
      await sync(service)
      service.clock.advance(HOUR)
    }
    expect((await log(service)).map(({ at, stock }) => `${(at - NOW) / HOUR} ${stock}`)).toEqual([
      '0 5',
      '2 3',
      '4 0',
      '5 9',
    ])
  })

  test('is pruned after a hundred days', async () => {
    const service = await route(['M1001'])
    await sync(service)
    service.clock.advance(101 * DAY)
    service.machine.slotsByMachine['M1001'] = [machineSlot('G-0001', { stock: 2 })]
    await sync(service)
    await service.job('prune-stock-log')
    expect(await log(service)).toEqual([{ at: NOW + 101 * DAY, stock: 2 }])
  })

  test('2.4 capacity stays unknown until two refills reach the same highest level, and falls with a higher one', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001', { stock: 2 })] })
    const service = await route(['M1001'], machine)
    const seen: (number | null)[] = []
    for (const stock of [2, 10, 4, 10, 3, 12]) {
      machine.slotsByMachine['M1001'] = [machineSlot('G-0001', { stock })]
      await sync(service)
      service.clock.advance(HOUR)
      seen.push((await slotsOf(service.ctx.store.db, 'M1001'))[0]?.capacity ?? null)
    }
    expect(seen).toEqual([null, null, null, 10, 10, null])
  })
})

describe('one sync at a time', () => {
  test('a second request waits for the first', async () => {
    const service = await route(['M1001'])
    let go = () => {}
    service.machine.script.next('inventory', { wait: new Promise<void>((resolve) => void (go = resolve)) })
    const first = sync(service)
    const second = sync(service)
    await expect.poll(() => service.machine.script.count('inventory')).toBe(1)
    await sleep(150)
    expect(service.machine.script.count('inventory')).toBe(1)
    go()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    expect(service.machine.script.count('inventory')).toBe(2)
  })

  test('the lease is given back after a failure', async () => {
    const service = await route(['M1001'])
    service.machine.script.always('inventory', failure('unknown'))
    await sync(service)
    const lease = await waitForLease(service.ctx, 'sync', 0)
    expect(lease).toBeDefined()
    await lease?.release()
  })

  test('a machine removed while it is read stays removed', async () => {
    const service = await route(['M1001', 'M1002'])
    let go = () => {}
    service.machine.script.next('inventory', { wait: new Promise<void>((resolve) => void (go = resolve)) })
    const running = sync(service)
    await sleep(50)
    await service.call('DELETE', '/locations/M1001')
    go()
    expect((await running).body).toMatchObject({ locations: 1, slots: 2 })
    expect(await stocks(service, 'M1001')).toEqual([])
  })

  test(`a thousand machines are read in as many rounds as ${MACHINES_AT_ONCE} at a time need`, async () => {
    // All of a round answer at once: when as many are asked as may be, or no other one was for a long time.
    let waiting: (() => void)[] = []
    const rounds: number[] = []
    let left = 1000
    let isShort = false
    const answerRound = async () => {
      const size = Math.min(MACHINES_AT_ONCE, left)
      for (let tries = 0; waiting.length < size && !isShort; tries++) {
        if (tries === 1000) isShort = true
        await sleep(2)
      }
      const round = waiting
      waiting = []
      rounds.push(round.length)
      left -= round.length
      for (const answer of round) answer()
    }
    const vendor: MachineVendor = {
      ...scriptedMachine().vendor,
      inventory: async () => {
        await new Promise<void>((resolve) => {
          if (waiting.push(resolve) === 1) void answerRound()
        })
        return { ok: true, value: [machineSlot('G-0001'), machineSlot('G-0002')] }
      },
    }
    const service = await startService({ entries: [registerLive('acme-machine' as Namespace, vendor)] })
    await service.ctx.store.db
      .insertInto('location')
      .values(
        Array.from({ length: 1000 }, (_, i) => ({
          id: `M${i}`,
          name: 'x',
          namespace: 'acme-machine',
          profile: '{}',
          venue_name: null,
          registered_at: NOW,
          updated_at: NOW,
          last_synced_at: null,
          online: null,
          sync_problem: null,
          awaits_first_sync: 0,
        })),
      )
      .execute()
    expect((await sync(service)).body).toMatchObject({ locations: 1000, products: 2, slots: 2000 })
    expect(Math.max(...rounds)).toBe(MACHINES_AT_ONCE)
    expect(rounds).toHaveLength(Math.ceil(1000 / MACHINES_AT_ONCE))
  })
})

describe('the first sync of new machines', () => {
  test('writes no event when another sync has read them while it waited', async () => {
    const service = await route(['M1001'])
    await sync(service)
    expect((await syncLocations(skuContext(service.ctx), { newOnly: true })).ok).toBe(true)
    expect(await service.events('sync')).toHaveLength(1)
  })
})

describe('the hourly job', () => {
  test('writes nothing while no machine is registered, and continues after a failure', async () => {
    const service = await startService()
    await service.job('sync-machines')
    expect(await service.events('sync')).toEqual([])
    await service.put('/locations/M1001', { name: 'Hall' })
    service.machine.script.always('inventory', failure('unauthorized'))
    await service.job('sync-machines')
    expect(service.log.filter(({ level }) => level === 'warn').map(({ sentence }) => sentence)).toContain('sync failed')
    service.machine.script.always('inventory', undefined)
    service.clock.advance(HOUR + MINUTE)
    await service.job('sync-machines')
    expect(await service.events('sync')).toHaveLength(2)
  })
})
