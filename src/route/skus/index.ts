import type { HandlersOf } from '../../contract/handlers.ts'
import type { Context } from '../../context.ts'
import { resolveSkus } from './resolve.ts'

export const skusHandlers = (ctx: Context): HandlersOf<'resolveSkus'> => ({
  resolveSkus: ({ body }) => resolveSkus(ctx, body),
})

// What other folders use.
export type { AliasesBySku } from './alias-cache.ts'
export { type Alias, isConfirmed } from './aliases.ts'
export { confirmAliases } from './confirm-aliases.ts'
export { barcodesOf } from './gtin.ts'
export { type SkuContext, skuContext } from './context.ts'
export { findIdentities } from './identities.ts'
export { findLinks, linkCatalog, linkMachineProducts, writeLinks } from './link-products.ts'
export { findAliases, findLinked, listLatestMachineProducts, findMachineProducts } from './records.ts'
export { deletePhaseOutsOf, findPhaseOut, loadPhaseOuts } from './phase-out-records.ts'
export { changePhaseOut, savePhaseOut } from './phase-outs.ts'
export { knownSkuId, resolveAliases } from './resolve.ts'
export { type ShelfLife, setShelfDays, loadShelfLives } from './shelf-life.ts'
export { recallCatalog, recallPrices, recallTitles, liveSuppliers, findSources, findSupplyDetails } from './sources.ts'
export type { OrderUnit, Source, SupplyDetails } from './sources.ts'
export { readSupplierCosts } from './supplier-costs.ts'
export { findUnheld } from './unheld.ts'
export { EACH, isOrderable, orderableQuantity, saleUnits, unitPrice } from './units.ts'
