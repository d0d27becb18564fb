/** What a decision does to its price change: an approved one is executed at once. */
import assert from 'node:assert/strict'
import { MINUTE } from '../../kernel/clock.ts'
import type { Subject } from '../../rules/approvals/index.ts'
import { findLocation } from '../../route/locations/index.ts'
import { withdrawChange } from './change-prices.ts'
import type { PricingContext } from './context.ts'
import { findChangeOf, moveChange } from './records.ts'
import { applyApproved } from './apply-approved.ts'
import { describeChanges } from './describe-changes.ts'
import { TEXTS } from './texts.ts'

/** Resolving the approval executes the change; the job does only if that did not happen. */
const HEAD_START_MS = MINUTE

export const priceChangeSubject = (ctx: PricingContext): Subject => ({
  describe: (decisions, linesMax) => describeChanges(ctx, decisions, linesMax),

  async prepare(decision) {
    const change = await findChangeOf(ctx.store.db, decision)
    if (!change) return
    const machine = await findLocation(ctx.store.db, change.location)
    if (machine?.namespace === change.namespace) return
    await withdrawChange(ctx, change, decision.id, `${TEXTS.notRegistered}.`)
  },

  async applyDecision(tx, decision, approved) {
    const change = await findChangeOf(tx, decision)
    const next = approved
      ? { status: 'approved' as const, dueAt: ctx.clock.now() + HEAD_START_MS }
      : { status: 'closed' as const }
    assert(
      change && (await moveChange(ctx, tx, change.seq, ['waiting'], next)),
      `${decision.id} has no waiting price change`,
    )
  },

  async afterCommit(decision, approved) {
    const change = approved ? await findChangeOf(ctx.store.db, decision) : undefined
    if (!change) return []
    const taken = await applyApproved(ctx, change)
    if (!taken.ok) return taken.refusal.messages
    return taken.value?.refusal?.messages ?? taken.value?.unchanged.map(({ why }) => why) ?? []
  },
})
