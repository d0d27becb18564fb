/** Who can say what came of an order: the supplier, or only a person. */
import { HOUR } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Context } from '../context.ts'
import type { Session } from './session.ts'

/** False for a supplier that has no such call, or that is no longer connected. */
export const canBeAsked = ({ vendors }: Pick<Context, 'vendors'>, namespace: Namespace): boolean =>
  vendors.supports(namespace, 'orderStatus')

/** A person may record the outcome after the supplier was unsure for this long. */
const UNSURE_FOR_MS = HOUR

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
  if (!outcomeUnknown) return UNSURE_FOR_MS
  return Math.max(0, outcomeUnknown.since + UNSURE_FOR_MS - now)
}
