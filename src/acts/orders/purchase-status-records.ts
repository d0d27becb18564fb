/** Saves what a supplier reports of a purchase, and finds the purchases to ask about. */
import { compiledQuery, hasAffectedRows } from '../../store/compiled-query.ts'
import { type Queryable, type Tx, readAll } from '../../store/store.ts'
import type { Columns } from '../../store/schema.ts'
import type { LogisticsStep, SupplyOrderStatus } from '../../vendors/supply-vendor.ts'
import { chargedBy } from './charge.ts'
import {
  type Body,
  bodyOf,
  findPurchaseByLabel,
  findStateChanges,
  fromRow,
  insertChange,
  trackingColumns,
} from './purchase-records.ts'
import type { InvoiceDifference, Purchase, StateChange, Tracking } from './purchase-record.ts'
import type { Selectable } from 'kysely'

/** What a report says beyond the columns of a row; a shortage keeps the time at which it was first seen. */
function reportedOf(
  { raw, lines }: SupplyOrderStatus,
  known: Purchase,
  askedAt: number,
  differences: readonly InvoiceDifference[],
): Pick<Body, 'reported'> {
  const isShort = lines?.some(({ cancelled }) => cancelled > 0)
  const reported = {
    ...(raw !== undefined && { raw }),
    ...(lines && { lines }),
    ...(differences.length > 0 && { invoiceDifferences: differences }),
    ...(isShort && { shortSince: known.supplierStatus?.shortSince ?? askedAt }),
  }
  return Object.keys(reported).length === 0 ? {} : { reported }
}

/** An order that was recorded under our own number gets the supplier's once it is known, unless another order has it. */
async function chooseLabel(tx: Tx, known: Purchase, externalRef: string): Promise<string> {
  if (known.label !== known.id || externalRef === known.label) return known.label
  return (await findPurchaseByLabel(tx, known.vendor, externalRef)) === undefined ? externalRef : known.label
}

type StatusColumns = Pick<
  Selectable<Columns<'purchase'>>,
  | 'id'
  | 'version'
  | 'label'
  | 'total_fen'
  | 'body'
  | 'state'
  | 'raw_status'
  | 'description'
  | 'logistics'
  | 'asked_at'
  | 'invoice_differs_at'
> & { readonly expectedVersion: number }

const updateStatus = compiledQuery((db, { id, expectedVersion, ...columns }: StatusColumns) =>
  db.updateTable('purchase').set(columns).where('id', '=', id).where('version', '=', expectedVersion),
)

/** False when a newer report of the supplier was saved meanwhile. */
export async function saveStatus(
  tx: Tx,
  known: Purchase,
  status: SupplyOrderStatus,
  askedAt: number,
  differences: readonly InvoiceDifference[] = [],
): Promise<boolean> {
  const charged = { ...known, ...chargedBy(known, status) }
  const saved = await updateStatus(tx, {
    id: known.id,
    expectedVersion: known.version,
    version: known.version + 1,
    label: await chooseLabel(tx, known, status.externalRef),
    total_fen: charged.totalFen,
    body: JSON.stringify({ ...bodyOf(charged), ...reportedOf(status, known, askedAt, differences) }),
    state: status.state,
    raw_status: status.rawStatus,
    description: status.description,
    logistics: JSON.stringify(status.logistics),
    asked_at: askedAt,
    invoice_differs_at: differences.length === 0 ? null : (known.invoiceDiffersAt ?? askedAt),
  })
  if (!hasAffectedRows(saved)) return false
  await appendChanges(tx, known, status, askedAt)
  return true
}

/** Later steps name the same shipment again; it is added once. If there is only one, its tracking also goes on the arrival. */
async function appendChanges(tx: Tx, known: Purchase, status: SupplyOrderStatus, askedAt: number): Promise<void> {
  const shipments = shipmentsOf(status.logistics)
  if (status.state === known.state && shipments.length === 0) return
  const earlier = await findStateChanges(tx, [known.id])
  const shipped = new Set(
    earlier.filter(({ state }) => state === 'shipped').map(({ tracking }) => trackingKey(tracking)),
  )
  let n = earlier.at(-1)?.n ?? 0
  const append = (state: StateChange['state'], occurredAt: number, tracking: Tracking) =>
    insertChange(tx, { purchase: known.id, n: ++n, state, occurred_at: occurredAt, ...trackingColumns(tracking) })
  for (const { at, ...tracking } of shipments)
    if (!shipped.has(trackingKey(tracking))) await append('shipped', at ?? askedAt, tracking)
  const [only, ...others] = shipments
  if (status.state !== known.state)
    await append(status.state, askedAt, status.state === 'arrived' && others.length === 0 ? (only ?? {}) : {})
}

/** Each shipment, at the step that named it first. */
function shipmentsOf(logistics: readonly LogisticsStep[]): (Tracking & { readonly at: number | null })[] {
  const shipments = new Map<string, Tracking & { readonly at: number | null }>()
  for (const { at, carrier, trackingNumber, trackingUrl } of logistics) {
    const tracking = { carrier, trackingNumber, trackingUrl }
    const key = trackingKey(tracking)
    if (key !== NO_TRACKING && !shipments.has(key)) shipments.set(key, { at, ...tracking })
  }
  return [...shipments.values()]
}

const trackingKey = ({ carrier, trackingNumber, trackingUrl }: Tracking): string =>
  JSON.stringify(trackingNumber === undefined ? [carrier, trackingUrl] : [trackingNumber])

const NO_TRACKING = trackingKey({})

/**
 * Purchases on order from these suppliers that were not asked about for `ms`, the longest waiting first. A time in the future means that the
 * clock was set back.
 */
export async function listPurchasesToRefresh(
  db: Queryable,
  vendors: readonly string[],
  { now, ms, limit }: { readonly now: number; readonly ms: number; readonly limit: number },
): Promise<Purchase[]> {
  if (vendors.length === 0) return []
  return readAll(
    db
      .selectFrom('purchase')
      .selectAll()
      .where('state', '=', 'ordered')
      .where('vendor', 'in', vendors)
      .where((eb) => eb.or([eb('asked_at', 'is', null), eb('asked_at', '<', now - ms), eb('asked_at', '>', now)]))
      .orderBy((eb) => eb.fn.coalesce('asked_at', eb.lit(0)))
      .limit(limit),
    fromRow,
  )
}
