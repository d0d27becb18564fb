/** Rows of the event log. */
import { HOUR } from '../../kernel/clock.ts'
import { callerColumns, fromByColumns } from '../../store/caller-columns.ts'
import { type Queryable, type Store, type Tx, afterCommit } from '../../store/store.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import { parseTextParams, toTextColumns } from '../../store/text-columns.ts'
import type { Columns } from '../../store/schema.ts'
import type { Insertable, Selectable } from 'kysely'
import type { WriteContext } from '../../context.ts'
import type { NewEvent, OwnEvent, StoredEvent } from './event.ts'

/** The channel that notifies instances of new events. */
export const EVENTS_CHANNEL = 'vendops_events'

const fromRow = (row: Selectable<Columns<'event'>>): StoredEvent => ({
  seq: row.seq,
  storedAt: row.stored_at,
  occurredAt: row.occurred_at,
  kind: row.kind,
  summary: row.summary,
  reasoning: row.reasoning,
  code: row.code ?? undefined,
  params: row.params === null ? undefined : parseTextParams(row.params),
  location: row.location ?? undefined,
  source: row.source,
  author: row.author ?? undefined,
  agent: row.agent ?? undefined,
  by: fromByColumns(row),
})

const insert = compiledQuery((db, row: Insertable<Columns<'event'>>) =>
  db.insertInto('event').values(row).returning('seq'),
)

/** Writes in the caller's transaction, so that a change and its event are committed together. */
export async function appendEvent({ store, clock }: WriteContext, tx: Tx, event: NewEvent): Promise<StoredEvent> {
  const now = clock.now()
  const { kind, summary, reasoning, code, params, location, occurredAt = now, author } = event
  const source = author === undefined ? ('service' as const) : ('caller' as const)
  const caller = callerColumns()
  const what = { stored_at: now, occurred_at: occurredAt, kind, summary, reasoning, location: location ?? null }
  const [written] = (await insert(tx, { ...what, ...toTextColumns(event), source, author: author ?? null, ...caller }))
    .rows
  if (!written) throw new Error('an inserted event has no seq')
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
  return { ...stored, agent: caller.agent ?? undefined, by: fromByColumns(caller) }
}

/** For events of the service itself: the compiler checks the kind. */
export const recordEvent = (ctx: WriteContext, tx: Tx, event: OwnEvent): Promise<StoredEvent> =>
  appendEvent(ctx, tx, event)

export interface EventFilter {
  readonly limit: number
  readonly location?: string | undefined
  readonly kind?: string | undefined
  /** Stored at or after this instant. */
  readonly since?: number | undefined
  /** Stored before this instant. */
  readonly until?: number | undefined
  /** The name of a person or key, who also wrote it, or the profile of an agent. */
  readonly by?: string | undefined
  /** Stored before the event with this number. */
  readonly before?: number | undefined
}

const selectNewest = (db: Queryable, limit: number) =>
  db.selectFrom('event').selectAll().orderBy('seq', 'desc').limit(limit)

const newestOfAll = compiledQuery((db, { limit }: { limit: number }) => selectNewest(db, limit))

/** Clocks of instances differ by less. */
const CLOCKS_DIFFER_MS = HOUR

/** After this number no event was stored long before the instant, so that a read need not look at those before it. */
async function seqLongBefore(db: Queryable, instant: number): Promise<number> {
  const older = db
    .selectFrom('event')
    .select('seq')
    .where('stored_at', '<', instant - CLOCKS_DIFFER_MS)
  return (await older.orderBy('seq', 'desc').limit(1).executeTakeFirst())?.seq ?? 0
}

/** Newest stored first. */
export async function listLatestEvents(db: Queryable, filter: EventFilter): Promise<StoredEvent[]> {
  const { limit, location, kind, since, until, by, before } = filter
  if ([location, kind, since, until, by, before].every((value) => value === undefined))
    return (await newestOfAll(db, { limit })).rows.map(fromRow)
  let query = selectNewest(db, limit)
  if (before !== undefined) query = query.where('seq', '<', before)
  if (since !== undefined)
    query = query.where('stored_at', '>=', since).where('seq', '>', await seqLongBefore(db, since))
  if (until !== undefined) query = query.where('stored_at', '<', until)
  if (by !== undefined)
    query = query.where((row) => row.or((['by_name', 'author', 'agent'] as const).map((name) => row(name, '=', by))))
  if (location !== undefined) query = query.where('location', '=', location)
  if (kind !== undefined) query = query.where('kind', '=', kind)
  return (await query.execute()).map(fromRow)
}

const selectAfter = compiledQuery((db, { seq, limit }: { seq: number; limit: number }) =>
  db.selectFrom('event').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit),
)

/** Oldest first, after a position. */
export const listEventsAfter = async (db: Queryable, seq: number, limit: number): Promise<StoredEvent[]> =>
  (await selectAfter(db, { seq, limit })).rows.map(fromRow)

/** By `seq`; for the audit. */
export async function findEvents(db: Queryable, seqs: readonly number[]): Promise<ReadonlyMap<number, StoredEvent>> {
  if (seqs.length === 0) return new Map()
  const rows = await db.selectFrom('event').selectAll().where('seq', 'in', seqs).execute()
  return new Map(rows.map((row) => [row.seq, fromRow(row)]))
}

export async function readLastSeq(db: Queryable): Promise<number> {
  const row = await db
    .selectFrom('event')
    .select((eb) => eb.fn.max('seq').as('seq'))
    .executeTakeFirst()
  return row?.seq ?? 0
}

/**
 * Reads the next `limit` events in the order they were stored and removes those stored before the instant, except events
 * that a checkout attempt refers to. Returns where to continue; undefined when none of them was that old.
 */
export const removeOldEvents = async (
  store: Store,
  before: number,
  from: number | undefined,
  limit: number,
): Promise<number | undefined> =>
  store.transaction(async (tx) => {
    const events = await tx
      .selectFrom('event')
      .select(['seq', 'stored_at'])
      .where('seq', '>', from ?? 0)
      .orderBy('seq')
      .limit(limit)
      .execute()
    const old = events.filter(({ stored_at }) => stored_at < before).map(({ seq }) => seq)
    if (old.length === 0) return undefined
    const attempts = await tx.selectFrom('checkout_attempt').select('event').where('event', 'in', old).execute()
    const referenced = new Set(attempts.map(({ event }) => event))
    const removable = old.filter((seq) => !referenced.has(seq))
    if (removable.length > 0) await tx.deleteFrom('event').where('seq', 'in', removable).execute()
    return events.at(-1)?.seq
  })
