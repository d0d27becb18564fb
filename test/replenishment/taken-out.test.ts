/** Products that a person takes out of the purchase of a run, or puts back, before it is completed. */
import { describe, expect, test } from 'vitest'
import { DAY } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { supplyProduct, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import type { Json, Service } from '../support/service.ts'
import {
  COLA,
  create,
  entryOf,
  MACHINE,
  place,
  placed,
  plan,
  receive,
  routeSlots,
  run,
  slotOf,
  startRoute,
  suppliesOf,
  TEA,
  usualSales,
} from './route.ts'

const HOME = { street_address: '仓库路 9', first_name: '仓库', phone_number: '13800000000' }
const REAL = { env: 'live', simulatedPurchasing: false, defaultDestination: HOME } as const
const SECOND = 'M1002'

const startReal = (more: Parameters<typeof startRoute>[0] = {}) => startRoute({ config: REAL, ...more })

/** Two machines that sell the same. */
const startTwo = () =>
  startReal({
    slotsByMachine: { [MACHINE]: routeSlots(), [SECOND]: routeSlots() },
    trades: [
      ...usualSales(),
      ...usualSales().map((each) => ({ ...each, orderNo: `2${each.orderNo}`, locationId: SECOND })),
    ],
  })

/** Cola is cheaper from the first supplier, tea from the second. */
function startTwoSuppliers() {
  const far = scriptedSupply([
    supplyProduct('T1', { title: '可乐 330ml', barcode: '6901234567892', eachPriceFen: fen(140) }),
    supplyProduct('T2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(150) }),
    supplyProduct('T9', { title: '口香糖', eachPriceFen: fen(100) }),
  ])
  const machine = scriptedMachine({ [MACHINE]: routeSlots() }, usualSales())
  return startReal({
    entries: [
      registerLive('acme-supply' as Namespace, suppliesOf().vendor),
      registerLive('far-supply' as Namespace, far.vendor),
      registerLive('acme-machine' as Namespace, machine.vendor),
    ],
  })
}

const purchaseOf = ({ checkouts }: Json, i = 0): string => checkouts[i].id
const read = async (service: Service, id: string): Promise<Json> => (await service.get(`/checkout-sessions/${id}`)).body

/** PUT with the lines as `change` leaves them. */
async function edit(service: Service, id: string, change: (lines: Json[]) => Json[]): Promise<void> {
  const lines = (await read(service, id)).line_items.map(({ item, quantity }: Json) => ({
    item: { id: item.id },
    quantity,
  }))
  const answer = await service.put(`/checkout-sessions/${id}`, { line_items: change(lines) })
  if (answer.status !== 200) throw new Error(answer.text)
}

const takeOut = (service: Service, id: string, sku: string) =>
  edit(service, id, (lines) => lines.filter(({ item }) => item.id !== sku))

async function complete(service: Service, id: string): Promise<void> {
  const { body } = await service.post(`/checkout-sessions/${id}/complete`, { confirm: true })
  if (body.status !== 'completed') throw new Error(JSON.stringify(body))
}

const actionOf = async (service: Service, sku: string, location = MACHINE): Promise<string> =>
  entryOf(await plan(service), slotOf(sku, location)).recommendation.action
const slotIds = ({ line_items }: Json): string[] => line_items.map(({ slot_id }: Json) => slot_id)

describe('3.2 a product that was taken out of the purchase of a run', () => {
  test('counts while the purchase can still be changed, and is planned and ordered again once it is completed', async () => {
    const service = await startReal()
    const first = await placed(service)
    const id = purchaseOf(first)
    await takeOut(service, id, 'acme-supply:SP1')
    // It may come back until the order is sent.
    expect(await actionOf(service, COLA)).toBe('in_transit')
    await complete(service, id)
    expect(await actionOf(service, COLA)).toBe('order')
    expect(await actionOf(service, TEA)).toBe('in_transit')

    const { body: second } = await create(service)
    expect(slotIds(second)).toEqual([slotOf(COLA)])
    const { body } = await place(service, second.id)
    expect(body).toMatchObject({ status: 'placed', line_items: [{ slot_id: slotOf(COLA), status: 'processing' }] })
    expect(await actionOf(service, COLA)).toBe('in_transit')
    await complete(service, purchaseOf(body))
    expect(await actionOf(service, COLA)).toBe('in_transit')
    expect((await create(service)).body.status).toBe('nothing_to_do')
    // Receiving the first run leaves the second in transit.
    await receive(service, first.id, [{ slot_id: slotOf(TEA), quantity: 1 }])
    expect(await actionOf(service, COLA)).toBe('in_transit')
  })

  test('put back before the purchase is completed, it counts as ordered', async () => {
    const service = await startReal()
    const id = purchaseOf(await placed(service))
    const { line_items } = await read(service, id)
    const [cola] = line_items.map(({ item, quantity }: Json) => ({ item: { id: item.id }, quantity }))
    await takeOut(service, id, cola.item.id)
    await edit(service, id, (lines) => [...lines, cola])
    await complete(service, id)
    expect(await actionOf(service, COLA)).toBe('in_transit')
    expect(await actionOf(service, TEA)).toBe('in_transit')
    expect((await create(service)).body.status).toBe('nothing_to_do')
  })

  test('of a smaller quantity the first machines get theirs, and the plan orders for the others', async () => {
    const service = await startTwo()
    const first = await placed(service)
    const id = purchaseOf(first)
    const line = first.line_items.find(({ slot_id }: Json) => slot_id === slotOf(COLA))
    await edit(service, id, (lines) =>
      lines.map((each) => (each.item.id === 'acme-supply:SP1' ? { ...each, quantity: line.quantity.total } : each)),
    )
    await complete(service, id)
    expect(await actionOf(service, COLA)).toBe('in_transit')
    expect(await actionOf(service, COLA, SECOND)).toBe('order')
    const list = (await service.get(`/replenishment/runs/${first.id}/pick-list`)).body
    const colaOf = (location: string) =>
      list.stops
        .find((stop: Json) => stop.location === location)
        .lines.find(({ slot_id }: Json) => slot_id === slotOf(COLA, location)).quantity
    expect([colaOf(MACHINE), colaOf(SECOND)]).toEqual([line.quantity.total, 0])
  })

  test('bought under another id of the same product, it counts, and the pick list has it', async () => {
    const barcode = '6901234567892'
    const supply = scriptedSupply([
      supplyProduct('SP1', { title: '可乐 330ml', barcode, eachPriceFen: fen(120) }),
      supplyProduct('SP9', { title: '可乐 330ml 新装', barcode, eachPriceFen: fen(130) }),
      supplyProduct('SP2', { title: '茶 500ml', barcode: '6901234567908', eachPriceFen: fen(200) }),
    ])
    const service = await startReal({ supply })
    const first = await placed(service)
    const id = purchaseOf(first)
    await edit(service, id, (lines) =>
      lines.map((each) => (each.item.id === 'acme-supply:SP1' ? { ...each, item: { id: 'acme-supply:SP9' } } : each)),
    )
    await complete(service, id)
    expect(await actionOf(service, COLA)).toBe('in_transit')
    const { products } = (await service.get(`/replenishment/runs/${first.id}/pick-list`)).body
    const cola = products.find(({ item }: Json) => item.id === COLA)
    expect(cola.bought).toBe(first.line_items.find(({ slot_id }: Json) => slot_id === slotOf(COLA)).quantity.total)
  })

  test('with a second supplier it counts until both purchases are closed', async () => {
    const service = await startTwoSuppliers()
    const first = await placed(service)
    const [near, far] = [purchaseOf(first, 0), purchaseOf(first, 1)]
    await edit(service, far, () => [{ item: { id: 'far-supply:T9' }, quantity: 1 }])
    await complete(service, far)
    expect(await actionOf(service, TEA)).toBe('in_transit')
    await complete(service, near)
    expect(await actionOf(service, TEA)).not.toBe('in_transit')
    expect(await actionOf(service, COLA)).toBe('in_transit')
  })

  test('moved to the purchase from another supplier, it counts, also when its own is canceled', async () => {
    const service = await startTwoSuppliers()
    const first = await placed(service)
    const [near, far] = [purchaseOf(first, 0), purchaseOf(first, 1)]
    await service.post(`/checkout-sessions/${near}/cancel`)
    expect(await actionOf(service, COLA)).toBe('order')
    await edit(service, far, (lines) => [...lines, { item: { id: 'far-supply:T1' }, quantity: 99 }])
    expect(await actionOf(service, COLA)).toBe('in_transit')
    await complete(service, far)
    expect(await actionOf(service, COLA)).toBe('in_transit')
    expect((await create(service)).body.status).toBe('nothing_to_do')
  })

  test('its purchase expires: all its slots are planned again', async () => {
    const service = await startReal()
    const first = await placed(service)
    await takeOut(service, purchaseOf(first), 'acme-supply:SP1')
    service.clock.advance(DAY)
    await read(service, purchaseOf(first))
    expect((await run(service, first.id)).checkouts[0].status).toBe('canceled')
    expect(await actionOf(service, COLA)).toBe('order')
    expect(await actionOf(service, TEA)).not.toBe('in_transit')
  })

  test('a run created before orders its slot, too: placing compares with what was bought', async () => {
    const service = await startReal()
    const { body: waiting } = await create(service)
    service.clock.advance(1)
    const first = await placed(service)
    const id = purchaseOf(first)
    await takeOut(service, id, 'acme-supply:SP1')
    expect((await place(service, waiting.id)).status).toBe(409)
    await complete(service, id)
    const { body } = await place(service, waiting.id)
    expect(body.status).toBe('placed')
    expect(body.line_items.map(({ slot_id, status }: Json) => [slot_id, status])).toEqual([
      [slotOf(COLA), 'processing'],
      [slotOf(TEA), 'removed'],
    ])
  })
})
