/**
 * Seeded schedules over the real code. A failure prints its seed: `FAULT_SEED=<seed> npx vitest run test/faults`
 * plays that one again, with its steps.
 */
import { expect, test } from 'vitest'
import { DATABASE, freshStore } from '../support/database.ts'
import { SABOTAGE } from './sabotage.ts'
import { runSchedule } from './schedule.ts'

const SCHEDULES = Number(process.env['FAULT_SCHEDULES'] ?? (DATABASE === 'sqlite' ? 10_000 : 1_000))
const SEED = process.env['FAULT_SEED'] === undefined ? undefined : Number(process.env['FAULT_SEED'])
const FIRST = 1
const CAUGHT_WITHIN = 1000
const MINUTES = 60_000

test(
  `whatever fails, in ${SCHEDULES} schedules no order is lost, doubled or unaccounted for`,
  { timeout: 20 * MINUTES },
  async () => {
    const store = await freshStore()
    let orders = 0
    for (let seed = SEED ?? FIRST; seed < (SEED === undefined ? FIRST + SCHEDULES : SEED + 1); seed++) {
      const verdict = await runSchedule(store, seed)
      orders += verdict.orders
      if (SEED !== undefined) console.log(verdict.trace.join('\n'))
      if (verdict.problems.length > 0)
        expect.fail(`FAULT_SEED=${seed}\n${verdict.problems.join('\n')}\n${verdict.trace.slice(-80).join('\n')}`)
    }
    // Schedules in which nothing is ever bought would prove nothing.
    if (SEED === undefined) expect(orders).toBeGreaterThan(SCHEDULES / 4)
  },
)

test.each(Object.entries(SABOTAGE))('it is caught when %s', async (_, sabotage) => {
  const store = await freshStore()
  for (let seed = FIRST; seed < FIRST + CAUGHT_WITHIN; seed++)
    if ((await runSchedule(store, seed, sabotage)).problems.length > 0) return
  expect.fail(`${CAUGHT_WITHIN} schedules noticed nothing`)
})
