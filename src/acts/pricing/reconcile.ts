/**
 * Settles price changes whose outcome is not certain by reading the machine back. Nothing is sent here: a change that
 * arrives late is reported and not undone, and one that did not arrive is left to its caller or, if approved, to the
 * job that executes approved changes.
 */
import { HOUR, rfc3339 } from '../../kernel/clock.ts'
import { type Answer, type Questions, WATCH_LIMITS, intervalAfter, watchJob } from '../../effects/watch.ts'
import type { Job } from '../../jobs/runner.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Context } from '../../context.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import { recordEvent } from '../../record/events/index.ts'
import { isApplied, isNoChange } from './change.ts'
import type { PriceLine } from './price-line.ts'
import { mayStillArrive, watchChange } from './arrival.ts'
import { describeBasis, nextAfterAttempt } from './execute.ts'
import {
  type Move,
  type PriceChange,
  changedLines,
  findChange,
  listChangesBeside,
  listOpenChanges,
  recordSeen,
  withChanged,
} from './records.ts'
import { type PriceEventCode, findMachine, priceEvent } from './texts.ts'

const MACHINES_AT_ONCE = 8
const LONGEST_INTERVAL_MS = HOUR
/** A machine that cannot be read so often, in about two days, leaves the outcome unknown. */
const READINGS_MAX = 60

/** A change without a certain outcome; once it is over, the prices on the machine show the outcome. */
export interface OpenChange {
  readonly change: PriceChange
  readonly isOver: boolean
}

/**
 * Changes of a machine whose outcome is open. Called with the machine's lease, so that none of them is running in a live process,
 * and before its prices are read, so that the prices are newer than this.
 */
export const readOpenChanges = async (ctx: Context, location: string): Promise<readonly OpenChange[]> =>
  (await listOpenChanges(ctx.store.db, location)).map((change) => ({ change, isOver: !mayStillArrive(ctx, change) }))

export function sortOpenChanges(unsettled: readonly OpenChange[], slots: readonly MachineSlot[]) {
  const isCertain = ({ change, isOver }: OpenChange) =>
    isOver || appliedLines(change, slots).length === change.lines.length
  return {
    /** May still arrive at the machine. */
    open: unsettled.filter((one) => !isCertain(one)).map(({ change }) => change),
    /** Their outcome is certain by now, and still to be recorded. */
    certain: unsettled.filter(isCertain).map(({ change }) => change),
  }
}

export const affectsAny = (changes: readonly PriceChange[], lines: readonly { readonly skuId: SkuId }[]): boolean => {
  const asked = new Set(lines.map(({ skuId }) => skuId))
  return changes.some((change) => change.lines.some(({ skuId }) => asked.has(skuId)))
}

const appliedLines = (change: PriceChange, slots: readonly MachineSlot[]): readonly PriceLine[] =>
  change.lines.filter((line) => isApplied(line, slots))

const withoutNoChange = (lines: readonly PriceLine[]): readonly PriceLine[] => lines.filter((line) => !isNoChange(line))

/** Records a certain outcome with its event; the first caller counts. */
export async function settleChange(ctx: Context, change: PriceChange, slots: readonly MachineSlot[]): Promise<void> {
  const inEffect = appliedLines(change, slots)
  const whole = inEffect.length === change.lines.length
  const next = whole ? ({ status: 'done' } as const) : nextAfterAttempt(ctx, change, true)
  const reasons = [describeBasis(change), 'The machine gave no clear answer before; its prices were read again.']
  const event = outcomeOf(change, inEffect)
  const changed = withChanged(change, withoutNoChange(inEffect), ctx.clock.now())
  const report = { applied: inEffect.length, ...(changed && { changed }) }
  await recordOutcome(ctx, change, { ...next, ...report }, event, reasons)
}

const recordOutcome = (
  ctx: Context,
  change: PriceChange,
  next: Move,
  { code, lines, detail }: OutcomeEvent,
  reasons: readonly string[],
): Promise<void> =>
  ctx.store.transaction(async (tx) => {
    if (!(await recordSeen(ctx, tx, change, next))) return
    // What failed may arrive late.
    if (next.status === 'failed' && code !== 'price_change_outcome_unknown') await watchChange(ctx, tx, change)
    const machine = await findMachine(ctx, tx, change.location)
    await recordEvent(ctx, tx, priceEvent(code, machine, lines, reasons, detail === undefined ? {} : { detail }))
  })

interface OutcomeEvent {
  readonly code: PriceEventCode
  readonly lines: readonly PriceLine[]
  readonly detail?: string
}

function outcomeOf({ lines }: PriceChange, inEffect: readonly PriceLine[]): OutcomeEvent {
  if (inEffect.length === lines.length) return { code: 'price_change_confirmed', lines }
  if (inEffect.length === 0) return { code: 'price_change_not_applied', lines }
  const detail = `, ${inEffect.length} of ${lines.length} prices`
  return { code: 'price_change_confirmed_partly', lines: inEffect, detail }
}

/** The job. One reading of a machine answers for all its changes. */
export const readBackJob = (ctx: Context): Job =>
  watchJob(ctx, priceQuestions(ctx), { ...WATCH_LIMITS, receiversAtOnce: MACHINES_AT_ONCE })

interface WatchedChange {
  readonly change: PriceChange
  readonly isLastReading: boolean
}

const priceQuestions = (ctx: Context): Questions<WatchedChange> => ({
  kind: 'price_change',
  asksTogether: true,
  async load({ subject, timesAsked }) {
    const change = await findChange(ctx.store.db, Number(subject))
    if (change?.status !== 'unknown' && change?.status !== 'failed') return undefined
    const nextMs = intervalAfter(timesAsked, ctx.config.upstreamTimeoutMs, LONGEST_INTERVAL_MS)
    return { effect: { change, isLastReading: timesAsked + 1 >= READINGS_MAX }, nextMs }
  },
  async ask(watched) {
    const [first] = watched
    if (!first) return []
    const { namespace, location } = first.change
    // Measured before the reading, so that the prices are newer than this.
    const over = watched.map(({ change }) => !mayStillArrive(ctx, change))
    const vendor = ctx.vendors.machine(namespace)
    const live = vendor.ok ? await vendor.value.inventory(location, { live: true }) : undefined
    const slots = live?.ok ? live.value : undefined
    const answers: Answer[] = []
    for (const [i, { change, isLastReading }] of watched.entries()) {
      const isCertain = slots && (over[i] || appliedLines(change, slots).length === change.lines.length)
      let answer: Answer = 'open'
      if (change.status === 'failed') answer = await recordLate(ctx, change, slots ?? [])
      else if (isCertain) await settleChange(ctx, change, slots)
      else if (isLastReading) answer = await recordUnknown(ctx, change)
      answers.push(answer)
    }
    return answers
  },
})

async function recordUnknown(ctx: Context, change: PriceChange): Promise<Answer> {
  const event = { code: 'price_change_outcome_unknown', lines: change.lines } as const
  await recordOutcome(ctx, change, { status: 'failed' }, event, [
    describeBasis(change),
    `The machine gave no clear answer and could not be read in ${READINGS_MAX} attempts.`,
  ])
  return 'over'
}

/** A change that was reported as not applied may have been in transit for longer than we wait. */
async function recordLate(ctx: Context, change: PriceChange, slots: readonly MachineSlot[]): Promise<Answer> {
  const inEffect = appliedLines(change, slots)
  if (inEffect.length <= change.applied) return 'absent'
  const fresh = withoutNoChange(inEffect).filter(({ skuId }) => !change.appliedSkus?.includes(skuId))
  const explanations = await loadExplanations(ctx, change)
  const late = fresh.filter((line) => explanations.get(line.skuId)?.priceFen !== line.priceFen)
  if (late.length === 0) {
    // Another change set all that this one still lacks: nothing is left to find out, unless that one is not certain either.
    const isExplained = fresh.every(({ skuId }) => explanations.get(skuId)?.isCertain)
    return isExplained && inEffect.length === change.lines.length ? 'over' : 'absent'
  }
  const whole = late.length === fresh.length && inEffect.length === change.lines.length
  const changed = withChanged(change, late, ctx.clock.now())
  const status = whole ? 'done' : 'failed'
  const createdAt = rfc3339(change.createdAt, ctx.config.timeZone)
  const event = { code: 'price_change_late', lines: late } as const
  await recordOutcome(ctx, change, { status, applied: inEffect.length, ...(changed && { changed }) }, event, [
    describeBasis(change),
    `The change of ${createdAt} was reported as not applied, but its prices are on the machine now. They are kept.`,
  ])
  return whole ? 'over' : 'open'
}

interface Explanation {
  readonly priceFen: number
  readonly isCertain: boolean
}

/** What other changes last set, by product: a price that one of them explains did not arrive late. */
async function loadExplanations(ctx: Context, change: PriceChange): Promise<ReadonlyMap<SkuId, Explanation>> {
  const newest = new Map<SkuId, Explanation>()
  for (const other of await listChangesBeside(ctx.store.db, change)) {
    const isOpen = other.status === 'executing' || other.status === 'unknown'
    // One without a clear answer may have set any of its prices; an executed one had all of them in effect.
    const lines = isOpen || other.status === 'done' ? other.lines : changedLines(other)
    for (const { skuId, priceFen } of lines) if (!newest.has(skuId)) newest.set(skuId, { priceFen, isCertain: !isOpen })
  }
  return newest
}
