/** Random days of a store room, in any order and at once: no unit appears or is lost, and nothing is bought that lies there. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import { propertyRuns } from '../support/property-runs.ts'
import type { Json, Service } from '../support/service.ts'
import { COLA, MACHINE, routeSlots, slotOf, startRoute, suppliesOf, sync, TEA } from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const SKUS = ['acme-supply:SP1', 'acme-supply:SP2'] as const
const MACHINES = [MACHINE, 'M1002'] as const
const dry = () => routeSlots().map((slot) => ({ ...slot, stock: 0 }))

/** Cola in cases of 24, tea in cases of 6. */
async function startCases(): Promise<Service> {
  const supply = suppliesOf()
  const inCases = (i: number, packSize: number, packPriceFen: number) =>
    (supply.products[i] = {
      ...supply.products[i]!,
      units: 'pack',
      packSize,
      packPriceFen: fen(packPriceFen),
      eachPriceFen: fen(Math.round(packPriceFen / packSize)),
    })
  inCases(0, 24, 4800)
  inCases(1, 6, 1250)
  return startRoute({
    config: { env: 'live', simulatedPurchasing: false, defaultDestination: HOME },
    supply,
    slotsByMachine: Object.fromEntries(MACHINES.map((id) => [id, dry()])),
  })
}

const act = fc.oneof(
  fc.record({ do: fc.constant('order'), complete: fc.boolean() }),
  fc.record({
    do: fc.constant('receive'),
    machine: fc.constantFrom(...MACHINES, undefined),
    share: fc.double({ min: 0, max: 1.3, noNaN: true }),
  }),
  fc.record({ do: fc.constant('undo'), machine: fc.constantFrom(...MACHINES) }),
  fc.record({
    do: fc.constant('count'),
    sku: fc.constantFrom(...SKUS),
    units: fc.integer({ min: 0, max: 60 }),
    dated: fc.boolean(),
  }),
  fc.record({
    do: fc.constant('return'),
    machine: fc.constantFrom(...MACHINES),
    product: fc.constantFrom(COLA, TEA),
    units: fc.integer({ min: 1, max: 5 }),
  }),
  fc.record({ do: fc.constant('buy'), sku: fc.constantFrom(...SKUS), cases: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('cancel') }),
  fc.record({ do: fc.constant('sell out') }),
) as fc.Arbitrary<Json>

async function perform(service: Service, step: Json): Promise<void> {
  const runs = async (status: string): Promise<Json[]> =>
    (await service.get(`/replenishment/runs?status=${status}`)).body.runs
  switch (step.do) {
    case 'order':
      return orderRun(service, step.complete)
    case 'receive': {
      const [run] = await runs('placed')
      if (!run) return
      const lines = run.line_items.filter(
        (line: Json) => line.status !== 'removed' && (step.machine === undefined || line.location === step.machine),
      )
      const delivered = lines.map(({ slot_id, quantity }: Json) => ({
        slot_id,
        quantity: Math.round(quantity.total * step.share),
      }))
      if (delivered.length === 0) return
      const path =
        step.machine === undefined ? `runs/${run.id}/receive` : `runs/${run.id}/visits/${step.machine}/receive`
      await service.post(`/replenishment/${path}`, { delivered })
      return
    }
    case 'undo': {
      const all = [...(await runs('placed')), ...(await runs('delivered'))]
      const visits = all.flatMap(({ visits = [] }: Json) => visits)
      const visit = visits.find(
        ({ location, service_id }: Json) => location === step.machine && service_id !== undefined,
      )
      if (visit) await service.post(`/locations/${step.machine}/service/${visit.service_id}/undo`)
      return
    }
    case 'count':
      await service.put(`/storeroom/products/${step.sku}`, {
        units: step.units,
        reason: 'count',
        ...(step.dated && { best_before: '2027-01-31' }),
      })
      return
    case 'return':
      await service.post(`/locations/${step.machine}/service`, {
        returned: [{ slot_id: slotOf(step.product, step.machine), quantity: step.units }],
      })
      return
    case 'buy': {
      const { body } = await service.post('/checkout-sessions', {
        line_items: [{ item: { id: step.sku }, quantity: step.cases, quantity_unit: { unit: 'BX' } }],
        fulfillment: { methods: [{ type: 'shipping', destinations: [HOME] }] },
      })
      await service.post(`/checkout-sessions/${body.id}/complete`, { confirm: true })
      await service.post(`/orders/${body.id}/receive`)
      return
    }
    case 'cancel': {
      const [run] = await runs('placed')
      if (run?.checkouts?.[0]) await service.post(`/checkout-sessions/${run.checkouts[0].id}/cancel`)
      if (run) await service.get(`/replenishment/runs/${run.id}`)
      return
    }
    default:
      service.clock.advance(DAY)
      for (const id of MACHINES) service.machine.slotsByMachine[id] = dry()
      await sync(service)
      for (const id of MACHINES)
        for (const product of [COLA, TEA])
          await service.put(`/locations/${id}/slots/${slotOf(product, id)}`, { stock: 0, confirm_count: true })
  }
}

/** What is free before it is placed is not bought. */
async function orderRun(service: Service, complete: boolean): Promise<void> {
  const { body: created } = await service.post('/replenishment/runs', { locations: [...MACHINES] })
  if (created.status !== 'approved') return
  const before: Json[] = (await service.get('/storeroom')).body.products
  const { status, body } = await service.post(`/replenishment/runs/${created.id}/place`)
  if (status !== 200) return
  for (const skuId of SKUS) {
    const lines = body.line_items.filter(
      ({ source, status: state }: Json) => source?.sku_id === skuId && state !== 'removed',
    )
    const given = lines.reduce((sum: number, line: Json) => sum + (line.from_storeroom ?? 0), 0)
    const needed = lines.reduce((sum: number, line: Json) => sum + line.quantity.total, 0)
    const product = before.find(({ item }) => item.id === skuId)
    // A dated lot may be left out where a slow slot would not sell it in time.
    const isDated = product?.lots.some(({ best_before: date }: Json) => date !== null)
    if (!isDated) expect(given, `${skuId} of ${body.id}`).toBe(Math.min(needed, product?.free ?? 0))
  }
  if (complete)
    for (const { id } of body.checkouts) await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
}

/** The book agrees with itself. */
async function expectBalanced(service: Service): Promise<void> {
  const { db } = service.ctx.store
  const products = await db.selectFrom('storeroom_product').selectAll().execute()
  const lots = await db.selectFrom('storeroom_lot').selectAll().execute()
  const movements = await db.selectFrom('storeroom_movement').selectAll().execute()
  const sumOf = (rows: readonly { sku_id: string; units: number }[], skuId: string) =>
    rows.reduce((sum, row) => sum + (row.sku_id === skuId ? row.units : 0), 0)
  for (const { sku_id: skuId, units } of products) {
    expect(units).toBeGreaterThanOrEqual(0)
    expect([sumOf(lots, skuId), sumOf(movements, skuId)], skuId).toEqual([units, units])
  }
  expect(lots.filter(({ units }) => units <= 0)).toEqual([])
  const { body } = await service.get('/storeroom')
  for (const { units, reserved, free } of body.products) expect(free).toBe(Math.max(0, units - reserved))
  const placed = (await service.get('/replenishment/runs?status=placed')).body.runs.map(({ id }: Json) => id)
  const reservations = await db.selectFrom('storeroom_reservation').selectAll().execute()
  expect(reservations.filter(({ run }) => !placed.includes(run))).toEqual([])
}

test('after every step of a random history, in is out plus there', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 14 }), async (steps) => {
      const service = await startCases()
      for (const step of steps) {
        service.clock.advance(MINUTE)
        await perform(service, step)
        await expectBalanced(service)
      }
    }),
    { numRuns: propertyRuns(40) },
  )
})

test('receipts, counts and runs at once agree with some order of them', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { minLength: 2, maxLength: 6 }),
      fc.array(act, { minLength: 2, maxLength: 5 }),
      async (first, atOnce) => {
        const service = await startCases()
        for (const step of first) await perform(service, step)
        await Promise.all(
          atOnce.map((step) =>
            perform(service, step).catch((failure: unknown) => {
              // Another run took the free units between reading and placing: only the book is looked at.
              if (!(failure instanceof Error) || failure.name !== 'AssertionError') throw failure
            }),
          ),
        )
        await expectBalanced(service)
      },
    ),
    { numRuns: propertyRuns(25) },
  )
})
