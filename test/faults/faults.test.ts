/**
 * Seeded schedules over the real code. A failure prints its seed: `FAULT_SEED=<seed> npx vitest run test/faults`
 * plays that one again, with its steps.
 */
import { expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { DATABASE, freshStore } from '../support/database.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { sample } from '../support/sample.ts'
import { SABOTAGE } from './sabotage.ts'
import { runSchedule } from './schedule.ts'
import type { Sabotage } from './schedule.ts'

const ONLY = process.env['FAULT_SEED'] === undefined ? undefined : Number(process.env['FAULT_SEED'])
const firstSeeds = (count: number) => Array.from({ length: count }, (_, n) => n + 1)
/** The defects of `SABOTAGE` are found by the 1st, the 8th and the 77th: a thousand are enough. */
const [ALL, USUAL] = DATABASE === 'sqlite' ? [10_000, 0.1] : [1_000, 0.2]
const SEEDS =
  ONLY === undefined ? sample('fault schedules', firstSeeds(ALL)).slice(0, propertyRuns(ALL, USUAL)) : [ONLY]
const CAUGHT_WITHIN = 1000
const STEPS_SHOWN = ONLY === undefined ? 80 : Infinity

/** Runs seed after seed until one has problems, and returns that one. */
async function play(
  seeds: readonly number[],
  sabotage?: Sabotage,
): Promise<{ readonly failure: string; readonly orders: number }> {
  const store = await freshStore()
  let orders = 0
  for (const seed of seeds) {
    const verdict = await runSchedule(store, seed, sabotage)
    orders += verdict.orders
    const steps = verdict.trace.slice(-STEPS_SHOWN)
    if (verdict.problems.length > 0)
      return { failure: [`FAULT_SEED=${seed}`, ...verdict.problems, ...steps].join('\n'), orders }
  }
  return { failure: '', orders }
}

test(
  `whatever fails, in ${SEEDS.length} schedules no order is lost, doubled or unaccounted for`,
  async () => {
    const { failure, orders } = await play(SEEDS)
    expect(failure).toBe('')
    // Schedules in which nothing is ever bought would prove nothing.
    expect(orders).toBeGreaterThanOrEqual(Math.floor(SEEDS.length / 4))
  },
  20 * MINUTE,
)

test.each(sample('databases of processes and suppliers', Object.entries(SABOTAGE), DATABASE === 'postgres' ? 1 : 0))(
  'it is caught when %s',
  async (_, sabotage) => {
    const { failure } = await play(ONLY === undefined ? firstSeeds(CAUGHT_WITHIN) : [ONLY], sabotage)
    expect(failure).not.toBe('')
  },
  5 * MINUTE,
)
