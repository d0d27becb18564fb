import type { Context } from '../../context.ts'
import { SaleSearches } from './refresh-sale.ts'

export interface OrdersContext extends Context {
  readonly saleSearches: SaleSearches
}

export const ordersContext = (ctx: Context): OrdersContext => ({ ...ctx, saleSearches: new SaleSearches() })
