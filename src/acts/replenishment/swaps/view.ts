/** Swaps as callers see them. */
import type { Swap as WireSwap } from '../../../contract/shapes/planning/swaps.ts'
import { DAY } from '../../../kernel/clock.ts'
import { type SkuId, namespaceOf } from '../../../kernel/ids.ts'
import type { Swap } from '../planner/swaps.ts'
import { type SlotSwap, isOpenSwap } from './records.ts'
import type { RouteSwaps } from './propose.ts'
import type { SwapNames } from './texts.ts'

/** The product that a swap takes out of its slot. */
export const outSku = ({ vendorSku, toSku }: Pick<SlotSwap, 'vendorSku' | 'toSku'>): SkuId =>
  `${namespaceOf(toSku)}:${vendorSku}` as SkuId

const round4 = (rate: number): number => Math.round(rate * 1e4) / 1e4

export function proposalView(
  { titles, machineName }: SwapNames,
  { location, slotId, out, in: better, weeklyGainFen, evidence }: Swap,
): WireSwap {
  const productView = ({ sku, rate, weeklyFen }: Swap['out']) => ({
    item: { id: sku, title: titles.get(sku) ?? sku },
    daily_rate: round4(rate),
    weekly_margin: weeklyFen,
  })
  return {
    location,
    ...nameView(machineName(location)),
    slot_id: slotId,
    out: productView(out),
    in: productView(better),
    weekly_gain: weeklyGainFen,
    evidence: {
      ...(evidence.venueType === undefined ? {} : { venue_type: evidence.venueType }),
      machines: evidence.machines,
      units: evidence.units,
      days: Math.round(evidence.days * 100) / 100,
    },
    status: 'proposed',
  }
}

/** How long a swap that was made is listed. */
const DONE_SHOWN_MS = 30 * DAY

export const acceptedViews = (route: Pick<RouteSwaps, 'accepted' | keyof SwapNames>, now: number): WireSwap[] =>
  route.accepted
    .filter((swap) => isOpenSwap(swap) || (swap.status === 'done' && now - swap.changedAt < DONE_SHOWN_MS))
    .map((swap) => acceptedView(route, swap))

const nameView = (name: string | undefined) => (name === undefined ? {} : { location_name: name })

export function acceptedView({ titles, machineName }: SwapNames, swap: SlotSwap): WireSwap {
  const { location, slotId, toSku, status, decision, weeklyGainFen } = swap
  const itemOf = (sku: string) => ({ item: { id: sku, title: titles.get(sku) ?? sku } })
  return {
    location,
    ...nameView(machineName(location)),
    slot_id: slotId,
    out: itemOf(outSku(swap)),
    in: itemOf(toSku),
    weekly_gain: weeklyGainFen,
    status,
    decision,
  }
}
