/** Rows of services. */
import { type Selectable, sql } from 'kysely'
import type { SkuId } from '../../../kernel/ids.ts'
import { byColumns, fromByColumns } from '../../../store/caller-columns.ts'
import { type Queryable, type Tx, readAll, readFirst, changeRows } from '../../../store/store.ts'
import type { Columns } from '../../../store/schema.ts'
import { type ShelfLife, loadShelfLives } from '../../skus/index.ts'
import { type Cash, type Service, type ServicedSlot, isVisit } from './service.ts'
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
  readonly losses?: readonly Loss[]
}

/** Units of a product that were thrown away, at cost. */
export interface Loss {
  readonly vendorSku: string
  readonly skuId: SkuId
  readonly units: number
  readonly costFen: number
  readonly expiredAgeDays?: number | undefined
}

/** Services in which the loads of a slot are looked for. */
const LOADS_MAX = 200

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
          is_visit: isVisit(service) ? 1 : 0,
          write_id: service.writeId ?? null,
          ...byColumns(),
        })
        .onConflict((conflict) => conflict.column('id').doNothing()),
    )
    if (isInserted) {
      await insertLosses(tx, id, service)
      return getService(tx, id)
    }
  }
}

async function insertLosses(tx: Tx, id: string, { location, at, losses = [] }: NewService): Promise<void> {
  if (losses.length === 0) return
  await tx
    .insertInto('service_loss')
    .values(
      losses.map(({ vendorSku, skuId, units, costFen, expiredAgeDays }) => ({
        service: id,
        location,
        vendor_sku: vendorSku,
        sku_id: skuId,
        at,
        units,
        cost_fen: costFen,
        expired_age_days: expiredAgeDays ?? null,
      })),
    )
    .execute()
}

/** Instants within which something is looked for; `to` is not part of it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Visits that were not undone, in order of time; of these machines, or of all. */
export const listVisits = (
  db: Queryable,
  { from, to }: Span,
  locations?: readonly string[],
): Promise<{ location: string; at: number }[]> =>
  db
    .selectFrom('service')
    .select(['location', 'at'])
    // Literals, not parameters: otherwise the partial index is not used.
    .where('is_visit', '=', sql.lit(1))
    .where('undone_at', 'is', null)
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(locations !== undefined, (query) => query.where('location', 'in', locations ?? []))
    .orderBy('at')
    .execute()

/** The last visit of each of these machines since then. */
export async function findLastVisits(
  db: Queryable,
  locations: readonly string[],
  since: number,
): Promise<ReadonlyMap<string, number>> {
  if (locations.length === 0) return new Map()
  const rows = await db
    .selectFrom('service')
    .select((eb) => ['location', eb.fn.max('at').as('at')])
    .where('is_visit', '=', sql.lit(1))
    .where('undone_at', 'is', null)
    .where('at', '>=', since)
    .where('location', 'in', locations)
    .groupBy('location')
    .execute()
  return new Map(rows.map(({ location, at }) => [location, at]))
}

/** What services threw away, at cost; at one machine, or at all. */
export const listLosses = (
  db: Queryable,
  { from, to }: Span,
  location?: string,
): Promise<{ location: string; at: number; skuId: string; costFen: number }[]> =>
  db
    .selectFrom('service_loss')
    .select(['location', 'at', 'sku_id as skuId', 'cost_fen as costFen'])
    .where('at', '>=', from)
    .where('at', '<', to)
    .$if(location !== undefined, (query) => query.where('location', '=', location ?? ''))
    .execute()

/** The shortest time after which each product had expired in a machine. */
async function listExpiredAges(db: Queryable): Promise<ReadonlyMap<SkuId, number>> {
  const rows = await db
    .selectFrom('service_loss')
    .select((eb) => ['sku_id', eb.fn.min('expired_age_days').as('days')])
    .where('expired_age_days', 'is not', null)
    .groupBy('sku_id')
    .execute()
  return new Map(rows.map(({ sku_id, days }) => [sku_id as SkuId, Number(days)]))
}

/** How long products keep in a machine, as a person stated or as units that had expired show. */
export const loadKnownShelfLives = async (db: Queryable): Promise<ReadonlyMap<SkuId, ShelfLife>> =>
  loadShelfLives(db, await listExpiredAges(db))

/** What was loaded into a slot since, the latest first. */
export async function listLoads(db: Queryable, location: string, vendorSku: string, since: number) {
  const services = await listServices(db, location, since, LOADS_MAX)
  return services.flatMap(({ at, slots, undoneAt }) => {
    const units = slots.find((slot) => slot.vendorSku === vendorSku)?.loaded?.quantity ?? 0
    return units > 0 && undoneAt === undefined ? [{ at, units }] : []
  })
}

const selectServices = (db: Queryable) => db.selectFrom('service').selectAll()

export const findService = (db: Queryable, location: string, id: string): Promise<Service | undefined> =>
  readFirst(selectServices(db).where('id', '=', id).where('location', '=', location), fromRow)

/** Where each of these was, and for which run. */
export async function findStopsOfServices(db: Queryable, ids: readonly string[]) {
  const rows =
    ids.length === 0
      ? []
      : await db.selectFrom('service').select(['id', 'location', 'run']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, location, run }) => [id, { location, run }]))
}

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
    .where((eb) => eb.or([eb('body', 'like', '%"removed"%'), eb('body', 'like', '%"returned"%')]))
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
  await tx.deleteFrom('service_loss').where('service', '=', id).execute()
}
