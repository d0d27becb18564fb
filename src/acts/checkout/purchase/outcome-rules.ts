/** Who can say what came of an order: the supplier, or only a person. */
import { HOUR } from '../../../kernel/clock.ts'
import type { Namespace } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import type { Session } from '../session.ts'

/** False for a supplier that has no such call, or that is no longer connected. */
export const canBeAsked = ({ vendors }: Pick<Context, 'vendors'>, namespace: Namespace): boolean =>
  vendors.supports(namespace, 'orderStatus')

/** How long the supplier's own answer is awaited before a person may record the outcome. */
const SUPPLIER_WAIT_MS = HOUR

/**
 * How long the supplier's own answer is still awaited; 0 when a person may say. Where a supplier can be asked, it has an
 * hour from when its answer was first missing.
 */
export function supplierWaitMs(
  { handoff, outcomeUnknown }: Pick<Session, 'handoff' | 'outcomeUnknown'>,
  now: number,
  supplierCanBeAsked: boolean,
): number {
  if (handoff || outcomeUnknown?.onlyPersonKnows || !supplierCanBeAsked) return 0
  if (!outcomeUnknown) return SUPPLIER_WAIT_MS
  return Math.max(0, outcomeUnknown.since + SUPPLIER_WAIT_MS - now)
}
