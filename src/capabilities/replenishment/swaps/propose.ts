/** The swaps of the route now: proposals from the current plan, and those that were accepted before. */
import { namespaceOf } from '../../../kernel/ids.ts'
import type { LocationId, SkuId } from '../../../kernel/ids.ts'
import type { Context } from '../../context.ts'
import type { Rules } from '../../guardrails/index.ts'
import { phaseOuts, sourcesOf } from '../../skus/index.ts'
import { computePlan } from '../plan/get-plan.ts'
import type { CurrentPlan } from '../plan/get-plan.ts'
import { proposeSwaps } from '../planner/swaps.ts'
import type { Swap, SwapMachine } from '../planner/swaps.ts'
import { matchingNoGo } from '../runs/draft-lines.ts'
import { listSwaps } from './records.ts'
import type { SlotSwap } from './records.ts'

export interface RouteSwaps {
  readonly proposals: readonly Swap[]
  readonly accepted: readonly SlotSwap[]
  readonly current: CurrentPlan
  readonly titles: ReadonlyMap<string, string>
}

export async function loadSwaps(ctx: Context, rules: Pick<Rules, 'noGos'>): Promise<RouteSwaps> {
  const current = await computePlan(ctx)
  const accepted = await listSwaps(ctx.store.db)
  const titles = new Map<string, string>()
  for (const { skuId, title } of current.input.slots.values()) titles.set(skuId, title)
  const sources = await sourcesOf(ctx, [...titles.keys()] as SkuId[])
  const isPhasedOut = await phaseOuts(ctx.store.db)
  const openSlots = new Set(accepted.flatMap(({ slotId, status }) => (status === 'rejected' ? [] : [slotId])))
  const decided = new Set(accepted.map(({ slotId, toSku }) => `${slotId} ${toSku}`))
  const expected = new Set(
    accepted.flatMap(({ location, toSku, status }) => (status === 'rejected' ? [] : [`${location} ${toSku}`])),
  )
  const proposals = proposeSwaps(swapMachines(current, openSlots), (sku, location, slotId) => {
    const skuId = sku as SkuId
    const source = sources.get(skuId)
    return (
      source !== undefined &&
      !isPhasedOut(sku, location) &&
      !decided.has(`${slotId} ${sku}`) &&
      !expected.has(`${location} ${sku}`) &&
      matchingNoGo(rules, { skuId, title: titles.get(skuId) ?? '' }, source) === undefined
    )
  })
  return { proposals, accepted, current, titles }
}

/** The planned machines. A slot for which a swap was accepted stays as it is. */
function swapMachines({ input, plan }: CurrentPlan, openSlots: ReadonlySet<string>): SwapMachine[] {
  const held = Map.groupBy(input.slots.values(), ({ location }) => location)
  return plan.areas.flatMap(({ machines }) =>
    machines.flatMap(({ rated }): SwapMachine[] => {
      const { location } = rated.machine
      const known = input.locations.get(location as LocationId)
      if (!known) return []
      return [
        {
          location,
          namespace: known.namespace,
          venueType: known.profile.venueType,
          held: new Set((held.get(known.id) ?? []).map(({ skuId }) => skuId)),
          slots: rated.slots.map(({ slot, rate, marginFen, observation }) => ({
            slotId: slot.slotId,
            sku: slot.sku,
            rate,
            marginFen,
            units: observation.rateUnits,
            days: observation.rateDays,
            isFixed: slot.locked || slot.inTransit || slot.phasedOut === true || openSlots.has(slot.slotId),
          })),
        },
      ]
    }),
  )
}

/** The product that a swap takes out of its slot. */
export const outSku = ({ vendorSku, toSku }: Pick<SlotSwap, 'vendorSku' | 'toSku'>): SkuId =>
  `${namespaceOf(toSku)}:${vendorSku}` as SkuId
