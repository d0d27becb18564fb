/** What trials need beyond the shared context: the route as planning sees it. */
import type { Context } from '../../context.ts'
import type { RouteSource } from './route.ts'

export interface TrialContext extends Context {
  readonly route: RouteSource
}
