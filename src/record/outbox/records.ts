/** Rows of the outbox. */
import { isColumnDue } from '../../store/due-rows.ts'
import { LONGEST_WAIT_MS } from './retry.ts'
import { randomUUID } from 'node:crypto'
import type { Insertable, Selectable } from 'kysely'
import { chunk } from '../../lib/concurrency.ts'
import { type Queryable, type Store, type Tx, changeRows, readAll, readFirst } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import type { Columns } from '../../store/schema.ts'

/** Read at once for one channel. */
const DUE_MAX = 200
const IDS_AT_ONCE = 200
/** 13 values each; a statement of PostgreSQL takes 65,535. */
const ROWS_AT_ONCE = 500

const selectMessages = (db: Queryable) => db.selectFrom('outbox').selectAll()

export type OutboxMessage = Readonly<ReturnType<typeof fromRow>>

const fromRow = (row: Selectable<Columns<'outbox'>>) => ({
  seq: row.seq,
  /** A UUID; the same on every attempt. */
  id: row.id,
  channel: row.channel,
  topic: row.topic,
  kind: row.kind,
  isFirst: row.is_first === 1,
  occurredAt: row.occurred_at,
  since: row.since,
  /** JSON. */
  data: row.data ?? undefined,
  state: row.state,
  attempts: row.attempts,
  dueAt: row.due_at,
  finishedAt: row.finished_at ?? undefined,
  lastStatus: row.last_status ?? undefined,
  lastError: row.last_error ?? undefined,
})

export interface NewMessage extends Pick<OutboxMessage, 'channel' | 'topic' | 'kind' | 'isFirst' | 'occurredAt'> {
  readonly eventId?: string | undefined
  readonly onceKey?: string | undefined
  readonly data?: object | undefined
}

/** In the transaction of the change. A message whose key was used in its channel is left out. */
export async function insertMessages(tx: Tx, messages: readonly NewMessage[], now: number): Promise<void> {
  for (const part of chunk(messages, ROWS_AT_ONCE))
    await tx
      .insertInto('outbox')
      .values(part.map((message) => toRow(message, now)))
      .onConflict((conflict) => conflict.columns(['channel', 'once_key']).where('once_key', 'is not', null).doNothing())
      .execute()
}

const toRow = (
  { channel, topic, kind, isFirst, occurredAt, eventId, onceKey, data }: NewMessage,
  now: number,
): Insertable<Columns<'outbox'>> => ({
  id: randomUUID(),
  channel,
  topic,
  kind,
  once_key: onceKey ?? null,
  is_first: isFirst ? 1 : 0,
  event_id: eventId ?? null,
  occurred_at: occurredAt,
  since: now,
  data: data === undefined ? null : JSON.stringify(data),
  state: 'waiting',
  attempts: 0,
  due_at: now,
})

/** The channels of these that have a message about the topic, whatever became of it. */
export async function listChannelsOfTopic(
  db: Queryable,
  channels: readonly string[],
  topic: string,
): Promise<ReadonlySet<string>> {
  if (channels.length === 0) return new Set()
  const rows = await db
    .selectFrom('outbox')
    .select('channel')
    .distinct()
    .where('channel', 'in', channels)
    .where('topic', '=', topic)
    .execute()
  return new Set(rows.map(({ channel }) => channel))
}

export interface DueFilter {
  /** Undefined: all. */
  readonly kinds: readonly string[] | undefined
  /** Only messages that were not tried yet and were written later than this. */
  readonly untriedSince: number | undefined
}

/** The due messages of a channel, the least tried and longest due first, with all that waits about the same topics. */
export async function listWaitingMessages(
  db: Queryable,
  channel: string,
  now: number,
  { kinds, untriedSince }: DueFilter,
): Promise<OutboxMessage[]> {
  let query = db
    .selectFrom('outbox')
    .select('topic')
    .where((eb) => matchColumns(eb, { channel, state: 'waiting' }))
    .where((eb) => eb.or([eb('attempts', '=', 0), isColumnDue('due_at', now, LONGEST_WAIT_MS)]))
  if (kinds) query = query.where('kind', 'in', kinds)
  if (untriedSince !== undefined) query = query.where('attempts', '=', 0).where('since', '>', untriedSince)
  const due = await query.orderBy('attempts').orderBy('due_at').orderBy('seq').limit(DUE_MAX).execute()
  const topics = [...new Set(due.map(({ topic }) => topic))]
  const found: OutboxMessage[] = []
  for (const part of chunk(topics, IDS_AT_ONCE)) {
    const waiting = selectMessages(db)
      .where('channel', '=', channel)
      .where('topic', 'in', part)
      .where('state', '=', 'waiting')
    found.push(...(await readAll(waiting, fromRow)))
  }
  return found
}

export interface Ending {
  readonly state: 'delivered' | 'superseded' | 'dead'
  readonly at: number
  readonly status?: number | undefined
  readonly error?: string | undefined
}

/** False when the message does not wait any more. */
export const endMessage = (tx: Tx, seq: number, { state, at, status, error }: Ending): Promise<boolean> =>
  changeRows(
    tx
      .updateTable('outbox')
      .set((eb) => ({
        state,
        attempts: state === 'superseded' ? eb.ref('attempts') : eb('attempts', '+', 1),
        finished_at: at,
        ...(state === 'superseded' ? {} : { last_status: status ?? null, last_error: error ?? null }),
      }))
      .where('seq', '=', seq)
      .where('state', '=', 'waiting'),
  )

/** One message, and those that it stands for. */
export async function postponeMessages(
  tx: Tx,
  seqs: readonly number[],
  retry: { readonly dueAt: number; readonly status: number | undefined; readonly error: string },
): Promise<void> {
  for (const part of chunk(seqs, IDS_AT_ONCE))
    await tx
      .updateTable('outbox')
      .set((eb) => ({
        attempts: eb('attempts', '+', 1),
        due_at: retry.dueAt,
        last_status: retry.status ?? null,
        last_error: retry.error,
      }))
      .where('seq', 'in', part)
      .where('state', '=', 'waiting')
      .execute()
}

/** Undefined when there is no such message in these channels. */
export const findMessage = (db: Queryable, channelPrefix: string, id: string): Promise<OutboxMessage | undefined> =>
  readFirst(selectMessages(db).where('id', '=', id).where('channel', 'like', `${channelPrefix}%`), fromRow)

/** Tried again from the beginning; undefined when it was removed meanwhile. */
export const requeueMessage = (tx: Tx, seq: number, now: number): Promise<OutboxMessage | undefined> =>
  readFirst(
    tx
      .updateTable('outbox')
      .set({ state: 'waiting', attempts: 0, due_at: now, since: now, finished_at: null })
      .where('seq', '=', seq)
      .returningAll(),
    fromRow,
  )

/** Ends what waits in a channel since before the instant; returns how much it was. */
export async function endWaiting(
  tx: Tx,
  channel: string,
  { before, now, error }: { readonly before: number; readonly now: number; readonly error: string },
): Promise<number> {
  const ended = await tx
    .updateTable('outbox')
    .set({ state: 'dead', finished_at: now, last_error: error })
    .where((eb) => matchColumns(eb, { channel, state: 'waiting' }))
    .where('since', '<=', before)
    .executeTakeFirst()
  return Number(ended.numUpdatedRows)
}

/** The channels with messages that wait. */
export const listChannelStates = (db: Queryable, channelPrefix: string) =>
  readAll(
    db
      .selectFrom('outbox')
      .select((eb) => ['channel', eb.fn.countAll<number>().as('waiting'), eb.fn.min('since').as('oldest')])
      .where('state', '=', 'waiting')
      .where('channel', 'like', `${channelPrefix}%`)
      .groupBy('channel'),
    ({ channel, waiting, oldest }) => ({ channel, waiting, oldestAt: oldest ?? undefined }),
  )

export interface MessageFilter {
  readonly channels: readonly string[]
  readonly state?: OutboxMessage['state'] | undefined
  readonly limit: number
}

/** Newest first. */
export async function listMessages(db: Queryable, { channels, state, limit }: MessageFilter): Promise<OutboxMessage[]> {
  if (channels.length === 0) return []
  let query = selectMessages(db).where('channel', 'in', channels).orderBy('seq', 'desc').limit(limit)
  if (state !== undefined) query = query.where('state', '=', state)
  return readAll(query, fromRow)
}

export const findLastTried = (db: Queryable, channel: string): Promise<OutboxMessage | undefined> =>
  readFirst(
    selectMessages(db).where('channel', '=', channel).where('attempts', '>', 0).orderBy('seq', 'desc').limit(1),
    fromRow,
  )

/** Of these keys, those that were used in the channel. */
export async function findUsedKeys(
  db: Queryable,
  channel: string,
  keys: readonly string[],
): Promise<ReadonlySet<string>> {
  const sent = new Set<string>()
  for (const part of chunk(keys, IDS_AT_ONCE)) {
    const rows = await db
      .selectFrom('outbox')
      .select('once_key')
      .where('channel', '=', channel)
      .where('once_key', 'in', part)
      .execute()
    for (const { once_key: key } of rows) if (key !== null) sent.add(key)
  }
  return sent
}

/** False when the same call came before. */
export const insertHookCall = (tx: Tx, channel: string, id: string, now: number): Promise<boolean> =>
  changeRows(
    tx
      .insertInto('hook_call')
      .values({ channel, id, seen_at: now })
      .onConflict((conflict) => conflict.columns(['channel', 'id']).doNothing()),
  )

/** A call that is older is refused by its time. */
export async function removeOldHookCalls(db: Queryable, before: number): Promise<void> {
  await db.deleteFrom('hook_call').where('seen_at', '<', before).execute()
}

/** Messages that ended before the instant; returns how many were removed. */
export const removeOldMessages = async (store: Store, before: number, limit: number): Promise<number> =>
  store.transaction(async (tx) => {
    const ended = tx
      .selectFrom('outbox')
      .select('seq')
      .where('state', '!=', 'waiting')
      .where('finished_at', '<', before)
    const seqs = await readAll(ended.limit(limit), ({ seq }) => seq)
    if (seqs.length > 0) await tx.deleteFrom('outbox').where('seq', 'in', seqs).execute()
    return seqs.length
  })
