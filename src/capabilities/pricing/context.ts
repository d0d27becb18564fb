/** What pricing needs beyond the floor: one set of timers for each process. */
import type { Floor } from '../context.ts'
import { doubtTimers } from './doubt.ts'
import type { DoubtTimers } from './doubt.ts'

export interface PricingContext extends Floor {
  readonly doubts: DoubtTimers
}

export const pricingContext = (floor: Floor): PricingContext => ({
  ...floor,
  doubts: doubtTimers(floor.clock, floor.config.upstreamTimeoutMs),
})
