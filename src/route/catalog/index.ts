import type { Handlers } from '../../contract/handlers.ts'
import { type SkuId, namespaceOf } from '../../kernel/ids.ts'
import { accept, mapOutcome, refuse } from '../../kernel/outcome.ts'
import { findLocation } from '../locations/index.ts'
import { changePhaseOut, confirmAliases, setShelfDays } from '../skus/index.ts'
import type { CatalogContext } from './context.ts'
import { getProduct, lookupCatalog } from './lookup.ts'
import { searchCatalog } from './search.ts'
import { getSkuRecord, identifySku, skuNotFound } from './sku-record.ts'

export { catalogContext } from './context.ts'
export { listKnownProducts } from './known-products.ts'

export const catalogHandlers = (ctx: CatalogContext) =>
  ({
    searchCatalog: ({ body }) => searchCatalog(ctx, body),
    lookupCatalog: ({ body }) => lookupCatalog(ctx, body),
    getProduct: ({ body }) => getProduct(ctx, body),

    async getSku({ params, query }) {
      const skuId = params.sku_id as SkuId
      // In a read, an id of a namespace that nobody registered is simply unknown.
      if (!ctx.vendors.lookup(namespaceOf(skuId)).ok) return refuse('not_found', skuNotFound(skuId), '$.sku_id')
      return skuReply(ctx, skuId, query.location)
    },

    async setShelfLife({ params, body }) {
      const skuId = params.sku_id as SkuId
      const known = await identifySku(ctx, skuId, undefined)
      if (!known.ok) return known
      await setShelfDays(ctx, skuId, known.value.title, body.shelf_days)
      return skuReply(ctx, skuId, undefined)
    },

    async confirmAliases({ params, body }) {
      const skuId = params.sku_id as SkuId
      const known = await identifySku(ctx, skuId, undefined)
      if (!known.ok) return known
      const confirmed = await confirmAliases(ctx, skuId, body)
      if (!confirmed.ok) return confirmed
      const record = await getSkuRecord(ctx, skuId, undefined)
      if (!record.ok) return record
      const messages = [...(record.value.messages ?? []), ...confirmed.value.messages]
      return accept({ body: { ...record.value, ...(messages.length > 0 && { messages }) } })
    },

    async setPhaseOut({ params, body }) {
      const skuId = params.sku_id as SkuId
      const { location, phase_out: isPhasedOut } = body
      const known = await identifySku(ctx, skuId, undefined)
      if (!known.ok) return known
      if (location !== undefined && !(await findLocation(ctx.store.db, location)))
        return refuse('not_found', `Machine "${location}" not found`, '$.location')
      const changed = await changePhaseOut(ctx, { skuId, location, isPhasedOut })
      return changed.ok ? skuReply(ctx, skuId, undefined) : changed
    },
  }) satisfies Partial<Handlers>

const skuReply = async (ctx: CatalogContext, skuId: SkuId, location: string | undefined) =>
  mapOutcome(await getSkuRecord(ctx, skuId, location), (body) => ({ body }))
