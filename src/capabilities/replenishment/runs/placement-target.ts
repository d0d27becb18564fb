/** Who gets a run that is placed. Pure: the deployment decides, never the caller. */
import type { Config } from '../../../config.ts'

export type Placement = 'simulated' | 'sessions' | 'disabled'

export interface PlacementTerms extends Pick<Config, 'env' | 'simulatedPurchasing'> {
  readonly liveSupplier: boolean
}

/**
 * In live a real supplier wins over simulation. In staging the supplier is itself a simulated one: there the switch says
 * whether runs are played through to checkout sessions with it.
 */
export function placementOf({ env, simulatedPurchasing, liveSupplier }: PlacementTerms): Placement {
  if (liveSupplier && (env === 'live' || !simulatedPurchasing)) return 'sessions'
  return simulatedPurchasing ? 'simulated' : 'disabled'
}
