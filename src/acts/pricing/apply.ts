/**
 * Writes prices to a machine and determines the outcome. The machine's answer counts only when it confirms all of them
 * and each product is in one lane; in every other case the prices are read back.
 */
import { SECOND } from '../../kernel/clock.ts'
import { vendorSkuOf } from '../../kernel/ids.ts'
import { error } from '../../kernel/message.ts'
import { type Refusal, refuse } from '../../kernel/outcome.ts'
import type { Failure, FailureReason, SendPermit } from '../../vendors/contract.ts'
import type { MachineVendor } from '../../vendors/machine-vendor.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import { isApplied, isNoChange } from './change.ts'
import type { PriceLine, Applied } from './price-line.ts'
import { TEXTS } from './texts.ts'

/** After these the machine was certainly not touched. */
const UNTOUCHED: ReadonlySet<FailureReason> = new Set(['unsupported', 'unsent'])
/** A refusal, which is checked by reading the machine back. */
const REFUSED: ReadonlySet<FailureReason> = new Set(['rejected', 'unauthorized'])

export async function applyPrices(
  vendor: MachineVendor,
  location: string,
  lines: readonly PriceLine[],
  timeoutMs: number,
  permit: SendPermit,
): Promise<Applied> {
  const sent = lines.filter((line) => !isNoChange(line))
  const all: Applied = { inEffect: lines, changed: sent, unchanged: [], mayRetry: false, outcome: 'known' }
  if (sent.length === 0) return all
  const answer = await vendor.updatePrices(
    location,
    sent.map(({ skuId, priceFen }) => ({ vendorSku: vendorSkuOf(skuId), priceFen })),
    permit,
  )
  // An answer counts products. Of several lanes it does not say whether all of them have the price.
  const isInOneLane = sent.every(({ lanePricesFen }) => lanePricesFen === undefined)
  if (answer.ok && answer.value.count === sent.length && isInOneLane) return all

  const failure = answer.ok ? undefined : answer
  if (failure && UNTOUCHED.has(failure.reason)) {
    // A change denied by the kill switch has to be sent again: releasing the kill switch must not start any write.
    const mayRetry = failure.reason === 'unsent' && failure.denied !== 'kill_switch_engaged'
    return { ...withUnchanged(lines, sent, failure), mayRetry, outcome: 'known' }
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
  if (failure && REFUSED.has(failure.reason)) return { ...partly, mayRetry: false, outcome: 'refused' }
  // The machine's count is trusted only when at least as many new prices are visible.
  if (answer.ok && back.ok && changed.length >= answer.value.count)
    return { ...partly, mayRetry: false, outcome: 'known' }
  return { ...partly, refusal: unconfirmedRefusal(failure, timeoutMs), mayRetry: true, outcome: 'unknown' }
}

/** For a change that came too late to be sent. */
export const answerTooLate = (lines: readonly PriceLine[]): Applied => ({
  ...withUnchanged(
    lines,
    lines.filter((line) => !isNoChange(line)),
    { ok: false, reason: 'unsent', message: TEXTS.tooLateToSend },
  ),
  mayRetry: true,
  outcome: 'known',
})

type Partly = Pick<Applied, 'inEffect' | 'changed' | 'unchanged' | 'refusal'>

/** For lines that keep their old price. When no line was changed, the whole request is refused. */
function withUnchanged(
  lines: readonly PriceLine[],
  unchanged: readonly PriceLine[],
  failure: Failure | undefined,
  changed: readonly PriceLine[] = [],
): Partly {
  const refusal = failure ? toRefusal(failure).refusal : refuse('supplier_rejected', TEXTS.nothingChanged).refusal
  const why = failure
    ? (refusal.messages[0] ?? error('internal', failure.message))
    : error('supplier_rejected', TEXTS.priceRefused)
  return {
    inEffect: lines.filter((line) => !unchanged.includes(line)),
    changed,
    unchanged: unchanged.map((line) => ({ line, why })),
    ...(changed.length === 0 ? { refusal } : {}),
  }
}

/** The refusal of a change whose outcome is not known yet. */
export function unconfirmedRefusal(
  failure: Pick<Failure, 'message' | 'retryAfter'> | undefined,
  timeoutMs: number,
): Refusal {
  const text = failure?.message ?? TEXTS.fewerConfirmed
  const retryAfter = Math.max(failure?.retryAfter ?? 0, Math.ceil((2 * timeoutMs) / SECOND))
  return refuse('upstream_unreachable', TEXTS.unconfirmed(text), undefined, { retryAfter }).refusal
}
