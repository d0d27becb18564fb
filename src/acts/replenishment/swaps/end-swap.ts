/**
 * How an accepted swap ends. It is done when the machine reports the new product, which a job looks for, or when a person
 * says so; a person may also cancel it, and then the product that stays is ordered again.
 */
import type { SwapAnswer, SwapEndRequest } from '../../../contract/shapes/planning/swaps.ts'
import { type SkuId } from '../../../kernel/ids.ts'
import { type Outcome, accept, refuse, refuseBusy } from '../../../kernel/outcome.ts'
import type { Queryable, Tx } from '../../../store/store.ts'
import { withdrawDecision } from '../../../rules/approvals/index.ts'
import type { Context, WriteContext } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { findLocations, listSlots } from '../../../route/locations/index.ts'
import { findMachineProducts, savePhaseOut } from '../../../route/skus/index.ts'
import { changeTrial, dropSwapTrial, findOpenSwapTrial, trialEnded } from '../../trials/index.ts'
import { incrementRunsVersion } from '../runs/records.ts'
import { type SlotSwap, findOpenSwap, findSwapOf, isMade, listSwaps, loadMachineIds, moveSwap } from './records.ts'
import { acceptedView } from './view.ts'
import { type SwapNames, swapEnded } from './texts.ts'

type Deps = WriteContext & Pick<Context, 'config'>

/** Stores which approved swaps the machines report as made. Safe to run twice. */
export async function finishSwaps(ctx: Deps): Promise<void> {
  const { db } = ctx.store
  const approved = (await listSwaps(db)).filter(({ status }) => status === 'approved')
  if (approved.length === 0) return
  const slots = await listSlots(db, [...new Set(approved.map(({ location }) => location))])
  const held = new Set<string>(slots.map(({ slotId }) => slotId))
  const idsOf = await loadMachineIds(db, approved)
  for (const swap of approved.filter((each) => isMade(each, held, idsOf)))
    await ctx.store.transaction((tx) => end(ctx, tx, swap, 'done', 'The machine reports the new product.'))
}

export const endSwap = (
  ctx: Deps,
  slotId: string,
  { status }: SwapEndRequest,
): Promise<Outcome<Omit<SwapAnswer, 'ucp'>>> =>
  status === 'kept' || status === 'taken_back' ? endTrial(ctx, slotId, status) : endOpenSwap(ctx, slotId, status)

/** The job takes it back, by a swap on the list of the next visit. */
const endTrial = (
  ctx: Deps,
  slotId: string,
  status: 'kept' | 'taken_back',
): Promise<Outcome<Omit<SwapAnswer, 'ucp'>>> =>
  ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    const trial = await findOpenSwapTrial(tx, slotId)
    const decision = trial?.members.find((member) => member.swap)?.decision
    const swap = decision === undefined ? undefined : await findSwapOf(tx, decision)
    if (!trial || !swap) return refuse('not_found', `No product is on trial in "${slotId}"`)
    if (trial.status === 'starting') return refuse('not_editable', 'The swap was not made yet. Cancel it')
    if (trial.status === 'taking_back') {
      if (status === 'kept') return refuse('not_editable', 'The product is being taken back. Cancel that swap')
      return accept({ swap: acceptedView(await findNames(tx, [swap]), swap) })
    }
    const now = ctx.clock.now()
    const to =
      status === 'kept' ? ({ status, endedAt: now } as const) : ({ status: 'taking_back', dueAt: now } as const)
    if (!(await changeTrial(tx, trial, { ...to, reason: 'person' })))
      return refuseBusy('The trial is being worked on', 5)
    if (status === 'kept')
      await recordEvent(ctx, tx, trialEnded(trial, 'kept', 'person', trial.measured, ctx.config.currency))
    return accept({ swap: acceptedView(await findNames(tx, [swap]), swap) })
  })

const endOpenSwap = (
  ctx: Deps,
  slotId: string,
  status: 'done' | 'canceled',
): Promise<Outcome<Omit<SwapAnswer, 'ucp'>>> =>
  ctx.store.transaction(async (tx) => {
    // As accepting does: of two at once, the second finds what the first did.
    await incrementRunsVersion(tx)
    let swap = await findOpenSwap(tx, slotId)
    if (swap?.status === 'pending' && status === 'done')
      return refuse('not_editable', 'The owner has not approved this swap yet')
    // The owner decided meanwhile: what was decided ends.
    if (swap?.status === 'pending' && !(await withdrawDecision(ctx, tx, swap.decision, 'The swap has ended.')))
      swap = await findOpenSwap(tx, slotId)
    if (!swap) return refuse('not_found', `No swap of "${slotId}" is open`)
    const ended = (await end(ctx, tx, swap, status, 'As a person stated.')) ?? swap
    // What was decided for this machine alone ends with it.
    if (swap.status === 'approved' && status === 'canceled')
      await savePhaseOut(ctx, tx, { skuId: swap.fromSku, location: swap.location, isPhasedOut: false })
    return accept({ swap: acceptedView(await findNames(tx, [swap]), ended) })
  })

/** The driver changed the slot at a visit. A swap that ended meanwhile stays as it ended. */
export async function finishSwapAt(ctx: Deps, tx: Tx, location: string, slotId: string): Promise<void> {
  const swap = await findOpenSwap(tx, slotId)
  if (swap?.location === location && swap.status === 'approved')
    await end(ctx, tx, swap, 'done', 'The driver changed it.')
}

/** Undefined when it has ended already. */
async function end(
  ctx: Deps,
  tx: Tx,
  swap: SlotSwap,
  status: 'done' | 'canceled',
  why: string,
): Promise<SlotSwap | undefined> {
  const ended = await moveSwap(tx, swap.decision, ['pending', 'approved'], status, ctx.clock.now())
  if (!ended) return undefined
  await recordEvent(ctx, tx, swapEnded(ended, await findNames(tx, [ended]), why))
  if (status === 'canceled') await dropSwapTrial(tx, ended.slotId, ctx.clock.now())
  return ended
}

async function findNames(db: Queryable, swaps: readonly SlotSwap[]): Promise<SwapNames> {
  const products = await findMachineProducts(
    db,
    swaps.flatMap((swap): SkuId[] => [swap.fromSku, swap.toSku]),
  )
  const machines = await findLocations(
    db,
    swaps.map(({ location }) => location),
  )
  const names = new Map<string, string>(machines.map(({ id, name }) => [id, name]))
  return {
    titles: new Map([
      ...swaps.map(({ toSku, toTitle }) => [toSku, toTitle] as const),
      ...[...products].map(([id, { title }]) => [id, title] as const),
    ]),
    machineName: (location) => names.get(location),
  }
}
