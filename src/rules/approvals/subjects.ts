/** What resolving a decision does to its subject. Each capability provides its own; app.ts joins them. */
import type { ApprovalDetails, SubjectType } from '../../contract/shapes/approval.ts'
import type { Message } from '../../kernel/message.ts'
import type { Tx } from '../../store/store.ts'
import type { Decision, DecisionId } from './decision.ts'

/** Rolls the transaction back: the subject expired, so the decision about it can no longer be resolved. */
export class OverdueSubjectError extends Error {}

export interface Subject {
  /** What the decisions are about, for whoever has to decide; nothing for those whose subject is gone. */
  /** With the first `linesMax` lines of each. */
  describe?(decisions: readonly Decision[], linesMax: number): Promise<ReadonlyMap<DecisionId, ApprovalDetails>>
  /** Before the decision is resolved, outside any transaction: withdraws it when its subject is gone. */
  prepare?(decision: Decision): Promise<void>
  /** In the transaction of the decision, after it was written. Throws an OverdueSubjectError when it is too late for it. */
  applyDecision(tx: Tx, decision: Decision, approved: boolean): Promise<void>
  /** Outside any transaction, after an OverdueSubjectError: closes the subject, which withdraws the decision. */
  closeOverdue?(decision: Decision): Promise<void>
  /** After the commit, and never if the process dies first: a job has to repeat whatever must happen. */
  afterCommit?(decision: Decision, approved: boolean): Promise<readonly Message[] | void>
}

export type Subjects = Readonly<Record<SubjectType, Subject>>
