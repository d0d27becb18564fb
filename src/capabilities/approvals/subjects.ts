/** What a decision is about, as the decision sees it. Each capability brings its own; the app puts them together. */
import type { SubjectType } from '../../contract/approval.ts'
import type { Message } from '../../kernel/message.ts'
import type { Tx } from '../../store/store.ts'
import type { Decision } from './decision.ts'

export interface Subject {
  /** Before anything is decided, outside any transaction: closes what is overdue, so that it cannot be approved. */
  before?(decision: Decision): Promise<void>
  /** In the decision's transaction, after the decision: both stand or fall together. */
  move(tx: Tx, decision: Decision, approved: boolean): Promise<void>
  /** Once committed, and possibly never if the process dies: what must happen, a job takes up again. */
  after?(decision: Decision, approved: boolean): Promise<readonly Message[] | void>
}

export type Subjects = Readonly<Record<SubjectType, Subject>>

/** For decisions that change nothing by themselves: the owner's word is kept, people act on it. */
export const noSubjectEffect: Subject = { move: () => Promise.resolve() }
