/** Rows of the store room. Every change is one movement, and the sum of the movements is what is there. */
import type { Selectable } from 'kysely'
import type { StoreroomReason } from '../../contract/shapes/storeroom.ts'
import { type Fen, fen } from '../../kernel/fen.ts'
import type { SkuId } from '../../kernel/ids.ts'
import type { Person } from '../../kernel/person.ts'
import { chunk } from '../../lib/concurrency.ts'
import { byColumns, fromByColumns } from '../../store/caller-columns.ts'
import { incrementCounter } from '../../store/counter.ts'
import type { Columns } from '../../store/schema.ts'
import { type Queryable, type Tx, readAll } from '../../store/store.ts'
import {
  COST_SCALE,
  type Lot,
  addLots,
  averageAfter,
  averageWithout,
  costOfUnits,
  takeFromLots,
  unitsOf,
} from './book.ts'

/** Statements have limited parameters. */
const ROWS_AT_ONCE = 500

export type MovementKind = Columns<'storeroom_movement'>['kind']

/** What caused a movement. */
export interface Reference {
  readonly type: NonNullable<Columns<'storeroom_movement'>['reference_type']>
  readonly id: string
}

export interface StoredProduct {
  readonly skuId: SkuId
  readonly title: string
  readonly units: number
  readonly lots: readonly Lot[]
  readonly averageCostE4: number | null
  readonly countedAt: number | null
}

/** First in every transaction that changes the store room: whoever holds it is alone until the commit. */
export const lockStoreroom = async (tx: Tx): Promise<void> => void (await incrementCounter(tx, 'storeroom_version'))

/** All products that ever were there, or these of them. */
export async function findProducts(db: Queryable, skuIds?: readonly SkuId[]): Promise<Map<SkuId, StoredProduct>> {
  const found = new Map<SkuId, StoredProduct>()
  for (const some of skuIds ? chunk([...new Set(skuIds)], ROWS_AT_ONCE) : [undefined]) {
    const products = db.selectFrom('storeroom_product').selectAll()
    const lots = db.selectFrom('storeroom_lot').selectAll().orderBy('best_before')
    const rows = await (some ? products.where('sku_id', 'in', some) : products).execute()
    const lotRows = Map.groupBy(
      await (some ? lots.where('sku_id', 'in', some) : lots).execute(),
      ({ sku_id }) => sku_id,
    )
    for (const row of rows)
      found.set(row.sku_id as SkuId, {
        skuId: row.sku_id as SkuId,
        title: row.title,
        units: row.units,
        lots: (lotRows.get(row.sku_id) ?? []).map(({ best_before: date, units }) => ({
          bestBefore: date === '' ? null : date,
          units,
        })),
        averageCostE4: row.average_cost_e4,
        countedAt: row.counted_at,
      })
  }
  return found
}

/** What one unit cost on average, in minor units and parts of them; products that were never bought are left out. */
export async function findAverageCosts(db: Queryable, skuIds: readonly SkuId[]): Promise<Map<SkuId, number>> {
  const costs = new Map<SkuId, number>()
  for (const some of chunk([...new Set(skuIds)], ROWS_AT_ONCE)) {
    const rows = await db
      .selectFrom('storeroom_product')
      .select(['sku_id', 'average_cost_e4'])
      .where('sku_id', 'in', some)
      .execute()
    for (const { sku_id, average_cost_e4: cost } of rows)
      if (cost !== null) costs.set(sku_id as SkuId, cost / COST_SCALE)
  }
  return costs
}

export interface Move {
  readonly skuId: SkuId
  readonly title: string
  readonly kind: MovementKind
  /** Signed; at most what is there is taken out. */
  readonly units: number
  /** The lots of what came in; else it has no date. Of what goes out the oldest goes first. */
  readonly lots?: readonly Lot[]
  /** What was paid for units that came; it moves the average. */
  readonly paidFen?: Fen
  readonly reference?: Reference
  readonly reason?: StoreroomReason
  readonly note?: string | undefined
}

/** Call `lockStoreroom` first. */
export async function moveUnits(tx: Tx, at: number, moves: readonly Move[]): Promise<void> {
  const products = await findProducts(
    tx,
    moves.map(({ skuId }) => skuId),
  )
  for (const move of moves) {
    const { skuId, units, paidFen } = move
    if (units === 0) continue
    const before = products.get(skuId) ?? newProduct(move)
    const lots =
      units > 0
        ? (move.lots ?? [{ bestBefore: null, units }])
        : takeFromLots(before.lots, -units).taken.map((lot) => ({ ...lot, units: -lot.units }))
    if (unitsOf(lots) !== units) throw new Error(`The store room has fewer than ${-units} of ${skuId}`)
    const averageCostE4 =
      units > 0 && paidFen !== undefined ? averageAfter(before, units, paidFen) : before.averageCostE4
    const after = { ...before, lots: addLots(before.lots, lots), units: before.units + units, averageCostE4 }
    await saveProduct(tx, before, after)
    await insertMovement(tx, at, move, before, lots, paidFen ?? costOfUnits(Math.abs(units), averageCostE4))
    products.set(skuId, after)
  }
}

/**
 * Takes back what these references have moved and nobody took back yet, so that each adds up to 0. What has left the store
 * room since cannot be taken out again; it was there, so a count of the difference is booked first.
 */
export async function undoMoves(tx: Tx, at: number, references: readonly Reference[]): Promise<void> {
  for (const reference of references) {
    const rows = await tx
      .selectFrom('storeroom_movement')
      .selectAll()
      .where('reference_type', '=', reference.type)
      .where('reference_id', '=', reference.id)
      .orderBy('seq', 'desc')
      .execute()
    for (const [key, own] of Map.groupBy(rows, ({ sku_id, kind }) => `${sku_id} ${kind}`)) {
      if (own.reduce((sum, { units }) => sum + units, 0) === 0) continue
      const last = own[0]!
      const skuId = key.split(' ')[0] as SkuId
      const before = (await findProducts(tx, [skuId])).get(skuId)
      if (!before) continue
      const units = own.reduce((sum, row) => sum - row.units, 0)
      const missing = Math.max(0, -units - before.units)
      const move = { skuId, title: before.title, reference }
      if (missing > 0) await moveUnits(tx, at, [{ ...move, kind: 'counted', units: missing }])
      const known = missing > 0 ? ((await findProducts(tx, [skuId])).get(skuId) ?? before) : before
      // What came back out of a machine or was never taken goes to the lots that it came from, as far as they are there.
      const lots =
        units > 0
          ? own.flatMap(lotsOf).map((lot) => ({ ...lot, units: -lot.units }))
          : takeFromLots(known.lots, -units).taken.map((lot) => ({ ...lot, units: -lot.units }))
      const averageCostE4 =
        last.kind === 'bought'
          ? averageWithout(known, -units, last.cost_fen ?? 0, last.average_before_e4)
          : known.averageCostE4
      await saveProduct(tx, known, {
        ...known,
        lots: addLots(known.lots, addLots([], lots)),
        units: known.units + units,
        averageCostE4,
      })
      await insertMovement(tx, at, { ...move, kind: last.kind, units }, known, lots, last.cost_fen)
    }
  }
}

const lotsOf = (row: Pick<Columns<'storeroom_movement'>, 'lots'>): readonly Lot[] => JSON.parse(row.lots) as Lot[]

const newProduct = ({ skuId, title }: Move): StoredProduct => ({
  skuId,
  title,
  units: 0,
  lots: [],
  averageCostE4: null,
  countedAt: null,
})

async function saveProduct(tx: Tx, before: StoredProduct, after: StoredProduct): Promise<void> {
  const { skuId, title, units, averageCostE4, countedAt } = after
  if (units < 0) throw new Error(`The store room has fewer than none of ${skuId}`)
  const row = { title, units, average_cost_e4: averageCostE4, counted_at: countedAt }
  await tx
    .insertInto('storeroom_product')
    .values({ sku_id: skuId, ...row })
    .onConflict((conflict) => conflict.column('sku_id').doUpdateSet(row))
    .execute()
  const left = new Map(after.lots.map((lot) => [lot.bestBefore ?? '', lot.units]))
  for (const { bestBefore } of before.lots) {
    const date = bestBefore ?? ''
    if (!left.has(date))
      await tx.deleteFrom('storeroom_lot').where('sku_id', '=', skuId).where('best_before', '=', date).execute()
  }
  for (const [date, lotUnits] of left)
    await tx
      .insertInto('storeroom_lot')
      .values({ sku_id: skuId, best_before: date, units: lotUnits })
      .onConflict((conflict) => conflict.columns(['sku_id', 'best_before']).doUpdateSet({ units: lotUnits }))
      .execute()
}

async function insertMovement(
  tx: Tx,
  at: number,
  { skuId, kind, units, reference, reason, note }: Omit<Move, 'title'>,
  before: StoredProduct,
  lots: readonly Lot[],
  costFen: number | null,
): Promise<void> {
  await tx
    .insertInto('storeroom_movement')
    .values({
      at,
      sku_id: skuId,
      units,
      kind,
      reference_type: reference?.type ?? null,
      reference_id: reference?.id ?? null,
      lots: JSON.stringify(lots),
      average_before_e4: before.averageCostE4,
      cost_fen: costFen,
      reason: reason ?? null,
      note: note ?? null,
      ...byColumns(),
    })
    .execute()
}

/** Units of a product whose best-before date is stated: all of them are one lot from now on. */
export async function replaceLots(tx: Tx, skuId: SkuId, lots: readonly Lot[]): Promise<void> {
  const before = (await findProducts(tx, [skuId])).get(skuId)
  if (before) await saveProduct(tx, before, { ...before, lots: addLots([], lots) })
}

export async function markCounted(tx: Tx, skuId: SkuId, title: string, at: number): Promise<void> {
  const before = (await findProducts(tx, [skuId])).get(skuId)
  const product = before ?? newProduct({ skuId, title, kind: 'counted', units: 0 })
  await saveProduct(tx, product, { ...product, countedAt: at })
}

/** Replaces what a run has reserved; an empty map releases everything. */
export async function setReservations(tx: Tx, run: string, unitsBySku: ReadonlyMap<SkuId, number>): Promise<void> {
  await tx.deleteFrom('storeroom_reservation').where('run', '=', run).execute()
  const rows = [...unitsBySku].flatMap(([sku_id, units]) => (units > 0 ? [{ run, sku_id, units }] : []))
  for (const part of chunk(rows, ROWS_AT_ONCE)) await tx.insertInto('storeroom_reservation').values(part).execute()
}

/** Units that placed runs will take, by product; those of one run are left out where it plans anew. */
export async function listReserved(db: Queryable, exceptRun = ''): Promise<Map<SkuId, number>> {
  const rows = await db
    .selectFrom('storeroom_reservation')
    .select(['sku_id', (eb) => eb.fn.sum<number>('units').as('units')])
    .where('run', '<>', exceptRun)
    .groupBy('sku_id')
    .execute()
  return new Map(rows.map(({ sku_id, units }) => [sku_id as SkuId, units]))
}

export interface Movement extends Pick<Move, 'skuId' | 'kind' | 'units' | 'reference' | 'reason'> {
  readonly seq: number
  readonly at: number
  readonly title: string
  readonly costFen: Fen | null
  readonly note?: string
  readonly by?: Person
}

export interface MovementFilter {
  readonly skuId?: SkuId | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly kind?: MovementKind
  /** The last of the page before. */
  readonly before?: number | undefined
  readonly limit?: number
}

/** Newest first. */
export function listMovements(db: Queryable, filter: MovementFilter): Promise<Movement[]> {
  let query = db
    .selectFrom('storeroom_movement as m')
    .innerJoin('storeroom_product as p', 'p.sku_id', 'm.sku_id')
    .selectAll('m')
    .select('p.title')
    .orderBy('m.seq', 'desc')
  if (filter.skuId !== undefined) query = query.where('m.sku_id', '=', filter.skuId)
  if (filter.from !== undefined) query = query.where('m.at', '>=', filter.from)
  if (filter.to !== undefined) query = query.where('m.at', '<', filter.to)
  if (filter.kind !== undefined) query = query.where('m.kind', '=', filter.kind)
  if (filter.before !== undefined) query = query.where('m.seq', '<', filter.before)
  if (filter.limit !== undefined) query = query.limit(filter.limit)
  return readAll(query, fromRow)
}

function fromRow(row: Selectable<Columns<'storeroom_movement'>> & { readonly title: string }): Movement {
  const { seq, at, kind, units, title, reason, note, reference_type: type, reference_id: id } = row
  const by = fromByColumns(row)
  return {
    seq,
    at,
    skuId: row.sku_id as SkuId,
    title,
    kind,
    units,
    costFen: row.cost_fen === null ? null : fen(row.cost_fen),
    ...(type !== null && id !== null && { reference: { type, id } }),
    ...(reason !== null && { reason: reason as StoreroomReason }),
    ...(note !== null && { note }),
    ...(by && { by }),
  }
}

/** Of these references, those that have moved units of this kind, and nobody took it back. */
export async function findMoved(tx: Queryable, kind: MovementKind, references: readonly Reference[]) {
  const moved = new Set<string>()
  for (const { type, id } of references) {
    const { units } = await tx
      .selectFrom('storeroom_movement')
      .select((eb) => eb.fn.sum<number | null>('units').as('units'))
      .where('reference_type', '=', type)
      .where('reference_id', '=', id)
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow()
    if ((units ?? 0) !== 0) moved.add(id)
  }
  return moved
}

export interface ArrivedOrder {
  readonly at: number
  /** Single units by product. */
  readonly units: ReadonlyMap<SkuId, number>
}

/** Of these purchases, those that were booked in, with what came. */
export async function findArrivedOrders(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ArrivedOrder>> {
  const arrived = new Map<string, ArrivedOrder>()
  for (const some of chunk(ids, ROWS_AT_ONCE)) {
    const rows = await db
      .selectFrom('storeroom_movement')
      .select((eb) => [
        'reference_id as id',
        'sku_id',
        eb.fn.sum<number>('units').as('units'),
        eb.fn.max<number>('at').as('at'),
      ])
      .where('reference_type', '=', 'order')
      .where('reference_id', 'in', some)
      .where('kind', '=', 'bought')
      .groupBy(['reference_id', 'sku_id'])
      .execute()
    for (const [id, own] of Map.groupBy(rows, (row) => row.id!)) {
      // A receipt that was undone adds up to 0.
      const units = new Map(own.flatMap((row) => (row.units > 0 ? [[row.sku_id as SkuId, row.units]] : [])))
      if (units.size > 0) arrived.set(id, { at: Math.max(...own.map(({ at }) => at)), units })
    }
  }
  return arrived
}
