/** The kill switch in the store: one row while it is engaged, shared by all instances, and one for each release. */
import { hostname } from 'node:os'
import { sql } from 'kysely'
import { compiledQuery } from '../../store/compiled-query.ts'
import { type Queryable, type Tx, changeRows } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import { type StoredRules, type StoredRulesRow, fromRow as storedFromRow, STORED } from './stored/records.ts'

const NAME = 'stop'

export interface EngagedKillSwitch {
  /** Which stop this is: a release covers one. */
  readonly id: string
  readonly since: number
  readonly by: string
  readonly reason: string
}

type KillSwitchRow = Pick<Columns<'emergency_stop'>, 'engaged_at' | 'engaged_by' | 'reason' | 'stop_id'>

/** Members of a table that may have no row. */
type Absent<T> = { readonly [K in keyof T]: null }

export type GuardRow = (KillSwitchRow | Absent<KillSwitchRow>) & (StoredRulesRow | Absent<StoredRulesRow>)

/** The kill switch and what owners have set, as one row. Without parameters, as `actUnderLock` needs it. */
export const SELECT_GUARD = `select stop.engaged_at, stop.engaged_by, stop.reason, stop.stop_id,
  rules.revision, rules.members, rules.file_seen
  from (select 1 as one) as single
  left join emergency_stop as stop on stop.name = '${NAME}'
  left join stored_rules as rules on rules.name = '${STORED}'`

const selectGuard = compiledQuery((db, _values: object) => ({
  compile: () => sql<GuardRow>`${sql.raw(SELECT_GUARD)}`.compile(db),
}))

export interface StoredGuard {
  readonly killSwitch: EngagedKillSwitch | undefined
  readonly stored: StoredRules
}

export const guardFromRow = (row: GuardRow | undefined): StoredGuard => ({
  killSwitch: row && row.stop_id !== null ? fromRow(row) : undefined,
  stored: storedFromRow(row && row.members !== null ? row : undefined),
})

/** Both, as they are at one moment. */
export const readGuard = async (db: Queryable): Promise<StoredGuard> =>
  guardFromRow((await selectGuard(db, {})).rows[0])

const fromRow = (row: KillSwitchRow | undefined): EngagedKillSwitch | undefined =>
  row && {
    id: row.stop_id,
    since: row.engaged_at,
    by: row.engaged_by,
    reason: row.reason,
  }

const select = compiledQuery((db, { name }: { name: string }) =>
  db.selectFrom('emergency_stop').selectAll().where('name', '=', name),
)

export const readKillSwitch = async (db: Queryable): Promise<EngagedKillSwitch | undefined> =>
  fromRow((await select(db, { name: NAME })).rows[0])

/** False when it is engaged already. */
export const insertKillSwitch = (tx: Tx, { id, since, by, reason }: EngagedKillSwitch): Promise<boolean> =>
  changeRows(
    tx
      .insertInto('emergency_stop')
      .values({ name: NAME, engaged_at: since, engaged_by: by, reason, stop_id: id })
      .onConflict((conflict) => conflict.column('name').doNothing()),
  )

/** False when it was not engaged. */
export const deleteKillSwitch = (tx: Tx): Promise<boolean> =>
  changeRows(tx.deleteFrom('emergency_stop').where('name', '=', NAME))

export async function insertRelease(tx: Tx, id: string, at: number): Promise<void> {
  await tx
    .insertInto('emergency_stop_release')
    .values({ stop_id: id, released_at: at })
    .onConflict((conflict) => conflict.column('stop_id').doNothing())
    .execute()
}

export const isReleased = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('emergency_stop_release').select('stop_id').where('stop_id', '=', id).executeTakeFirst()) !==
  undefined

/** Each host has its own rules file: while one is changed before another, they differ. */
const HOST = hostname()

/** What the rules file said when it was last read; undefined before the first time. */
export async function readRulesFileStop(db: Queryable): Promise<boolean | undefined> {
  const row = await db.selectFrom('rules_file_stop').select('engaged').where('name', '=', HOST).executeTakeFirst()
  return row && row.engaged === 1
}

/** False when another instance has noted it. */
export async function saveRulesFileStop(tx: Tx, engaged: boolean, now: number): Promise<boolean> {
  const value = engaged ? 1 : 0
  return changeRows(
    tx
      .insertInto('rules_file_stop')
      .values({ name: HOST, engaged: value, changed_at: now })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ engaged: value, changed_at: now })
          .where('rules_file_stop.engaged', '!=', value),
      ),
  )
}
