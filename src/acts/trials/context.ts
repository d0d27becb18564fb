/** What trials need beyond pricing: the route as planning sees it. */
import type { PricingContext } from '../pricing/index.ts'
import type { RouteSource } from './route.ts'

export interface TrialContext extends PricingContext {
  readonly route: RouteSource
}
