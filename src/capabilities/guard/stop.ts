/**
 * The emergency stop as pulled at run time, one row that all instances see. Anyone with the operator token may pull
 * it; releasing it is for the host alone, so no operation leads to `releaseStop`.
 */
import type { Queryable } from '../../store/db.ts'
import { fixed } from '../../store/fixed.ts'
import { recordEvent } from '../events/records.ts'
import type { Floor } from '../floor.ts'

const STOP = 'stop'

export interface PulledStop {
  readonly since: number
  readonly by: string
  readonly reason: string
}

const select = fixed((db, { name }: { name: string }) =>
  db.selectFrom('emergency_stop').selectAll().where('name', '=', name),
)

export async function pulledStop(db: Queryable): Promise<PulledStop | undefined> {
  const [row] = (await select(db, { name: STOP })).rows
  return row && { since: row.pulled_at, by: row.pulled_by, reason: row.reason }
}

export interface Act {
  readonly by: string
  readonly reason: string
}

/** Pulled twice it stays as it was first pulled; true for the one who pulled it. */
export function pullStop(floor: Pick<Floor, 'store' | 'clock'>, { by, reason }: Act): Promise<boolean> {
  return floor.store.transaction(async (tx) => {
    const pulled = await tx
      .insertInto('emergency_stop')
      .values({ name: STOP, pulled_at: floor.clock.now(), pulled_by: by, reason })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst()
    if (!pulled.numInsertedOrUpdatedRows) return false
    await recordEvent(floor, tx, {
      kind: 'guardrail',
      summary: `Emergency stop pulled by ${by}`,
      reasoning: reason,
    })
    return true
  })
}

/** True when it was pulled. The file may still hold the stop. */
export function releaseStop(floor: Pick<Floor, 'store' | 'clock'>, { by, reason }: Act): Promise<boolean> {
  return floor.store.transaction(async (tx) => {
    const released = await tx.deleteFrom('emergency_stop').where('name', '=', STOP).executeTakeFirst()
    if (released.numDeletedRows === 0n) return false
    await recordEvent(floor, tx, {
      kind: 'guardrail',
      summary: `Emergency stop released by ${by}`,
      reasoning: reason,
    })
    return true
  })
}
