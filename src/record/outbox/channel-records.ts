/** When the receiver of a channel may be called again. A channel without a row has no failure behind it. */
import { type Queryable, type Tx, readFirst } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'

export type ChannelPause = Readonly<ReturnType<typeof fromRow>>

const fromRow = (row: Columns<'outbox_channel'>) => ({
  /** Tries in a row without success. */
  failures: row.failures,
  pausedAt: row.paused_at,
  pausedUntil: row.paused_until,
  notBefore: row.not_before,
})

export const readPause = (db: Queryable, channel: string): Promise<ChannelPause | undefined> =>
  readFirst(db.selectFrom('outbox_channel').selectAll().where('channel', '=', channel), fromRow)

export async function savePause(tx: Tx, channel: string, pause: ChannelPause): Promise<void> {
  const columns = {
    failures: pause.failures,
    paused_at: pause.pausedAt,
    paused_until: pause.pausedUntil,
    not_before: pause.notBefore,
  }
  await tx
    .insertInto('outbox_channel')
    .values({ channel, ...columns })
    .onConflict((conflict) => conflict.column('channel').doUpdateSet(columns))
    .execute()
}

/**
 * The receiver answers again. What failed while it was down is due; a message that failed more often than the receiver did
 * since its last success has failed by itself and keeps its own time.
 */
export async function endPause(tx: Tx, channel: string, { failures }: ChannelPause, now: number): Promise<void> {
  await tx.deleteFrom('outbox_channel').where('channel', '=', channel).execute()
  await tx
    .updateTable('outbox')
    .set({ due_at: now })
    .where((eb) => matchColumns(eb, { channel, state: 'waiting' }))
    .where('due_at', '>', now)
    .where('attempts', '<=', failures)
    .where((eb) => eb.or([eb('last_status', 'is', null), eb('last_status', '>=', 500), eb('last_status', '=', 429)]))
    .execute()
}
