/** Where a run is placed. Decided by the deployment, never by the caller. Pure. */
import type { Config } from '../../../../config.ts'

export type PlacementTarget = 'simulated' | 'sessions' | 'disabled'

export interface PlacementSettings extends Pick<Config, 'env' | 'simulatedPurchasing'> {
  readonly hasLiveSupplier: boolean
}

/**
 * In live a connected supplier is preferred to simulation. In staging the supplier itself is simulated, and the switch
 * decides whether runs open checkout sessions with it.
 */
export function placementTarget({ env, simulatedPurchasing, hasLiveSupplier }: PlacementSettings): PlacementTarget {
  if (hasLiveSupplier && (env === 'live' || !simulatedPurchasing)) return 'sessions'
  return simulatedPurchasing ? 'simulated' : 'disabled'
}
