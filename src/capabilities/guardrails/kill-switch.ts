/**
 * The emergency stop as pulled at run time: one row that all instances see and, beside a SQLite database, a file that
 * survives a restore of an older copy. Either one counts. Anyone with the operator token may pull it; releasing it is
 * for the host alone, so no operation leads to `releaseStop`.
 */
import type { Queryable, Store, Tx } from '../../store/store.ts'
import { compiledQuery } from '../../store/compiled-query.ts'
import type { EmergencyStopTable } from '../../store/tables/guardrails.ts'
import { recordEvent } from '../events/index.ts'
import type { Context } from '../context.ts'
import { readMarker, removeMarker, writeMarker } from './kill-switch-marker.ts'

const STOP = 'stop'

export interface EngagedKillSwitch {
  readonly since: number
  readonly by: string
  readonly reason: string
}

type Row = Pick<EmergencyStopTable, 'pulled_at' | 'pulled_by' | 'reason'>

/** Without parameters, for `actUnderLock`. */
export const SELECT_KILL_SWITCH = `select pulled_at, pulled_by, reason from emergency_stop where name = '${STOP}'`

export const fromRow = (row: Row | undefined): EngagedKillSwitch | undefined =>
  row && { since: row.pulled_at, by: row.pulled_by, reason: row.reason }

const select = compiledQuery((db, { name }: { name: string }) =>
  db.selectFrom('emergency_stop').selectAll().where('name', '=', name),
)

/** As the database has it. */
export const readKillSwitch = async (db: Queryable): Promise<EngagedKillSwitch | undefined> =>
  fromRow((await select(db, { name: STOP })).rows[0])

/** As the database or the file beside it has it. */
export const findKillSwitch = async (
  store: Pick<Store, 'db' | 'file'>,
): Promise<Partial<EngagedKillSwitch> | undefined> => (await readKillSwitch(store.db)) ?? readMarker(store.file)

/** For a transaction that must not commit after the stop was answered: pulling it waits for this one, or comes first. */
export async function isKillSwitchEngaged(store: Pick<Store, 'lock'>, tx: Tx): Promise<boolean> {
  await store.lock(tx, 'emergencyStop', 'shared')
  return (await readKillSwitch(tx)) !== undefined
}

export interface KillSwitchAct {
  readonly by: string
  readonly reason: string
}

/**
 * The stop as it now stands: pulled twice it stays as it was first pulled. The exclusive lock waits for every
 * write that is being sent and holds off the next ones, so once this resolves no instance sends another (ADR 21).
 */
export function engageKillSwitch(
  { store, clock, log }: Pick<Context, 'store' | 'clock'> & Partial<Pick<Context, 'log'>>,
  { by, reason }: KillSwitchAct,
): Promise<EngagedKillSwitch> {
  const pulled = { since: clock.now(), by, reason }
  return store.urgentTransaction(async (tx) => {
    await store.lock(tx, 'emergencyStop', 'exclusive')
    const inserted = await tx
      .insertInto('emergency_stop')
      .values({ name: STOP, pulled_at: pulled.since, pulled_by: by, reason })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst()
    const isFirst = Boolean(inserted.numInsertedOrUpdatedRows)
    const stands = isFirst ? pulled : ((await readKillSwitch(tx)) ?? pulled)
    // The stop counts without the file; only a restore would lose it.
    writeMarker(store.file, stands, (err) =>
      log?.error({ err }, 'the emergency stop could not be noted beside the database'),
    )
    if (!isFirst) return stands
    await recordEvent({ store, clock }, tx, {
      kind: 'guardrail',
      summary: `Emergency stop pulled by ${by}`,
      reasoning: reason,
    })
    return stands
  })
}

/** True when it was pulled. The rules file may still hold the stop. */
export function releaseKillSwitch(
  { store, clock }: Pick<Context, 'store' | 'clock'>,
  { by, reason }: KillSwitchAct,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    // The file first: if it cannot be removed, nothing is released and nobody is told so.
    const hadMarker = removeMarker(store.file)
    const released = await tx.deleteFrom('emergency_stop').where('name', '=', STOP).executeTakeFirst()
    if (released.numDeletedRows === 0n && !hadMarker) return false
    await recordEvent({ store, clock }, tx, {
      kind: 'guardrail',
      summary: `Emergency stop released by ${by}`,
      reasoning: reason,
    })
    return true
  })
}
