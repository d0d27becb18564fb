import type { HandlersOf } from '../../contract/handlers.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { accept } from '../../kernel/outcome.ts'
import type { Floor } from '../context.ts'
import { confirm } from '../skus/confirm.ts'
import { lookup, productDetail } from './lookup.ts'
import { search } from './search.ts'
import { identify, skuRecord } from './sku-record.ts'

export { knownProducts } from './known-products.ts'

export const catalogHandlers = (
  floor: Floor,
): HandlersOf<'searchCatalog' | 'lookupCatalog' | 'getProduct' | 'getSku' | 'confirmAliases'> => ({
  searchCatalog: ({ body }) => search(floor, body),
  lookupCatalog: ({ body }) => lookup(floor, body),
  getProduct: ({ body }) => productDetail(floor, body),

  async getSku({ params, query }) {
    const record = await skuRecord(floor, params.sku_id as SkuId, query.location)
    return record.ok ? accept({ body: record.value }) : record
  },

  async confirmAliases({ params, body }) {
    const skuId = params.sku_id as SkuId
    const known = await identify(floor, skuId, undefined)
    if (!known.ok) return known
    const confirmed = await confirm(floor, skuId, body)
    if (!confirmed.ok) return confirmed
    const record = await skuRecord(floor, skuId, undefined)
    if (!record.ok) return record
    const messages = [...(record.value.messages ?? []), ...confirmed.value.messages]
    return accept({ body: { ...record.value, ...(messages.length > 0 && { messages }) } })
  },
})
