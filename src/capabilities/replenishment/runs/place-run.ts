/**
 * POST /replenishment/runs/{id}/place (3.2): an approved run is handed to the supplier, once. Whatever was true when the
 * run was made is looked at again: the rules, the owner's list, and what other runs ordered since.
 */
import { accept, refuse } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { createPending } from '../../approvals/index.ts'
import type { Context } from '../../context.ts'
import { requireWritesAllowed, spendVerdict } from '../../guardrails/index.ts'
import type { Verdict } from '../../guardrails/index.ts'
import { isOrdered, checkLines } from './check-lines.ts'
import { placementOf } from './placement.ts'
import { placeWithSuppliers } from './place-sessions.ts'
import { countRunChange, findRun, moveRun } from './records.ts'
import { orderedSince } from './run-history.ts'
import { totalFen } from './run.ts'
import type { Run } from './run.ts'
import { RunChangedError, nothingLeft, markPlaced } from './mark-placed.ts'
import type { Placed, PlacingNeeds } from './mark-placed.ts'
import { liveSuppliers, sourcesOf } from './sources.ts'
import { NEXT, NOT_TO_PLACE } from './transitions.ts'
import { decisionAbout } from './texts.ts'

export async function placeRun(ctx: Context, id: string): Promise<Outcome<Placed>> {
  const { store, clock, config } = ctx
  const run = await findRun(store.db, id)
  if (!run) return refuse('not_found', 'there is no such run')
  const guard = await requireWritesAllowed(ctx)
  if (!guard.ok) return guard
  if (run.canceled)
    return refuse('approval_rejected', 'this run was canceled; create another', undefined, { status: 409 })
  const no = NOT_TO_PLACE[run.status]
  if (no) return refuse(no.code, no.content, undefined, { status: 409 })
  const placement = placementOf({ ...config, liveSupplier: liveSuppliers(ctx).length > 0 })
  if (placement === 'disabled')
    return refuse('simulation_disabled', 'no supplier is connected and simulated purchasing is off')

  const { rules } = guard.value
  const verdict = spendVerdict(rules, totalFen(run.lines), clock.now())
  try {
    if (run.decision === undefined && !verdict.allowed) return await askOwner(ctx, run, verdict)
    const skuIds = run.lines.map(({ skuId }) => skuId)
    const needs = { sources: await sourcesOf(ctx, skuIds), rules, verdict }
    return placement === 'sessions' ? await placeWithSuppliers(ctx, run, needs) : await simulate(ctx, run, needs)
  } catch (failure) {
    // Somebody else moved the run first; it is judged by where it now stands.
    if (failure instanceof RunChangedError) return placeRun(ctx, id)
    throw failure
  }
}

/** The rules were tightened after the run was made within them. */
async function askOwner(ctx: Context, run: Run, verdict: Verdict): Promise<Outcome<never>> {
  const decision = await ctx.store.transaction(async (tx) => {
    await countRunChange(tx)
    const asked = await createPending(ctx, tx, decisionAbout(run, verdict))
    if (!(await moveRun(tx, run.id, 'approved', { status: NEXT.approved.hold, decision: asked })))
      throw new RunChangedError()
    return asked
  })
  return refuse('approval_required', `by the rules of now the owner has to approve this run: ${decision}`, undefined, {
    status: 409,
  })
}

const simulate = (ctx: Context, run: Run, { sources, rules, verdict }: PlacingNeeds): Promise<Outcome<Placed>> =>
  ctx.store.transaction(async (tx) => {
    await countRunChange(tx)
    const locations = run.stops.map(({ location }) => location)
    const ordered = await orderedSince(tx, run.id, locations, run.createdAt)
    const judged = checkLines(run.lines, { sources, rules, ordered, mustResolve: false })
    if (!judged.lines.some(isOrdered)) return nothingLeft(run, judged)
    const placed = { ...judged, supplier: 'simulated', checkouts: [] }
    return accept({ run: await markPlaced(ctx, tx, run, placed, verdict), messages: [] })
  })
