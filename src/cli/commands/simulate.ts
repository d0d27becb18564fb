/** Simulates days of a route in one process, with the real service over simulated vendors. */
import { addDays, DAY, HOUR, isTimeZone, localDay, startOfDay, systemClock } from '../../kernel/clock.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import type { ParsedArgs } from '../parsed-args.ts'
import { count, formatAmount } from '../format.ts'
import type { Period, Report } from '../simulate/report.ts'
import type { Simulation } from '../simulate/simulation.ts'

const RESTOCKING = ['none', 'route', 'rescue'] as const
/** The hour at which the operator plans and restocks. */
const MORNING_HOUR = 7

export const SIMULATE: Command = {
  name: 'simulate',
  group: 'Tools',
  summary: 'simulate days of a route: sales, lost sales, orders and spending',
  args: [{ name: 'days', optional: true }],
  options: {
    seed: { kind: 'number', value: 'N', summary: 'seed of the simulated world (default 1)' },
    start: { kind: 'text', value: 'DAY', summary: 'first day, e.g. 2026-09-01 (default today)' },
    machines: { kind: 'number', value: 'N', summary: 'number of machines (default 12)' },
    traffic: { kind: 'text', value: 'X', summary: 'multiplies the number of shoppers (default 1)' },
    every: { kind: 'number', value: 'DAYS', summary: 'days between two runs (default 1)' },
    step: { kind: 'number', value: 'HOURS', summary: 'hours between two syncs, a divisor of 24 (default 12)' },
    by: { kind: 'text', value: 'day|week', summary: 'rows of the report (default week)', choices: ['day', 'week'] },
    checkouts: { kind: 'flag', summary: 'order through checkouts at the simulated supplier, in whole boxes' },
    observe: { kind: 'flag', summary: 'only sell and sync; no planning or ordering' },
    restocking: { kind: 'text', value: 'HOW', summary: 'other restocking (default none)', choices: RESTOCKING },
    keep: { kind: 'text', value: 'FILE', summary: 'keep the database in this file' },
  },
  details:
    'Runs the real service with simulated vendors and with your rules file and plan parameters. No money, no network.\nThe same seed and start give the same numbers. A simulated owner approves everything; refusals by the guardrails are\ncounted.',
  examples: [
    ['vendops simulate', '30 days, by week'],
    ['vendops simulate 90 --seed 7 --every 2', '90 days, planning every other day'],
    ['PLAN_PARAMS=\'{"cover_days":10}\' vendops simulate 60 --json', 'the effect of a longer cover'],
    ['vendops simulate 30 --observe --restocking route', 'a van on fixed days, for comparison'],
  ],
  async run(context, args) {
    const days = parseDays(args.optional('days') ?? '30')
    const step = args.wholeNumber('step', 12, 1, 24)
    if (24 % step !== 0) throw new UsageError('--step must be a divisor of 24: 1, 2, 3, 4, 6, 8, 12 or 24')
    const [{ openSimulation }, { simulatedOwner }, { buildReport }] = await Promise.all([
      import('../simulate/simulation.ts'),
      import('../simulate/owner.ts'),
      import('../simulate/report.ts'),
    ])
    const zone = context.env['TIMEZONE'] ?? 'Asia/Shanghai'
    if (!isTimeZone(zone)) throw new UsageError('TIMEZONE must be an IANA time zone name')
    const start = parseStartDay(args, zone)
    const startMs = startOfDay(start, zone)
    const simulation = await openSimulation({
      env: context.env,
      startMs,
      stepMs: step * HOUR,
      seed: args.wholeNumber('seed', 1, 0, 2 ** 31),
      machines: args.text('machines') === undefined ? undefined : args.wholeNumber('machines', 12, 1, 2000),
      traffic: parseTraffic(args.text('traffic')),
      restocking: RESTOCKING.find((how) => how === args.text('restocking')) ?? 'none',
      checkouts: args.flag('checkouts'),
      database: args.text('keep'),
    })
    try {
      const { actions, orderPlan, loadArrived, confirmAliases } = simulatedOwner(simulation)
      const observe = args.flag('observe')
      const every = args.wholeNumber('every', 1, 1, 60)
      await context.withProgress('simulating', async (progress) => {
        progress.update('setting up', 0)
        await registerMachines(simulation)
        if (args.flag('checkouts')) await confirmAliases()
        for (let day = 0; day < days; day++) {
          context.signal.throwIfAborted()
          progress.update(addDays(start, day), day / days)
          await simulateDay(
            simulation,
            step,
            observe ? undefined : { orderPlan: day % every === 0 ? orderPlan : undefined, loadArrived },
          )
        }
      })
      const dates = Array.from({ length: days }, (_, i) => addDays(start, i))
      const tallies = simulation.simulator.world.tally(startMs, startMs + days * DAY - 1)
      const perPeriod = args.text('by') === 'day' ? 1 : 7
      const report = buildReport(dates, perPeriod, simulation.timeZone, tallies, actions)
      await printReport(context, report, { start, days, stage: simulation, every, observe })
      return simulation.failures.length > 0 ? EXIT.failed : EXIT.ok
    } finally {
      await simulation.close()
    }
  },
}

interface MorningWork {
  readonly orderPlan: (() => Promise<void>) | undefined
  readonly loadArrived: () => Promise<void>
}

/** Advances one day in steps. The morning work is done at the first step at or after MORNING_HOUR. */
async function simulateDay(simulation: Simulation, step: number, morning: MorningWork | undefined): Promise<void> {
  let hasWorked = false
  for (let hour = step; hour <= 24; hour += step) {
    await simulation.advance(step * HOUR)
    if (!morning || hasWorked || hour < MORNING_HOUR) continue
    hasWorked = true
    await morning.loadArrived()
    await morning.orderPlan?.()
  }
}

/** Registers all machines through the API and reads them once. */
async function registerMachines({ client, simulator }: Simulation): Promise<void> {
  for (const { id, name, profile } of simulator.machines())
    await client.putLocation({ params: { id }, body: { name, profile } })
  await client.syncLocations()
}

function parseDays(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw new UsageError(`"${text}" is not a number of days`)
  return Number(text)
}

function parseStartDay(args: ParsedArgs, zone: string): string {
  const stated = args.text('start')
  if (stated === undefined) return localDay(systemClock.now(), zone)
  if (!/^\d{4}-\d\d-\d\d$/.test(stated)) throw new UsageError('--start must be a date such as 2026-09-01')
  return stated
}

function parseTraffic(text: string | undefined): number {
  const traffic = Number(text ?? '1')
  if (!(traffic > 0 && traffic <= 100)) throw new UsageError('--traffic must be a number above 0, at most 100')
  return traffic
}

interface SimulationRun {
  readonly start: string
  readonly days: number
  readonly every: number
  readonly observe: boolean
  readonly stage: Simulation
}

async function printReport(context: Context, report: Report, played: SimulationRun): Promise<void> {
  const { stage: simulation, start, days, observe } = played
  const { periods, total, serviceLevel } = report
  const world = { seed: simulation.simulator.world.seed, start, days, machines: simulation.simulator.machines().length }
  await context.writeJson({ ...world, ...report, failures: simulation.failures })
  await context.writeTable<Omit<Period, 'from'> & { from: string }>(
    [...periods, { from: 'total', ...total }],
    [
      { title: 'FROM', cell: ({ from }) => from },
      { title: 'SOLD', cell: ({ sold }) => sold, as: 'number' },
      { title: 'REVENUE', cell: ({ revenueFen }) => formatAmount(revenueFen, simulation.currency), as: 'number' },
      { title: 'LOST', cell: ({ lost }) => lost, as: 'number' },
      { title: 'ORDERED', cell: ({ ordered }) => ordered, as: 'number' },
      { title: 'SPENT', cell: ({ spentFen }) => formatAmount(spentFen, simulation.currency), as: 'number' },
      { title: 'LOADED', cell: ({ loaded }) => loaded, as: 'number' },
      { title: 'VISITS', cell: ({ visits }) => visits, as: 'number' },
      { title: 'APPROVED', cell: ({ approvals }) => approvals, as: 'number' },
      { title: 'REFUSED', cell: ({ refused }) => refused, as: 'number' },
    ],
  )
  const level = serviceLevel === null ? 'no demand' : `${(serviceLevel * 100).toFixed(1)}% of demand met`
  await context.writeLines([
    `seed ${world.seed}, ${count(world.machines, 'machine')}, ${count(days, 'day')} from ${start}: ${level}; ${count(total.surplus, 'unit')} did not fit`,
  ])
  await context.writeLines([...new Set(simulation.failures)].map((failure) => context.style.red(failure)))
  if (observe)
    context.suggest(`simulate ${days} --seed ${world.seed} --start ${start}`, 'simulates the same days with runs')
  else
    context.suggest(
      `simulate ${days} --seed ${world.seed} --start ${start} --observe --restocking route`,
      'compares with a van on fixed days',
    )
}
