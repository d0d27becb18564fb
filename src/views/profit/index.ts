/** What the route earns: revenue, costs and profit. For the owner and the operator only. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { getProfit } from './get-profit.ts'
import type { ProfitDeps } from './load-figures.ts'

export const profitHandlers = (ctx: ProfitDeps): HandlersOf<'getProfit'> => ({
  getProfit: ({ query }) => getProfit(ctx, query),
})

// What other folders use.
export { getProfit } from './get-profit.ts'
export { weekOf } from './period.ts'
