import type { HandlersOf } from '../../contract/handlers.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Context } from '../context.ts'
import { confirmAliases } from '../skus/index.ts'
import { lookupCatalog, productDetail } from './lookup.ts'
import { searchCatalog } from './search.ts'
import { identify, skuRecord } from './sku-record.ts'

export { knownProducts } from './known-products.ts'

export const catalogHandlers = (
  ctx: Context,
): HandlersOf<'searchCatalog' | 'lookupCatalog' | 'getProduct' | 'getSku' | 'confirmAliases'> => ({
  searchCatalog: ({ body }) => searchCatalog(ctx, body),
  lookupCatalog: ({ body }) => lookupCatalog(ctx, body),
  getProduct: ({ body }) => productDetail(ctx, body),

  async getSku({ params, query }) {
    const record = await skuRecord(ctx, params.sku_id as SkuId, query.location)
    return record.ok ? accept({ body: record.value }) : record
  },

  async confirmAliases({ params, body }) {
    const skuId = params.sku_id as SkuId
    const known = await identify(ctx, skuId, undefined)
    if (!known.ok) return known
    const confirmed = await confirmAliases(ctx, skuId, body)
    if (!confirmed.ok) return confirmed
    const record = await skuRecord(ctx, skuId, undefined)
    if (!record.ok) return record
    const messages = [...(record.value.messages ?? []), ...confirmed.value.messages]
    return accept({ body: { ...record.value, ...(messages.length > 0 && { messages }) } })
  },
})
