/**
 * Places a run with real suppliers: one checkout session per supply namespace. The intent is stored first and names the
 * sessions, so that a retry after a crash finds those of the first try instead of opening more. Completing a session stays
 * a separate, confirmed call.
 */
import { type SkuId, namespaceOf } from '../../../../kernel/ids.ts'
import type { ErrorCode, Message } from '../../../../kernel/message.ts'
import { type Outcome, type Refusal, accept, refuse, RefusedError } from '../../../../kernel/outcome.ts'
import { ConflictError } from '../../../../lib/concurrency.ts'
import { type RunApproval, createCheckout } from '../../../checkout/index.ts'
import type { Context } from '../../../../context.ts'
import { mayBeOrdered } from './check-lines.ts'
import { type Run, type RunCheckout, APPROVAL_LIFETIME_MS, MESSAGES_MAX, storeroomUnits, unitsToBuy } from '../run.ts'
import { placeAtOnce } from './place-at-once.ts'
import { type PlacementInput, markPlaced, refuseNothingToPlace } from './mark-placed.ts'
import { deleteIntent, hasEndedUnsent, isStillStored, storeIntent, unitsOrdered } from './placement-intent.ts'
import type { PlacementIntent } from './intent-records.ts'
import { notForSaleError, notOrderedError } from '../texts.ts'

/** Asking again with the same request does not help. After any other refusal the intent stays, and is tried again. */
const LASTING: ReadonlySet<ErrorCode> = new Set([
  'item_unavailable',
  'invalid',
  'missing',
  'namespace_mismatch',
  'namespace_unsupported',
  'idempotency_mismatch',
])

/** Stops a session from being opened that the stored intent does not name. */
const INTENT_GONE = refuse('service_unavailable', 'Another request changed this run meanwhile')

/** `interrupted` is the intent of a placement that is finished now. */
export async function placeWithSuppliers(
  ctx: Context,
  run: Run,
  input: PlacementInput,
  interrupted: PlacementIntent | undefined,
): Promise<Outcome<Run>> {
  const intent = interrupted ?? (await storeIntent(ctx, run, input))
  if (intent.requests.length === 0)
    return intent.lines.some(mayBeOrdered)
      ? placeAtOnce(ctx, run, input, undefined)
      : refuseNothingToPlace(ctx, run, intent)

  const checkouts: RunCheckout[] = []
  const bought = new Map<SkuId, string>()
  const refusals = new Map<string, Refusal>()
  /** Ids under which a caller has opened a session of its own meanwhile. */
  const taken: string[] = []
  for (const { vendor, body } of intent.requests) {
    const session = await createCheckout(ctx, body, {
      beforeInsert: async (tx) => {
        if (!(await isStillStored(tx, run.id, intent))) throw new RefusedError(INTENT_GONE.refusal)
      },
      runApproval: approvalOf(run),
    })
    if (session.ok) {
      // Closed since the intent was read: its slots get another session.
      if (hasEndedUnsent(session.value, ctx.clock.now())) throw new ConflictError()
      checkouts.push({ id: body.id, vendor })
      for (const { skuId } of session.value.lines) bought.set(skuId, body.id)
    } else if (session.refusal === INTENT_GONE.refusal) throw new ConflictError()
    else if (LASTING.has(session.refusal.messages[0]!.code)) {
      refusals.set(vendor, session.refusal)
      if (session.refusal.messages[0]!.code === 'idempotency_mismatch') taken.push(body.id)
    } else return session
  }

  const { lines, messages } = withSessions(run, intent, bought, refusals)
  if (!lines.some(mayBeOrdered)) {
    await deleteIntent(ctx, run.id, intent, { own: checkouts.map(({ id }) => id), taken })
    return refuseNothingToPlace(ctx, run, { lines, messages })
  }
  const placement = {
    supplier: checkouts.map(({ vendor }) => vendor).join(', '),
    checkouts,
    units: unitsOrdered(intent),
    lines,
    messages,
  }
  const { sources, verdict } = input
  return ctx.store.transaction(async (tx) => {
    if (!(await isStillStored(tx, run.id, intent))) throw new ConflictError()
    return accept(await markPlaced(ctx, tx, run, placement, { sources, verdict: intent.verdict ?? verdict }))
  })
}

/** So that the owner is not asked about the purchases of a run that they approved. */
const approvalOf = ({ id, decision, approval }: Run): RunApproval | undefined =>
  approval &&
  decision && {
    run: id,
    decision,
    approvedFen: approval.fen,
    until: approval.at + APPROVAL_LIFETIME_MS,
  }

/** Lines whose product no session could buy are removed, with a message. */
function withSessions(
  run: Run,
  intent: PlacementIntent,
  bought: ReadonlyMap<SkuId, string>,
  refusals: ReadonlyMap<string, Refusal>,
) {
  const messages: Message[] = [...intent.messages]
  const lines = intent.lines.map((line, i) => {
    const full = { ...run.lines[i]!, ...line }
    if (line.source === undefined || line.removed !== undefined || unitsToBuy(full) === 0) return line
    const checkout = bought.get(line.source)
    if (checkout !== undefined) return { ...line, checkout }
    const why = refusals.get(namespaceOf(line.source))?.messages[0]
    const isRefused = why !== undefined && why.code !== 'item_unavailable'
    messages.push(
      isRefused
        ? notOrderedError(run.lines[i]!, line.source, why.content)
        : notForSaleError(run.lines[i]!, line.source),
    )
    // What the store room gives comes all the same.
    return storeroomUnits(full) > 0 ? { ...line, bought: 0 } : { ...line, removed: 'item_unavailable' as const }
  })
  return { lines, messages: messages.slice(0, MESSAGES_MAX) }
}
