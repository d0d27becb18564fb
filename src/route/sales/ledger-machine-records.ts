/** The zone of a machine's days, and from when on its sales are known, where they differ from the ledger's. */
import { sql } from 'kysely'
import { localDay } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { chunk } from '../../lib/concurrency.ts'
import type { Queryable, Tx } from '../../store/store.ts'
import { type LedgerMachineId, findLastSales } from './machine-sales-records.ts'
import { lockMirror } from './mirror-records.ts'
import type { LedgerPages } from './read-ledger-pages.ts'
import { listMachinesWithDays, moveMachineDays } from './day-records.ts'

const ROWS_AT_ONCE = 200

export interface LedgerMachine {
  /** The zone of its days, unless it is the deployment's. */
  readonly timeZone?: string
  /** Sales before this instant are not known. */
  readonly completeFrom?: number
  /** Sales after this instant are not known yet. */
  readonly completeTo?: number
}

export type LedgerMachineOf = (machine: LedgerMachineId) => LedgerMachine

const NOTHING_OF_ITS_OWN: LedgerMachine = {}
const keyOf = (namespace: string, location: string) => `${namespace} ${location}`

/** A lookup for these machines, or for all. */
export async function loadLedgerMachines(db: Queryable, locations?: readonly string[]): Promise<LedgerMachineOf> {
  const rows =
    locations?.length === 0
      ? []
      : await db
          .selectFrom('ledger_machine')
          .selectAll()
          .$if(locations !== undefined, (query) => query.where('location', 'in', locations ?? []))
          .execute()
  const known = new Map(
    rows.map(({ namespace, location, time_zone, complete_from, complete_to }) => [
      keyOf(namespace, location),
      {
        ...(time_zone === null ? {} : { timeZone: time_zone }),
        ...(complete_from === null ? {} : { completeFrom: complete_from }),
        ...(complete_to === null ? {} : { completeTo: complete_to }),
      },
    ]),
  )
  return ({ namespace, id }) => known.get(keyOf(namespace, id)) ?? NOTHING_OF_ITS_OWN
}

/**
 * Sets the zone of a machine's days, null for the deployment's. Sales that were counted by other days are counted again
 * in the same transaction.
 */
export async function setTimeZone(
  tx: Tx,
  { namespace, id }: LedgerMachineId,
  timeZone: string | null,
  deploymentZone: string,
): Promise<void> {
  await lockMirror(tx, namespace)
  const before = (await loadLedgerMachines(tx, [id]))({ namespace, id }).timeZone ?? null
  if (before === timeZone) return
  await tx
    .insertInto('ledger_machine')
    .values({ namespace, location: id, time_zone: timeZone, complete_from: null, complete_to: null })
    .onConflict((conflict) => conflict.columns(['namespace', 'location']).doUpdateSet({ time_zone: timeZone }))
    .execute()
  const zone = timeZone ?? deploymentZone
  if ((before ?? deploymentZone) !== zone) await moveMachineDays(tx, namespace, id, (at) => localDay(at, zone))
}

/** The zone of the deployment has changed: the days of every machine without a zone of its own are counted again. */
export async function moveToZone(tx: Tx, zone: string): Promise<void> {
  const zoned = await loadLedgerMachines(tx)
  for (const { namespace, location } of await listMachinesWithDays(tx)) {
    if (zoned({ namespace, id: location }).timeZone !== undefined) continue
    await lockMirror(tx, namespace)
    await moveMachineDays(tx, namespace, location, (at) => localDay(at, zone))
  }
}

/**
 * Saves since when, and until when, a platform lists the sales of its machines, before the sales of the same reading are
 * stored. A listing that reaches back to a sale we have continues what we know; after a longer pause the sales in between
 * are lost.
 */
export async function saveKnownTimes(
  db: Queryable,
  namespace: Namespace,
  { completeFrom: listedFrom, completeTo: listedTo }: Pick<LedgerPages, 'completeFrom' | 'completeTo'>,
): Promise<void> {
  if (listedFrom.size === 0) return
  const machines = [...listedFrom.keys()].map((id) => ({ namespace, id }))
  const lastSales = await findLastSales(db, machines)
  const known = await loadLedgerMachines(db, [...listedFrom.keys()])
  const rows = [...listedFrom].flatMap(([id, from]) => {
    const { completeFrom, completeTo } = known({ namespace, id })
    const next = nextCompleteFrom(completeFrom, lastSales.get(id)?.at, from)
    const to = listedTo.get(id)
    return next === completeFrom && to === completeTo
      ? []
      : [{ namespace, location: id, time_zone: null, complete_from: next ?? null, complete_to: to ?? null }]
  })
  for (const part of chunk(rows, ROWS_AT_ONCE))
    await db
      .insertInto('ledger_machine')
      .values(part)
      .onConflict((conflict) =>
        conflict.columns(['namespace', 'location']).doUpdateSet({
          complete_from: sql.ref('excluded.complete_from'),
          complete_to: sql.ref('excluded.complete_to'),
        }),
      )
      .execute()
}

/** Undefined: all sales are known. */
export const nextCompleteFrom = (
  known: number | undefined,
  lastSaleAt: number | undefined,
  listedFrom: number,
): number | undefined => {
  if (lastSaleAt === undefined || listedFrom > lastSaleAt) return listedFrom
  return known === undefined ? undefined : Math.min(known, listedFrom)
}
