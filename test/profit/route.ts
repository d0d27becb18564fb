/** A route of three machines for the profit report: two at one site, one in another time zone. */
import { fen } from '../../src/kernel/fen.ts'
import type { SkuId } from '../../src/kernel/ids.ts'
import { lockStoreroom, moveUnits } from '../../src/route/storeroom/records.ts'
import type { LedgerLineStatus, LedgerRecord } from '../../src/vendors/machine-vendor.ts'
import { machineSlot, scriptedMachine, scriptedSupply, supplyProduct, trade } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'
import type { Json, Service, ServiceOptions } from '../support/service.ts'

const EAN = '6901234567892'
export const COLA = 'acme-machine:G-1'
export const TEA = 'acme-machine:G-2'
export const WATER = 'acme-machine:G-3'
export const SUPPLY_COLA = 'acme-supply:SP1'

/** Cola is linked by its barcode and costs 120 at the supplier; nobody sells the others. */
const slots = () => [
  machineSlot('G-1', { title: 'Cola', priceFen: fen(300), stock: 20, barcode: EAN }),
  machineSlot('G-2', { title: 'Tea', priceFen: fen(500), stock: 20 }),
  machineSlot('G-3', { title: 'Water', priceFen: fen(200), stock: 20 }),
]

const MACHINES = ['M1', 'M2', 'M3'] as const

export async function startProfitRoute(options: ServiceOptions = {}): Promise<Service> {
  const machine = scriptedMachine(Object.fromEntries(MACHINES.map((id) => [id, slots()])), [])
  const supply = scriptedSupply([supplyProduct('SP1', { title: 'Cola 330', barcode: EAN, eachPriceFen: fen(120) })])
  const service = await startService({ machine, supply, ...options })
  const mall = { city: 'Shanghai', address: '1 Nanjing Road' }
  await put(service, 'M1', { profile: mall })
  await put(service, 'M2', { profile: mall })
  await put(service, 'M3', { profile: { city: 'New York', address: '5 Broadway', time_zone: 'America/New_York' } })
  await service.post('/catalog/search', { filters: { namespace: 'acme-supply' } })
  await service.post('/locations/sync')
  return service
}

export async function put(service: Service, id: string, more: object): Promise<Json> {
  const answer = await service.put(`/locations/${id}`, { name: `Machine ${id}`, ...more })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.location
}

const PRICES: Readonly<Record<string, number>> = { 'G-1': 300, 'G-2': 500, 'G-3': 200 }

export interface Sold {
  readonly no: string
  readonly at: string
  readonly location: string
  readonly sku: string
  readonly cost?: number | null
  readonly price?: number
  readonly status?: LedgerLineStatus
}

export const sale = ({ no, at, location, sku, cost = null, price, status = 'paid' }: Sold): LedgerRecord => {
  const priceFen = fen(price ?? PRICES[sku] ?? 100)
  const line = { vendorSku: sku, priceFen, costFen: cost === null ? null : fen(cost), status }
  return trade(no, Date.parse(at), { locationId: location, totalFen: priceFen, lines: [line] })
}

export const moveTo = (service: Service, time: string): void => service.clock.set(Date.parse(time))

export const profit = async (service: Service, query: string): Promise<Json> => {
  const answer = await service.get(`/profit?${query}`)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body
}

/** The paid lines of all sales that `GET /orders` lists: one whose refund failed is fulfilled, too, and not paid. */
export async function paidLines(
  service: Service,
): Promise<{ location: string; item: string; at: string; price: number }[]> {
  const orders: Json[] = []
  for (let cursor = ''; ;) {
    const { status, text, body } = await service.get(`/orders?kind=sale&trade_status=all&limit=100${cursor}`)
    if (status !== 200) throw new Error(text)
    orders.push(...body.orders)
    if (!body.pagination.has_next_page) break
    cursor = `&cursor=${body.pagination.cursor}`
  }
  return orders.flatMap(({ location, created_at: at, line_items, adjustments = [] }) => {
    const adjusted = adjustments.flatMap((each: Json) => each.line_items.map(({ id }: Json) => id))
    return line_items
      .filter(({ id, status }: Json) => status === 'fulfilled' && !adjusted.includes(id))
      .map(({ item }: Json) => ({ location, item: item.id, at, price: item.price }))
  })
}

/** As a delivery books it. */
export const buy = (service: Service, skuId: string, units: number, paid: number): Promise<void> =>
  service.ctx.store.transaction(async (tx) => {
    await lockStoreroom(tx)
    const move = { skuId: skuId as SkuId, title: 'Cola 330', kind: 'bought' as const, units, paidFen: fen(paid) }
    await moveUnits(tx, service.clock.now(), [move])
  })

export const lose = (service: Service, skuId: string, units: number): Promise<void> =>
  service.ctx.store.transaction(async (tx) => {
    await lockStoreroom(tx)
    const move = { skuId: skuId as SkuId, title: 'Cola 330', kind: 'lost' as const, units: -units }
    await moveUnits(tx, service.clock.now(), [move])
  })

export const COLUMNS = [
  'units',
  'revenue',
  'refunds',
  'cost_of_goods',
  'gross_profit',
  'losses',
  'visits',
  'visit_cost',
  'commission',
  'profit',
] as const

export const sumOf = (rows: readonly Json[]): Record<string, number> =>
  Object.fromEntries(COLUMNS.map((name) => [name, rows.reduce((sum, row) => sum + row[name], 0)]))

export const numbersOf = (row: Json): Record<string, number> =>
  Object.fromEntries(COLUMNS.map((name) => [name, row[name]]))
