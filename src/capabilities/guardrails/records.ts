/** The kill switch in the store: one row while it is engaged, shared by all instances. */
import { compiledQuery } from '../../store/compiled-query.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import type { EmergencyStopTable } from '../../store/tables/guardrails.ts'

const NAME = 'stop'

export interface EngagedKillSwitch {
  readonly since: number
  readonly by: string
  readonly reason: string
}

export type KillSwitchRow = Pick<EmergencyStopTable, 'pulled_at' | 'pulled_by' | 'reason'>

/** Without parameters, as `actUnderLock` needs it. */
export const SELECT_KILL_SWITCH = `select pulled_at, pulled_by, reason from emergency_stop where name = '${NAME}'`

export const fromRow = (row: KillSwitchRow | undefined): EngagedKillSwitch | undefined =>
  row && { since: row.pulled_at, by: row.pulled_by, reason: row.reason }

const select = compiledQuery((db, { name }: { name: string }) =>
  db.selectFrom('emergency_stop').selectAll().where('name', '=', name),
)

export const readKillSwitch = async (db: Queryable): Promise<EngagedKillSwitch | undefined> =>
  fromRow((await select(db, { name: NAME })).rows[0])

/** False when it is engaged already. */
export async function insertKillSwitch(tx: Tx, { since, by, reason }: EngagedKillSwitch): Promise<boolean> {
  const inserted = await tx
    .insertInto('emergency_stop')
    .values({ name: NAME, pulled_at: since, pulled_by: by, reason })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst()
  return Boolean(inserted.numInsertedOrUpdatedRows)
}

/** False when it was not engaged. */
export async function deleteKillSwitch(tx: Tx): Promise<boolean> {
  const deleted = await tx.deleteFrom('emergency_stop').where('name', '=', NAME).executeTakeFirst()
  return deleted.numDeletedRows > 0n
}
