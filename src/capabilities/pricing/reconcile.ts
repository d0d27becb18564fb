/**
 * Settles price changes whose outcome is not certain by reading the machine back. Reading never sends: a change that
 * arrives late is reported and not undone, and one that did not arrive is left to its caller or, if approved, to the
 * job that carries approved changes out.
 */
import { HOUR, rfc3339 } from '../../kernel/clock.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Result, MachineSlot, MachineVendor } from '../../vendors/contract.ts'
import { recordEvent } from '../events/index.ts'
import { mapConcurrent } from '../../lib/concurrency.ts'
import { isApplied } from './change.ts'
import type { PriceLine } from './change.ts'
import type { PricingContext } from './context.ts'
import { describeBasis, nextAfterAttempt } from './execute.ts'
import { changesToCheck, laterChanges, noteCheck, openChangesOf } from './records.ts'
import type { Move, PriceChange } from './records.ts'
import { asReasoning, asSummary, describeLines } from './texts.ts'

/** Changes looked at in one round, and machines read at the same time. */
const BATCH_SIZE = 50
const MACHINES_AT_ONCE = 8
/** Rests double up to an hour; with these many checks a change is watched for about two days. */
const REST_MAX_MS = HOUR
const CHECKS_MAX = 60

/** When the machine is read back after so many checks; undefined when it was read often enough. */
export function nextCheckAt({ clock, config }: PricingContext, checks: number): number | undefined {
  if (checks >= CHECKS_MAX) return undefined
  return clock.now() + Math.min(config.upstreamTimeoutMs * 2 ** checks, REST_MAX_MS)
}

/** A change without a certain outcome, and whether the machine's prices tell it. */
export interface Doubt {
  readonly change: PriceChange
  readonly isOver: boolean
}

/**
 * The changes of a machine in doubt. Called with the machine's lease, so that none of them is under way in a process that
 * is alive, and before its prices are read: what they show is true of a moment after this one.
 */
export const readDoubts = async (ctx: PricingContext, location: string): Promise<readonly Doubt[]> =>
  (await openChangesOf(ctx.store.db, location)).map((change) => ({ change, isOver: ctx.doubts.isOver(change) }))

export interface SortedDoubts {
  /** May still arrive at the machine. */
  readonly open: readonly PriceChange[]
  /** Their outcome is certain by now, and still to be recorded. */
  readonly certain: readonly PriceChange[]
}

export function sortDoubts(doubts: readonly Doubt[], slots: readonly MachineSlot[]): SortedDoubts {
  const isCertain = ({ change, isOver }: Doubt) => isOver || appliedLines(change, slots).length === change.lines.length
  return {
    open: doubts.filter((doubt) => !isCertain(doubt)).map(({ change }) => change),
    certain: doubts.filter(isCertain).map(({ change }) => change),
  }
}

export const affectsAny = (changes: readonly PriceChange[], lines: readonly { readonly skuId: SkuId }[]): boolean => {
  const asked = new Set(lines.map(({ skuId }) => skuId))
  return changes.some((change) => change.lines.some(({ skuId }) => asked.has(skuId)))
}

const appliedLines = (change: PriceChange, slots: readonly MachineSlot[]): readonly PriceLine[] =>
  change.lines.filter((line) => isApplied(line, slots))

/** The outcome is certain: recorded with its event, by whoever comes first. */
export async function settleChange(
  ctx: PricingContext,
  change: PriceChange,
  slots: readonly MachineSlot[],
): Promise<void> {
  const inEffect = appliedLines(change, slots)
  const whole = inEffect.length === change.lines.length
  const next: Move = whole ? { status: 'done' } : nextAfterFailure(ctx, change)
  await recordOutcome(ctx, change, { ...next, applied: inEffect.length }, describeOutcome(change, inEffect), [
    describeBasis(change),
    'The machine had given no clear answer. Read back from the machine.',
  ])
}

/** An approved change is tried again; one that failed is watched on, for it may still turn up. */
function nextAfterFailure(ctx: PricingContext, change: PriceChange): Move {
  const next = nextAfterAttempt(ctx, change, true)
  const checkAt = next.status === 'failed' ? nextCheckAt(ctx, change.checks) : undefined
  return checkAt === undefined ? next : { ...next, checkAt }
}

const recordOutcome = (
  ctx: PricingContext,
  change: PriceChange,
  next: Move,
  summary: string,
  reasons: readonly string[],
): Promise<void> =>
  ctx.store.transaction(async (tx) => {
    if (!(await noteCheck(tx, change, next))) return
    await recordEvent(ctx, tx, {
      kind: 'price_change',
      summary: asSummary(summary),
      reasoning: asReasoning(reasons.join(' ')),
      location: change.location,
    })
  })

function describeOutcome({ location, lines }: PriceChange, inEffect: readonly PriceLine[]): string {
  if (inEffect.length === lines.length)
    return `Price change on ${location} was applied after all: ${describeLines(lines)}`
  if (inEffect.length === 0) return `Price change on ${location} was not applied: ${describeLines(lines)}`
  const count = `${inEffect.length} of ${lines.length} prices stand as asked`
  return `Price change on ${location} was applied in part, ${count}: ${describeLines(inEffect)}`
}

/** The job: everything due, one reading for each machine. */
export async function checkDueChanges(ctx: PricingContext): Promise<void> {
  const due = await changesToCheck(ctx.store.db, ctx.clock.now(), BATCH_SIZE)
  const machines = Map.groupBy(due, ({ namespace, location }) => `${namespace} ${location}`)
  await mapConcurrent(MACHINES_AT_ONCE, [...machines.values()], async (changes) => {
    try {
      await checkMachine(ctx, changes)
    } catch (err) {
      ctx.log.error(
        { err, location: changes[0]?.location },
        'price changes could not be verified; they are checked again',
      )
    }
  })
}

async function checkMachine(ctx: PricingContext, changes: readonly PriceChange[]): Promise<void> {
  const [first] = changes
  if (!first) return
  // Measured before the reading: what the machine shows is true of a moment after this one.
  const over = new Map(changes.map((change) => [change, ctx.doubts.isOver(change)]))
  const vendor = ctx.vendors.machine(first.namespace)
  const live = vendor.ok ? await readInventory(vendor.value, first.location) : undefined
  for (const change of changes) {
    if (change.status !== 'unresolved') await checkLate(ctx, change, live?.ok ? live.value : undefined)
    else if (!live?.ok) await checkAgain(ctx, change)
    else if (over.get(change) || appliedLines(change, live.value).length === change.lines.length)
      await settleChange(ctx, change, live.value)
    else await checkAgain(ctx, change)
  }
}

/** An adapter that throws has told as little as a machine that is silent. */
async function readInventory(vendor: MachineVendor, location: string): Promise<Result<readonly MachineSlot[]>> {
  try {
    return await vendor.inventory(location, { live: true })
  } catch (failure) {
    return { ok: false, reason: 'unknown', message: 'the machine could not be read', raw: String(failure) }
  }
}

/** Not certain yet, or the machine is silent. After the last check nobody will ever know, and that is told. */
async function checkAgain(ctx: PricingContext, change: PriceChange): Promise<void> {
  const checkAt = nextCheckAt(ctx, change.checks + 1)
  if (checkAt !== undefined) {
    await noteCheck(ctx.store.db, change, { status: 'unresolved', checkAt })
    return
  }
  const summary = `Outcome of the price change on ${change.location} stays unknown: ${describeLines(change.lines)}`
  await recordOutcome(ctx, change, { status: 'failed' }, summary, [
    describeBasis(change),
    `The machine gave no clear answer and could not be read back in ${CHECKS_MAX} attempts.`,
  ])
}

/** Reported as not applied, yet it may have been on its way for longer than anybody waits. */
async function checkLate(
  ctx: PricingContext,
  change: PriceChange,
  slots: readonly MachineSlot[] | undefined,
): Promise<void> {
  const checkAt = nextCheckAt(ctx, change.checks + 1)
  const watched: Move = { status: change.status, ...(checkAt === undefined ? {} : { checkAt }) }
  const inEffect = slots ? appliedLines(change, slots) : []
  if (inEffect.length <= change.applied) return void (await noteCheck(ctx.store.db, change, watched))
  // A newer change to the same prices explains what stands; there is nothing left to find out.
  if (await isExplainedByLaterChange(ctx, change, inEffect)) {
    await noteCheck(ctx.store.db, change, { status: change.status })
    return
  }
  const whole = inEffect.length === change.lines.length
  const next: Move = { ...(whole ? { status: 'done' } : watched), applied: inEffect.length }
  const summary = `Price change on ${change.location} was applied late: ${describeLines(inEffect)}`
  await recordOutcome(ctx, change, next, summary, [
    describeBasis(change),
    `The change of ${rfc3339(change.createdAt, ctx.config.timeZone)} was reported as not applied, and its prices stand on the machine now. They are left as they are.`,
  ])
}

async function isExplainedByLaterChange(
  ctx: PricingContext,
  change: PriceChange,
  inEffect: readonly PriceLine[],
): Promise<boolean> {
  const newest = new Map<SkuId, number>()
  for (const { lines } of await laterChanges(ctx.store.db, change))
    for (const { skuId, priceFen } of lines) if (!newest.has(skuId)) newest.set(skuId, priceFen)
  return inEffect.every(({ skuId, priceFen }) => newest.get(skuId) === priceFen)
}
