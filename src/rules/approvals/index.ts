/** Approvals: listing, reading and resolving the owner's decisions. */
import type { Approval, ApprovalDetails } from '../../contract/shapes/approval.ts'
import { APPROVAL_ALL_LINES_MAX, APPROVAL_LINES_MAX, PAGE_DEFAULT, PAGE_MAX } from '../../contract/limits.ts'
import type { GuardExemptions, HandlersOf } from '../../contract/handlers.ts'
import { type Chunk, encodeCursor, paginationOf, parseCursor, listReply } from '../../lib/pages.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { type Decision, type DecisionId, findDecision, listDecisions } from './records.ts'
import { askOwner } from './questions.ts'
import { notFoundText, resolveApproval } from './resolve.ts'
import type { Subjects } from './subjects.ts'
import { decisionView } from './view.ts'

/** Decisions read at once when all are listed. */
const BATCH_SIZE = 500

export function approvalsHandlers(
  ctx: Context,
  subjects: Subjects,
): HandlersOf<'listApprovals' | 'getApproval' | 'resolveApproval' | 'askOwner'> {
  const { store, config } = ctx
  return {
    async listApprovals({ query }) {
      const { kind, cursor } = query
      const status = query.status ?? 'pending'
      const position = parseCursor(cursor, '$.cursor', 'number')
      if (!position.ok) return position

      async function read(after: number | undefined, limit: number): Promise<Chunk<Approval, number>> {
        const filter = { status: status === 'all' ? undefined : status, kind, after, limit: limit + 1 }
        const found = await listDecisions(store.db, filter)
        const page = found.slice(0, limit)
        const details = query.details ? await describeDecisions(subjects, page) : undefined
        return {
          entries: page.map((decision) => decisionView(decision, config.timeZone, details?.get(decision.id))),
          next: found.length > limit ? page.at(-1)?.seq : undefined,
        }
      }

      if (query.limit === undefined && cursor === undefined)
        return accept(await listReply('approvals', (after: number | undefined) => read(after, BATCH_SIZE)))
      const { entries, next } = await read(position.value?.[0], Math.min(query.limit ?? PAGE_DEFAULT, PAGE_MAX))
      return accept({ body: { approvals: entries, pagination: paginationOf(next, encodeCursor) } })
    },

    async getApproval({ params }) {
      const decision = await findDecision(store.db, params.id)
      if (!decision) return refuse('not_found', notFoundText(params.id))
      const details = await describeDecisions(subjects, [decision], APPROVAL_ALL_LINES_MAX)
      return accept({ body: decisionView(decision, config.timeZone, details.get(decision.id)) })
    },

    async askOwner({ body }) {
      const asked = await askOwner(ctx, body)
      return asked.ok ? accept({ body: decisionView(asked.value, config.timeZone) }) : asked
    },

    async resolveApproval({ params, body }) {
      const resolved = await resolveApproval(ctx, subjects, params.id, body)
      if (!resolved.ok) return resolved
      const { decision, messages } = resolved.value
      return accept({
        body: { ...decisionView(decision, config.timeZone), ...(messages.length > 0 ? { messages } : {}) },
      })
    },
  }
}

/** One call for all decisions about the same kind of subject. */
export async function describeDecisions(
  subjects: Subjects,
  decisions: readonly Decision[],
  linesMax = APPROVAL_LINES_MAX,
): Promise<ReadonlyMap<DecisionId, ApprovalDetails>> {
  const details = new Map<DecisionId, ApprovalDetails>()
  for (const [type, group] of Map.groupBy(decisions, ({ subject }) => subject.type))
    for (const [id, each] of (await subjects[type].describe?.(group, linesMax)) ?? []) details.set(id, each)
  return details
}

/** Only approving leads to a write: a rejection, an answer, or a decision that is resolved already, sends nothing. */
export const approvalsGuardExemptions = ({
  store,
}: Pick<Context, 'store'>): Pick<GuardExemptions, 'resolveApproval'> => ({
  resolveApproval: async ({ params, body }) => {
    if (!body.approved) return true
    const decision = await findDecision(store.db, params.id)
    return decision?.status !== 'pending' || decision.question !== undefined
  },
})

// What other folders use.
export { mayDecideFor } from './decider.ts'
export { QUESTION_SUBJECT, questionJobs } from './questions.ts'
export {
  createPending,
  listDecidedSubjects,
  chainedDecisions,
  findDecision,
  listDecisions,
  recordApproved,
  withdrawDecision,
  withdrawDecisionsOfMachine,
} from './records.ts'
export type { Decision, DecisionId, NewDecision } from './records.ts'
export { type Subject, type Subjects, OverdueSubjectError } from './subjects.ts'
