import type { HandlersOf } from '../../contract/handlers.ts'
import type { Context } from '../context.ts'
import { resolveSkus } from './resolve.ts'

export const skusHandlers = (ctx: Context): HandlersOf<'resolveSkus'> => ({
  resolveSkus: ({ body }) => resolveSkus(ctx, body),
})

// What other folders use.
export { loadAliases } from './alias-cache.ts'
export type { AliasesBySku } from './alias-cache.ts'
export { isConfirmed } from './aliases.ts'
export type { Alias } from './aliases.ts'
export { confirmAliases } from './confirm.ts'
export { barcodesOf } from './gtin.ts'
export { identitiesOf } from './identities.ts'
export { findLinks, linkCatalog, linkMachineProducts, writeLinks } from './link-products.ts'
export { aliasesOf, allMachineProducts, findMachineProducts } from './records.ts'
export { knownSkuId, resolveAll } from './resolve.ts'
export { EACH, price, saleUnits, unitPrice } from './units.ts'
