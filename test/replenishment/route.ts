/** A service with machines that have sold for weeks: their slots, their sales, and the suppliers of their products. */
import { DAY, HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { LedgerRecord, MachineSlot } from '../../src/vendors/machine-vendor.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply, trade } from '../support/scripted-vendors.ts'
import { NOW, RULES, startService } from '../support/service.ts'
import type { Answered, Json, Service, ServiceOptions } from '../support/service.ts'

export const MACHINE = 'M1001'
export const COLA = 'acme-machine:G-1'
export const TEA = 'acme-machine:G-2'
export const WATER = 'acme-machine:G-3'
export const slotOf = (skuId: string, location = MACHINE) => `${location}-${skuId.split(':')[1]}`

const EAN = { 'G-1': '6901234567892', 'G-2': '6901234567908' } as const

/** Cola sells three a day and is nearly out, tea one a day; water has never sold and no supplier offers it. */
export const routeSlots = (): MachineSlot[] => [
  machineSlot('G-1', { title: '可乐', priceFen: fen(300), stock: 2, barcode: EAN['G-1'] }),
  machineSlot('G-2', { title: '茶', priceFen: fen(500), stock: 9, barcode: EAN['G-2'] }),
  machineSlot('G-3', { title: '水', priceFen: fen(200), stock: 30 }),
]

/** Cola at ¥1.20 each, tea at ¥2.00 each. */
export const suppliesOf = () =>
  scriptedSupply([
    supplyProduct('SP1', { title: '可乐 330ml', barcode: EAN['G-1'], eachPriceFen: fen(120) }),
    supplyProduct('SP2', { title: '茶 500ml', barcode: EAN['G-2'], eachPriceFen: fen(200) }),
  ])

export interface Selling {
  readonly location?: string
  readonly vendorSku: string
  readonly perDay: number
  readonly days?: number
}

/** Spread over the hours from 9 to 21 of each of the last days. */
export function salesOf({ location = MACHINE, vendorSku, perDay, days = 25 }: Selling, now = NOW): LedgerRecord[] {
  const midnight = now - 8 * HOUR
  return Array.from({ length: days * perDay }, (_, i) => {
    const day = Math.floor(i / perDay) + 1
    const at = midnight - day * DAY + 9 * HOUR + ((i % perDay) + 0.5) * ((12 * HOUR) / perDay)
    return trade(`${location}-${vendorSku}-${i}`, Math.round(at), {
      locationId: location,
      lines: [{ vendorSku, priceFen: fen(300), costFen: null, status: 'paid' }],
    })
  })
}

export const usualSales = (): LedgerRecord[] => [
  ...salesOf({ vendorSku: 'G-1', perDay: 3 }),
  ...salesOf({ vendorSku: 'G-2', perDay: 1 }),
]

export interface RouteOptions extends ServiceOptions {
  readonly slotsByMachine?: Record<string, MachineSlot[]>
  readonly trades?: LedgerRecord[]
}

/** Registered and synced; the clock stands a minute after the sync. */
export async function startRoute({ slotsByMachine, trades, ...options }: RouteOptions = {}): Promise<Service> {
  const machine = scriptedMachine(slotsByMachine ?? { [MACHINE]: routeSlots() }, trades ?? usualSales())
  const service = await startService({ supply: suppliesOf(), machine, ...options })
  for (const id of Object.keys(machine.slotsByMachine))
    await service.put(`/locations/${id}`, { name: `Hall ${id}`, profile: { city: '上海', address: '南京路 1' } })
  await sync(service)
  return service
}

export async function sync(service: Service): Promise<void> {
  const answer = await service.post('/locations/sync')
  if (answer.status !== 200) throw new Error(answer.text)
  service.clock.advance(MINUTE)
}

export const withRules = (
  rules: Partial<typeof RULES.rules> & { newProducts?: boolean; minimumMarginPercent?: number },
  more: object = {},
) => ({
  ...RULES,
  ...more,
  rules: { ...RULES.rules, ...rules },
})

export const plan = async (service: Service): Promise<Json> => (await service.get('/replenishment/plan')).body
export const entryOf = (body: Json, slotId: string): Json => body.plans.find((entry: Json) => entry.slot_id === slotId)
export const create = (service: Service): Promise<Answered> => service.post('/replenishment/runs')
export const place = (service: Service, id: string): Promise<Answered> =>
  service.post(`/replenishment/runs/${id}/place`)
export const receive = (service: Service, id: string, delivered: unknown, note?: string): Promise<Answered> =>
  service.post(`/replenishment/runs/${id}/receive`, { delivered, ...(note === undefined ? {} : { note }) })
export const run = async (service: Service, id: string): Promise<Json> =>
  (await service.get(`/replenishment/runs/${id}`)).body

export const decisionOf = (body: Json): string => body.actions['com.example.vending.approval'][0].id
export const resolve = (service: Service, decision: string, approved: boolean): Promise<Answered> =>
  service.post(`/approvals/${decision}`, { approved })

export const codes = (body: Json): string[] => (body.messages ?? []).map(({ code }: Json) => code)

/** All that was ordered, in full. */
export const inFull = (body: Json): { slot_id: string; quantity: number }[] =>
  body.line_items
    .filter(({ status }: Json) => status !== 'removed')
    .map(({ slot_id, quantity }: Json) => ({ slot_id, quantity: quantity.total }))

export async function placed(service: Service): Promise<Json> {
  const made = await create(service)
  const answer = await place(service, made.body.id)
  if (answer.status !== 200 || answer.body.status !== 'placed') throw new Error(answer.text)
  return answer.body
}

export const stockOf = async (service: Service, vendorSku: string, location = MACHINE): Promise<number> => {
  const row = await service.ctx.store.db
    .selectFrom('slot')
    .select('stock')
    .where('location', '=', location)
    .where('vendor_sku', '=', vendorSku)
    .executeTakeFirstOrThrow()
  if (row.stock === null) throw new Error(`the stock of ${vendorSku} is unknown`)
  return row.stock
}

export const setCapacity = (service: Service, vendorSku: string, capacity: number, location = MACHINE) =>
  service.ctx.store.db
    .updateTable('slot')
    .set({ capacity, capacity_source: 'counted' })
    .where('location', '=', location)
    .where('vendor_sku', '=', vendorSku)
    .execute()
