/** What the owner's word does to a price change (3.3): a yes is carried out at once. */
import assert from 'node:assert/strict'
import { MINUTE } from '../../kernel/clock.ts'
import type { Subject } from '../approvals/index.ts'
import { findLocation } from '../locations/index.ts'
import { withdrawChange } from './change-prices.ts'
import type { PricingContext } from './context.ts'
import { changeOf, moveChange } from './records.ts'
import { applyApproved } from './apply-approved.ts'

/** The approval itself carries it out; only if that never came about the job does. */
const HEAD_START_MS = MINUTE

export const priceChangeSubject = (ctx: PricingContext): Subject => ({
  async before(decision) {
    const change = await changeOf(ctx.store.db, decision)
    if (!change) return
    const machine = await findLocation(ctx.store.db, change.location)
    if (machine?.namespace === change.namespace) return
    await withdrawChange(ctx, change, decision.id, 'The machine is no longer registered.')
  },

  async move(tx, decision, approved) {
    const change = await changeOf(tx, decision)
    const next = approved
      ? { status: 'approved' as const, dueAt: ctx.clock.now() + HEAD_START_MS }
      : { status: 'closed' as const }
    assert(change && (await moveChange(tx, change.seq, ['waiting'], next)), `${decision.id} waited for nothing`)
  },

  async after(decision, approved) {
    const change = approved ? await changeOf(ctx.store.db, decision) : undefined
    if (!change) return []
    const taken = await applyApproved(ctx, change)
    if (!taken.ok) return taken.refusal.messages
    return taken.value?.refusal?.messages ?? taken.value?.unchanged.map(({ why }) => why) ?? []
  },
})
