/** Rows of purchases: what was ordered, and what the supplier has reported since. */
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import { compiledListQuery, compiledQuery, hasAffectedRows } from '../../store/compiled-query.ts'
import { type Queryable, type Tx, readAll, readFirst } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import type { LogisticsStep } from '../../vendors/supply-vendor.ts'
import type { Insertable, Selectable } from 'kysely'
import { shortFenOf } from './short-lines.ts'
import type { NewPurchase, Purchase, StateChange, Tracking } from './purchase-record.ts'

/** JSON of a row. */
export type Body = Pick<NewPurchase, 'lines' | 'delivery' | 'totals' | 'agreedFen' | 'recordedBy'> & {
  readonly reported?: Pick<
    NonNullable<Purchase['supplierStatus']>,
    'raw' | 'lines' | 'shortSince' | 'invoiceDifferences'
  >
}

export const trackingColumns = ({ carrier, trackingNumber, trackingUrl }: Tracking) => ({
  carrier: carrier ?? null,
  tracking_number: trackingNumber ?? null,
  tracking_url: trackingUrl ?? null,
})

export function fromRow(row: Selectable<Columns<'purchase'>>): Purchase {
  const { reported, ...body } = JSON.parse(row.body) as Body
  return {
    id: row.id,
    version: row.version,
    vendor: row.vendor as Namespace,
    label: row.label,
    placedAt: row.placed_at,
    totalFen: fen(row.total_fen),
    ...body,
    state: row.state,
    ...(row.received_at === null ? {} : { receivedAt: row.received_at }),
    ...(row.invoice_differs_at === null ? {} : { invoiceDiffersAt: row.invoice_differs_at }),
    supplierStatus:
      row.raw_status === null || row.asked_at === null
        ? undefined
        : {
            rawStatus: row.raw_status,
            description: row.description ?? '',
            logistics: JSON.parse(row.logistics ?? '[]') as LogisticsStep[],
            askedAt: row.asked_at,
            ...reported,
          },
  }
}

const insert = compiledQuery((db, row: Insertable<Columns<'purchase'>>) =>
  db
    .insertInto('purchase')
    .values(row)
    .onConflict((conflict) => conflict.doNothing()),
)

export const insertChange = compiledQuery((db, row: Insertable<Columns<'purchase_event'>>) =>
  db.insertInto('purchase_event').values(row),
)

export const bodyOf = ({ lines, delivery, totals, agreedFen, recordedBy }: NewPurchase): Body => ({
  lines,
  delivery,
  ...(totals && { totals }),
  ...(agreedFen !== undefined && { agreedFen }),
  ...(recordedBy !== undefined && { recordedBy }),
})

/** In the transaction that completes the session. False when its id, or the supplier's number, is taken. */
export async function insertPurchase(tx: Tx, purchase: NewPurchase): Promise<boolean> {
  const { id, vendor, label, placedAt, totalFen } = purchase
  const body = JSON.stringify(bodyOf(purchase))
  const ordered = {
    id,
    version: 1,
    vendor,
    label,
    placed_at: placedAt,
    total_fen: totalFen,
    body,
    state: 'ordered',
  } as const
  if (!hasAffectedRows(await insert(tx, ordered))) return false
  await insertChange(tx, { purchase: id, n: 1, state: 'ordered', occurred_at: placedAt, ...trackingColumns({}) })
  return true
}

/** The purchase that already has this supplier number. */
export const findPurchaseByLabel = (db: Queryable, vendor: string, label: string): Promise<string | undefined> =>
  readFirst(
    db.selectFrom('purchase').select('id').where('vendor', '=', vendor).where('label', '=', label),
    ({ id }) => id,
  )

const selectById = compiledQuery((db, { id }: { id: string }) =>
  db.selectFrom('purchase').selectAll().where('id', '=', id),
)

export async function findPurchase(db: Queryable, id: string): Promise<Purchase | undefined> {
  const [row] = (await selectById(db, { id })).rows
  return row && fromRow(row)
}

const purchases = (db: Queryable) => db.selectFrom('purchase').selectAll()

export const findPurchases = async (db: Queryable, ids: readonly string[]): Promise<Purchase[]> =>
  ids.length === 0 ? [] : readAll(purchases(db).where('id', 'in', ids), fromRow)

/**
 * Purchases placed since then, without those that the supplier cancelled and what it will not deliver. The limits of the
 * guard count what was ordered: a report must not free a budget.
 */
export async function loadSpendingSince(
  db: Queryable,
  since: number,
): Promise<{ readonly orders: number; readonly total: number; readonly largest: number }> {
  const row = await db
    .selectFrom('purchase')
    .select((eb) => [
      eb.fn.countAll<number>().as('orders'),
      eb.fn.sum<number | null>('total_fen').as('total'),
      eb.fn.max<number | null>('total_fen').as('largest'),
    ])
    .where('placed_at', '>=', since)
    .where('state', '!=', 'cancelled')
    .executeTakeFirstOrThrow()
  const short = await readAll(
    purchases(db)
      .where('placed_at', '>=', since)
      .where('state', '!=', 'cancelled')
      .where('body', 'like', '%"shortSince"%'),
    fromRow,
  )
  const shortFen = short.reduce((sum, purchase) => sum + shortFenOf(purchase), 0)
  return { orders: row.orders, total: (row.total ?? 0) - shortFen, largest: row.largest ?? 0 }
}

/** Neither arrived nor canceled nor booked in, and placed since then. Oldest first. */
export const listOpenPurchasesOf = (db: Queryable, vendor: string, since: number, limit: number): Promise<string[]> =>
  readAll(
    db
      .selectFrom('purchase')
      .select('id')
      .where('vendor', '=', vendor)
      .where('state', '=', 'ordered')
      .where('received_at', 'is', null)
      .where('placed_at', '>=', since)
      .orderBy('placed_at')
      .limit(limit),
    ({ id }) => id,
  )

/** Null takes it back. */
export async function markReceived(tx: Tx, id: string, at: number | null): Promise<void> {
  await tx.updateTable('purchase').set({ received_at: at }).where('id', '=', id).execute()
}

/** The run that each of these was made for; those without one are left out. */
export async function findRunsOfPurchases(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('run_line')
    .select(['checkout', 'run'])
    .distinct()
    .where('checkout', 'in', ids)
    .execute()
  return new Map(rows.map(({ checkout, run }) => [checkout!, run]))
}

/** For the audit; there should be none. */
export const listPurchasesWithoutSession = (db: Queryable, limit: number): Promise<string[]> =>
  readAll(
    db
      .selectFrom('purchase')
      .leftJoin('checkout', 'checkout.id', 'purchase.id')
      .select('purchase.id')
      .where('checkout.id', 'is', null)
      .limit(limit),
    ({ id }) => id,
  )

const selectChanges = compiledListQuery((db, ids: readonly string[]) =>
  db.selectFrom('purchase_event').selectAll().where('purchase', 'in', ids).orderBy('purchase').orderBy('n'),
)

/** Oldest change first. */
export async function findStateChanges(db: Queryable, ids: readonly string[]): Promise<StateChange[]> {
  if (ids.length === 0) return []
  const { rows } = await selectChanges(db, ids)
  return rows.map(({ purchase, n, state, occurred_at, carrier, tracking_number, tracking_url }) => ({
    purchase,
    n,
    state,
    occurredAt: occurred_at,
    tracking: {
      carrier: carrier ?? undefined,
      trackingNumber: tracking_number ?? undefined,
      trackingUrl: tracking_url ?? undefined,
    },
  }))
}

/** Purchases on order that were placed before the instant, the oldest first; one that is picked up is due at its time. */
export async function listOverduePurchases(
  db: Queryable,
  { before, now, limit }: { readonly before: number; readonly now: number; readonly limit: number },
): Promise<Purchase[]> {
  const query = purchases(db).where('state', '=', 'ordered').where('placed_at', '<', before)
  const placed = await readAll(query.orderBy('placed_at').limit(limit), fromRow)
  return placed.filter(({ delivery }) => delivery.at === undefined || delivery.at < now)
}

export interface PurchaseFilter {
  /** Inclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Only purchases of runs for this machine. */
  readonly location: string | undefined
  readonly before: { readonly at: number; readonly id: string } | undefined
  readonly limit: number
}

/** Newest first. */
export async function listPurchaseRecords(
  db: Queryable,
  { from, to, location, before, limit }: PurchaseFilter,
): Promise<Purchase[]> {
  let query = purchases(db).orderBy('placed_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (from !== undefined) query = query.where('placed_at', '>=', from)
  if (to !== undefined) query = query.where('placed_at', '<=', to)
  if (location !== undefined)
    query = query.where('id', 'in', (eb) =>
      eb
        .selectFrom('run_line')
        .select('checkout')
        .where('location', '=', location)
        .where('checkout', 'is not', null)
        .where('removed', 'is', null)
        .$castTo<{ checkout: string }>(),
    )
  if (before) query = query.where((eb) => eb(eb.refTuple('placed_at', 'id'), '<', eb.tuple(before.at, before.id)))
  return readAll(query, fromRow)
}

/** Purchases whose invoices differ since then, the newest first. */
export const listInvoiceDifferences = (db: Queryable, since: number, limit: number): Promise<Purchase[]> =>
  readAll(
    purchases(db)
      .where('invoice_differs_at', '>=', since)
      .orderBy('invoice_differs_at', 'desc')
      .orderBy('id')
      .limit(limit),
    fromRow,
  )
