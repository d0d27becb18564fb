/**
 * Writes prices to a machine and finds out what came of it. The machine's word counts only when it claims all of them;
 * in every other case the prices are read back, so that what is told is what stands.
 */
import { vendorSkuOf } from '../../kernel/ids.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import { refuse } from '../../kernel/outcome.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { Failure, FailureReason, MachineSlot, MachineVendor, SendPermit } from '../../vendors/contract.ts'
import { refusalOf } from '../../vendors/refusal.ts'
import { stands } from './change.ts'
import type { PriceLine } from './change.ts'

export interface Applied {
  /** Lines whose price stands as asked: changed just now, or so before. */
  readonly standing: readonly PriceLine[]
  readonly changed: readonly PriceLine[]
  /** Lines that stand as before, each with why. */
  readonly left: readonly { readonly line: PriceLine; readonly why: ErrorMessage }[]
  /** Nothing was changed, or nobody can say. */
  readonly refusal?: Refusal
  /** Waiting may help: the machine was not reached or did not answer, rather than said no. */
  readonly passing: boolean
}

/** After these the machine was certainly not touched. */
const UNTOUCHED: ReadonlySet<FailureReason> = new Set(['unauthorized', 'unsupported', 'unsent'])
const PASSING: ReadonlySet<FailureReason> = new Set(['unsent', 'limited', 'unknown'])

export async function applyPrices(
  vendor: MachineVendor,
  location: string,
  lines: readonly PriceLine[],
  permit: SendPermit,
): Promise<Applied> {
  const sent = lines.filter(({ previousFen, priceFen }) => previousFen !== priceFen)
  // A price that stands already needs no call.
  if (sent.length === 0) return { standing: lines, changed: [], left: [], passing: false }
  const answer = await vendor.updatePrices(
    location,
    sent.map(({ skuId, priceFen }) => ({ vendorSku: vendorSkuOf(skuId), priceFen })),
    permit,
  )
  if (answer.ok && answer.value.count === sent.length)
    return { standing: lines, changed: sent, left: [], passing: false }

  const failure = answer.ok ? undefined : answer
  // A change that the emergency stop called off needs a resend: nothing is sent by itself once the stop is released.
  const passing = failure !== undefined && PASSING.has(failure.reason) && failure.denied !== 'kill_switch_engaged'
  if (failure && UNTOUCHED.has(failure.reason)) return { ...noneOf(lines, sent, failure), passing }
  const back = await vendor.inventory(location, { live: true })
  if (back.ok) return { ...readBack(lines, sent, back.value, failure), passing }
  if (failure?.reason === 'rejected') return { ...noneOf(lines, sent, failure), passing }
  return { ...nobodyKnows(lines, sent, failure), passing: true }
}

const why = (failure: Failure | undefined): ErrorMessage =>
  (failure && refusalOf(failure).refusal.messages[0]) ??
  error('supplier_rejected', 'the machine did not take this price')

function readBack(
  lines: readonly PriceLine[],
  sent: readonly PriceLine[],
  slots: readonly MachineSlot[],
  failure: Failure | undefined,
): Omit<Applied, 'passing'> {
  const changed = sent.filter((line) => stands(line, slots))
  if (changed.length === 0) return noneOf(lines, sent, failure)
  const left = sent.filter((line) => !changed.includes(line)).map((line) => ({ line, why: why(failure) }))
  return { standing: lines.filter((line) => !left.some((one) => one.line === line)), changed, left }
}

function noneOf(
  lines: readonly PriceLine[],
  sent: readonly PriceLine[],
  failure: Failure | undefined,
): Omit<Applied, 'passing'> {
  return {
    standing: lines.filter((line) => !sent.includes(line)),
    changed: [],
    left: sent.map((line) => ({ line, why: why(failure) })),
    refusal: failure
      ? refusalOf(failure).refusal
      : refuse('supplier_rejected', 'the machine took none of the prices').refusal,
  }
}

function nobodyKnows(
  lines: readonly PriceLine[],
  sent: readonly PriceLine[],
  failure: Failure | undefined,
): Omit<Applied, 'passing'> {
  const text = failure
    ? `${failure.text}; the prices could not be read back, so they may or may not have changed`
    : 'the machine changed some of the prices and could not be read back'
  const refusal = refuse('upstream_unreachable', text, undefined, { retryAfter: failure?.retryAfter ?? 30 }).refusal
  return { ...noneOf(lines, sent, failure), refusal }
}
