/**
 * Writes prices to a machine and finds out what came of it. The machine's word counts only when it claims all of them;
 * in every other case the prices are read back, so that what is told is what stands.
 */
import { SECOND } from '../../kernel/clock.ts'
import { vendorSkuOf } from '../../kernel/ids.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import { refuse } from '../../kernel/outcome.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { Failure, FailureReason, MachineVendor, SendPermit } from '../../vendors/contract.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { isApplied } from './change.ts'
import type { PriceLine } from './change.ts'

export interface Applied {
  /** Lines whose price stands as asked: changed just now, or so before. */
  readonly inEffect: readonly PriceLine[]
  readonly changed: readonly PriceLine[]
  /** Lines that stand as before, each with why. */
  readonly unchanged: readonly { readonly line: PriceLine; readonly why: ErrorMessage }[]
  /** Nothing was changed, or nobody can say. */
  readonly refusal?: Refusal
  /** Waiting may help: the machine was not reached or did not answer, rather than said no. */
  readonly mayRetry: boolean
  /**
   * What the lines that were left may still become. `none`: they stay. `open`: the request was sent and not answered, so
   * it may still arrive. `refused`: the machine or a gateway said no after the request was sent, and may be wrong.
   */
  readonly doubt: 'none' | 'open' | 'refused'
}

/** After these the machine was certainly not touched. */
const UNTOUCHED: ReadonlySet<FailureReason> = new Set(['unsupported', 'unsent'])
/** A clear no, though one that is checked. */
const REFUSED: ReadonlySet<FailureReason> = new Set(['rejected', 'unauthorized'])

export async function applyPrices(
  vendor: MachineVendor,
  location: string,
  lines: readonly PriceLine[],
  timeoutMs: number,
  permit: SendPermit,
): Promise<Applied> {
  const sent = lines.filter(({ previousFen, priceFen }) => previousFen !== priceFen)
  const all: Applied = { inEffect: lines, changed: sent, unchanged: [], mayRetry: false, doubt: 'none' }
  // A price that stands already needs no call.
  if (sent.length === 0) return all
  const answer = await vendor.updatePrices(
    location,
    sent.map(({ skuId, priceFen }) => ({ vendorSku: vendorSkuOf(skuId), priceFen })),
    permit,
  )
  if (answer.ok && answer.value.count === sent.length) return all

  const failure = answer.ok ? undefined : answer
  if (failure && UNTOUCHED.has(failure.reason)) {
    // A change that the emergency stop called off needs a resend: nothing is sent by itself once the stop is released.
    const mayRetry = failure.reason === 'unsent' && failure.denied !== 'kill_switch_engaged'
    return { ...withUnchanged(lines, sent, failure), mayRetry, doubt: 'none' }
  }
  const back = await vendor.inventory(location, { live: true })
  const changed = back.ok ? sent.filter((line) => isApplied(line, back.value)) : []
  if (changed.length === sent.length) return all
  const partly = withUnchanged(
    lines,
    sent.filter((line) => !changed.includes(line)),
    failure,
    changed,
  )
  if (failure && REFUSED.has(failure.reason)) return { ...partly, mayRetry: false, doubt: 'refused' }
  // The machine's count settles it only where as many can be seen.
  if (answer.ok && back.ok && changed.length >= answer.value.count) return { ...partly, mayRetry: false, doubt: 'none' }
  return { ...partly, refusal: unconfirmedRefusal(failure, timeoutMs), mayRetry: true, doubt: 'open' }
}

type Partly = Pick<Applied, 'inEffect' | 'changed' | 'unchanged' | 'refusal'>

/** Some of the lines stand as before; where none was changed, the request as a whole is refused. */
function withUnchanged(
  lines: readonly PriceLine[],
  unchanged: readonly PriceLine[],
  failure: Failure | undefined,
  changed: readonly PriceLine[] = [],
): Partly {
  const refusal = failure ? toRefusal(failure).refusal : refuse('supplier_rejected', 'no price was changed').refusal
  const why = failure
    ? (refusal.messages[0] ?? error('internal', failure.message))
    : error('supplier_rejected', 'the machine did not take this price')
  return {
    inEffect: lines.filter((line) => !unchanged.includes(line)),
    changed,
    unchanged: unchanged.map((line) => ({ line, why })),
    ...(changed.length === 0 ? { refusal } : {}),
  }
}

/** What the caller of a change hears whose outcome nobody knows yet. */
export function unconfirmedRefusal(
  failure: Pick<Failure, 'message' | 'retryAfter'> | undefined,
  timeoutMs: number,
): Refusal {
  const text = failure?.message ?? 'the machine confirmed fewer prices than were sent and cannot be read back'
  const retryAfter = Math.max(failure?.retryAfter ?? 0, Math.ceil((2 * timeoutMs) / SECOND))
  return refuse(
    'upstream_unreachable',
    `${text}; it is not certain yet whether the prices changed. The machine is read back until it is.`,
    undefined,
    { retryAfter },
  ).refusal
}
