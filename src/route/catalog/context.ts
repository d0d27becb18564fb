import type { SkuContext } from '../skus/index.ts'
import { CatalogIndexes } from './catalog-index.ts'

export interface CatalogContext extends SkuContext {
  readonly catalogIndexes: CatalogIndexes
}

export const catalogContext = (ctx: SkuContext): CatalogContext => ({
  ...ctx,
  catalogIndexes: new CatalogIndexes(ctx.config),
})
