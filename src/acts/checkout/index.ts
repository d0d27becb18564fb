/** Checkout: the rows of the operations table, the jobs, and what the other capabilities need. */
import type { CheckoutList } from '../../contract/shapes/checkout.ts'
import { ACTIVE } from '../../contract/capabilities.ts'
import { isDryRun } from '../../contract/dry-run.ts'
import { success } from '../../contract/envelope.ts'
import type { GuardExemptions, Handlers, RefusalRecorders, Reply } from '../../contract/handlers.ts'
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import { watchJob } from '../../effects/watch.ts'
import type { Job } from '../../jobs/runner.ts'
import { MINUTE } from '../../kernel/clock.ts'
import { encodeCursor, pageOf, parseCursor } from '../../lib/pages.ts'
import { isPoNumber } from '../../kernel/ids.ts'
import type { Message } from '../../kernel/message.ts'
import { callerName } from '../../kernel/caller.ts'
import { type Outcome, accept, mapOutcome, refuse } from '../../kernel/outcome.ts'
import { INVALID_CURSOR } from '../../kernel/text.ts'
import type { Context } from '../../context.ts'
import { dryRunView } from '../../rules/guardrails/index.ts'
import { refreshOpenPurchases } from '../orders/index.ts'
import { cancelCheckout } from './cancel.ts'
import { expireOverdue, refreshSession } from './close.ts'
import { completeCheckout, recordRefusedComplete } from './complete.ts'
import { createCheckout, previewCreate } from './create.ts'
import { type PreviewedPurchase, previewComplete } from './preview-complete.ts'
import type { CheckoutContext } from './context.ts'
import { recordOutcome } from './record-outcome.ts'
import { findSession, listSessions } from './records.ts'
import { purchaseQuestions } from './purchase/attempt.ts'
import { type Session, isOpen, isOverdue } from './session.ts'
import { TEXTS } from './texts.ts'
import { updateCheckout } from './update.ts'
import { checkoutView } from './view.ts'

export { checkoutContext } from './context.ts'
export { checkoutSubject } from './approval-subject.ts'

export function checkoutHandlers(ctx: CheckoutContext) {
  const { store } = ctx
  const sessionReply = (session: Session, messages: readonly Message[] = []) =>
    ({ body: checkoutView(ctx, session, messages), paymentHandlers: true }) as const
  const toReply = (outcome: Outcome<Session>) => mapOutcome(outcome, (session) => sessionReply(session))
  const previewReply = (preview: Outcome<PreviewedPurchase>) =>
    mapOutcome(preview, ({ session, messages, evidence }) => {
      const { body, paymentHandlers } = sessionReply(session, messages)
      return { body: { ...body, ...dryRunView(evidence) }, paymentHandlers }
    })

  return {
    async createCheckout({ body, query }) {
      if (!isDryRun(query)) return toReply(await createCheckout(ctx, body))
      return previewReply(await previewCreate(ctx, body))
    },

    async getCheckout({ params }) {
      const session = await findSession(store.db, params.id)
      if (!session) return refuse('not_found', TEXTS.notFound(params.id))
      return accept(sessionReply(await refreshSession(ctx, session)))
    },

    async updateCheckout({ params, body }) {
      const updated = await updateCheckout(ctx, params.id, body)
      return mapOutcome(updated, ({ session, messages }) => sessionReply(session, messages))
    },

    async completeCheckout({ params, query }) {
      if (isDryRun(query)) return previewReply(await previewComplete(ctx, params.id))
      const completed = await completeCheckout(ctx, params.id)
      if (!completed.ok) return completed
      const { session, messages } = completed.value
      // Not kept under an Idempotency-Key: the same request may end differently once the owner or the caller has acted.
      const storage = session.status === 'completed' ? {} : { unstored: true as const }
      return accept({ ...sessionReply(session, messages), ...storage })
    },

    cancelCheckout: async ({ params }) => toReply(await cancelCheckout(ctx, params.id)),

    recordOutcome: async ({ params, body }) => toReply(await recordOutcome(ctx, params.id, body, callerName())),

    async listCheckouts({ query }) {
      const limit = Math.min(query.limit ?? PAGE_DEFAULT, PAGE_MAX)
      const position = parseCursor(query.cursor, '$.cursor', 'number', 'string')
      if (!position.ok) return position
      const [createdAt, id] = position.value ?? []
      if (id !== undefined && !isPoNumber(id)) return refuse('invalid', INVALID_CURSOR, '$.cursor')
      await expireOverdue(ctx)
      const found = await listSessions(store.db, {
        status: query.status,
        vendor: query.vendor,
        before: createdAt === undefined || id === undefined ? undefined : { createdAt, id },
        limit: limit + 1,
      })
      return accept(listReply(found, limit))
    },
  } satisfies Partial<Handlers>

  function listReply(found: readonly Session[], limit: number): Reply<'listCheckouts'> {
    const { entries, pagination } = pageOf(found, limit, (last) => encodeCursor(last.createdAt, last.id))
    const paymentHandlers = true
    const ucp = success(ACTIVE.checkout, paymentHandlers)
    const body: Omit<CheckoutList, 'ucp'> = {
      checkouts: entries.map((session) => ({ ucp, ...checkoutView(ctx, session) })),
      pagination,
    }
    return { body, paymentHandlers }
  }
}

/** Every attempt to complete writes an event, also one that is refused before the handler runs. */
export const checkoutRefusals = (ctx: Context): Pick<RefusalRecorders, 'completeCheckout'> => ({
  completeCheckout: ({ params, refusal }) => recordRefusedComplete(ctx, params['id'] ?? '', refusal),
})

/** Not guarded, because no order is sent: the session is unknown, closed, overdue or in progress, and the reply reports it. */
export const checkoutGuardExemptions = ({
  store,
  clock,
}: Pick<Context, 'store' | 'clock'>): Pick<GuardExemptions, 'completeCheckout'> => ({
  async completeCheckout({ params }) {
    const session = await findSession(store.db, params.id)
    return !session || !isOpen(session) || isOverdue(session, clock.now())
  },
})

export const checkoutJobs = (ctx: CheckoutContext): readonly Job[] => [
  watchJob(ctx, purchaseQuestions(ctx)),
  { name: 'checkout-expiry', everyMs: MINUTE, run: () => expireOverdue(ctx) },
  { name: 'purchase-status', everyMs: MINUTE, run: () => refreshOpenPurchases(ctx) },
]

// What other folders use.
export { findRememberedDestination } from './basket/remembered-destination.ts'
export { type Attempt, chainedAttempts, listAttempts, listAttemptsWithoutSession } from './purchase/attempt-records.ts'
export { isSameOrder, orderContents } from './basket/basket.ts'
export { type LostOrder, bookLostOrder } from './purchase/book-lost-order.ts'
export { closeSession } from './close.ts'
export { createCheckout, previewCreate, reserveNumber } from './create.ts'
export { productIndex } from './basket/lines.ts'
export { pickupCalendar } from './basket/pickup-slots.ts'
export {
  findSession,
  findSessions,
  hasSessions,
  hasSessionsOf,
  listSessionsNeedingSupplier,
  listSessions,
  removeOldDrafts,
  listUnattemptedSessions,
  listSessionsAfter,
} from './records.ts'
export { raiseOrderNumbers } from './numbers/raise-order-numbers.ts'
export { NumbersUnreadable, numbersFile, sentNumbers } from './numbers/sent-numbers.ts'
export { type RunApproval, type Session, bringsNothing, hasFinalContents, isOpen, isOverdue } from './session.ts'
export { settle } from './purchase/attempt.ts'
export { foundSettlement } from './purchase/outcomes.ts'
export { loadSpendingTotals } from './purchase/spending-records.ts'
export { linesTotal } from './basket/totals.ts'
