/**
 * Reads a ledger backwards in time. It is listed newest first and moves while it is read: new trades push older ones
 * onto the next page, where they come a second time. So each trade is taken once, and a walk during which the total
 * changed is walked again, as far as the budget of pages goes.
 */
import type { Failure, LedgerRecord, MachineVendor } from '../../vendors/contract.ts'

const PAGE_SIZE = 100
const WALKS = 3

export interface Window {
  readonly fromMs: number
  readonly toMs: number
}

export interface Walk {
  /** Each trade once, as it was last seen. */
  readonly records: readonly LedgerRecord[]
  /** Everything of the window from this instant on was seen: its beginning, unless the walk was cut short. */
  readonly reachedMs: number
  readonly pages: number
  /** The upstream gave up on the way; what was read before still counts. */
  readonly failure?: Failure
}

/** `wanted`: the walk ends with the page that lists this trade. */
export async function readLedgerWindow(
  vendor: MachineVendor,
  window: Window,
  budget: number,
  wanted?: string,
): Promise<Walk> {
  const seen = new Map<string, LedgerRecord>()
  let pages = 0
  let whole = false

  for (let walks = 1; walks <= WALKS; walks += 1) {
    let total: number | undefined
    let moved = false
    for (let page = 1; ; page += 1) {
      if (pages >= budget) return { records: [...seen.values()], reachedMs: reached(whole, seen, window), pages }
      const answer = await vendor.ledger({ ...window, page, size: PAGE_SIZE })
      pages += 1
      if (!answer.ok) {
        const read = { records: [...seen.values()], reachedMs: reached(whole, seen, window), pages }
        // Walking again is a precaution; the walk before it was whole.
        return whole ? read : { ...read, failure: answer }
      }
      for (const record of answer.value.records) seen.set(record.orderNo, record)
      moved ||= total !== undefined && answer.value.total !== total
      total = answer.value.total
      if (page >= answer.value.pages) break
      if (wanted !== undefined && seen.has(wanted))
        return { records: [...seen.values()], reachedMs: reached(whole, seen, window), pages }
    }
    whole = true
    if (!moved) break
  }
  return { records: [...seen.values()], reachedMs: window.fromMs, pages }
}

/** A cut walk may have missed others of the very instant at which it stopped. */
function reached(whole: boolean, seen: ReadonlyMap<string, LedgerRecord>, { fromMs, toMs }: Window): number {
  if (whole) return fromMs
  let oldest = toMs
  for (const { createdAt } of seen.values()) if (createdAt !== null && createdAt < oldest) oldest = createdAt
  return Math.max(fromMs, Math.min(toMs, oldest + 1))
}
