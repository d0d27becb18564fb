/**
 * GET and POST /replenishment/swaps. Accepting a proposal asks the owner with a decision of the kind `swap` (2.8). Only a
 * machine and its platform change what a slot holds, so approval changes our records alone: nothing more is ordered of
 * the product in this machine, and the swap is listed for the next visit. The new product is planned once the machine
 * reports it; its orders then pass the rules like all others.
 */
import type { Swap as WireSwap, SwapAnswer, SwapList, SwapRequest, SwapsQuery } from '../../../contract/swaps.ts'
import { slotIdOf, vendorSkuOf } from '../../../kernel/ids.ts'
import type { LocationId, SkuId } from '../../../kernel/ids.ts'
import { accept, catchRefusal, refuse } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { createPending } from '../../approvals/index.ts'
import type { Subject } from '../../approvals/index.ts'
import { APPROVAL_ACTION } from '../../../contract/capabilities.ts'
import type { Context } from '../../context.ts'
import { readGuardrails, readRulesOrRefuse } from '../../guardrails/index.ts'
import { savePhaseOut } from '../../skus/index.ts'
import type { Swap } from '../planner/swaps.ts'
import { countRunChange } from '../runs/records.ts'
import { loadSwaps, outSku } from './propose.ts'
import type { RouteSwaps } from './propose.ts'
import { findSwap, resolveSwap, saveSwap } from './records.ts'
import type { SlotSwap } from './records.ts'
import { decisionOf } from './texts.ts'

export async function getSwaps(ctx: Context, { location }: SwapsQuery): Promise<Outcome<Omit<SwapList, 'ucp'>>> {
  const rules = readRulesOrRefuse(ctx)
  if (!rules.ok) return rules
  const route = await loadSwaps(ctx, rules.value)
  const swaps = [...route.proposals.map((swap) => proposalView(route, swap)), ...acceptedViews(route)]
  return accept({
    currency: ctx.config.currency,
    swaps: swaps.filter((swap) => location === undefined || swap.location === location),
  })
}

export const acceptSwap = (ctx: Context, request: SwapRequest): Promise<Outcome<Omit<SwapAnswer, 'ucp'>>> =>
  catchRefusal(async () => {
    const guard = await readGuardrails(ctx)
    if (!guard.ok) return guard
    const route = await loadSwaps(ctx, guard.value.rules)
    const { slot_id: slotId, item } = request
    const slot = route.current.input.slots.get(slotId)
    if (!slot) return refuse('not_found', `Slot "${slotId}" not found`, '$.slot_id')
    const proposal = route.proposals.find((swap) => swap.slotId === slotId && swap.in.sku === item.id)
    return ctx.store.transaction(async (tx) => {
      // One at a time: of two at once, the second finds what the first accepted.
      await countRunChange(tx)
      const before = await findSwap(tx, slotId)
      // Asked again: the same decision, not a second one.
      if (before && before.status !== 'rejected') {
        if (before.toSku !== item.id)
          return refuse('not_editable', `Another product was accepted for ${slotId}: ${before.toSku}`, '$.item.id')
        return accept(answerOf(route, before))
      }
      if (!proposal) return refuse('invalid', 'This swap is not proposed now. Read the proposals again', '$.item.id')
      const decision = await createPending(ctx, tx, decisionOf(proposal, route.titles, ctx.config.currency))
      const swap: SlotSwap = {
        location: slot.location,
        vendorSku: slot.vendorSku,
        slotId,
        toSku: item.id as SkuId,
        decision,
        status: 'pending',
        weeklyGainFen: proposal.weeklyGainFen,
      }
      await saveSwap(tx, swap, ctx.clock.now())
      return accept(answerOf(route, swap))
    })
  })

/** What the owner's decision about a slot changes. */
export const swapSubject = (ctx: Pick<Context, 'store' | 'clock'>): Subject => ({
  async applyDecision(tx, { id, kind }, approved) {
    if (kind !== 'swap') return
    const swap = await resolveSwap(tx, id, approved ? 'approved' : 'rejected')
    if (swap && approved)
      await savePhaseOut(ctx, tx, { skuId: outSku(swap), location: swap.location, isPhasedOut: true })
  },
})

const answerOf = (route: RouteSwaps, swap: SlotSwap): Omit<SwapAnswer, 'ucp'> => ({
  swap: acceptedView(route, swap),
  ...(swap.status === 'pending' ? { actions: { [APPROVAL_ACTION]: [{ id: swap.decision }] } } : {}),
})

const round4 = (rate: number): number => Math.round(rate * 1e4) / 1e4

function proposalView(
  { titles }: RouteSwaps,
  { location, slotId, out, in: better, weeklyGainFen, evidence }: Swap,
): WireSwap {
  const productView = ({ sku, rate, weeklyFen }: Swap['out']) => ({
    item: { id: sku, title: titles.get(sku) ?? sku },
    daily_rate: round4(rate),
    weekly_margin: weeklyFen,
  })
  return {
    location,
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

const acceptedViews = (route: RouteSwaps): WireSwap[] =>
  route.accepted.flatMap((swap) => (swap.status === 'rejected' ? [] : [acceptedView(route, swap)]))

/** An approved swap is done once the machine reports the new product. */
function acceptedView(route: RouteSwaps, swap: SlotSwap): WireSwap {
  const { location, slotId, toSku, status, decision, weeklyGainFen } = swap
  const { titles, current } = route
  const isThere = current.input.slots.has(slotIdOf(location as LocationId, vendorSkuOf(toSku)))
  const itemOf = (sku: string) => ({ item: { id: sku, title: titles.get(sku) ?? sku } })
  return {
    location,
    slot_id: slotId,
    out: itemOf(outSku(swap)),
    in: itemOf(toSku),
    weekly_gain: weeklyGainFen,
    status: status === 'approved' && isThere ? 'done' : status,
    decision,
  }
}
