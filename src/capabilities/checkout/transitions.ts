/** Section 3.1 as a table. */
import type { CheckoutStatus } from '../../contract/checkout.ts'

/** `assess` means that missing information and the guardrails choose among these. */
export type AssessedStatus = 'incomplete' | 'requires_escalation' | 'ready_for_complete'

/** One row per state; an empty cell is a refusal. */
export const NEXT = {
  incomplete: { edit: 'assess', cancel: 'canceled', expire: 'canceled', surface: 'completed' },
  requires_escalation: {
    edit: 'assess',
    cancel: 'canceled',
    expire: 'canceled',
    approve: 'ready_for_complete',
    reject: 'canceled',
    surface: 'completed',
  },
  ready_for_complete: {
    edit: 'assess',
    cancel: 'canceled',
    expire: 'canceled',
    submit: 'complete_in_progress',
    surface: 'completed',
  },
  // Only the supplier's answer: money may be spent.
  complete_in_progress: { accept: 'completed', decline: 'ready_for_complete' },
  completed: {},
  canceled: {},
} as const satisfies Record<CheckoutStatus, Partial<Record<Trigger, CheckoutStatus | 'assess'>>>

/**
 * `surface` is the one trigger the contract does not name: an order that was taken for absent turns up at the supplier
 * after all. What was bought is bought, so the session says so.
 */
export type Trigger = 'edit' | 'cancel' | 'expire' | 'approve' | 'reject' | 'submit' | 'accept' | 'decline' | 'surface'

/** Undefined: this state refuses the trigger. `assessed` is where an edit leads. */
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
