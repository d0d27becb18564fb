/** What the route earns: revenue, costs and profit. For the owner and the operator only. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { TrialContext } from '../../acts/trials/index.ts'
import { getEarn } from './earn/get-earn.ts'
import { type Report, getProfit } from './get-profit.ts'
import { keepReports } from './kept-reports.ts'
import { addSteps } from './steps/add-steps.ts'

export function profitHandlers(ctx: TrialContext): HandlersOf<'getProfit' | 'getEarn'> {
  const kept = keepReports<Report>()
  return {
    getEarn: ({ query }) => getEarn(ctx, query),

    async getProfit({ query }) {
      if (query.steps && query.by !== 'location' && query.by !== 'product')
        return refuse('invalid', 'Steps are for machines and products: by=location or by=product', '$.steps')
      const report = await getProfit(ctx, query, kept)
      return report.ok && query.steps ? accept({ body: await addSteps(ctx, query, report.value.body) }) : report
    },
  }
}

// What other folders use.
export { getProfit } from './get-profit.ts'
export { weekOf } from './period.ts'
