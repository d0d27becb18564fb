/** Rows of services. */
import type { Selectable } from 'kysely'
import { byColumns, fromByColumns } from '../../../store/caller-columns.ts'
import { type Queryable, type Tx, readAll, readFirst, changeRows } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import type { Cash, Service, ServicedSlot } from './service.ts'
import { removedUnits } from './work.ts'

const fromRow = (row: Selectable<Columns<'service'>>): Service => {
  const by = fromByColumns(row)
  return {
    id: row.id,
    location: row.location,
    ...(row.run === null ? {} : { run: row.run }),
    at: row.at,
    bookedAt: row.booked_at,
    ...(row.note === null ? {} : { note: row.note }),
    slots: JSON.parse(row.body) as ServicedSlot[],
    ...(row.cash_amount === null ? {} : { cash: { amount: row.cash_amount, bag: row.cash_bag ?? undefined } }),
    ...(row.undone_at === null ? {} : { undoneAt: row.undone_at }),
    ...(by === undefined ? {} : { by }),
  }
}

export type NewService = Pick<Service, 'location' | 'run' | 'at' | 'bookedAt' | 'note' | 'slots'> & {
  readonly cash?: Cash | undefined
  readonly writeId?: string | undefined
}

/** The id is the first free `svc-<epoch ms>` from the time of booking on, so ids are in the order of booking. */
export async function insertService(tx: Tx, service: NewService): Promise<Service> {
  for (let ms = service.bookedAt; ; ms++) {
    const id = `svc-${ms}`
    const isInserted = await changeRows(
      tx
        .insertInto('service')
        .values({
          id,
          location: service.location,
          run: service.run ?? null,
          at: service.at,
          booked_at: service.bookedAt,
          note: service.note ?? null,
          body: JSON.stringify(service.slots),
          cash_amount: service.cash?.amount ?? null,
          cash_bag: service.cash?.bag ?? null,
          write_id: service.writeId ?? null,
          ...byColumns(),
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
    if (isInserted) return getService(tx, id)
  }
}

const selectServices = (db: Queryable) => db.selectFrom('service').selectAll()

export const findService = (db: Queryable, location: string, id: string): Promise<Service | undefined> =>
  readFirst(selectServices(db).where('id', '=', id).where('location', '=', location), fromRow)

/** The service that an earlier try of the same write booked. */
export const findServiceOfWrite = (tx: Tx, writeId: string): Promise<Service | undefined> =>
  readFirst(selectServices(tx).where('write_id', '=', writeId), fromRow)

const getService = async (tx: Tx, id: string): Promise<Service> =>
  fromRow(await selectServices(tx).where('id', '=', id).executeTakeFirstOrThrow())

/** A service that was booked later at the same machine and not undone. */
export const findLaterService = (db: Queryable, { location, bookedAt, id }: Service): Promise<string | undefined> =>
  readFirst(
    db
      .selectFrom('service')
      .select('id')
      .where('location', '=', location)
      .where((is) =>
        is.or([is('booked_at', '>', bookedAt), is.and([is('booked_at', '=', bookedAt), is('id', '>', id)])]),
      )
      .where('undone_at', 'is', null),
    ({ id }) => id,
  )

/** What was taken out of the slots of these machines since, and not undone. */
export async function listRemovals(db: Queryable, locations: readonly string[], since: number) {
  if (locations.length === 0) return []
  const rows = await db
    .selectFrom('service')
    .select(['at', 'body'])
    .where('location', 'in', locations)
    .where('at', '>=', since)
    .where('undone_at', 'is', null)
    .where('body', 'like', '%"removed"%')
    .orderBy('at')
    .execute()
  return rows.flatMap(({ at, body }) =>
    (JSON.parse(body) as ServicedSlot[]).flatMap((slot) => {
      const units = removedUnits(slot)
      return units > 0 ? [{ slotId: slot.slotId, at, units }] : []
    }),
  )
}

/** The services at a machine since, the latest first. */
export function listServices(db: Queryable, location: string, since: number, limit: number): Promise<Service[]> {
  const latest = selectServices(db).orderBy('at', 'desc').orderBy('id', 'desc').limit(limit)
  return readAll(latest.where('location', '=', location).where('at', '>=', since), fromRow)
}

export async function markUndone(tx: Tx, id: string, now: number): Promise<void> {
  await tx.updateTable('service').set({ undone_at: now }).where('id', '=', id).execute()
}
