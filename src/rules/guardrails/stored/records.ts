/** The rules that owners have set, in the store: one row for what holds, and one for each change. */
import type { Selectable } from 'kysely'
import type { RuleMember } from '../../../contract/shapes/guardrails.ts'
import { type ChainActor, type ChainedRows, type Facts, chainChange } from '../../../record/hash-chain/index.ts'
import { incrementCounter } from '../../../store/counter.ts'
import { compiledQuery } from '../../../store/compiled-query.ts'
import { type Queryable, type Tx, readAll } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { WriteContext } from '../../../context.ts'

/** The name of the only row. */
export const STORED = 'rules'

export interface StoredMember {
  readonly value: unknown
  /** `file`: the rules file said so when it was last read, and leaves it out by now. */
  readonly setBy: 'file' | 'owner'
}

export type StoredMembers = Readonly<Partial<Record<RuleMember, StoredMember>>>

export interface StoredRules {
  readonly revision: number
  /** JSON of `StoredMembers`, which is parsed only when it changed. */
  readonly members: string
  readonly isFileSeen: boolean
}

export const NOTHING_STORED: StoredRules = { revision: 0, members: '{}', isFileSeen: false }

export type StoredRulesRow = Pick<Columns<'stored_rules'>, 'revision' | 'members' | 'file_seen'>

export const fromRow = (row: StoredRulesRow | undefined): StoredRules =>
  row ? { revision: row.revision, members: row.members, isFileSeen: row.file_seen === 1 } : NOTHING_STORED

const select = compiledQuery((db, { name }: { name: string }) =>
  db.selectFrom('stored_rules').selectAll().where('name', '=', name),
)

export const readStoredRules = async (db: Queryable): Promise<StoredRules> =>
  fromRow((await select(db, { name: STORED })).rows[0])

/** First in every transaction that changes them: of two at once, the second finds what the first wrote. */
export async function lockStoredRules(tx: Tx): Promise<void> {
  await incrementCounter(tx, 'stored_rules')
}

/** Also in the hash chain: what holds cannot be rewritten without being noticed. */
export async function saveStoredRules(
  ctx: WriteContext,
  tx: Tx,
  { revision, members, isFileSeen }: StoredRules,
  by: ChainActor | undefined,
): Promise<void> {
  const row = { revision, members, file_seen: isFileSeen ? 1 : 0 }
  await tx
    .insertInto('stored_rules')
    .values({ name: STORED, ...row })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(row))
    .execute()
  chainChange(ctx, tx, {
    kind: 'rules',
    subject: STORED,
    by,
    readFacts: async (db) => factsOf(await readStoredRules(db)),
  })
}

const factsOf = ({ revision, members, isFileSeen }: StoredRules): Facts => ({
  revision,
  members,
  file_seen: isFileSeen ? 1 : 0,
})

const changeFrom = (row: Selectable<Columns<'rule_change'>>) => ({
  seq: row.seq,
  member: row.member,
  before: row.before,
  after: row.after,
  at: row.changed_at,
  by: row.changed_by,
})

export type StoredChange = Readonly<ReturnType<typeof changeFrom>>

const changeFacts = ({ member, before, after, at, by }: StoredChange): Facts => ({ member, before, after, at, by })

const changes = (db: Queryable) => db.selectFrom('rule_change').selectAll()

/** `before` and `after` are JSON; null: not set. */
export async function insertChange(
  ctx: WriteContext,
  tx: Tx,
  change: Omit<StoredChange, 'seq'>,
  by: ChainActor | undefined,
): Promise<void> {
  const { member, before, after, at } = change
  const { seq } = await tx
    .insertInto('rule_change')
    .values({ member, before, after, changed_at: at, changed_by: change.by })
    .returning('seq')
    .executeTakeFirstOrThrow()
  chainChange(ctx, tx, {
    kind: 'rules',
    subject: changeSubject(seq),
    by,
    readFacts: async (db) => {
      const row = await changes(db).where('seq', '=', seq).executeTakeFirst()
      return row && changeFacts(changeFrom(row))
    },
  })
}

const CHANGE = 'change '
const changeSubject = (seq: number) => `${CHANGE}${seq}`

/** Newest first. */
export const listChanges = (db: Queryable): Promise<StoredChange[]> =>
  readAll(changes(db).orderBy('seq', 'desc'), changeFrom)

/** For the verification of the hash chain: the row that holds comes first. */
export const chainedRules: ChainedRows = async (db, after, limit) => {
  const last = after?.startsWith(CHANGE) ? Number(after.slice(CHANGE.length)) : 0
  const row = after === undefined ? (await select(db, { name: STORED })).rows[0] : undefined
  const page = await readAll(changes(db).where('seq', '>', last).orderBy('seq').limit(limit), changeFrom)
  return [
    ...(row ? [{ subject: STORED, facts: factsOf(fromRow(row)) }] : []),
    ...page.map((change) => ({ subject: changeSubject(change.seq), facts: changeFacts(change) })),
  ].slice(0, limit)
}
