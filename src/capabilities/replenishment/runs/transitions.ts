/** Section 3.2 as tables: where a run may go, and what is said where it may not. */
import type { RunStatus } from '../../../contract/replenishment.ts'
import type { ErrorCode } from '../../../kernel/message.ts'

/** `hold`: the rules were tightened after a run was made within them, so the owner is asked after all. */
export type Trigger = 'approve' | 'reject' | 'place' | 'hold' | 'cancel' | 'receive'

/** One row per state; an empty cell is a refusal. */
export const NEXT = {
  blocked: {},
  nothing_to_do: {},
  pending_approval: { approve: 'approved', reject: 'rejected', cancel: 'rejected' },
  approved: { place: 'placed', hold: 'pending_approval', cancel: 'rejected' },
  rejected: {},
  placed: { receive: 'delivered' },
  delivered: {},
} as const satisfies Record<RunStatus, Partial<Record<Trigger, RunStatus>>>

interface No {
  readonly code: ErrorCode
  readonly content: string
}

/** What place answers; undefined where it may go on. */
export const NOT_TO_PLACE: Readonly<Record<RunStatus, No | undefined>> = {
  blocked: { code: 'not_placeable', content: 'the run was blocked by the emergency stop and holds nothing' },
  nothing_to_do: { code: 'not_placeable', content: 'the run holds nothing to order' },
  pending_approval: { code: 'approval_required', content: 'the owner has not approved this run yet' },
  approved: undefined,
  rejected: { code: 'approval_rejected', content: 'the owner rejected this run' },
  placed: { code: 'already_placed', content: 'this run is placed already' },
  delivered: { code: 'already_placed', content: 'this run was placed and delivered' },
}

const CLOSED: No = { code: 'not_editable', content: 'this run is closed and holds nothing to cancel' }

/** What cancel answers where the run is past it. */
export const NOT_TO_CANCEL: Readonly<Record<Exclude<RunStatus, 'pending_approval' | 'approved'>, No>> = {
  blocked: CLOSED,
  nothing_to_do: CLOSED,
  rejected: CLOSED,
  placed: { code: 'already_placed', content: 'this run is placed; cancel its purchases instead' },
  delivered: { code: 'already_delivered', content: 'this run was delivered' },
}

const NOT_PLACED: No = { code: 'not_placed', content: 'only a placed run can be received' }

/** What receive answers; undefined where it may go on. */
export const NOT_TO_RECEIVE: Readonly<Record<RunStatus, No | undefined>> = {
  blocked: NOT_PLACED,
  nothing_to_do: NOT_PLACED,
  pending_approval: NOT_PLACED,
  approved: NOT_PLACED,
  rejected: NOT_PLACED,
  placed: undefined,
  delivered: { code: 'already_delivered', content: 'this run was received already' },
}
