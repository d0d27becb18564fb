/** What a sync tells its caller: which machines failed and why, which were never seen to sell, what is missing. */
import { DAY, rfc3339 } from '../../../kernel/clock.ts'
import type { Namespace } from '../../../kernel/ids.ts'
import { warning } from '../../../kernel/message.ts'
import type { ErrorMessage, Message } from '../../../kernel/message.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Failure } from '../../../vendors/contract.ts'
import { toRefusal } from '../../../vendors/refusal.ts'
import { completeSince, ledgerCoverage, NO_TIME } from '../../sales/index.ts'
import type { LocationRecord } from '../records.ts'

export interface MachineFailure {
  readonly location: LocationRecord
  readonly failure: Failure
}

export interface LedgerFailure {
  readonly namespace: Namespace
  readonly failure: Failure
}

export interface SyncTroubles {
  readonly failures: readonly MachineFailure[]
  readonly ledgerFailures: readonly LedgerFailure[]
  readonly unseen: readonly LocationRecord[]
  readonly windowDays: number
  readonly now: number
}

export async function syncMessages(
  db: Queryable,
  { failures, ledgerFailures, unseen, windowDays, now }: SyncTroubles,
): Promise<Message[]> {
  const cut = (await ledgerCoverage(db)).flatMap((coverage) => {
    const since = completeSince(coverage, now - windowDays * DAY)
    return since === null ? [] : [{ namespace: coverage.namespace, since }]
  })
  const undated = await undatedTrades(db, now - windowDays * DAY)
  return [
    ...failures.map(({ location, failure }) => warning('sync_problem', `${location.id}: ${failure.message}`)),
    ...ledgerFailures.map(({ namespace, failure }) =>
      warning('sync_problem', `sales of ${namespace} were not read: ${failure.message}`),
    ),
    ...cut.map(({ namespace, since }) =>
      warning('history_truncated', `sales of ${namespace} are complete only since ${rfc3339(since)} so far`),
    ),
    ...(undated === 0
      ? []
      : [warning('sync_problem', `${undated} trades have no readable time and are not counted as sales`)]),
    ...unseen.map(({ id }) =>
      warning(
        'location_unverified',
        `${id} never appears in ${windowDays} days of the ledger; the platform may not know it`,
      ),
    ),
  ]
}

async function undatedTrades(db: Queryable, firstSeenFrom: number): Promise<number> {
  const { count } = await db
    .selectFrom('trade')
    .select((at) => at.fn.countAll<number>().as('count'))
    .where('at', '=', NO_TIME)
    .where('first_seen_at', '>=', firstSeenFrom)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * When nothing at all could be read it is the platform that failed, not some machines: then the request is refused. As
 * `unauthorized` only where everything failed for that reason, so that refused credentials never look like trouble on site.
 */
export function downAltogether(
  roster: readonly LocationRecord[],
  failures: readonly MachineFailure[],
  ledgerFailures: readonly LedgerFailure[],
): readonly ErrorMessage[] | undefined {
  if (roster.length === 0 || failures.length < roster.length) return undefined
  const all = [...failures, ...ledgerFailures].map(({ failure }) => failure)
  const told = all.every(({ reason }) => reason === 'unauthorized')
    ? all[0]
    : all.every(({ reason }) => reason === 'unsupported')
      ? all[0]
      : ledgerFailures[0]?.failure
  return told && toRefusal(told).refusal.messages
}
