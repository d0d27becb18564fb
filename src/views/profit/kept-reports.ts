/**
 * Reports whose next page may be asked for: working out every slot of a long route takes a second, and all pages of a report
 * should be of one moment, so that their rows add up to its totals.
 */
import { MINUTE } from '../../kernel/clock.ts'
import { BoundedMap } from '../../lib/caches.ts'

/** 40,000 rows need about 10 MB. */
const REPORTS_MAX = 2

export interface KeptReports<R> {
  readonly find: (question: string) => R | undefined
  /** For a minute, in place of an earlier report about the same question. */
  readonly keep: (question: string, report: R) => void
}

export function keepReports<R>(): KeptReports<R> {
  const reports = new BoundedMap<string, R>(REPORTS_MAX)
  return {
    find: (question) => reports.get(question),
    keep(question, report) {
      reports.set(question, report)
      const forget = () => void (reports.get(question) === report && reports.delete(question))
      setTimeout(forget, MINUTE).unref()
    },
  }
}
