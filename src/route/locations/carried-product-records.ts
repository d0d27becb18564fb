/** Which products the machines hold, and which machines hold a product. */
import type { SkuId } from '../../kernel/ids.ts'
import { type Queryable, readAll, readFirst } from '../../store/store.ts'

/** Each product that some machine holds, once, by title. */
export async function listSlotProducts(
  db: Queryable,
): Promise<readonly { readonly skuId: SkuId; readonly title: string }[]> {
  const rows = await db
    .selectFrom('slot')
    .select((eb) => ['sku_id', eb.fn.min('title').as('title')])
    .groupBy('sku_id')
    .execute()
  return rows
    .map(({ sku_id, title }) => ({ skuId: sku_id as SkuId, title }))
    .toSorted((a, b) => (a.title < b.title ? -1 : 1))
}

/** The most that a machine asks for each product, in minor units. */
/** Whether any machine is known to sell anything for an amount. */
export async function hasPrices(db: Queryable): Promise<boolean> {
  const row = await db.selectFrom('slot').select('price').where('price', '>', 0).limit(1).executeTakeFirst()
  return row !== undefined
}

export async function listSellingPrices(db: Queryable): Promise<ReadonlyMap<SkuId, number>> {
  const rows = await db
    .selectFrom('slot')
    .select((eb) => ['sku_id', eb.fn.max('price').as('price')])
    .groupBy('sku_id')
    .execute()
  return new Map(rows.map(({ sku_id, price }) => [sku_id as SkuId, price]))
}

/** Where the platform keeps the picture of a product, as one of its machines last stated it. */
export const findImageUrl = (db: Queryable, skuId: SkuId): Promise<string | undefined> =>
  readFirst(
    db
      .selectFrom('slot')
      .select('image_url')
      .where('sku_id', '=', skuId)
      .where('image_url', 'is not', null)
      .orderBy('updated_at', 'desc')
      .limit(1),
    ({ image_url }) => image_url ?? undefined,
  )

/** The machines that hold each of these products, at most `limit` rows. */
export async function listSlotsWith(
  db: Queryable,
  skuIds: readonly SkuId[],
  limit: number,
): Promise<readonly { readonly location: string; readonly skuId: SkuId }[]> {
  if (skuIds.length === 0) return []
  return readAll(
    db.selectFrom('slot').select(['location', 'sku_id']).where('sku_id', 'in', skuIds).limit(limit),
    ({ location, sku_id }) => ({ location, skuId: sku_id as SkuId }),
  )
}

/** How many of these products each machine had at its last sync. */
export async function countProductsCarried(
  db: Queryable,
  skuIds: readonly SkuId[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('slot')
    .select((eb) => ['location', eb.fn.countAll<number>().as('carried')])
    .where('sku_id', 'in', skuIds)
    .groupBy('location')
    .execute()
  return new Map(rows.map(({ location, carried }) => [location, carried]))
}
