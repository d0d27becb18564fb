/**
 * GET and POST /replenishment/swaps. Accepting a proposal puts the product on trial: at once with `confirm`, else the owner
 * is asked with a decision of the kind `swap`. Only a machine and its platform change what a slot holds, so approval changes
 * our records alone: nothing more is ordered of the product in this machine, and the swap is listed for the next visit. The
 * new product is planned once the machine reports it; its orders then pass the rules like all others.
 */
import type { SwapAnswer, SwapList, SwapRequest, SwapsQuery } from '../../../contract/shapes/planning/swaps.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type Outcome, RefusedError, accept, catchRefusal, refuse } from '../../../kernel/outcome.ts'
import { type CurrencyCode, formatAmount } from '../../../kernel/currency.ts'
import { partOf } from '../../../lib/pages.ts'
import { count } from '../../../kernel/text.ts'
import { recordEvent } from '../../../record/events/index.ts'
import type { StoredSlot } from '../../../route/locations/index.ts'
import { type Subject, createPending, mayDecideFor, recordApproved } from '../../../rules/approvals/index.ts'
import { APPROVAL_ACTION } from '../../../contract/capabilities.ts'
import { PAGE_MAX } from '../../../contract/limits.ts'
import type { Context, WriteContext } from '../../../context.ts'
import { readGuardrails, readRulesOrRefuse } from '../../../rules/guardrails/index.ts'
import { savePhaseOut } from '../../../route/skus/index.ts'
import {
  type NewSwapTrial,
  SWAP_DAYS_BEFORE,
  dropSwapTrial,
  isOpenTrial,
  listTrials,
  openSwapTrial,
} from '../../trials/index.ts'
import { loadDays, loadSlots } from '../plan/trial-route.ts'
import { incrementRunsVersion } from '../runs/records.ts'
import { type Swap, trialsMax } from './choose.ts'
import { type RouteSwaps, loadSwaps, locationOf } from './propose.ts'
import { type SlotSwap, findOpenSwap, moveSwap, saveSwap } from './records.ts'
import { decisionOf, swapTrialStarted } from './texts.ts'
import { acceptedView, acceptedViews, proposalView, trialsView } from './view.ts'

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
  const trials = route.trials.filter((trial) => location === undefined || locationOf(trial) === location)
  return accept({ currency: ctx.config.currency, swaps: entries, ...trialsView(trials, ctx.config.timeZone), ...pages })
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
    const price = proposal && priceOfNew(proposal)
    // The price of a new product is the owner's to confirm.
    const mayStart = price === undefined || (await mayDecideFor(ctx, ctx.store.db, undefined))
    const starts = request.confirm === true && request.ask !== true && mayStart
    const slots = proposal ? await loadSlots(ctx, route.current) : []
    const countDays = await loadDays(ctx, [slot.location], SWAP_DAYS_BEFORE + 1)
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
      if (request.price !== undefined ? request.price !== price : starts && price !== undefined)
        return refuse('invalid', priceText(price, ctx.config.currency), '$.price')
      const open = (await listTrials(tx, 'swap')).filter(
        (trial) => isOpenTrial(trial) && locationOf(trial) === slot.location,
      )
      const max = trialsMax(slots.filter(({ location }) => location === slot.location).length)
      if (open.length >= max) return refuse('not_editable', tooManyTrials(max), '$.slot_id')
      const create = starts ? recordApproved : createPending
      const decision = await create(ctx, tx, decisionOf(proposal, route, ctx.config.currency))
      const changedAt = ctx.clock.now()
      const swap: SlotSwap = {
        location: slot.location,
        vendorSku: slot.vendorSku,
        slotId,
        fromSku: slot.skuId,
        toSku: item.id as SkuId,
        toTitle: route.titles.get(item.id) ?? item.id,
        priceFen: price,
        decision,
        status: starts ? 'approved' : 'pending',
        weeklyGainFen: proposal.weeklyGainFen,
        changedAt,
      }
      await saveSwap(tx, swap, changedAt)
      const trial = newTrial(route, proposal, slot, decision)
      if (!(await openSwapTrial(tx, changedAt, trial, slots, countDays)))
        throw new RefusedError(refuse('not_editable', ON_TRIAL, '$.slot_id').refusal)
      if (starts) {
        await savePhaseOut(ctx, tx, { skuId: swap.fromSku, location: swap.location, isPhasedOut: true })
        await recordEvent(ctx, tx, swapTrialStarted(proposal, route, ctx.config.currency))
      }
      return accept(answerOf(route, swap))
    })
  })

const priceOfNew = ({ in: product }: Swap): number | undefined =>
  product.newSku === undefined ? undefined : product.priceFen

const priceText = (price: number | undefined, currency: CurrencyCode): string =>
  price === undefined
    ? 'Only a product that no machine holds gets a price with its swap'
    : `No machine holds this product yet: state its price as proposed, ${formatAmount(price, currency)}`

const ON_TRIAL = 'A product is on trial in this slot already'
const tooManyTrials = (max: number) =>
  `At most ${count(max, 'product')} of this machine may be on trial at a time: one for every five slots`

const newTrial = (
  { titles, categoryOf, machineName }: RouteSwaps,
  { out, in: better, weeklyGainFen, gainErrorFen, evidence }: Swap,
  { slotId, location }: Pick<StoredSlot, 'slotId' | 'location'>,
  decision: string,
): NewSwapTrial => ({
  slotId,
  location,
  locationName: machineName(location) ?? location,
  venueType: evidence.venueType,
  product: { sku: better.sku as SkuId, title: titles.get(better.sku) ?? better.sku },
  category: categoryOf(better.sku),
  priceFen: better.priceFen,
  replaced: { sku: out.sku as SkuId, title: titles.get(out.sku) ?? out.sku },
  swap: { marginFen: better.marginFen, oldMarginFen: out.marginFen, rate: better.plainRate },
  expected: { mean: weeklyGainFen, error: gainErrorFen },
  decision,
})

/** What the owner's decision about a slot changes. */
export const swapSubject = (ctx: WriteContext): Subject => ({
  async applyDecision(tx, { id, kind }, approved) {
    if (kind !== 'swap') return
    const swap = await moveSwap(tx, id, ['pending'], approved ? 'approved' : 'rejected', ctx.clock.now())
    if (!swap) return
    if (approved) await savePhaseOut(ctx, tx, { skuId: swap.fromSku, location: swap.location, isPhasedOut: true })
    else await dropSwapTrial(tx, swap.slotId, ctx.clock.now())
  },
})

const answerOf = (route: RouteSwaps, swap: SlotSwap): Omit<SwapAnswer, 'ucp'> => ({
  swap: acceptedView(route, swap),
  ...(swap.status === 'pending' ? { actions: { [APPROVAL_ACTION]: [{ id: swap.decision }] } } : {}),
})
