/** What linking keeps in memory for one running service. Losing it costs time, never a link. */
import type { Context } from '../../context.ts'
import { AliasCache } from './alias-cache.ts'
import { LinkerState } from './linker-state.ts'

export interface SkuContext extends Context {
  readonly aliasCache: AliasCache
  readonly linker: LinkerState
}

export const skuContext = (ctx: Context): SkuContext => ({
  ...ctx,
  aliasCache: new AliasCache(ctx.store),
  linker: new LinkerState(),
})
