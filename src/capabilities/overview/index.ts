/** GET /overview: what the start page of the console shows besides the lists of other operations. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { accept } from '../../kernel/outcome.ts'
import { getOverview } from './get-overview.ts'
import type { OverviewDeps } from './get-overview.ts'

export const overviewHandlers = (ctx: OverviewDeps): HandlersOf<'getOverview'> => ({
  getOverview: async () => accept({ body: await getOverview(ctx) }),
})
