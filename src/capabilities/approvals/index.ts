/** Approvals (3.3, 4.8): the owner's decisions, listed, looked at and taken. */
import { PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import type { HandlersOf } from '../../contract/handlers.ts'
import { decodeCursor, encodeCursor } from '../../kernel/cursor.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Floor } from '../floor.ts'
import { findDecision, listDecisions } from './records.ts'
import { resolve } from './resolve.ts'
import type { Subjects } from './subjects.ts'
import { decisionView } from './view.ts'

export function approvalsHandlers(
  floor: Floor,
  subjects: Subjects,
): HandlersOf<'listApprovals' | 'getApproval' | 'resolveApproval'> {
  const { store, config } = floor
  return {
    async listApprovals({ query }) {
      const { status = 'pending', kind, cursor } = query
      const limit = Math.min(query.limit ?? PAGE_DEFAULT, PAGE_MAX)
      const after = cursor === undefined ? undefined : decodeCursor(cursor, 'number')
      if (cursor !== undefined && !after) return refuse('invalid', 'this cursor was not handed out here', '$.cursor')
      const found = await listDecisions(store.db, {
        status: status === 'all' ? undefined : status,
        kind,
        before: after?.[0],
        limit: limit + 1,
      })
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return accept({
        body: {
          approvals: page.map((decision) => decisionView(decision, config.timeZone)),
          pagination:
            found.length > limit && last
              ? { cursor: encodeCursor(last.seq), has_next_page: true }
              : { has_next_page: false },
        },
      })
    },

    async getApproval({ params }) {
      const decision = await findDecision(store.db, params.id)
      if (!decision) return refuse('not_found', 'there is no such decision')
      return accept({ body: decisionView(decision, config.timeZone) })
    },

    async resolveApproval({ params, body }) {
      const resolved = await resolve(floor, subjects, params.id, body)
      if (!resolved.ok) return resolved
      const { decision, messages } = resolved.value
      return accept({
        body: { ...decisionView(decision, config.timeZone), ...(messages.length > 0 ? { messages } : {}) },
      })
    },
  }
}
