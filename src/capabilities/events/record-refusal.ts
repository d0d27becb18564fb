/**
 * Events of refused attempts. Identical refusals of one caller within a minute share one event, which counts them: a
 * program that repeats a refused call leaves one line a minute, not hundreds.
 */
import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { HOUR, MINUTE } from '../../kernel/clock.ts'
import type { Tx } from '../../store/db.ts'
import type { Floor } from '../floor.ts'
import type { NewEvent, ServiceEventKind } from './event.ts'
import { recordEvent } from './records.ts'

type Needs = Pick<Floor, 'store' | 'clock'>
type RefusalEvent = NewEvent & { readonly kind: ServiceEventKind }

const SHARED_MS = MINUTE

/** The summary names what was refused and why, so equal summaries are identical refusals. */
export const recordRefusal = (floor: Needs, caller: string | undefined, event: RefusalEvent): Promise<void> =>
  floor.store.transaction(async (tx) => {
    const key = hash('sha256', JSON.stringify([event.kind, caller ?? null, event.summary]), 'hex')
    const { count, event: known } = await countRefusal(tx, key, floor.clock.now())
    if (known === null) {
      const { seq } = await recordEvent(floor, tx, event)
      await tx.updateTable('refusal_count').set({ event: seq }).where('key', '=', key).execute()
    } else {
      const summary = `${event.summary} (${count} times)`
      await tx.updateTable('event').set({ summary }).where('seq', '=', known).execute()
    }
  })

/** Written before it is read: the row stays locked until the transaction ends, so concurrent refusals count one by one. */
async function countRefusal(
  tx: Tx,
  key: string,
  now: number,
): Promise<{ readonly count: number; readonly event: number | null }> {
  // A clock that was set back ends the minute, too.
  const isRecent = sql<boolean>`refusal_count.since > ${now - SHARED_MS} and refusal_count.since <= ${now}`
  return tx
    .insertInto('refusal_count')
    .values({ key, since: now, count: 1, event: null })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        count: sql<number>`case when ${isRecent} then refusal_count.count + 1 else 1 end`,
        event: sql<number | null>`case when ${isRecent} then refusal_count.event end`,
        since: sql<number>`case when ${isRecent} then refusal_count.since else excluded.since end`,
      }),
    )
    .returning(['count', 'event'])
    .executeTakeFirstOrThrow()
}

/** The job: counts whose minute is over are of no use any more. */
export async function purgeRefusalCounts({ store, clock }: Needs): Promise<void> {
  await store.db
    .deleteFrom('refusal_count')
    .where('since', '<', clock.now() - HOUR)
    .execute()
}
