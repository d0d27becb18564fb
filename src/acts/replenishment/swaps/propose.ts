/** The swaps of the route now: proposals from the current plan, and those that were accepted before. */
import { DAY } from '../../../kernel/clock.ts'
import type { LocationId, SkuId } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import type { Rules } from '../../../rules/guardrails/index.ts'
import { loadPhaseOuts, findSources } from '../../../route/skus/index.ts'
import { type CurrentPlan, computePlan } from '../plan/get-plan.ts'
import { type Swap, type SwapMachine, proposeSwaps } from '../planner/swaps.ts'
import { matchingNoGo } from '../runs/create/draft-lines.ts'
import { type SlotSwap, isMade, isOpenSwap, listSwaps } from './records.ts'
import type { SwapNames } from './texts.ts'

/** A swap that the owner rejected or somebody canceled is not proposed again for this long: sales change with the season. */
const DECLINED_MS = 90 * DAY

const isDeclined = ({ status, changedAt }: SlotSwap, now: number): boolean =>
  (status === 'rejected' || status === 'canceled') && now - changedAt < DECLINED_MS

export interface RouteSwaps extends SwapNames {
  readonly proposals: readonly Swap[]
  readonly accepted: readonly SlotSwap[]
  readonly current: CurrentPlan
}

export async function loadSwaps(ctx: Context, rules: Pick<Rules, 'noGos'>): Promise<RouteSwaps> {
  const current = await computePlan(ctx)
  const now = ctx.clock.now()
  const accepted = (await listSwaps(ctx.store.db)).map((swap) =>
    isMade(swap, current.input.slots) ? { ...swap, status: 'done' as const, changedAt: now } : swap,
  )
  const titles = new Map<string, string>()
  for (const { skuId, title } of current.input.slots.values()) titles.set(skuId, title)
  const sources = await findSources(ctx, [...titles.keys()] as SkuId[])
  const isPhasedOut = await loadPhaseOuts(ctx.store.db)
  const open = accepted.filter(isOpenSwap)
  const openSlots = new Set(open.map(({ slotId }) => slotId))
  // A machine may not report a swap that a person made; its product is not proposed for another slot.
  const made = accepted.filter(({ status, changedAt }) => status === 'done' && now - changedAt < DECLINED_MS)
  const expected = new Set([...open, ...made].map(({ location, toSku }) => `${location} ${toSku}`))
  const declined = new Set(
    accepted.filter((swap) => isDeclined(swap, now)).map(({ slotId, toSku }) => `${slotId} ${toSku}`),
  )
  const proposals = proposeSwaps(swapMachines(current, openSlots), (sku, location, slotId) => {
    const skuId = sku as SkuId
    const source = sources.get(skuId)
    return (
      source !== undefined &&
      !isPhasedOut(sku, location) &&
      !declined.has(`${slotId} ${sku}`) &&
      !expected.has(`${location} ${sku}`) &&
      matchingNoGo(rules, { skuId, title: titles.get(skuId) ?? '' }, source) === undefined
    )
  })
  const machineName = (location: string) => current.input.locations.get(location as LocationId)?.name
  return { proposals, accepted, current, titles, machineName }
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
          heldSkus: new Set((held.get(known.id) ?? []).map(({ skuId }) => skuId)),
          slots: rated.slots.map(({ slot, rate, marginFen, observation }) => ({
            slotId: slot.slotId,
            sku: slot.sku,
            rate,
            marginFen,
            units: observation.rateUnits,
            days: observation.rateDays,
            isFixed: slot.locked || slot.isInTransit || slot.isPhasedOut === true || openSlots.has(slot.slotId),
          })),
        },
      ]
    }),
  )
}
