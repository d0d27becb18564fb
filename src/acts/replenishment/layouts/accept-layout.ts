/**
 * POST /replenishment/layouts. Accepting a lane states what room both products have from then on, so the next visit brings
 * what fits, and puts the change on its pick list.
 */
import type { Reply } from '../../../contract/handlers.ts'
import type { LayoutRequest } from '../../../contract/shapes/planning/layout.ts'
import type { Context } from '../../../context.ts'
import { type Outcome, accept, catchRefusal, refuse } from '../../../kernel/outcome.ts'
import { count } from '../../../kernel/text.ts'
import { recordEvent } from '../../../record/events/index.ts'
import { findLocation, lockLocation } from '../../../route/locations/index.ts'
import { readRulesOrRefuse } from '../../../rules/guardrails/index.ts'
import { computeLayout, layoutReply } from './get-layout.ts'
import { moveRoom } from './move-room.ts'
import { type StoredLaneChange, listLaneChanges, saveLaneChange } from './records.ts'
import { layoutAccepted } from './texts.ts'

export const acceptLayout = (ctx: Context, request: LayoutRequest): Promise<Outcome<Reply<'acceptLayout'>>> =>
  catchRefusal(async () => {
    const { location } = request
    const rules = await readRulesOrRefuse(ctx)
    if (!rules.ok) return rules
    const max = rules.value.layoutChangesPerVisit
    const found = await computeLayout(ctx, location)
    if (!found.ok) return found
    const accepted = await ctx.store.transaction(async (tx) => {
      const now = ctx.clock.now()
      // One at a time: of two at once, the second finds what the first accepted.
      await lockLocation(tx, location, now)
      const open = (await listLaneChanges(tx, [location])).filter(({ status }) => status === 'accepted')
      const changes: StoredLaneChange[] = []
      for (const [i, { lane, item }] of request.lanes.entries()) {
        const path = `$.lanes[${i}]`
        // Asked again: it is accepted already.
        if (open.some((change) => change.lane === lane && change.to === item.id)) continue
        const proposed = found.value.proposals.find((each) => each.lane === lane && each.to === item.id)
        if (!proposed || open.some((change) => change.lane === lane) || changes.some((each) => each.lane === lane))
          return refuse('invalid', 'This change is not proposed now. Read the layout again', path)
        changes.push({ ...proposed, location, status: 'accepted' as const, changedAt: now })
      }
      if (open.length + changes.length > max) {
        const text = `At most ${count(max, 'lane')} of a machine may change in one visit (layoutChangesPerVisit)`
        return refuse('invalid', text, '$.lanes')
      }
      await moveRoom(ctx, tx, location, changes)
      for (const change of changes) await saveLaneChange(tx, change)
      const machine = await findLocation(tx, location)
      if (machine && changes.length > 0)
        await recordEvent(ctx, tx, layoutAccepted(machine, changes, found.value.titleOf, ctx.config.currency))
      return accept(undefined)
    })
    if (!accepted.ok) return accepted
    return layoutReply(ctx, location)
  })
