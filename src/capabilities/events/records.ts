import { callerColumns } from '../../store/caller-columns.ts'
import { afterCommit } from '../../store/store.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import { fromTextColumns, toTextColumns } from '../../store/text-columns.ts'
import type { EventTable } from '../../store/tables/events.ts'
import type { Insertable, Selectable } from 'kysely'
import type { Context } from '../context.ts'
import type { NewEvent, ServiceEventKind, StoredEvent } from './event.ts'

/** The channel on which instances hint at new events. */
export const EVENTS_CHANNEL = 'vendops_events'

const fromRow = (row: Selectable<EventTable>): StoredEvent => ({
  seq: row.seq,
  storedAt: row.stored_at,
  occurredAt: row.occurred_at,
  kind: row.kind,
  summary: row.summary,
  reasoning: row.reasoning,
  ...fromTextColumns(row),
  location: row.location ?? undefined,
  source: row.source,
  author: row.author ?? undefined,
  agent: row.agent ?? undefined,
  occurrences: row.occurrences,
})

const insert = compiledQuery((db, row: Insertable<EventTable>) => db.insertInto('event').values(row).returning('seq'))

/** Writes in the caller's transaction, so that a change and its event stand or fall together. */
export async function appendEvent(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  tx: Tx,
  event: NewEvent,
): Promise<StoredEvent> {
  const now = clock.now()
  const { kind, summary, reasoning, code, params, location, occurredAt = now, author } = event
  const source = author === undefined ? ('service' as const) : ('caller' as const)
  const caller = callerColumns()
  const what = { stored_at: now, occurred_at: occurredAt, kind, summary, reasoning, location: location ?? null }
  const [written] = (await insert(tx, { ...what, ...toTextColumns(event), source, author: author ?? null, ...caller }))
    .rows
  if (!written) throw new Error('an event was written and has no number')
  afterCommit(tx, () => store.notify(EVENTS_CHANNEL))
  const stored = {
    seq: written.seq,
    storedAt: now,
    occurredAt,
    kind,
    summary,
    reasoning,
    code,
    params,
    location,
    source,
    author,
  }
  return { ...stored, agent: caller.agent ?? undefined, occurrences: 1 }
}

/** The same for the kinds the service writes itself, so that a slip of the pen does not compile. */
export const recordEvent = (
  ctx: Pick<Context, 'store' | 'clock'>,
  tx: Tx,
  event: NewEvent & { readonly kind: ServiceEventKind },
): Promise<StoredEvent> => appendEvent(ctx, tx, event)

export interface EventFilter {
  readonly limit: number
  readonly location?: string | undefined
  readonly kind?: string | undefined
}

/** Newest stored first. */
export async function latestEvents(db: Queryable, { limit, location, kind }: EventFilter): Promise<StoredEvent[]> {
  let query = db.selectFrom('event').selectAll().orderBy('seq', 'desc').limit(limit)
  if (location !== undefined) query = query.where('location', '=', location)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  return (await query.execute()).map(fromRow)
}

/** Oldest first, after a position; `limit` bounds one bite. */
export async function eventsAfter(db: Queryable, seq: number, limit: number): Promise<StoredEvent[]> {
  const rows = await db.selectFrom('event').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute()
  return rows.map(fromRow)
}

/** By `seq`; for the audit. */
export async function findEvents(db: Queryable, seqs: readonly number[]): Promise<ReadonlyMap<number, StoredEvent>> {
  if (seqs.length === 0) return new Map()
  const rows = await db.selectFrom('event').selectAll().where('seq', 'in', seqs).execute()
  return new Map(rows.map((row) => [row.seq, fromRow(row)]))
}

export async function lastSeq(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select((at) => at.fn.max('seq').as('seq'))
    .executeTakeFirst()
  return row?.seq ?? 0
}
