/**
 * What a price trial still has to do: set its prices, compare, take them back. Every price goes through the price change
 * that anybody sends, so the rules, the emergency stop and the record are the same; setting a price that is set already
 * changes nothing, so a trial that was interrupted anywhere is gone on with.
 */
import { DAY, HOUR } from '../../../kernel/clock.ts'
import { fen } from '../../../kernel/fen.ts'
import type { Refusal } from '../../../kernel/outcome.ts'
import { listSlots } from '../../../route/locations/index.ts'
import { findDecision } from '../../../rules/approvals/index.ts'
import { changePrices, previewChange } from '../../pricing/index.ts'
import type { TrialContext } from '../context.ts'
import type { Counts } from '../measure/effect.ts'
import { type Member, type Trial, listTrials } from '../records.ts'
import { type Steps, saveTrial as save } from '../save.ts'
import { judgePrice } from './gain.ts'
import { measuredBy } from './past.ts'

const RETRY_MS = HOUR
const LOOK_MS = DAY
/** A machine that cannot be reached for this long is left out. */
const UNREACHED_MS = 2 * DAY
/** Days in stock, of each treated slot on average, after which a trial is judged. */
const JUDGED_DAYS = 14
/** Longer than this nobody waits for days in stock. */
const LONGEST_MS = 45 * DAY
/** Days before the trial that are compared. */
export const DAYS_BEFORE = 28

/** These may pass: the machine answers later, the stop is released, the rules are readable again. */
const PASSING = new Set([
  'upstream_unreachable',
  'kill_switch_engaged',
  'guard_unverifiable',
  'conflict',
  'service_unavailable',
  'rate_limited',
  'busy',
])

const withMember = ({ members }: Trial, slotId: string, to: Partial<Member>): readonly Member[] =>
  members.map((member) => (member.slotId === slotId ? { ...member, ...to } : member))

const treatedOf = ({ members }: Pick<Trial, 'members'>): readonly (Member & { readonly nextFen: number })[] =>
  members.filter((member): member is Member & { readonly nextFen: number } => member.nextFen !== undefined)

export const PRICE_STEPS: Steps = { starting: setPrices, running: compare, taking_back: takeBack }

async function setPrices(ctx: TrialContext, trial: Trial): Promise<void> {
  let current: Trial | undefined = trial
  for (const { slotId, location, priceFen, nextFen } of treatedOf(trial).filter(({ state }) => state === 'planned')) {
    const set = await setPrice(ctx, trial, location, nextFen, [priceFen, nextFen])
    const change: Partial<Member> | undefined =
      set === 'set'
        ? { state: 'changed', changedAt: ctx.clock.now() }
        : set === 'later' && ctx.clock.now() - trial.createdAt < UNREACHED_MS
          ? undefined
          : {
              state: 'left',
              why: set === 'later' ? 'unreachable' : typeof set === 'object' ? 'refused' : set,
            }
    if (!change) continue
    current = current && (await save(ctx, current, { members: withMember(current, slotId, change) }))
    if (!current) return
  }
  if (!current) return
  const treated = treatedOf(current)
  if (treated.some(({ state }) => state === 'planned')) await save(ctx, current, { dueAt: ctx.clock.now() + RETRY_MS })
  else if (treated.some(({ state }) => state === 'changed'))
    await save(ctx, current, { status: 'running', dueAt: ctx.clock.now() + LOOK_MS })
  else await save(ctx, current, { status: 'ended', reason: 'nobody_left' })
}

type SetPrice = 'set' | 'later' | 'price_changed' | 'refused' | { readonly asked: string }

/** `expected`: any other price on the machine was set by a person, and stays. */
async function setPrice(
  ctx: TrialContext,
  { sku }: Trial,
  location: string,
  toFen: number,
  expected: readonly number[],
  mayAsk = false,
): Promise<SetPrice> {
  const request = {
    prices: [{ item: { id: sku }, price: { amount: toFen, currency: ctx.config.currency } }],
    confirm: true as const,
  }
  const preview = await previewChange(ctx, location, request)
  if (!preview.ok) return passes(preview.refusal) ? 'later' : 'refused'
  const [line] = preview.value.lines
  if (!line || ![line.previousFen, ...(line.lanePricesFen ?? [])].every((price) => expected.includes(price)))
    return 'price_changed'
  if (!preview.value.isAllowed && !mayAsk) return 'refused'
  const outcome = await changePrices(ctx, location, request)
  if (!outcome.ok) return passes(outcome.refusal) ? 'later' : 'refused'
  const result = outcome.value
  if (result.kind === 'asked') return { asked: result.decision }
  const { applied } = result
  if (!applied.refusal) return 'set'
  return applied.mayRetry || applied.outcome === 'unknown' || passes(applied.refusal) ? 'later' : 'refused'
}

const passes = ({ messages }: Refusal): boolean => messages.some(({ code }) => PASSING.has(code))

/** Looks for machines whose price somebody changed; after enough days in stock, judges. */
async function compare(ctx: TrialContext, seen: Trial): Promise<void> {
  const now = ctx.clock.now()
  const trial = await leaveOut(ctx, seen)
  if (!trial) return
  const treated = treatedOf(trial).filter(({ state }) => state === 'changed')
  const controls = trial.members.filter(({ role, state }) => role === 'control' && state !== 'left')
  if (treated.length === 0) return void (await save(ctx, trial, { status: 'ended', reason: 'nobody_left' }))
  if (controls.length === 0)
    return void (await save(ctx, trial, { status: 'taking_back', reason: 'nobody_left', dueAt: now }))
  if (now - trial.createdAt < JUDGED_DAYS * DAY) return void (await save(ctx, trial, { dueAt: now + LOOK_MS }))
  const members = [...treated, ...controls]
  const earliest = Math.min(...members.map(({ comparableFrom }) => comparableFrom))
  const countDays = await ctx.route.loadDays(
    members.map(({ location }) => location),
    Math.ceil((now - earliest) / DAY) + 1,
  )
  const observe = (member: Member) => {
    const since = member.changedAt ?? trial.createdAt
    return {
      before: countDays(member.slotId, member.comparableFrom, since),
      after: countDays(member.slotId, since, now),
    }
  }
  const observed = treated.map((member) => ({ ...member, ...observe(member) }))
  const days = sum(observed.map(({ after }) => after)) / treated.length
  const isLate = now - trial.createdAt >= LONGEST_MS
  if (days < JUDGED_DAYS && !isLate) return void (await save(ctx, trial, { dueAt: now + LOOK_MS }))
  const earlier = (await listTrials(ctx.store.db, 'price')).filter(({ id }) => id !== trial.id)
  const result = judgePrice(observed, controls.map(observe), measuredBy(earlier), trial)
  if (!result) return void (await save(ctx, trial, { status: 'taking_back', reason: 'too_little', dueAt: now }))
  const { measured, judged, elasticity, isKept } = result
  const next = await save(ctx, trial, {
    measured,
    judged,
    learned: elasticity,
    reason: 'judged',
    ...(isKept ? { status: 'kept' } : { status: 'taking_back', dueAt: now }),
  })
  if (next?.status === 'taking_back') await takeBack(ctx, next)
}

const sum = (counts: readonly Counts[]): number => counts.reduce((total, { days }) => total + days, 0)

/** A machine whose price a person changed, or that does not hold the product any more, is not compared any longer. */
async function leaveOut(ctx: TrialContext, trial: Trial): Promise<Trial | undefined> {
  const slots = await listSlots(
    ctx.store.db,
    trial.members.map(({ location }) => location),
  )
  const prices = new Map<string, number>(slots.map(({ slotId, price }) => [slotId, price]))
  const members = trial.members.map((member): Member => {
    if (member.state !== 'changed') return member
    const price = prices.get(member.slotId)
    if (price === (member.nextFen ?? member.priceFen)) return member
    return { ...member, state: 'left', why: price === undefined ? 'gone' : 'price_changed' }
  })
  return members.every((member, i) => member === trial.members[i]) ? trial : save(ctx, trial, { members })
}

async function takeBack(ctx: TrialContext, trial: Trial): Promise<void> {
  let current: Trial | undefined = trial
  for (const member of treatedOf(trial)) {
    const change = await takeBackMember(ctx, trial, member)
    if (!change) continue
    current = current && (await save(ctx, current, { members: withMember(current, member.slotId, change) }))
    if (!current) return
  }
  if (!current) return
  const isOver = treatedOf(current).every(({ state }) => state === 'back' || state === 'left')
  await save(ctx, current, isOver ? { status: 'taken_back' } : { dueAt: ctx.clock.now() + RETRY_MS })
}

/** Undefined: nothing new. */
async function takeBackMember(
  ctx: TrialContext,
  trial: Trial,
  { state, slotId, location, priceFen, nextFen, decision }: Member & { readonly nextFen: number },
): Promise<Partial<Member> | undefined> {
  if (state === 'asked') {
    const asked = decision === undefined ? undefined : await findDecision(ctx.store.db, decision)
    if (asked?.status === 'rejected') return { state: 'left', why: 'owner_said_no' }
    const slot = (await listSlots(ctx.store.db, [location])).find((each) => each.slotId === slotId)
    return slot?.price === fen(priceFen) ? { state: 'back' } : undefined
  }
  // Planned: it may have been sent just before a process died.
  if (state !== 'changed' && state !== 'planned') return undefined
  const set = await setPrice(ctx, trial, location, priceFen, [nextFen, priceFen], true)
  if (set === 'set') return { state: 'back' }
  if (set === 'later') return undefined
  return typeof set === 'object' ? { state: 'asked', decision: set.asked } : { state: 'left', why: set }
}
