/**
 * POST /replenishment/runs/{id}/place: orders an approved run, once. Everything that may have changed since the run
 * was created is checked again: the rules, the no-go list, and what other runs have ordered.
 */
import { callerKey } from '../../../../kernel/caller.ts'
import { add, fen } from '../../../../kernel/fen.ts'
import { error } from '../../../../kernel/message.ts'
import { type Outcome, accept, catchRefusal, refuse, refuseAll } from '../../../../kernel/outcome.ts'
import { ConflictError, retryOnConflict } from '../../../../lib/concurrency.ts'
import { createPending } from '../../../../rules/approvals/index.ts'
import { loadSpendingTotals } from '../../../checkout/index.ts'
import type { Context } from '../../../../context.ts'
import {
  type Verdict,
  approvalNeedOf,
  approvalRequiredError,
  requireWritesAllowed,
  spendVerdict,
} from '../../../../rules/guardrails/index.ts'
import { type CheckedLine, mayBeOrdered, checkLines } from './check-lines.ts'
import { atCurrentPrices, roundingOf } from '../create/order-quantities.ts'
import {
  type Interruption,
  deleteIntent,
  continueIntent,
  findInterruption,
  unreadSupplier,
} from './placement-intent.ts'
import { placementTarget } from './placement-target.ts'
import { placeAtOnce } from './place-at-once.ts'
import { placeWithSuppliers } from './place-sessions.ts'
import { withGiven, withStoreroom } from '../../storeroom/free-stock.ts'
import { readPlacementIntent } from './intent-records.ts'
import { incrementRunsVersion, findRun, updateRun, writePlacedLines } from '../records.ts'
import { findSlotsOrderedSince } from '../slot-run-records.ts'
import { estimateCharges } from '../create/estimate-charges.ts'
import { type Run, type RunLine, APPROVAL_LIFETIME_MS, spendFen, totalFen, unitsToBuy } from '../run.ts'
import { type PlacementInput, nothingToPlace } from './mark-placed.ts'
import { liveSuppliers, findSources } from '../../../../route/skus/index.ts'
import { aboveApprovedError, refuseUnreadCatalog, decisionAbout, refuseUnknownRun } from '../texts.ts'
import { NEXT, PLACE_REFUSALS } from '../transitions.ts'

/** Starts again when another request changed the run first, with its new status. */
export const placeRun = (ctx: Context, id: string): Promise<Outcome<Run>> =>
  catchRefusal(() => retryOnConflict(() => place(ctx, id)))

async function place(ctx: Context, id: string): Promise<Outcome<Run>> {
  const checked = await checkPlacement(ctx, id)
  if (!checked.ok) return checked
  const { run, target, interruption, input } = checked.value
  const interrupted = await continueIntent(ctx, id)
  if ((interrupted === undefined) !== (interruption === 'none')) throw new ConflictError()
  if (needsApproval(checked.value)) {
    if (interrupted) await deleteIntent(ctx, id, interrupted)
    return holdForApproval(ctx, run, input.verdict)
  }
  if (target === 'sessions') return placeWithSuppliers(ctx, run, input, interrupted)
  return placeAtOnce(ctx, run, input, target === 'simulated' ? target : undefined)
}

interface CheckedPlacement {
  readonly run: Run
  /** `storeroom`: nothing has to be bought. */
  readonly target: 'sessions' | 'simulated' | 'storeroom'
  /** What an interrupted placement opened may have been bought, so it is finished, whatever changed since. */
  readonly interruption: Interruption
  readonly input: PlacementInput
  readonly now: number
}

/**
 * Not twice: the rules allowed an interrupted placement when it began, and check each of its purchases. What the owner
 * approved is compared with the sum of then.
 */
const needsApproval = ({ run, target, interruption, input, now }: CheckedPlacement): boolean =>
  target !== 'storeroom' &&
  interruption !== 'opened' &&
  (run.decision === undefined || isLapsed(run, now) ? !input.verdict.allowed : isAboveApproved(run))

const isAboveApproved = (run: Run): boolean => run.approval !== undefined && spendFen(run) > run.approval.fen

const isLapsed = ({ approval }: Run, now: number): boolean =>
  approval !== undefined && now >= approval.at + APPROVAL_LIFETIME_MS

/** Everything that is checked before placing; writes nothing. */
async function checkPlacement(ctx: Context, id: string): Promise<Outcome<CheckedPlacement>> {
  const { store, clock, config } = ctx
  const run = await findRun(store.db, id)
  if (!run) return refuseUnknownRun(id)
  const guard = await requireWritesAllowed(ctx)
  if (!guard.ok) return guard
  if (run.canceled)
    return refuseAll(
      [error('approval_rejected', 'This run was canceled. Create a new one.', undefined, { as: 'canceled' })],
      { status: 409 },
    )
  const refusal = PLACE_REFUSALS[run.status]
  if (refusal) {
    const decided = run.status === 'pending_approval' ? { unstored: true as const } : {}
    const message =
      run.status === 'pending_approval'
        ? approvalRequiredError(refusal.content, run.approvalNeed)
        : error(refusal.code, refusal.content)
    return refuseAll([message], { status: 409, ...decided })
  }
  const interruption = await findInterruption(ctx, id)
  const hasLiveSupplier = liveSuppliers(ctx).length > 0
  const given =
    interruption === 'none'
      ? await withStoreroom(ctx, store.db, run.lines, id)
      : joinLines(run.lines, (await readPlacementIntent(store.db, id))?.lines ?? [])
  const isServed = given.length > 0 && given.every((line) => unitsToBuy(line) === 0)
  const target =
    interruption !== 'none' ? 'sessions' : isServed ? 'storeroom' : placementTarget({ ...config, hasLiveSupplier })
  if (target === 'disabled')
    return refuse('simulation_disabled', 'No supplier is connected, and simulated purchasing is off')

  const { rules } = guard.value
  const sources = await findSources(
    ctx,
    run.lines.map(({ skuId }) => skuId),
  )
  const lines = atCurrentPrices(given, sources)
  const { extraFen } = roundingOf(lines, sources.values())
  const dearerFen = fen(Math.max(0, totalFen(lines) - totalFen(given)))
  const chargesFen = add(await estimateCharges(ctx, { lines: given }, sources), dearerFen)
  const checked = { ...run, lines: given, extraFen, chargesFen }
  const purchase = { totalFen: spendFen(checked), key: callerKey() ?? '' }
  const now = clock.now()
  const verdict = spendVerdict(rules, purchase, now, await loadSpendingTotals(store.db, rules, now))
  return accept({ run: checked, target, interruption, input: { sources, rules, verdict }, now })
}

/** What an interrupted placement has decided about each line stays. */
const joinLines = (lines: readonly RunLine[], decided: readonly CheckedLine[]): readonly RunLine[] =>
  lines.map((line, i) => ({ ...withGiven(line, undefined), ...decided[i] }))

/** `?dry_run=true`: the run stays as it is; the messages say what placing would leave out. */
export async function previewPlacement(ctx: Context, id: string) {
  const checked = await checkPlacement(ctx, id)
  if (!checked.ok) return checked
  const { run, target, interruption, input } = checked.value
  const { evidence } = input.verdict
  // The real call refuses. An error has no room for the evidence, so the dry run answers with the run.
  if (needsApproval(checked.value))
    return accept({ run, messages: [approvalNeeded(ctx, run, APPROVAL_NEEDED, evidence)], evidence })
  const locations = run.stops.map(({ location }) => location)
  const ordered = await findSlotsOrderedSince(ctx.store.db, run.id, locations, run.createdAt)
  const { sources, rules } = input
  const lines = checkLines(run.lines, { sources, rules, ordered, needsSource: target === 'sessions' })
  const unread = target === 'sessions' && interruption === 'none' && unreadSupplier(run, lines.lines, sources)
  if (unread) return refuseUnreadCatalog(unread)
  if (!lines.lines.some(mayBeOrdered)) return nothingToPlace(lines.messages)
  return accept({ run, messages: lines.messages, evidence })
}

const APPROVAL_NEEDED = "The current rules require the owner's approval"

/** The rules were tightened after the run was created, or it costs more than the owner approved. */
async function holdForApproval(ctx: Context, run: Run, verdict: Verdict): Promise<Outcome<never>> {
  const approvalNeed = approvalNeedOf(verdict.evidence)
  const decision = await ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    // Another caller began to place it: its purchases go on.
    if (await readPlacementIntent(tx, run.id)) throw new ConflictError()
    const pending = await createPending(ctx, tx, decisionAbout(run, verdict, ctx.config.currency))
    const body = { ...run, ...(approvalNeed && { approvalNeed }) }
    // What the owner approves is what it costs now: the store room may give less than when the run was created.
    await writePlacedLines(tx, run.id, run.lines)
    if (!(await updateRun(tx, run.id, 'approved', { status: NEXT.approved.hold, decision: pending, body })))
      throw new ConflictError()
    return pending
  })
  return refuseAll([approvalNeeded(ctx, run, `${APPROVAL_NEEDED} (${decision})`, verdict.evidence)], {
    status: 409,
    unstored: true,
  })
}

const approvalNeeded = ({ config }: Context, run: Run, otherwise: string, evidence: Verdict['evidence']) =>
  aboveApprovedError(run, config.currency) ?? approvalRequiredError(otherwise, approvalNeedOf(evidence))
