/**
 * What the operator of the service earns beside a person who orders every morning: the same days of the same world, with
 * an owner who answers now and then. How much the hour alone changes is measured, too: the same person an hour earlier.
 *
 *   node bench/operator.ts        SEEDS=0,1,2,3,4,5 DAYS=90 MACHINES=12 ARMS=person,early,operator
 *
 * Not part of `npm run bench`: a run of 90 days takes a minute, and the default is 18 of them.
 */
import { playDays, type PlayOptions } from '../src/cli/simulate/play.ts'
import { openSimulation } from '../src/cli/simulate/simulation.ts'
import { MINUTE, startOfDay } from '../src/kernel/clock.ts'
import { table } from './harness.ts'

const START = '2026-06-01'
const STEP_HOURS = 12
/** Machines are read before anybody orders, as every quarter of an hour in a real service. */
const SYNC_MS = Number(process.env['SYNC_MINUTES'] ?? '15') * MINUTE
const DRIVING = { TRIP_COST_FEN: '6000', STOP_COST_FEN: '2000' }
const ARMS: Readonly<Record<'person' | 'early' | 'operator', PlayOptions['orders']>> = {
  person: { by: 'owner', every: 1 },
  early: { by: 'owner', every: 1, isEarly: true },
  operator: { by: 'operator', triesPrices: false },
}

async function play(orders: PlayOptions['orders'], seed: number, days: number, machines: number) {
  const startMs = startOfDay(START, 'Asia/Shanghai')
  const simulation = await openSimulation({
    env: DRIVING,
    startMs,
    stepMs: SYNC_MS,
    seed,
    machines,
    traffic: 1,
    restocking: 'none',
    checkouts: true,
    cases: true,
    database: undefined,
  })
  try {
    const options = { start: START, startMs, days, stepHours: STEP_HOURS, daysPerPeriod: 7, confirmAliases: true }
    const outcome = await playDays(simulation, { ...options, orders })
    if (simulation.failures.length > 0) throw new Error(simulation.failures[0])
    return outcome
  } finally {
    await simulation.close()
  }
}

/** Mean and its standard error, in percent. */
function describe(shares: readonly number[]): string {
  const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length
  const variance = shares.reduce((sum, share) => sum + (share - mean) ** 2, 0) / Math.max(1, shares.length - 1)
  return `${(100 * mean).toFixed(2)} ± ${(100 * Math.sqrt(variance / shares.length)).toFixed(2)} %`
}

export async function benchOperator(): Promise<void> {
  const { SEEDS = '0,1,2,3,4,5', DAYS = '90', MACHINES = '12', ARMS: wanted = 'person,early,operator' } = process.env
  const rows: string[][] = []
  const profits = new Map<string, number[]>()
  for (const seed of SEEDS.split(',').map(Number)) {
    for (const [arm, orders] of Object.entries(ARMS)) {
      if (!wanted.split(',').includes(arm)) continue
      const { accounts, total, serviceLevel, operator } = await play(orders, seed, Number(DAYS), Number(MACHINES))
      const own = profits.getOrInsertComputed(arm, () => [])
      own.push(accounts.profitFen)
      const share = accounts.profitFen / (profits.get('person')?.at(-1) ?? accounts.profitFen) - 1
      rows.push([
        `seed ${seed}`,
        arm,
        (accounts.profitFen / 100).toFixed(0),
        `${(100 * share).toFixed(1)} %`,
        `${(100 * (serviceLevel ?? 0)).toFixed(1)} %`,
        (accounts.revenueFen / 100).toFixed(0),
        (accounts.drivingFen / 100).toFixed(0),
        `${total.trips}/${total.stops}`,
        `${total.expired}/${total.surplus}`,
        operator ? `${operator.questions}, ${operator.violations} violations` : '',
      ])
      console.log(rows.at(-1)?.join('  '))
    }
  }
  table(
    'operator beside a person',
    ['', 'who', 'profit', 'of it', 'demand met', 'revenue', 'driving', 'trips/stops', 'expired/surplus', 'questions'],
    rows,
  )
  const person = profits.get('person') ?? []
  for (const [arm, own] of profits)
    if (arm !== 'person' && person.length > 0)
      console.log(`${arm}: ${describe(own.map((profit, i) => profit / person[i]! - 1))}`)
}

if (import.meta.main) await benchOperator()
