/**
 * docs/contract.md, 3.2, as tables: the status changes of a run, and the refusals where there is none. `hold`, `cancel` and
 * `undo` are ours: a run that is called off is `rejected`.
 */
import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import type { ErrorCode } from '../../../kernel/message.ts'

/**
 * `hold`: the rules were tightened after the run was created, so the owner has to approve it after all. `undo`: the receipt
 * of a stop is undone.
 */
export type Trigger = 'approve' | 'reject' | 'place' | 'hold' | 'cancel' | 'receive' | 'undo'

/** One row per status; a missing entry is a refusal. */
export const NEXT = {
  blocked: {},
  nothing_to_do: {},
  pending_approval: { approve: 'approved', reject: 'rejected', cancel: 'rejected' },
  approved: { place: 'placed', hold: 'pending_approval', cancel: 'rejected' },
  rejected: {},
  placed: { receive: 'delivered', cancel: 'rejected' },
  delivered: { undo: 'placed' },
} as const satisfies Record<RunStatus, Partial<Record<Trigger, RunStatus>>>

interface StatusRefusal {
  readonly code: ErrorCode
  readonly content: string
}

/** Why a run cannot be placed; undefined where it can. */
export const PLACE_REFUSALS: Readonly<Record<RunStatus, StatusRefusal | undefined>> = {
  blocked: {
    code: 'not_placeable',
    content: 'The emergency stop was on when this run was created, so it has no lines',
  },
  nothing_to_do: { code: 'not_placeable', content: 'This run has nothing to order' },
  pending_approval: { code: 'approval_required', content: 'The owner has not approved this run yet' },
  approved: undefined,
  rejected: { code: 'approval_rejected', content: 'The owner rejected this run' },
  placed: { code: 'already_placed', content: 'This run has already been placed' },
  delivered: { code: 'already_placed', content: 'This run has already been placed and received' },
}

export const ALREADY_RECEIVED = 'This run has already been received'
export const STOP_ALREADY_RECEIVED = 'This stop has already been received'

const CLOSED: StatusRefusal = { code: 'not_editable', content: 'This run is closed; there is nothing to cancel' }

/** Why a run cannot be canceled. */
export const CANCEL_REFUSALS: Readonly<
  Record<Exclude<RunStatus, 'pending_approval' | 'approved' | 'placed'>, StatusRefusal>
> = {
  blocked: CLOSED,
  nothing_to_do: CLOSED,
  rejected: CLOSED,
  delivered: { code: 'already_delivered', content: ALREADY_RECEIVED },
}

const NOT_PLACED: StatusRefusal = { code: 'not_placed', content: 'Only a placed run can be received' }

/** Why a run cannot be received; undefined where it can. */
export const RECEIVE_REFUSALS: Readonly<Record<RunStatus, StatusRefusal | undefined>> = {
  blocked: NOT_PLACED,
  nothing_to_do: NOT_PLACED,
  pending_approval: NOT_PLACED,
  approved: NOT_PLACED,
  rejected: NOT_PLACED,
  placed: undefined,
  delivered: { code: 'already_delivered', content: ALREADY_RECEIVED },
}
