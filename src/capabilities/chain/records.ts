/** The hash chain in the store. */
import { currentCaller } from '../../kernel/caller.ts'
import { fromByColumns } from '../../store/caller-columns.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import { beforeCommit } from '../../store/store.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import type { ChainEntryTable } from '../../store/tables/chain.ts'
import type { PersonRole } from '../../kernel/person.ts'
import type { Insertable, Selectable } from 'kysely'
import type { Context } from '../context.ts'
import { entryHash, factsText } from './entry.ts'
import type { ChainEntry, ChainKind, Facts } from './entry.ts'

interface PendingEntry {
  readonly kind: ChainKind
  readonly subject: string
  /** Reads what the row says at the end of the transaction; undefined when there is no such row. */
  readonly readFacts: (tx: Tx) => Promise<Facts | undefined>
}

/** Entries of a transaction, one for each row that it changed. */
const pending = new WeakMap<Tx, Map<string, PendingEntry>>()

/**
 * Adds the state that a row has at the end of this transaction to the chain. The entry is written just before the commit:
 * its place in the chain is a row lock that all transactions share, and so it is held for three statements and the commit.
 */
export function chainChange({ clock }: Pick<Context, 'clock'>, tx: Tx, entry: PendingEntry): void {
  const known = pending.get(tx)
  const entries = known ?? new Map<string, PendingEntry>()
  entries.set(`${entry.kind} ${entry.subject}`, entry)
  if (known) return
  pending.set(tx, entries)
  beforeCommit(tx, () => append(tx, clock.now(), [...entries.values()]))
}

const lockHead = compiledQuery((db, { count }: { count: number }) =>
  db
    .updateTable('chain_head')
    .set((eb) => ({ seq: eb('seq', '+', count) }))
    .where('name', '=', 'head')
    .returning(['seq', 'hash']),
)
const insert = compiledQuery((db, row: Insertable<ChainEntryTable>) => db.insertInto('chain_entry').values(row))
const moveHead = compiledQuery((db, { hash }: { hash: string }) =>
  db.updateTable('chain_head').set({ hash }).where('name', '=', 'head'),
)

async function append(tx: Tx, at: number, entries: readonly PendingEntry[]): Promise<void> {
  const by = currentCaller()?.by
  const changes: { kind: ChainKind; subject: string; facts: string }[] = []
  for (const { kind, subject, readFacts } of entries) {
    const facts = await readFacts(tx)
    if (facts) changes.push({ kind, subject, facts: factsText(facts) })
  }
  if (changes.length === 0) return
  const [head] = (await lockHead(tx, { count: changes.length })).rows
  if (!head) throw new Error('the hash chain has no head')
  let seq = head.seq - changes.length
  let previous = head.hash
  for (const change of changes) {
    seq += 1
    const entry = { ...change, seq, at, by, previous }
    const hash = entryHash(entry)
    const { kind, subject, facts } = change
    await insert(tx, { seq, at, kind, subject, ...byColumnsOf(by), facts, previous, hash })
    previous = hash
  }
  await moveHead(tx, { hash: previous })
}

const byColumnsOf = (by: ChainEntry['by']) => ({ by_name: by?.name ?? null, by_role: by?.role ?? null })

const fromRow = (row: Selectable<ChainEntryTable>): ChainEntry => ({
  seq: row.seq,
  at: row.at,
  kind: row.kind as ChainKind,
  subject: row.subject,
  by: fromByColumns({ by_name: row.by_name, by_role: row.by_role as PersonRole | null }),
  facts: row.facts,
  previous: row.previous,
  hash: row.hash,
})

/** Oldest first. */
export async function chainAfter(db: Queryable, seq: number, limit: number): Promise<ChainEntry[]> {
  const rows = await db
    .selectFrom('chain_entry')
    .selectAll()
    .where('seq', '>', seq)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(fromRow)
}

export async function chainHead(db: Queryable): Promise<{ readonly seq: number; readonly hash: string }> {
  const row = await db.selectFrom('chain_head').select(['seq', 'hash']).where('name', '=', 'head').executeTakeFirst()
  return row ?? { seq: -1, hash: 'missing' }
}
