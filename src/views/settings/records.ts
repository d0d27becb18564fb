/** Settings that owners have changed: one row for each change, never deleted. The last one of a setting holds. */
import type { Selectable } from 'kysely'
import type { SettingName } from '../../kernel/deployment/settings.ts'
import { type ChainActor, type ChainedRows, type Facts, chainChange } from '../../record/hash-chain/index.ts'
import { incrementCounter, readCounter } from '../../store/counter.ts'
import { type Queryable, type Tx, readAll } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import type { WriteContext } from '../../context.ts'

const VERSION = 'settings'

/** Grows with every change. */
export const readVersion = (db: Queryable): Promise<number> => readCounter(db, VERSION)

/** First in every transaction that changes settings: of two at once, the second finds what the first wrote. */
export async function countChange(tx: Tx): Promise<void> {
  await incrementCounter(tx, VERSION)
}

const fromRow = (row: Selectable<Columns<'setting_change'>>) => ({
  seq: row.seq,
  setting: row.setting as SettingName,
  before: row.before,
  after: row.after,
  at: row.changed_at,
  by: row.changed_by,
})
export type StoredChange = Readonly<ReturnType<typeof fromRow>>

const changes = (db: Queryable) => db.selectFrom('setting_change').selectAll()

/** Newest first. */
export const listChanges = (db: Queryable, limit: number): Promise<StoredChange[]> =>
  readAll(changes(db).orderBy('seq', 'desc').limit(limit), fromRow)

/** What owners have set, by setting; JSON. */
export async function readStored(db: Queryable): Promise<ReadonlyMap<SettingName, string>> {
  const last = new Map<SettingName, string>()
  for (const { setting, after } of await readAll(changes(db).orderBy('seq'), fromRow))
    if (after === null) last.delete(setting)
    else last.set(setting, after)
  return last
}

const factsOf = ({ setting, before, after, at, by }: StoredChange): Facts => ({ setting, before, after, at, by })
const subjectOf = (seq: number) => `change ${seq}`

/** `before` and `after` are JSON; null: not set. Also in the hash chain: where goods go is worth a forgery. */
export async function insertChange(
  ctx: WriteContext,
  tx: Tx,
  { setting, before, after, at, by }: Omit<StoredChange, 'seq'>,
  actor: ChainActor | undefined,
): Promise<void> {
  const { seq } = await tx
    .insertInto('setting_change')
    .values({ setting, before, after, changed_at: at, changed_by: by })
    .returning('seq')
    .executeTakeFirstOrThrow()
  chainChange(ctx, tx, {
    kind: 'settings',
    subject: subjectOf(seq),
    by: actor,
    readFacts: async (db) => {
      const row = await changes(db).where('seq', '=', seq).executeTakeFirst()
      return row && factsOf(fromRow(row))
    },
  })
}

/** For the verification of the hash chain. */
export const chainedSettings: ChainedRows = async (db, after, limit) => {
  const last = after === undefined ? 0 : Number(after.split(' ')[1])
  const page = await readAll(changes(db).where('seq', '>', last).orderBy('seq').limit(limit), fromRow)
  return page.map((change) => ({ subject: subjectOf(change.seq), facts: factsOf(change) }))
}
