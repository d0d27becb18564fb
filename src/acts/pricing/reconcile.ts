/**
 * Settles price changes whose outcome is not certain by reading the machine back. Nothing is sent here: a change that
 * arrives late is reported and not undone, and one that did not arrive is left to its caller or, if approved, to the
 * job that executes approved changes.
 */
import { HOUR, rfc3339 } from '../../kernel/clock.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { MachineSlot } from '../../vendors/machine-vendor.ts'
import { recordEvent } from '../../record/events/index.ts'
import { mapConcurrent } from '../../lib/concurrency.ts'
import { isApplied, isNoChange } from './change.ts'
import type { PriceLine } from './price-line.ts'
import { type PricingContext, mayStillArrive } from './context.ts'
import { describeBasis, nextAfterAttempt } from './execute.ts'
import {
  type Move,
  type PriceChange,
  changedLines,
  listChangesBeside,
  listChangesToCheck,
  noteCheck,
  listOpenChanges,
  withChanged,
} from './records.ts'
import { type PriceEventCode, findMachine, priceEvent } from './texts.ts'

/** Changes checked in one round, and machines read at the same time. */
const BATCH_SIZE = 50
const MACHINES_AT_ONCE = 8
/** Intervals double up to an hour; with this many checks a change is checked for about two days. */
const INTERVAL_MAX_MS = HOUR
const CHECKS_MAX = 60

/** When the machine is read back next; undefined after the last check. */
function nextCheckAt({ clock, config }: PricingContext, checks: number): number | undefined {
  if (checks >= CHECKS_MAX) return undefined
  return clock.now() + Math.min(config.upstreamTimeoutMs * 2 ** checks, INTERVAL_MAX_MS)
}

/** A change without a certain outcome; once it is over, the prices on the machine show the outcome. */
export interface Doubt {
  readonly change: PriceChange
  readonly isOver: boolean
}

/**
 * The changes of a machine in doubt. Called with the machine's lease, so that none of them is running in a live process,
 * and before its prices are read, so that the prices are newer than this.
 */
export const readDoubts = async (ctx: PricingContext, location: string): Promise<readonly Doubt[]> =>
  (await listOpenChanges(ctx.store.db, location)).map((change) => ({ change, isOver: !mayStillArrive(ctx, change) }))

export function sortDoubts(doubts: readonly Doubt[], slots: readonly MachineSlot[]) {
  const isCertain = ({ change, isOver }: Doubt) => isOver || appliedLines(change, slots).length === change.lines.length
  return {
    /** May still arrive at the machine. */
    open: doubts.filter((doubt) => !isCertain(doubt)).map(({ change }) => change),
    /** Their outcome is certain by now, and still to be recorded. */
    certain: doubts.filter(isCertain).map(({ change }) => change),
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
export async function settleChange(
  ctx: PricingContext,
  change: PriceChange,
  slots: readonly MachineSlot[],
): Promise<void> {
  const inEffect = appliedLines(change, slots)
  const whole = inEffect.length === change.lines.length
  const next: Move = whole ? { status: 'done' } : nextAfterFailure(ctx, change)
  const reasons = [describeBasis(change), 'The machine gave no clear answer before; its prices were read again.']
  const event = outcomeOf(change, inEffect)
  const changed = withChanged(change, withoutNoChange(inEffect), ctx.clock.now())
  const report = { applied: inEffect.length, ...(changed && { changed }) }
  await recordOutcome(ctx, change, { ...next, ...report }, event, reasons)
}

/** An approved change is tried again; one that failed is still checked, as it may arrive late. */
function nextAfterFailure(ctx: PricingContext, change: PriceChange): Move {
  const next = nextAfterAttempt(ctx, change, true)
  const checkAt = next.status === 'failed' ? nextCheckAt(ctx, change.checks) : undefined
  return checkAt === undefined ? next : { ...next, checkAt }
}

const recordOutcome = (
  ctx: PricingContext,
  change: PriceChange,
  next: Move,
  { code, lines, detail }: OutcomeEvent,
  reasons: readonly string[],
): Promise<void> =>
  ctx.store.transaction(async (tx) => {
    if (!(await noteCheck(ctx, tx, change, next))) return
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

/** The job: checks all due changes with one reading for each machine. */
export async function checkDueChanges(ctx: PricingContext): Promise<void> {
  const due = await listChangesToCheck(ctx.store.db, ctx.clock.now(), BATCH_SIZE)
  const machines = Map.groupBy(due, ({ namespace, location }) => `${namespace} ${location}`)
  await mapConcurrent(MACHINES_AT_ONCE, [...machines.values()], async (changes) => {
    try {
      await checkMachine(ctx, changes)
    } catch (err) {
      ctx.log.error(
        { err, location: changes[0]?.location },
        'Price changes could not be verified; they are checked again',
      )
    }
  })
}

async function checkMachine(ctx: PricingContext, changes: readonly PriceChange[]): Promise<void> {
  const [first] = changes
  if (!first) return
  // Measured before the reading, so that the prices are newer than this.
  const over = new Map(changes.map((change) => [change, !mayStillArrive(ctx, change)]))
  const vendor = ctx.vendors.machine(first.namespace)
  const live = vendor.ok ? await vendor.value.inventory(first.location, { live: true }) : undefined
  for (const change of changes) {
    if (change.status !== 'unresolved') await checkLate(ctx, change, live?.ok ? live.value : undefined)
    else if (!live?.ok) await checkAgain(ctx, change)
    else if (over.get(change) || appliedLines(change, live.value).length === change.lines.length)
      await settleChange(ctx, change, live.value)
    else await checkAgain(ctx, change)
  }
}

/** Not certain yet, or the machine does not answer. After the last check the outcome is reported as unknown. */
async function checkAgain(ctx: PricingContext, change: PriceChange): Promise<void> {
  const checkAt = nextCheckAt(ctx, change.checks + 1)
  if (checkAt !== undefined) {
    await ctx.store.transaction((tx) => noteCheck(ctx, tx, change, { status: 'unresolved', checkAt }))
    return
  }
  const event = { code: 'price_change_outcome_unknown', lines: change.lines } as const
  await recordOutcome(ctx, change, { status: 'failed' }, event, [
    describeBasis(change),
    `The machine gave no clear answer and could not be read in ${CHECKS_MAX} attempts.`,
  ])
}

/** For a change that was reported as not applied: it may have been in transit for longer than we wait. */
async function checkLate(
  ctx: PricingContext,
  change: PriceChange,
  slots: readonly MachineSlot[] | undefined,
): Promise<void> {
  const checkAt = nextCheckAt(ctx, change.checks + 1)
  const stillFailed: Move = { status: change.status, ...(checkAt === undefined ? {} : { checkAt }) }
  const inEffect = slots ? appliedLines(change, slots) : []
  const note = (move: Move) => ctx.store.transaction((tx) => noteCheck(ctx, tx, change, move))
  if (inEffect.length <= change.applied) return void (await note(stillFailed))
  const fresh = withoutNoChange(inEffect).filter(({ skuId }) => !change.appliedSkus?.includes(skuId))
  const explanations = await loadExplanations(ctx, change)
  const late = fresh.filter((line) => explanations.get(line.skuId)?.priceFen !== line.priceFen)
  if (late.length === 0) {
    // Another change set all that this one still lacks: nothing is left to find out, unless that one is not certain either.
    const isOver =
      change.lines.length === inEffect.length && fresh.every(({ skuId }) => explanations.get(skuId)?.isCertain)
    await note(isOver ? { status: change.status } : stillFailed)
    return
  }
  const whole = late.length === fresh.length && inEffect.length === change.lines.length
  const changed = withChanged(change, late, ctx.clock.now())
  const next: Move = {
    ...(whole ? { status: 'done' } : stillFailed),
    applied: inEffect.length,
    ...(changed && { changed }),
  }
  const createdAt = rfc3339(change.createdAt, ctx.config.timeZone)
  await recordOutcome(ctx, change, next, { code: 'price_change_late', lines: late }, [
    describeBasis(change),
    `The change of ${createdAt} was reported as not applied, but its prices are on the machine now. They are kept.`,
  ])
}

interface Explanation {
  readonly priceFen: number
  readonly isCertain: boolean
}

/** What other changes last set, by product: a price that one of them explains did not arrive late. */
async function loadExplanations(ctx: PricingContext, change: PriceChange): Promise<ReadonlyMap<SkuId, Explanation>> {
  const newest = new Map<SkuId, Explanation>()
  for (const other of await listChangesBeside(ctx.store.db, change)) {
    const isOpen = other.status === 'executing' || other.status === 'unresolved'
    // One without a clear answer may have set any of its prices; an executed one had all of them in effect.
    const lines = isOpen || other.status === 'done' ? other.lines : changedLines(other)
    for (const { skuId, priceFen } of lines) if (!newest.has(skuId)) newest.set(skuId, { priceFen, isCertain: !isOpen })
  }
  return newest
}
