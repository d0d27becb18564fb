import { describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import type { SupplyProduct } from '../../src/vendors/supply-vendor.ts'
import type { Json } from '../support/service.ts'
import { codes, COLA, create, MACHINE, place, routeSlots, startRoute, suppliesOf, withRules } from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
const dry = () => ({ [MACHINE]: routeSlots().map((slot) => ({ ...slot, stock: 0 })) })

/** The supplier of the route, selling cola by other rules. */
function startWith(cola: Partial<SupplyProduct>, more: Parameters<typeof startRoute>[0] = {}) {
  const supply = suppliesOf()
  const i = supply.products.findIndex(({ vendorSku }) => vendorSku === 'SP1')
  supply.products[i] = {
    ...supply.products[i]!,
    packSize: 24,
    packPriceFen: fen(4800),
    eachPriceFen: fen(200),
    ...cola,
  }
  return startRoute({ config: REAL, supply, slotsByMachine: dry(), ...more })
}

const colaOf = (run: Json): Json => run.line_items.find(({ item }: Json) => item.id === COLA)
const roundingOf = (run: Json): Json => run.messages.find(({ code }: Json) => code === 'rounded_up')

describe('2.8 products that the supplier sells only in larger quantities', () => {
  test('whole boxes are ordered, and the run says so', async () => {
    const service = await startWith({ units: 'pack' })
    const { body: created } = await create(service)
    const line = colaOf(created)
    const boxes = Math.ceil(line.quantity.total / 24)
    expect(line.quantity.total % 24).not.toBe(0)
    expect(line.source).toEqual({ sku_id: 'acme-supply:SP1', unit: 'BX', ordered: boxes * 24 })
    expect(roundingOf(created)).toMatchObject({
      type: 'warning',
      params: { needed: line.quantity.total, quantity: boxes * 24 },
    })
    const { body } = await place(service, created.id)
    expect(colaOf(body).source.unit).toBe('BX')
    const session = (await service.get(`/checkout-sessions/${body.checkouts[0].id}`)).body
    const ordered = session.line_items.find(({ item }: Json) => item.id === 'acme-supply:SP1')
    expect([ordered.quantity_unit.unit, ordered.quantity]).toEqual(['BX', boxes])
    expect(session.status).toBe('ready_for_complete')
  })

  test('one message for all products that are rounded; each line says how much of its product is ordered', async () => {
    const service = await startWith({ units: 'pack' })
    const supply = service.supply.products
    supply[1] = { ...supply[1]!, units: 'pack', packSize: 30, packPriceFen: fen(6000), eachPriceFen: fen(200) }
    const { body: created } = await create(service)
    const rounded = created.line_items.filter(({ source }: Json) => source?.ordered !== undefined)
    expect(rounded.map(({ source }: Json) => source.sku_id)).toEqual(['acme-supply:SP1', 'acme-supply:SP2'])
    const sum = (units: (line: Json) => number) => rounded.reduce((all: number, line: Json) => all + units(line), 0)
    const messages = created.messages.filter(({ code }: Json) => code === 'rounded_up')
    expect(messages).toEqual([
      expect.objectContaining({
        path: '$.line_items',
        params: {
          count: 2,
          products: rounded.map(({ item }: Json) => item.title).join(', '),
          quantity: sum(({ source }) => source.ordered),
          needed: sum(({ quantity }) => quantity.total),
        },
      }),
    ])
  })

  test('3.3 the approval shows the most that will be spent: whole boxes, not what the slots need', async () => {
    const service = await startWith({ units: 'pack' }, { rules: withRules({ spendingLimitPerRun: 1 }) })
    const { body: created } = await create(service)
    const decision = created.actions['com.example.vending.approval'][0].id
    const { details, summary } = (await service.get(`/approvals/${decision}`)).body
    const line = colaOf(created)
    const others = details.lines.filter(({ sku_id }: Json) => sku_id !== COLA)
    const boxes = Math.ceil(line.quantity.total / 24)
    const total = boxes * 4800 + others.reduce((sum: number, each: Json) => sum + each.total, 0)
    expect(details.total).toBe(total)
    expect(summary).toContain((total / 100).toFixed(2))
  })

  test('2.8 the total of a run is what is bought, before and after it is placed, also in the list', async () => {
    const service = await startWith({ units: 'pack' })
    const { body: created } = await create(service)
    const { body: placed } = await place(service, created.id)
    const session = (await service.get(`/checkout-sessions/${placed.checkouts[0].id}`)).body
    const bought = session.totals.find(({ type }: Json) => type === 'subtotal').amount
    const { body: list } = await service.get('/replenishment/runs')
    const linesOf = (run: Json): number =>
      run.line_items.reduce((sum: number, { totals }: Json) => sum + totals.at(-1).amount, 0)
    const leftOver = bought - linesOf(placed)
    expect(leftOver).toBeGreaterThan(0)
    // A line without a supplier is left out when the run is placed.
    for (const run of [created, placed, list.runs[0]])
      expect(run.totals).toEqual([
        { type: 'subtotal', amount: linesOf(run) + leftOver },
        { type: 'total', amount: linesOf(run) + leftOver },
      ])
    for (const run of [created, placed, list.runs[0]]) expect(run.stays_in_storeroom.amount).toBe(leftOver)
    const event = (await service.events('replenishment')).find(({ code }: Json) => code === 'run_placed')
    expect(event.params.total.amount).toBe(bought)
  })

  test('2.8 a canceled run shows the same total as before', async () => {
    const service = await startWith({ units: 'pack' })
    const { body: created } = await create(service)
    expect(created.stays_in_storeroom.amount).toBeGreaterThan(0)
    const { body: canceled } = await service.post(`/replenishment/runs/${created.id}/cancel`)
    expect([canceled.status, canceled.totals]).toEqual(['rejected', created.totals])
  })

  test('4.7 the plan says what would be ordered for it, also on a page of it', async () => {
    const service = await startWith({ units: 'pack' })
    for (const path of ['/replenishment/plan', '/replenishment/plan?limit=100']) {
      const { body: plan } = await service.get(path)
      const planned = plan.plans.filter(({ item }: Json) => item.id === COLA)
      const needed = planned.reduce((sum: number, { recommendation }: Json) => sum + recommendation.quantity, 0)
      const boxes = Math.ceil(needed / 24)
      const rounding = {
        sku_id: 'acme-supply:SP1',
        unit: 'BX',
        contains: 24,
        quantity: boxes,
        needed,
        ordered: boxes * 24,
      }
      expect(planned.map((entry: Json) => entry.rounding)).toEqual(planned.map(() => rounding))
      const others = plan.plans.filter(({ item }: Json) => item.id !== COLA)
      expect(others.filter((entry: Json) => entry.rounding)).toEqual([])
    }
  })

  test('4.7 no supplier is asked for a plan: the catalog as it was last read counts, however old', async () => {
    const service = await startWith({ units: 'pack' })
    service.clock.advance(60 * 60_000)
    const calls = service.supply.script.calls.length
    const { body: plan } = await service.get('/replenishment/plan')
    expect(plan.plans.find(({ item }: Json) => item.id === COLA).rounding.unit).toBe('BX')
    expect(service.supply.script.calls).toHaveLength(calls)
  })

  test('multiples of the step, and at least the smallest order', async () => {
    const service = await startWith({ units: 'each', increment: 25, minOrder: 100 })
    const { body: created } = await create(service)
    const { body } = await place(service, created.id)
    const session = (await service.get(`/checkout-sessions/${body.checkouts[0].id}`)).body
    const ordered = session.line_items.find(({ item }: Json) => item.id === 'acme-supply:SP1')
    expect([ordered.quantity_unit.unit, ordered.quantity]).toEqual(['EA', 100])
  })

  test('what is sold singly is not rounded', async () => {
    const service = await startWith({ units: 'both' })
    const { body } = await create(service)
    // No supplier offers water.
    expect([colaOf(body).source.unit, codes(body)]).toEqual(['EA', ['unresolved_sku']])
  })

  test('3.2 the cost of what is left over counts against the limit', async () => {
    const total = async (cola: Partial<SupplyProduct>): Promise<number> => {
      const { body } = await create(await startWith(cola))
      return body.totals.at(-1).amount
    }
    const planned = await total({ units: 'both' })
    const rules = withRules({ spendingLimitPerRun: planned })
    const singles = await create(await startWith({ units: 'both' }, { rules }))
    expect(singles.body.status).toBe('approved')
    const boxes = await create(await startWith({ units: 'pack' }, { rules }))
    expect(boxes.body.status).toBe('pending_approval')
  })
})
