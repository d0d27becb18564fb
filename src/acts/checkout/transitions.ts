/** docs/contract.md, 3.1, as a table. */
import type { CheckoutStatus } from '../../contract/shapes/checkout.ts'

/** What a cell `assess` stands for: missing information and the guardrails decide. */
export type AssessedStatus = 'incomplete' | 'requires_escalation' | 'ready_for_complete'

/** One row per state; an empty cell is a refusal. */
export const NEXT = {
  incomplete: { edit: 'assess', cancel: 'canceled', expire: 'canceled', find: 'completed' },
  requires_escalation: {
    edit: 'assess',
    cancel: 'canceled',
    expire: 'canceled',
    approve: 'ready_for_complete',
    reject: 'canceled',
    find: 'completed',
  },
  ready_for_complete: {
    edit: 'assess',
    cancel: 'canceled',
    expire: 'canceled',
    claim: 'complete_in_progress',
    find: 'completed',
  },
  // Money may be spent: only the outcome of the attempt, from the supplier or a person, ends it.
  complete_in_progress: { accept: 'completed', fail: 'ready_for_complete' },
  completed: {},
  canceled: {},
} as const satisfies Record<CheckoutStatus, Partial<Record<Trigger, CheckoutStatus | 'assess'>>>

/**
 * `find` is the only transition that the contract does not have: the supplier has an order that was thought absent. It is bought,
 * so the session is completed.
 */
export type Trigger = 'edit' | 'cancel' | 'expire' | 'approve' | 'reject' | 'claim' | 'accept' | 'fail' | 'find'

/** Undefined when this state refuses the trigger. `assessed` is the status that an edit leads to. */
export function advance(
  status: CheckoutStatus,
  trigger: Trigger,
  assessed: AssessedStatus = 'incomplete',
): CheckoutStatus | undefined {
  const row: Partial<Record<Trigger, CheckoutStatus | 'assess'>> = NEXT[status]
  const next = row[trigger]
  return next === 'assess' ? assessed : next
}

export const mayTrigger = (status: CheckoutStatus, trigger: Trigger): boolean => advance(status, trigger) !== undefined
