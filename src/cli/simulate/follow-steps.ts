/** The owner who does what the profit report proposes for the machines and products that earn least. Through the API only. */
import type { ProfitStep } from '../../contract/shapes/money/sales.ts'
import { DAY } from '../../kernel/clock.ts'
import { type SkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { type RecordAction, refusalOf } from './actions.ts'
import type { simulatedOwner } from './owner.ts'
import type { Simulation } from './simulation.ts'

const WORST = 5

type Slot = NonNullable<ProfitStep['slots']>[number]

export function stepFollower(
  { client, clock, currency, simulator }: Simulation,
  { approveAll }: ReturnType<typeof simulatedOwner>,
  record: RecordAction,
) {
  /** Days between two visits, by machine, where the step said so. */
  const everyDays = new Map<string, number>()
  /** Swaps that the next visit makes, by machine. */
  const swaps = new Map<string, Slot[]>()
  const visitedAt = new Map<string, number>()

  const STEPS: Partial<Record<ProfitStep['step'], (slots: readonly Slot[]) => Promise<void>>> = {
    raise_price: raisePrices,
    less_stock: lowerStock,
    swap: acceptSwaps,
  }

  async function takeSteps(): Promise<void> {
    for (const by of ['location', 'product'] as const) {
      const { rows } = await client.getProfit({ query: { by, steps: true, sort: 'profit', limit: WORST } })
      for (const { key, next_step: next } of rows) {
        // The simulated places ask for nothing, and a machine that is taken away has no other place to go to.
        if (!next || next.step === 'renegotiate' || (next.step === 'remove' && key.item === undefined)) continue
        try {
          await STEPS[next.step]?.(next.slots ?? [])
          if (next.step === 'remove' && key.item)
            await client.setPhaseOut({ params: { sku_id: key.item.id }, body: { phase_out: true } })
        } catch (failure) {
          record({ kind: 'refused', at: clock.now(), ...refusalOf(failure) })
          continue
        }
        if (next.visit_every_days !== undefined && key.location !== undefined)
          everyDays.set(key.location, next.visit_every_days)
        record({ kind: 'step', at: clock.now(), step: next.because ?? next.step })
      }
    }
  }

  async function raisePrices(slots: readonly Slot[]): Promise<void> {
    for (const [location, own] of Map.groupBy(slots, (slot) => slot.location)) {
      const prices = own.map(({ item, new_price: amount = 0 }) => ({
        item: { id: item.id },
        price: { amount, currency },
      }))
      const body = { prices, confirm: true as const }
      await client.changePrices({ params: { id: location }, body })
      if ((await approveAll()).length > 0) await client.changePrices({ params: { id: location }, body })
    }
  }

  async function lowerStock(slots: readonly Slot[]): Promise<void> {
    for (const { location, slot_id, par } of slots)
      await client.updateSlot({ params: { id: location, slot_id }, body: { par } })
  }

  async function acceptSwaps(slots: readonly Slot[]): Promise<void> {
    for (const slot of slots) {
      if (!slot.in) continue
      await client.acceptSwap({ body: { slot_id: slot.slot_id, item: { id: slot.in.id } } })
      await approveAll()
      swaps.set(slot.location, [...(swaps.get(slot.location) ?? []), slot])
    }
  }

  const codeOf = ({ id }: { readonly id: string }) => vendorSkuOf(id as SkuId)

  /** As the driver does it on the next visit. */
  function swapAt(location: string): ReadonlyMap<string, number> {
    visitedAt.set(location, clock.now())
    const taken = new Map<string, number>()
    for (const { item, in: better } of swaps.get(location) ?? []) {
      if (!better) continue
      const units = simulator.world.swap(location, codeOf(item), codeOf(better))
      if (units > 0) taken.set(codeOf(item), units)
    }
    swaps.delete(location)
    return taken
  }

  /** Undefined: as the plan says. */
  async function machinesToVisit(): Promise<readonly string[] | undefined> {
    if (everyDays.size === 0) return undefined
    const { visits = [] } = await client.getPlan()
    const isTooSoon = (id: string) => clock.now() - (visitedAt.get(id) ?? 0) < ((everyDays.get(id) ?? 0) - 0.5) * DAY
    return visits.flatMap(({ location, go }) => (go && !isTooSoon(location) ? [location] : []))
  }

  return { takeSteps, swapAt, machinesToVisit }
}
