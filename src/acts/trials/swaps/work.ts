/**
 * What a trial of a product still has to do: wait until the driver has changed the slot, compare, have it changed back. Only
 * the driver changes what a slot holds, so both changes are swaps on the list of the next visit.
 */
import { DAY } from '../../../kernel/clock.ts'
import { slotIdOf, vendorSkuOf } from '../../../kernel/ids.ts'
import { listSlots } from '../../../route/locations/index.ts'
import type { TrialContext } from '../context.ts'
import type { Member, SwapMember, Trial } from '../records.ts'
import { type Steps, saveTrial } from '../save.ts'
import { judgeSwap } from './gain.ts'

const LOOK_MS = DAY
/** Days in stock after which a product is judged. */
const JUDGED_DAYS = 21
/** With fewer nothing can be said. */
const DAYS_MIN = 7
/** Longer than this nobody waits for days in stock. */
const LONGEST_MS = 60 * DAY
/** A platform may show the new product this much later. */
const UNSEEN_MS = 3 * DAY
/** A product that is new to the platform is entered there by a person. */
const NEW_UNSEEN_MS = 14 * DAY

export const SWAP_STEPS: Steps = { starting: awaitChange, running: compare, taking_back: takeBack }

type Treated = Member & { readonly swap: SwapMember }

const treatedOf = ({ members }: Trial): Treated | undefined =>
  members.find((member): member is Treated => member.swap !== undefined)

const withTreated = ({ members }: Trial, to: Partial<Member>): readonly Member[] =>
  members.map((member) => (member.swap ? { ...member, ...to } : member))

async function awaitChange(ctx: TrialContext, trial: Trial): Promise<void> {
  const treated = treatedOf(trial)
  const decision = treated?.decision
  const swap = decision === undefined ? undefined : await ctx.route.findSwap(decision)
  // It stays due: a changed slot is seen within minutes.
  if (swap?.status === 'pending' || swap?.status === 'approved') return
  const gone = { status: 'ended', reason: 'nobody_left' } as const
  if (!treated || swap?.status !== 'done') return void (await saveTrial(ctx, trial, gone))
  const { sku } = swap
  if (sku === undefined) {
    if (ctx.clock.now() - swap.changedAt >= NEW_UNSEEN_MS) await saveTrial(ctx, trial, gone)
    return
  }
  const slotId = slotIdOf(treated.location, vendorSkuOf(sku))
  const members = withTreated(trial, { slotId, state: 'changed', changedAt: swap.changedAt })
  await saveTrial(ctx, trial, { status: 'running', sku, members, dueAt: swap.changedAt + LOOK_MS })
}

async function compare(ctx: TrialContext, trial: Trial): Promise<void> {
  const now = ctx.clock.now()
  const treated = treatedOf(trial)
  const later = { dueAt: now + LOOK_MS }
  const since = treated?.changedAt ?? trial.createdAt
  const slots = treated ? await listSlots(ctx.store.db, [treated.location]) : []
  const slot = slots.find(({ slotId }) => slotId === treated?.slotId)
  if (!treated || !slot) {
    const isUnseen = treated !== undefined && now - since < UNSEEN_MS
    return void (await saveTrial(ctx, trial, isUnseen ? later : { status: 'ended', reason: 'nobody_left' }))
  }
  if (now - since < JUDGED_DAYS * DAY) return void (await saveTrial(ctx, trial, later))
  const controls = trial.members.filter(({ role }) => role === 'control')
  const earliest = Math.min(...trial.members.map(({ comparableFrom }) => comparableFrom))
  const countDays = await ctx.route.loadDays(
    trial.members.map(({ location }) => location),
    Math.ceil((now - earliest) / DAY) + 1,
  )
  const after = countDays(treated.slotId, since, now)
  const isLate = now - since >= LONGEST_MS
  if (after.days < JUDGED_DAYS && !isLate) return void (await saveTrial(ctx, trial, later))
  // What a unit brings follows from the price that the machine has in fact.
  const swap = { ...treated.swap, marginFen: treated.swap.marginFen + slot.price - treated.priceFen }
  const observed = controls.map(({ slotId, comparableFrom }) => ({
    before: countDays(slotId, comparableFrom, trial.createdAt),
    after: countDays(slotId, since, now),
  }))
  const result = after.days < DAYS_MIN ? undefined : judgeSwap(swap, after, observed, trial.expected)
  if (!result) return void (await saveTrial(ctx, trial, { status: 'ended', reason: 'too_little' }))
  const { measured, judged, share, isKept } = result
  const next = await saveTrial(ctx, trial, {
    measured,
    judged,
    learned: share,
    reason: 'judged',
    ...(isKept ? { status: 'kept' } : { status: 'taking_back', dueAt: now }),
  })
  if (next?.status === 'taking_back') await takeBack(ctx, next)
}

/** Puts the old product on the list of the next visit, once; over when the driver has changed it. */
async function takeBack(ctx: TrialContext, trial: Trial): Promise<void> {
  const treated = treatedOf(trial)
  if (!treated || !trial.replaced) return void (await saveTrial(ctx, trial, { status: 'ended' }))
  const { state, decision } = treated
  if (state !== 'asked') {
    const asked = await ctx.route.swapBack({
      location: treated.location,
      locationName: treated.locationName,
      slotId: treated.slotId,
      sku: trial.sku,
      title: trial.title,
      to: trial.replaced,
      gainFen: Math.max(0, -Math.round(trial.judged?.mean ?? 0)),
    })
    if (asked === undefined) return void (await saveTrial(ctx, trial, { status: 'ended', reason: 'nobody_left' }))
    const members = withTreated(trial, { state: 'asked', decision: asked })
    return void (await saveTrial(ctx, trial, { members }))
  }
  const swap = decision === undefined ? undefined : await ctx.route.findSwap(decision)
  if (swap?.status === 'approved') return
  if (swap?.status === 'done')
    return void (await saveTrial(ctx, trial, { status: 'taken_back', members: withTreated(trial, { state: 'back' }) }))
  // Somebody wants the new product to stay, or the machine is gone.
  await saveTrial(ctx, trial, {
    ...(swap ? { status: 'kept', reason: 'person' } : { status: 'ended', reason: 'nobody_left' }),
    members: withTreated(trial, { state: 'left' }),
  })
}
