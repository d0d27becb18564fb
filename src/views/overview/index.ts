/** What the console shows besides the lists of other operations: the start page, and the history of a machine. */
import type { HandlersOf } from '../../contract/handlers.ts'
import { accept } from '../../kernel/outcome.ts'
import type { LocationId } from '../../kernel/ids.ts'
import { getLocationHistory } from './get-location-history.ts'
import { type OverviewDeps, getOverview } from './get-overview.ts'

export const overviewHandlers = (ctx: OverviewDeps): HandlersOf<'getOverview' | 'getLocationHistory'> => ({
  getOverview: async ({ query }) => accept({ body: await getOverview(ctx, query) }),
  getLocationHistory: ({ params, query }) => getLocationHistory(ctx, params.id as LocationId, query),
})
