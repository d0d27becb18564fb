/**
 * Reads a window of a ledger, newest first. Sales made meanwhile push older ones onto the next page, where they appear a
 * second time. So each sale is taken once, and a pass during which the total changed is repeated within the page limit.
 */
import type { Failure } from '../../vendors/contract.ts'
import type { LedgerRecord, MachineVendor } from '../../vendors/machine-vendor.ts'

const PAGE_SIZE = 100
const PASSES_MAX = 3

export interface LedgerWindow {
  readonly fromMs: number
  readonly toMs: number
}

export interface LedgerPages {
  /** Each sale once, as last listed. */
  readonly records: readonly LedgerRecord[]
  /** Everything in the window from this instant on was read; the window's start, unless the pages were used up. */
  readonly reachedMs: number
  readonly pages: number
  /** By machine: sales before this instant are not listed. */
  readonly completeFrom: ReadonlyMap<string, number>
  /** By machine: sales after this instant are not listed yet. */
  readonly completeTo: ReadonlyMap<string, number>
  /** The upstream failed; the records read before are still valid. */
  readonly failure?: Failure
}

/** `wanted`: stop after the page that lists this sale. */
export async function readLedgerWindow(
  vendor: MachineVendor,
  window: LedgerWindow,
  pagesMax: number,
  wanted?: string,
): Promise<LedgerPages> {
  const seen = new Map<string, LedgerRecord>()
  const completeFrom = new Map<string, number>()
  const completeTo = new Map<string, number>()
  let pages = 0
  let isComplete = false

  const result = (): LedgerPages => ({
    records: [...seen.values()],
    reachedMs: oldestComplete(isComplete, seen, window),
    pages,
    completeFrom,
    completeTo,
  })

  for (let passes = 1; passes <= PASSES_MAX; passes += 1) {
    let total: number | undefined
    let hasChanged = false
    for (let page = 1; ; page += 1) {
      if (pages >= pagesMax) return result()
      const answer = await vendor.ledger({ ...window, page, size: PAGE_SIZE })
      pages += 1
      // A repeated pass is a precaution: the first one was complete.
      if (!answer.ok) return isComplete ? result() : { ...result(), failure: answer }
      for (const record of answer.value.records) seen.set(record.orderNo, record)
      for (const [id, from] of Object.entries(answer.value.completeFrom ?? {})) completeFrom.set(id, from)
      for (const [id, to] of Object.entries(answer.value.completeTo ?? {})) completeTo.set(id, to)
      hasChanged ||= total !== undefined && answer.value.total !== total
      total = answer.value.total
      if (page >= answer.value.pages) break
      if (wanted !== undefined && seen.has(wanted)) return result()
    }
    isComplete = true
    if (!hasChanged) break
  }
  return result()
}

/** An incomplete pass may have missed other sales of the very instant at which it stopped. */
function oldestComplete(
  isComplete: boolean,
  seen: ReadonlyMap<string, LedgerRecord>,
  { fromMs, toMs }: LedgerWindow,
): number {
  if (isComplete) return fromMs
  let oldest = toMs
  for (const { createdAt } of seen.values()) if (createdAt !== null && createdAt < oldest) oldest = createdAt
  return Math.max(fromMs, Math.min(toMs, oldest + 1))
}
