/** The messages of a sync: which machines failed and why, which have no sales, which sales are missing. */
import { DAY, rfc3339 } from '../../../kernel/clock.ts'
import type { ErrorMessage, NoteMessage } from '../../../kernel/message.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Failure } from '../../../vendors/contract.ts'
import { toRefusal } from '../../../vendors/refusal.ts'
import { type LedgerFailure, completeFromOf, countUndatedSales, listLedgerCoverage } from '../../sales/index.ts'
import type { LocationRecord } from '../records.ts'
import { unreadWarning, truncatedWarning, unreadSalesWarning, undatedWarning, unverifiedWarning } from '../texts.ts'

export interface MachineFailure {
  readonly location: LocationRecord
  readonly failure: Failure
}

export interface SyncProblems {
  readonly failures: readonly MachineFailure[]
  readonly ledgerFailures: readonly LedgerFailure[]
  /** Machines without a sale in the window. */
  readonly withoutSales: readonly LocationRecord[]
  readonly windowDays: number
  readonly now: number
  readonly timeZone: string
}

export async function loadSyncMessages(
  db: Queryable,
  { failures, ledgerFailures, withoutSales, windowDays, now, timeZone }: SyncProblems,
): Promise<NoteMessage[]> {
  const from = now - windowDays * DAY
  const truncated = (await listLedgerCoverage(db)).flatMap((coverage) => {
    const since = completeFromOf(coverage, from)
    return since === null ? [] : [truncatedWarning(coverage.namespace, rfc3339(since, timeZone))]
  })
  const undated = await countUndatedSales(db, from)
  return [
    ...failures.map(({ location, failure }) => unreadWarning(location, failure.message)),
    ...ledgerFailures.map(({ namespace, failure }) => unreadSalesWarning(namespace, failure.message)),
    ...truncated,
    ...(undated === 0 ? [] : [undatedWarning(undated)]),
    ...withoutSales.map(({ id, name }) => unverifiedWarning(id, windowDays, name)),
  ]
}

/**
 * When nothing at all could be read, the platform failed and not single machines: then the request is refused. As
 * `unauthorized` only when everything failed for that reason, so that wrong credentials never look like offline machines.
 */
export function platformFailure(
  roster: readonly LocationRecord[],
  failures: readonly MachineFailure[],
  ledgerFailures: readonly LedgerFailure[],
): readonly ErrorMessage[] | undefined {
  if (roster.length === 0 || failures.length < roster.length) return undefined
  const all = [...failures, ...ledgerFailures].map(({ failure }) => failure)
  const haveOneReason = (['unauthorized', 'unsupported'] as const).some((reason) =>
    all.every((failure) => failure.reason === reason),
  )
  const failure = haveOneReason ? all[0] : ledgerFailures[0]?.failure
  return failure && toRefusal(failure).refusal.messages
}
