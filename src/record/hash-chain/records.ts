/** The hash chain in the store. */
import { currentCaller } from '../../kernel/caller.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import { type Queryable, type StoreKind, type Tx, beforeCommit, readAll } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import { type Insertable, type Selectable, sql } from 'kysely'
import type { WriteContext } from '../../context.ts'
import { contentText, entryHash, factsText } from './entry.ts'
import type { ChainActor, ChainEntry, ChainKind, Facts } from './entry.ts'

interface PendingEntry {
  readonly kind: ChainKind
  readonly subject: string
  /** Reads what the row says at the end of the transaction; undefined when there is no such row. */
  readonly readFacts: (tx: Tx) => Promise<Facts | undefined>
  /** Undefined: the caller of the request. */
  readonly by?: ChainActor | undefined
}

/** Entries of a transaction, one for each row that it changed. */
const pending = new WeakMap<Tx, Map<string, PendingEntry>>()

/**
 * Adds the state that a row has at the end of this transaction to the chain. The entry is written just before the commit:
 * its place in the chain is a row lock that all transactions share, so it is held as short as possible.
 */
export function chainChange({ clock, store }: WriteContext, tx: Tx, entry: PendingEntry): void {
  const known = pending.get(tx)
  const entries = known ?? new Map<string, PendingEntry>()
  entries.set(`${entry.kind} ${entry.subject}`, entry)
  if (known) return
  pending.set(tx, entries)
  beforeCommit(tx, () => append(tx, store.kind, clock.now(), [...entries.values()]))
}

const selectHead = compiledQuery((db, { name }: { name: 'head' }) =>
  db.selectFrom('chain_head').select(['seq', 'hash']).where('name', '=', name),
)
const insert = compiledQuery((db, row: Insertable<Columns<'chain_entry'>>) => db.insertInto('chain_entry').values(row))
const moveHead = compiledQuery((db, head: { seq: number; hash: string }) =>
  db.updateTable('chain_head').set(head).where('name', '=', 'head'),
)

/**
 * The three steps as one, for PostgreSQL: the lock is then held for the commit only, not for three round trips before it.
 * The server computes the hash, as only it knows the entry before. `for update` returns what was committed last.
 */
const appendAtOnce = compiledQuery(
  (db, row: Omit<Insertable<Columns<'chain_entry'>>, 'seq' | 'previous' | 'hash'> & { readonly content: string }) => ({
    compile: () =>
      sql<{ seq: number }>`with head as (
          select seq + 1 as seq, hash as previous from chain_head where name = 'head' for update
        ), entry as (
          insert into chain_entry (seq, at, kind, subject, by_name, by_role, facts, previous, hash)
          select seq, ${row.at}::bigint, ${row.kind}::text, ${row.subject}::text, ${row.by_name}::text, ${row.by_role}::text,
            ${row.facts}::text, previous,
            encode(sha256(convert_to('[' || seq || ',' || ${row.content}::text || ',"' || previous || '"]', 'UTF8')), 'hex')
          from head returning seq, hash
        )
        update chain_head set seq = entry.seq, hash = entry.hash from entry where name = 'head' returning chain_head.seq`.compile(
        db,
      ),
  }),
)

async function append(tx: Tx, kindOfStore: StoreKind, at: number, entries: readonly PendingEntry[]): Promise<void> {
  const changes: Change[] = []
  for (const { kind, subject, readFacts, by = currentCaller()?.by } of entries) {
    const facts = await readFacts(tx)
    if (facts) changes.push({ kind, subject, facts: factsText(facts), by })
  }
  if (changes.length === 0) return
  await (kindOfStore === 'postgres' ? appendOnServer(tx, at, changes) : appendHere(tx, at, changes))
}

type Change = Pick<ChainEntry, 'kind' | 'subject' | 'facts' | 'by'>

async function appendOnServer(tx: Tx, at: number, changes: readonly Change[]): Promise<void> {
  for (const { by, ...change } of changes) {
    const content = contentText({ ...change, at, by })
    const { rows } = await appendAtOnce(tx, { ...change, at, ...byColumnsOf(by), content })
    if (rows.length !== 1) throw new Error('the hash chain has no head')
  }
}

async function appendHere(tx: Tx, at: number, changes: readonly Change[]): Promise<void> {
  // A transaction of SQLite holds the only write lock, so nobody else can move the head.
  const [head] = (await selectHead(tx, { name: 'head' })).rows
  if (!head) throw new Error('the hash chain has no head')
  let { seq, hash: previous } = head
  for (const { by, ...change } of changes) {
    seq += 1
    const hash = entryHash({ ...change, seq, at, by, previous })
    await insert(tx, { ...change, seq, at, ...byColumnsOf(by), previous, hash })
    previous = hash
  }
  await moveHead(tx, { seq, hash: previous })
}

const byColumnsOf = (by: ChainEntry['by']) => ({ by_name: by?.name ?? null, by_role: by?.role ?? null })

const fromRow = (row: Selectable<Columns<'chain_entry'>>): ChainEntry => ({
  seq: row.seq,
  at: row.at,
  kind: row.kind as ChainKind,
  subject: row.subject,
  by: row.by_name === null ? undefined : { name: row.by_name, role: row.by_role as ChainActor['role'] },
  facts: row.facts,
  previous: row.previous,
  hash: row.hash,
})

/** Oldest first. */
export const chainAfter = (db: Queryable, seq: number, limit: number): Promise<ChainEntry[]> =>
  readAll(db.selectFrom('chain_entry').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit), fromRow)

export async function chainHead(db: Queryable): Promise<{ readonly seq: number; readonly hash: string }> {
  const [row] = (await selectHead(db, { name: 'head' })).rows
  return row ?? { seq: -1, hash: 'missing' }
}
