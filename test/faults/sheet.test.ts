/**
 * The schedules of faults.test.ts with a real `sheet` supplier, by every way in which its orders leave.
 * `FAULT_SEED=<seed> npx vitest run test/faults/sheet` plays one again.
 */
import { expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { DATABASE, freshStore } from '../support/database.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { runSchedule } from './schedule.ts'
import { emailRoute, folderRoute, httpRoute, sheetSupplier } from './sheet-supplier.ts'

const SCHEDULES = propertyRuns(DATABASE === 'sqlite' ? 50 : 12)
const ONLY = process.env['FAULT_SEED'] === undefined ? undefined : Number(process.env['FAULT_SEED'])
const STEPS_SHOWN = ONLY === undefined ? 80 : Infinity

test.each([
  ['files in a folder', folderRoute],
  ['e-mail', emailRoute],
  ['cXML over HTTP', httpRoute],
])(
  `orders by %s: in ${SCHEDULES} schedules none is lost, doubled or above the agreed total`,
  async (_, openRoute) => {
    const store = await freshStore()
    const route = await openRoute()
    const seeds = ONLY === undefined ? SCHEDULES : 1
    let orders = 0
    for (let seed = ONLY ?? 1, left = seeds; left > 0; seed++, left--) {
      let close = () => {}
      const supplier = (world: Parameters<typeof sheetSupplier>[2]) => {
        const opened = sheetSupplier(store, route, world)
        close = () => opened.close()
        return opened
      }
      const { problems, trace, orders: bought } = await runSchedule(store, seed, {}, { supplier })
      close()
      orders += bought
      const report = [`FAULT_SEED=${seed}`, ...problems, ...trace.slice(-STEPS_SHOWN)].join('\n')
      expect(problems.length === 0 ? '' : report).toBe('')
    }
    // Schedules in which nothing is ever bought would prove nothing.
    expect(orders).toBeGreaterThanOrEqual(Math.floor(seeds / 6))
  },
  5 * MINUTE,
)
