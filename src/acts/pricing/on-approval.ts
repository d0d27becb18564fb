/** What a decision does to its price change: an approved one is executed at once. */
import assert from 'node:assert/strict'
import { MINUTE } from '../../kernel/clock.ts'
import type { Context } from '../../context.ts'
import type { Subject, Decision, DecisionId } from '../../rules/approvals/index.ts'
import { findLocation, findLocations } from '../../route/locations/index.ts'
import { withdrawChange } from './change-prices.ts'
import { findChangeOf, moveChange, findChangesOf, subjectIdOf } from './records.ts'
import { applyApproved } from './apply-approved.ts'
import { TEXTS } from './texts.ts'
import type { ApprovalDetails } from '../../contract/shapes/approval.ts'
import { loadUnitsPerDay } from '../../route/sales/index.ts'

/** Price changes for whoever has to approve them: old and new prices, and what the products sell in that machine. */
async function describeChanges(
  ctx: Context,
  decisions: readonly Decision[],
  linesMax: number,
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const found = await findChangesOf(ctx.store.db, decisions)
  const changes = new Map(found.map((change) => [subjectIdOf(change.seq), change]))
  const machines = await findLocations(ctx.store.db, [...new Set(found.map(({ location }) => location))])
  const names = new Map(machines.map(({ id, name }) => [id as string, name]))
  const shown = [...changes.values()].map(({ location, lines }) =>
    lines.slice(0, linesMax).map(({ skuId }) => ({ location, skuId })),
  )
  const soldOf = await loadUnitsPerDay(ctx, shown.flat())
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const { id, subject } of decisions) {
    const change = changes.get(subject.id)
    if (!change) continue
    const { location, lines, status } = change
    const name = names.get(location)
    details.set(id, {
      currency: ctx.config.currency,
      subject_status: status,
      location,
      ...(name === undefined ? {} : { location_name: name }),
      line_count: lines.length,
      lines: lines.slice(0, linesMax).map(({ skuId, title, previousFen, priceFen }) => ({
        sku_id: skuId,
        title,
        previous_price: previousFen,
        price: priceFen,
        sales_per_day: soldOf({ location, skuId }),
      })),
    })
  }
  return details
}

/** Resolving the approval executes the change; the job does only if that did not happen. */
const HEAD_START_MS = MINUTE

export const priceChangeSubject = (ctx: Context): Subject => ({
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
