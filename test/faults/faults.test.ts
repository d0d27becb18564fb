/**
 * Seeded schedules over the real code. A failure prints its seed: `FAULT_SEED=<seed> npx vitest run test/faults`
 * plays that one again, with its steps.
 */
import { expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { DATABASE, freshStore } from '../support/database.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { SABOTAGE } from './sabotage.ts'
import { runSchedule } from './schedule.ts'
import type { Sabotage } from './schedule.ts'

/** The defects of `SABOTAGE` are found by the 1st, the 8th and the 77th: a thousand are enough for every commit. */
const SCHEDULES = DATABASE === 'sqlite' ? propertyRuns(10_000, 0.1) : propertyRuns(1_000)
const ONLY = process.env['FAULT_SEED'] === undefined ? undefined : Number(process.env['FAULT_SEED'])
const FIRST = 1
const CAUGHT_WITHIN = 1000
const STEPS_SHOWN = ONLY === undefined ? 80 : Infinity

/** Runs seed after seed until one has problems, and returns that one. */
async function play(
  first: number,
  seeds: number,
  sabotage?: Sabotage,
): Promise<{ readonly failure: string; readonly orders: number }> {
  const store = await freshStore()
  let orders = 0
  for (let seed = ONLY ?? first, left = seeds; left > 0; seed++, left--) {
    const verdict = await runSchedule(store, seed, sabotage)
    orders += verdict.orders
    const steps = verdict.trace.slice(-STEPS_SHOWN)
    if (verdict.problems.length > 0)
      return { failure: [`FAULT_SEED=${seed}`, ...verdict.problems, ...steps].join('\n'), orders }
  }
  return { failure: '', orders }
}

test(
  `whatever fails, in ${SCHEDULES} schedules no order is lost, doubled or unaccounted for`,
  async () => {
    const seeds = ONLY === undefined ? SCHEDULES : 1
    const { failure, orders } = await play(FIRST, seeds)
    expect(failure).toBe('')
    // Schedules in which nothing is ever bought would prove nothing.
    expect(orders).toBeGreaterThanOrEqual(Math.floor(seeds / 4))
  },
  20 * MINUTE,
)

test.each(Object.entries(SABOTAGE))(
  'it is caught when %s',
  async (_, sabotage) => {
    const { failure } = await play(FIRST, CAUGHT_WITHIN, sabotage)
    expect(failure).not.toBe('')
  },
  5 * MINUTE,
)
