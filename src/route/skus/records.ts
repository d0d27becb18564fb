/** Rows of aliases and of machine products. Long lists of ids are queried in batches: statements have limited parameters. */
import type { Selectable } from 'kysely'
import { type Namespace, type Role, type SkuId, namespaceOf, roleOf } from '../../kernel/ids.ts'
import { chunk } from '../../lib/concurrency.ts'
import { incrementCounter, readCounter } from '../../store/counter.ts'
import { type Queryable, type Tx, changeRows, readAll } from '../../store/store.ts'
import { matchColumns } from '../../store/match-columns.ts'
import { compiledListQuery } from '../../store/compiled-query.ts'
import type { Columns } from '../../store/schema.ts'
import { groupBySku, comparePairs, isConfirmed, compareText, pairKey, REJECTED_BY_OWNER } from './aliases.ts'
import type { Alias, Pair, StoredAlias } from './aliases.ts'
import type { Gtin } from './gtin.ts'

const BATCH_SIZE = 500
/** SQLite nests every comparison one level deeper, and allows 1,000 levels. */
const PAIRS_BATCH_SIZE = 50
/** The counter that rises with every change of an alias, so that other processes read them again. */
const VERSION = 'alias_version'

const fromRow = (row: Pick<Selectable<Columns<'sku_alias'>>, 'a' | 'b' | 'source' | 'confirmed_at'>): StoredAlias => ({
  a: row.a as SkuId,
  b: row.b as SkuId,
  source: row.source,
  confirmedAt: row.confirmed_at,
})

const columns = ['a', 'b', 'source', 'confirmed_at'] as const

/**
 * Compiled: every page that shows a product asks for it, and every purchase for its lines. One comparison for each end: for
 * a list, SQLite would build a temporary table each time (12 instead of 6 µs for three ids).
 */
const pairsOf = compiledListQuery((db, ids: readonly SkuId[]) =>
  db
    .selectFrom('sku_alias')
    .select(columns)
    .where((eb) => eb.or(ids.flatMap((id) => [eb('a', '=', id), eb('b', '=', id)]))),
)

/** All pairs with one of the ids at either end, rejected ones too. */
export async function findPairs(db: Queryable, ids: readonly SkuId[]): Promise<StoredAlias[]> {
  const found: StoredAlias[] = []
  for (const some of chunk([...new Set(ids)], PAIRS_BATCH_SIZE)) {
    const { rows } = await pairsOf(db, some)
    found.push(...rows.map(fromRow))
  }
  return found
}

/** All pairs with an end in the namespace, rejected ones too. */
export const listPairsInNamespace = (db: Queryable, namespace: Namespace): Promise<StoredAlias[]> =>
  readAll(
    db
      .selectFrom('sku_alias')
      .select(columns)
      .where('a_namespace', '=', namespace)
      .union(db.selectFrom('sku_alias').select(columns).where('b_namespace', '=', namespace)),
    fromRow,
  )

/** What callers see of each id that has any: manual before barcode before suggested. */
export async function findAliases(db: Queryable, ids: readonly SkuId[]): Promise<Map<SkuId, readonly Alias[]>> {
  if (ids.length === 0) return new Map()
  const all = groupBySku(await findPairs(db, ids))
  return new Map(ids.flatMap((id) => (all.has(id) ? [[id, all.get(id) ?? []] as const] : [])))
}

/** The products of suppliers, or of machines, that are linked to each of these by a confirmed alias. */
export async function findLinked(
  db: Queryable,
  ids: readonly SkuId[],
  role: Role,
): Promise<ReadonlyMap<SkuId, readonly SkuId[]>> {
  const aliases = await findAliases(db, [...new Set(ids)])
  const isLinked = (alias: Alias) => isConfirmed(alias) && roleOf(namespaceOf(alias.skuId)) === role
  return new Map([...aliases].map(([id, own]) => [id, own.filter(isLinked).map(({ skuId }) => skuId)]))
}

export const readAliasVersion = (db: Queryable): Promise<number> => readCounter(db, VERSION)

/** Last statement of a transaction: all writers of aliases lock this row, so taking it last avoids deadlocks. */
export async function incrementAliasVersion(tx: Tx): Promise<void> {
  await incrementCounter(tx, VERSION)
}

const aliasRow = (alias: StoredAlias, now: number) => ({
  a: alias.a,
  b: alias.b,
  a_namespace: namespaceOf(alias.a),
  b_namespace: namespaceOf(alias.b),
  source: alias.source,
  confirmed_at: alias.confirmedAt,
  changed_at: now,
})

/**
 * Links found by comparing. A stored pair is left alone, except that a barcode replaces a suggestion. It never overrules an
 * operator for orders, but the rules count a rejected pair with equal barcodes. Written in order of pairs, so that two
 * processes do not deadlock.
 */
export async function addLinks(tx: Tx, links: readonly StoredAlias[], now: number): Promise<void> {
  const once = [...new Map(links.map((link) => [pairKey(link), link])).values()]
  for (const some of chunk(once.toSorted(comparePairs), BATCH_SIZE))
    await tx
      .insertInto('sku_alias')
      .values(some.map((link) => aliasRow(link, now)))
      .onConflict((conflict) =>
        conflict
          .columns(['a', 'b'])
          .doUpdateSet((eb) => ({
            source: eb
              .case()
              .when('sku_alias.source', '=', 'rejected')
              .then(eb.ref('sku_alias.source'))
              .else(eb.ref('excluded.source'))
              .end(),
            confirmed_at: eb.ref('excluded.confirmed_at'),
            changed_at: eb.ref('excluded.changed_at'),
          }))
          .where('sku_alias.confirmed_at', 'is', null)
          .where('excluded.source', '=', 'barcode'),
      )
      .execute()
}

/** Removes pairs whose barcodes differ now; a pair confirmed by an operator meanwhile stays. */
export async function removeBarcodeLinks(tx: Tx, pairs: readonly Pair[]): Promise<void> {
  for (const { a, b } of pairs.toSorted(comparePairs))
    await tx.deleteFrom('sku_alias').where('a', '=', a).where('b', '=', b).where('source', '=', 'barcode').execute()
}

/** Overrides any other source. False when it was confirmed before; the first confirmation keeps its time. */
export const confirmPair = (tx: Tx, pair: Pair, now: number): Promise<boolean> =>
  changeRows(
    tx
      .insertInto('sku_alias')
      .values(aliasRow({ ...pair, source: 'manual', confirmedAt: now }, now))
      .onConflict((conflict) =>
        conflict
          .columns(['a', 'b'])
          .doUpdateSet({ source: 'manual', confirmed_at: now, changed_at: now })
          .where('sku_alias.source', '<>', 'manual'),
      ),
  )

/**
 * False when the pair is linked by barcode, which cannot be rejected. `forRules`: they no longer count it either; otherwise a
 * pair that was confirmed goes on counting.
 */
export async function rejectPair(tx: Tx, pair: Pair, isForRules: boolean, now: number): Promise<boolean> {
  const row = aliasRow({ ...pair, source: 'rejected', confirmedAt: isForRules ? REJECTED_BY_OWNER : null }, now)
  if (
    await changeRows(
      tx
        .insertInto('sku_alias')
        .values(row)
        .onConflict((conflict) => conflict.columns(['a', 'b']).doNothing()),
    )
  )
    return true
  return changeRows(
    tx
      .updateTable('sku_alias')
      .set({ source: 'rejected', changed_at: now, ...(isForRules ? { confirmed_at: REJECTED_BY_OWNER } : {}) })
      .where((eb) => matchColumns(eb, { a: pair.a, b: pair.b }))
      .where('source', '<>', 'barcode'),
  )
}

const productColumns = ['sku_id', 'title', 'barcode', 'gtin'] as const

/** A product that a machine holds or has held. */
export type MachineProduct = Readonly<ReturnType<typeof fromProductRow>>

const fromProductRow = (row: Pick<Columns<'machine_product'>, (typeof productColumns)[number]>) => ({
  skuId: row.sku_id as SkuId,
  title: row.title,
  barcode: row.barcode ?? undefined,
  gtin: (row.gtin ?? undefined) as Gtin | undefined,
})

const machineProducts = (db: Queryable) => db.selectFrom('machine_product').select(productColumns)

/** Of these ids, the products that machines hold or have held. */
export async function findMachineProducts(db: Queryable, ids: readonly SkuId[]): Promise<Map<SkuId, MachineProduct>> {
  const found = new Map<SkuId, MachineProduct>()
  for (const some of chunk(ids, BATCH_SIZE)) {
    const products = await readAll(machineProducts(db).where('sku_id', 'in', some), fromProductRow)
    for (const product of products) found.set(product.skuId, product)
  }
  return found
}

/** The products read last, at most so many. */
export const listLatestMachineProducts = (db: Queryable, most: number): Promise<MachineProduct[]> =>
  readAll(machineProducts(db).orderBy('seen_at', 'desc').orderBy('sku_id').limit(most), fromProductRow)

/** Products with one of these codes, in any machine namespace. */
export async function listMachineProductsWithCodes(db: Queryable, codes: readonly Gtin[]): Promise<MachineProduct[]> {
  const found: MachineProduct[] = []
  for (const some of chunk(codes, BATCH_SIZE)) {
    found.push(...(await readAll(machineProducts(db).where('gtin', 'in', some), fromProductRow)))
  }
  return found
}

export async function saveMachineProducts(tx: Tx, products: readonly MachineProduct[], now: number): Promise<void> {
  for (const some of chunk(
    products.toSorted((left, right) => compareText(left.skuId, right.skuId)),
    BATCH_SIZE,
  ))
    await tx
      .insertInto('machine_product')
      .values(
        some.map(({ skuId, title, barcode, gtin }) => ({
          sku_id: skuId,
          namespace: namespaceOf(skuId),
          title,
          barcode: barcode ?? null,
          gtin: gtin ?? null,
          seen_at: now,
        })),
      )
      .onConflict((conflict) =>
        conflict.column('sku_id').doUpdateSet((eb) => ({
          title: eb.ref('excluded.title'),
          barcode: eb.ref('excluded.barcode'),
          gtin: eb.ref('excluded.gtin'),
          seen_at: eb.ref('excluded.seen_at'),
        })),
      )
      .execute()
}
