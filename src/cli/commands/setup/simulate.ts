/** Simulates days of a route in one process, with the real service over simulated vendors. */
import { HOUR, isTimeZone, localDay, SECOND, startOfDay, systemClock } from '../../../kernel/clock.ts'
import type { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { EXIT, UsageError } from '../../exit.ts'
import type { ParsedArgs } from '../../parsed-args.ts'
import { formatAmount } from '../../../kernel/currency.ts'
import { count } from '../../../kernel/text.ts'
import type { CallSummary } from '../../simulate/agent/calls.ts'
import type { OperatorFigures } from '../../simulate/operator-figures.ts'
import type { Outcome } from '../../simulate/play.ts'
import type { Period } from '../../simulate/report.ts'
import type { Simulation } from '../../simulate/simulation.ts'

const RESTOCKING = ['none', 'route', 'rescue'] as const

export const SIMULATE: Command = {
  name: 'simulate',
  summary: 'simulate days of a route: sales, lost sales, orders and spending',
  args: [{ name: 'days', optional: true }],
  options: {
    seed: { kind: 'number', value: 'N', summary: 'seed of the simulated world (default 1)' },
    start: { kind: 'text', value: 'DAY', summary: 'first day, e.g. 2026-09-01 (default today)' },
    machines: { kind: 'number', value: 'N', summary: 'number of machines (default 12)' },
    products: { kind: 'number', value: 'N', summary: 'number of products of the range' },
    traffic: { kind: 'text', value: 'X', summary: 'multiplies the number of shoppers (default 1)' },
    every: { kind: 'number', value: 'DAYS', summary: 'days between two runs (default 1)' },
    step: { kind: 'number', value: 'HOURS', summary: 'hours between two syncs, a divisor of 24 (default 12)' },
    by: { kind: 'text', value: 'day|week', summary: 'rows of the report (default week)', choices: ['day', 'week'] },
    checkouts: { kind: 'flag', summary: 'order through checkouts at the simulated supplier, in whole boxes' },
    cases: { kind: 'flag', summary: 'as --checkouts, at a supplier that sells nothing but whole cases' },
    agent: {
      kind: 'text',
      value: 'CMD',
      summary: 'a program that runs the route through MCP tools: scripted, reckless, or a command (docs/agents.md)',
    },
    operator: { kind: 'flag', summary: 'the operator of the service runs the route (docs/operator.md)' },
    'try-prices': { kind: 'flag', summary: 'as --operator, which also tries prices' },
    'try-products': { kind: 'flag', summary: 'as --operator, which also tries products' },
    'agent-timeout': { kind: 'number', value: 'SECONDS', summary: 'time of the agent for one turn (default 600)' },
    compare: { kind: 'flag', summary: 'also simulate the days with each machine decided alone, without shared trips' },
    'follow-steps': {
      kind: 'number',
      value: 'DAY',
      summary: 'from this day on, once a week, take the steps that the profit report proposes',
    },
    observe: { kind: 'flag', summary: 'only sell and sync; no planning or ordering' },
    restocking: { kind: 'text', value: 'HOW', summary: 'other restocking (default none)', choices: RESTOCKING },
    keep: { kind: 'text', value: 'FILE', summary: 'keep the database in this file' },
  },
  details:
    'Runs the real service with simulated vendors and with your rules file and plan parameters. No money, no network.\nThe same seed and start give the same numbers. A simulated owner approves everything; refusals by the guardrails are\ncounted. With --agent a program orders instead of the owner, who then only decides what the program asks for.',
  examples: [
    ['vendops simulate', '30 days, by week'],
    ['vendops simulate 90 --seed 7 --every 2', '90 days, planning every other day'],
    ['PLAN_PARAMS=\'{"cover_days":10}\' vendops simulate 60 --json', 'the effect of a longer cover'],
    ['TRIP_COST_FEN=6000 STOP_COST_FEN=2000 vendops simulate 90 --compare', 'what shared trips are worth'],
    [
      'STOREROOM=off vendops simulate 12 --by day --every 6 --machines 15 --products 300 --cases',
      'two runs at a supplier that sells whole cases, without a store room',
    ],
    ['vendops simulate 30 --observe --restocking route', 'a van on fixed days, for comparison'],
    ['vendops simulate 30 --agent scripted', 'the agent that comes with it, over MCP'],
    ['vendops simulate 30 --agent "node my-agent.mjs"', 'an agent of your own'],
  ],
  async run(context, args) {
    const days = parseDays(args.optional('days') ?? '30')
    const step = args.wholeNumber('step', 12, 1, 24)
    if (24 % step !== 0) throw new UsageError('--step must be a divisor of 24: 1, 2, 3, 4, 6, 8, 12 or 24')
    const command = args.text('agent')
    if (command !== undefined && args.flag('observe')) throw new UsageError('--agent and --observe exclude each other')
    const [{ openSimulation }, { playDays }, { openAgentServer }, { startAgent }, { summarizeCalls }] =
      await Promise.all([
        import('../../simulate/simulation.ts'),
        import('../../simulate/play.ts'),
        import('../../simulate/agent/agent-server.ts'),
        import('../../simulate/agent/agent-process.ts'),
        import('../../simulate/agent/calls.ts'),
      ])
    const zone = context.env['TIMEZONE'] ?? 'Asia/Shanghai'
    if (!isTimeZone(zone)) throw new UsageError('TIMEZONE must be an IANA time zone name')
    const start = parseStartDay(args, zone)
    const startMs = startOfDay(start, zone)
    const agentServer = command === undefined ? undefined : await openAgentServer()
    const isOperated = args.flag('operator') || args.flag('try-prices') || args.flag('try-products')
    if (isOperated && (command !== undefined || args.flag('observe')))
      throw new UsageError('--operator, --agent and --observe exclude each other')
    const checkouts = args.flag('checkouts') || args.flag('cases') || isOperated || command !== undefined
    const options = {
      env: context.env,
      startMs,
      stepMs: step * HOUR,
      seed: args.wholeNumber('seed', 1, 0, 2 ** 31),
      machines: args.text('machines') === undefined ? undefined : args.wholeNumber('machines', 12, 1, 2000),
      products: args.text('products') === undefined ? undefined : args.wholeNumber('products', 60, 10, 5000),
      traffic: parseTraffic(args.text('traffic')),
      restocking: RESTOCKING.find((how) => how === args.text('restocking')) ?? 'none',
      checkouts,
      cases: args.flag('cases'),
      database: args.text('keep'),
      publicUrl: agentServer?.url,
    }
    const simulation = await openSimulation(options)
    agentServer?.connect(simulation.fetch)
    const agent =
      command === undefined || !agentServer
        ? undefined
        : startAgent({
            command,
            url: agentServer.url,
            key: await simulation.addOperator('agent'),
            env: context.env,
            timeoutMs: args.wholeNumber('agent-timeout', 600, 1, 86_400) * SECOND,
          })
    const every = args.wholeNumber('every', 1, 1, 60)
    const observe = args.flag('observe')
    const play = (played: Simulation) =>
      context.withProgress('simulating', async (progress) => {
        progress.update('setting up', 0)
        return playDays(played, {
          start,
          startMs,
          days,
          stepHours: step,
          daysPerPeriod: args.text('by') === 'day' ? 1 : 7,
          orders: agent
            ? { by: 'agent', agent }
            : isOperated
              ? { by: 'operator', triesPrices: args.flag('try-prices'), triesProducts: args.flag('try-products') }
              : observe
                ? { by: 'nobody' }
                : { by: 'owner', every },
          confirmAliases: checkouts,
          followStepsFrom:
            args.text('follow-steps') === undefined ? undefined : args.wholeNumber('follow-steps', 30, 0, 10_000),
          onDay: (date, share) => {
            context.signal.throwIfAborted()
            progress.update(date, share)
          },
        })
      })
    /** The same days with a planner that knows no trips. */
    const playApart = async () => {
      const apart = await openSimulation({ ...options, sharedTrips: false })
      try {
        return await play(apart)
      } finally {
        await apart.close()
      }
    }
    try {
      if (args.flag('compare') && (observe || agent || simulation.driving.tripCostFen === 0))
        throw new UsageError('--compare needs TRIP_COST_FEN, and neither --agent nor --observe')
      const outcome = await play(simulation)
      const apart = args.flag('compare') ? await playApart() : undefined
      const calls = agentServer && summarizeCalls(agentServer.calls)
      await printReport(context, outcome, { start, days, simulation, observe, calls, apart })
      return simulation.failures.length > 0 ? EXIT.failed : EXIT.ok
    } finally {
      await agent?.close()
      await agentServer?.close()
      await simulation.close()
    }
  },
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
  readonly observe: boolean
  readonly simulation: Simulation
  /** Of an agent. */
  readonly calls: CallSummary | undefined
  /** The same days with each machine decided alone. */
  readonly apart: Outcome | undefined
}

async function printReport(context: Context, outcome: Outcome, played: SimulationRun): Promise<void> {
  const { simulation, start, days, observe, calls, apart } = played
  const { periods, total, serviceLevel, accounts, emptyShare, storeroom } = outcome
  const amount = (fen: number) => formatAmount(fen, simulation.currency)
  const world = { seed: simulation.simulator.world.seed, start, days, machines: simulation.simulator.machines().length }
  await context.writeJson({
    ...world,
    ...outcome,
    ...(calls ? { agent: calls } : {}),
    ...(apart ? { apart: { total: apart.total, accounts: apart.accounts, serviceLevel: apart.serviceLevel } } : {}),
    failures: simulation.failures,
  })
  await context.writeTable<Omit<Period, 'from'> & { from: string }>(
    [...periods, { from: 'total', ...total }],
    [
      { title: 'FROM', cell: ({ from }) => from },
      { title: 'SOLD', cell: ({ sold }) => sold, as: 'number' },
      { title: 'REVENUE', cell: ({ revenueFen }) => amount(revenueFen), as: 'number' },
      { title: 'LOST', cell: ({ lost }) => lost, as: 'number' },
      { title: 'BOUGHT', cell: ({ bought }) => bought, as: 'number' },
      { title: 'SPENT', cell: ({ spentFen }) => amount(spentFen), as: 'number' },
      { title: 'LOADED', cell: ({ loaded }) => loaded, as: 'number' },
      { title: 'VISITS', cell: ({ visits }) => visits, as: 'number' },
      { title: 'APPROVED', cell: ({ approvals }) => approvals, as: 'number' },
      { title: 'REFUSED', cell: ({ refused }) => refused, as: 'number' },
    ],
  )
  const level = serviceLevel === null ? 'no demand' : `${(serviceLevel * 100).toFixed(1)}% of demand met`
  await context.writeLines([
    `seed ${world.seed}, ${count(world.machines, 'machine')}, ${count(days, 'day')} from ${start}: ${level}`,
    `${count(total.bought, 'unit')} bought, ${count(total.loaded, 'unit')} loaded from deliveries and the store room, ${count(total.surplus, 'unit')} did not fit; ${count(storeroom.units, 'unit')} in the store room at the end (${amount(storeroom.valueFen)})`,
    `profit ${amount(accounts.profitFen)}: revenue ${amount(accounts.revenueFen)}, spent ${amount(accounts.spentFen)}, driving ${amount(accounts.drivingFen)}, change of the stock ${amount(accounts.stockChangeFen)}; ${(emptyShare * 100).toFixed(1)}% of slots empty in the morning`,
    ...(total.trips === 0 ? [] : [tripLine(outcome, amount)]),
    ...(apart
      ? [`each machine decided alone: profit ${amount(apart.accounts.profitFen)}; ${tripLine(apart, amount)}`]
      : []),
    ...(total.steps === 0
      ? []
      : [`${count(total.steps, 'step')} of the profit report taken: ${countCodes(outcome.steps)}`]),
    ...(calls ? agentLines(calls) : []),
    ...(outcome.operator ? operatorLines(outcome.operator) : []),
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

const tripLine = ({ total: { trips, stops, meters, drivingFen, expired } }: Outcome, amount: (fen: number) => string) =>
  `${count(trips, 'trip')}, ${(stops / Math.max(1, trips)).toFixed(1)} stops each, ${Math.round(meters / 1000).toLocaleString('en')} km, driving ${amount(drivingFen)}${expired === 0 ? '' : `; ${count(expired, 'unit')} expired`}`

const countCodes = (codes: Readonly<Record<string, number>>): string => {
  const entries = Object.entries(codes)
  return entries.length === 0 ? 'none' : entries.map(([code, times]) => `${code} ${times}`).join(', ')
}

const operatorLines = ({
  supplierOrders,
  purchases,
  violations,
  broken,
  trials,
  ...asked
}: OperatorFigures): readonly string[] => [
  `operator: ${count(supplierOrders, 'order')} at the supplier, ${count(purchases, 'purchase')}; ${violations === 0 ? 'no rule broken' : `rules broken without a yes: ${countCodes(broken)}`}`,
  `questions: ${asked.questionsPerWeek} a week (${countCodes(asked.asked)})`,
  ...(Object.keys(trials).length === 0 ? [] : [`price trials: ${countCodes(trials)}`]),
]

const agentLines = ({ calls, asked, violations, failed }: CallSummary): readonly string[] => [
  `agent: ${count(calls, 'tool call')}, asked the owner ${count(asked, 'time')}`,
  `rule violations tried and refused: ${countCodes(violations)}`,
  `other calls that failed: ${countCodes(failed)}`,
]
