/** A service with one registered machine that holds a few products. */
import { fen } from '../../src/kernel/fen.ts'
import { machineSlot, scriptedMachine } from '../support/scripted-vendors.ts'
import { PROCESS_DIED, startService } from '../support/service.ts'
import type { Answered, Service, ServiceOptions } from '../support/service.ts'

export const MACHINE = 'M1001'
export const COLA = 'acme-machine:G-0001'
export const TEA = 'acme-machine:G-0002'
export const WATER = 'acme-machine:G-0003'

export async function register(service: Service, id: string, namespace = 'acme-machine'): Promise<void> {
  const now = service.clock.now()
  await service.ctx.store.db
    .insertInto('location')
    .values({
      id,
      name: 'Hall',
      namespace,
      profile: '{}',
      venue_name: null,
      registered_at: now,
      updated_at: now,
      last_synced_at: null,
      online: null,
      sync_problem: null,
      awaits_first_sync: 0,
    })
    .execute()
}

export const unregister = (service: Service, id: string) =>
  service.ctx.store.db.deleteFrom('location').where('id', '=', id).execute()

/** Cola ¥2.50, tea ¥3.00, water ¥1.50; the cap is ¥1.00. */
export const slotsOfMachine = () => [
  machineSlot('G-0001', { title: '可乐', priceFen: fen(250) }),
  machineSlot('G-0002', { title: '茶', priceFen: fen(300) }),
  machineSlot('G-0003', { title: '水', priceFen: fen(150) }),
]

export async function startPricing(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService({ machine: scriptedMachine({ [MACHINE]: slotsOfMachine() }), ...options })
  await register(service, MACHINE)
  return service
}

export const line = (id: string, amount: number) => ({ item: { id }, price: { amount, currency: 'CNY' } })
export const priceRequest = (...prices: ReturnType<typeof line>[]) => ({ prices, confirm: true })

export const change = (
  service: Service,
  body: unknown,
  { location = MACHINE, key }: { readonly location?: string; readonly key?: string } = {},
): Promise<Answered> =>
  service.put(`/locations/${location}/prices`, body, key === undefined ? {} : { headers: { 'idempotency-key': key } })

/** What stands on the machine itself, by sku_id. */
export const pricesOnMachine = (service: Service, location = MACHINE): Record<string, number> =>
  Object.fromEntries(
    (service.machine.slotsByMachine[location] ?? []).map(({ vendorSku, priceFen }) => [
      `acme-machine:${vendorSku}`,
      priceFen,
    ]),
  )

/** Somebody at the platform sets a price behind our back. */
export function setOnMachine(service: Service, skuId: string, amount: number): void {
  service.machine.slotsByMachine[MACHINE] = (service.machine.slotsByMachine[MACHINE] ?? []).map((slot) =>
    `acme-machine:${slot.vendorSku}` === skuId ? { ...slot, priceFen: fen(amount) } : slot,
  )
}

export const decisionOf = (answer: Answered): string => answer.body.actions['com.example.vending.approval'][0].id

export const writes = (service: Service): number => service.machine.script.count('updatePrices')

/** The process ends while the machine is being called: nobody is left to settle what was begun. */
export function crashWhileCalling(service: Service): void {
  const death = Promise.reject(PROCESS_DIED)
  death.catch(() => {})
  service.machine.script.next('updatePrices', { wait: death })
}
