/** Days of a route whose service is killed again and again, and what its records then say. */
import { playDays } from '../../src/cli/simulate/play.ts'
import type { Outcome } from '../../src/cli/simulate/play.ts'
import type { Operator } from '../../src/contract/shapes/operator/operator.ts'
import { DAY, startOfDay } from '../../src/kernel/clock.ts'
import { compareWithWorld } from './compare-with-world.ts'
import type { Comparison } from './compare-with-world.ts'
import { type KilledSimulation, openKilledSimulation } from './killed-service.ts'

const START = '2026-06-01'

export interface KilledDays {
  readonly outcome: Outcome
  readonly comparison: Comparison
  /** By the moment at which the service was killed. */
  readonly kills: ReadonlyMap<string, number>
  readonly failures: readonly string[]
  /** Of the operator. */
  readonly lastShift: Operator['last_shift']
  /** Shifts without an end, steps without an outcome, and what the hash chain does not bear out. */
  readonly journal: readonly string[]
}

export async function playKilledDays(options: {
  readonly days: number
  readonly machines: number
  readonly seed: number
  readonly killShare: number
  /** The operator of the service runs the route, and dies at its work. */
  readonly jobKillShare?: number
  readonly rulesFile?: string
  readonly sharedTrips?: boolean
  readonly onDay?: (date: string) => void
}): Promise<KilledDays> {
  const { days, onDay, ...world } = options
  const startMs = startOfDay(START, 'Asia/Shanghai')
  const simulation = await openKilledSimulation({
    ...world,
    env: {
      TRIP_COST_FEN: '6000',
      STOP_COST_FEN: '2000',
      KM_COST_FEN: '80',
      ...(options.rulesFile === undefined ? {} : { GUARDRAILS_FILE: options.rulesFile }),
    },
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
      orders: options.jobKillShare === undefined ? { by: 'owner', every: 1 } : { by: 'operator', triesPrices: true },
      confirmAliases: true,
      ...(onDay ? { onDay } : {}),
    })
    simulation.spare()
    const { last_shift: lastShift } = await simulation.client.getOperator()
    const comparison = await compareWithWorld(simulation, startMs)
    const journal = [...(await findOpenSteps(simulation)), ...(await simulation.auditChain())]
    return { outcome, comparison, lastShift, journal, kills: simulation.kills, failures: simulation.failures }
  } finally {
    await simulation.close()
  }
}

/** The last shift may be of this minute. */
async function findOpenSteps({ client }: KilledSimulation): Promise<readonly string[]> {
  const [, ...earlier] = await Array.fromAsync(client.all.listShifts())
  const problems: string[] = []
  for (const { id, status } of earlier) {
    if (status === 'running') problems.push(`${id} never ended`)
    const { steps } = await client.getShift({ params: { id } })
    for (const { code, outcome } of steps) if (outcome === 'begun') problems.push(`${id}: ${code} has no outcome`)
  }
  return problems
}
