/** Days of a route whose service is killed again and again, and what its records then say. */
import { playDays } from '../../src/cli/simulate/play.ts'
import type { Outcome } from '../../src/cli/simulate/play.ts'
import { DAY, startOfDay } from '../../src/kernel/clock.ts'
import { compareWithWorld } from './compare-with-world.ts'
import type { Comparison } from './compare-with-world.ts'
import { openKilledSimulation } from './killed-service.ts'

const START = '2026-06-01'

export interface KilledDays {
  readonly outcome: Outcome
  readonly comparison: Comparison
  /** By the moment at which the service was killed. */
  readonly kills: ReadonlyMap<string, number>
  readonly failures: readonly string[]
}

export async function playKilledDays(options: {
  readonly days: number
  readonly machines: number
  readonly seed: number
  readonly killShare: number
  readonly sharedTrips?: boolean
  readonly onDay?: (date: string) => void
}): Promise<KilledDays> {
  const { days, onDay, ...world } = options
  const startMs = startOfDay(START, 'Asia/Shanghai')
  const simulation = await openKilledSimulation({
    ...world,
    env: { TRIP_COST_FEN: '6000', STOP_COST_FEN: '2000', KM_COST_FEN: '80' },
    startMs,
    stepMs: DAY,
    traffic: 1,
    restocking: 'none',
    checkouts: true,
  })
  try {
    const outcome = await playDays(simulation, {
      start: START,
      startMs,
      days,
      stepHours: 24,
      daysPerPeriod: 7,
      orders: { by: 'owner', every: 1 },
      confirmAliases: true,
      ...(onDay ? { onDay } : {}),
    })
    simulation.spare()
    const comparison = await compareWithWorld(simulation, startMs)
    return { outcome, comparison, kills: simulation.kills, failures: simulation.failures }
  } finally {
    await simulation.close()
  }
}
