/**
 * GET and POST /replenishment/swaps. Accepting a proposal asks the owner with a decision of the kind `swap`. Only a
 * machine and its platform change what a slot holds, so approval changes our records alone: nothing more is ordered of
 * the product in this machine, and the swap is listed for the next visit. The new product is planned once the machine
 * reports it; its orders then pass the rules like all others.
 */
import type { SwapAnswer, SwapList, SwapRequest, SwapsQuery } from '../../../contract/shapes/planning/swaps.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type Outcome, accept, catchRefusal, refuse } from '../../../kernel/outcome.ts'
import { partOf } from '../../../lib/pages.ts'
import { type Subject, createPending } from '../../../rules/approvals/index.ts'
import { APPROVAL_ACTION } from '../../../contract/capabilities.ts'
import { PAGE_MAX } from '../../../contract/limits.ts'
import type { Context, WriteContext } from '../../../context.ts'
import { readGuardrails, readRulesOrRefuse } from '../../../rules/guardrails/index.ts'
import { savePhaseOut } from '../../../route/skus/index.ts'
import { incrementRunsVersion } from '../runs/records.ts'
import { type RouteSwaps, loadSwaps } from './propose.ts'
import { type SlotSwap, findOpenSwap, moveSwap, saveSwap } from './records.ts'
import { decisionOf } from './texts.ts'
import { acceptedView, acceptedViews, outSku, proposalView } from './view.ts'

export async function getSwaps(ctx: Context, query: SwapsQuery): Promise<Outcome<Omit<SwapList, 'ucp'>>> {
  const rules = await readRulesOrRefuse(ctx)
  if (!rules.ok) return rules
  const route = await loadSwaps(ctx, rules.value)
  const swaps = [...route.proposals.map((swap) => proposalView(route, swap)), ...acceptedViews(route, ctx.clock.now())]
  const { location } = query
  const wanted = swaps.filter((swap) => location === undefined || swap.location === location)
  const part = partOf(wanted, query, PAGE_MAX, (swap) =>
    // A slot may have one that was made beside a new proposal.
    [swap.slot_id, swap.in.item.id, swap.status].join(' '),
  )
  if (!part.ok) return part
  const { entries, ...pages } = part.value
  return accept({ currency: ctx.config.currency, swaps: entries, ...pages })
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
      await incrementRunsVersion(tx)
      const before = await findOpenSwap(tx, slotId)
      // Asked again: the same decision, not a second one.
      if (before) {
        if (before.toSku !== item.id)
          return refuse('not_editable', `Another product was accepted for ${slotId}: ${before.toSku}`, '$.item.id')
        return accept(answerOf(route, before))
      }
      if (!proposal) return refuse('invalid', 'This swap is not proposed now. Read the proposals again', '$.item.id')
      const decision = await createPending(ctx, tx, decisionOf(proposal, route, ctx.config.currency))
      const changedAt = ctx.clock.now()
      const swap: SlotSwap = {
        location: slot.location,
        vendorSku: slot.vendorSku,
        slotId,
        toSku: item.id as SkuId,
        decision,
        status: 'pending',
        weeklyGainFen: proposal.weeklyGainFen,
        changedAt,
      }
      await saveSwap(tx, swap, changedAt)
      return accept(answerOf(route, swap))
    })
  })

/** What the owner's decision about a slot changes. */
export const swapSubject = (ctx: WriteContext): Subject => ({
  async applyDecision(tx, { id, kind }, approved) {
    if (kind !== 'swap') return
    const swap = await moveSwap(tx, id, ['pending'], approved ? 'approved' : 'rejected', ctx.clock.now())
    if (swap && approved)
      await savePhaseOut(ctx, tx, { skuId: outSku(swap), location: swap.location, isPhasedOut: true })
  },
})

const answerOf = (route: RouteSwaps, swap: SlotSwap): Omit<SwapAnswer, 'ucp'> => ({
  swap: acceptedView(route, swap),
  ...(swap.status === 'pending' ? { actions: { [APPROVAL_ACTION]: [{ id: swap.decision }] } } : {}),
})
