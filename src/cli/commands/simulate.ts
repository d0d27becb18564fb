/** Plays days of a route against the running code, in one process and as fast as it goes. */
import { addDays, DAY, HOUR, isTimeZone, localDay, startOfDay, systemClock } from '../../kernel/clock.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT, UsageError } from '../exit.ts'
import type { ParsedArgs } from '../parsed-args.ts'
import { count, yuan } from '../format.ts'
import type { Period, Report } from '../simulate/report.ts'
import type { Stage } from '../simulate/stage.ts'

const RESTOCKING = ['none', 'route', 'rescue'] as const
/** The hour at which the operator plans and drives out. */
const MORNING_HOUR = 7

export const SIMULATE: Command = {
  name: 'simulate',
  group: 'Tools',
  summary: 'play days of a route: what it sells, loses, orders and spends',
  args: [{ name: 'days', optional: true }],
  options: {
    seed: { kind: 'number', value: 'N', summary: 'of the simulated world (1)' },
    start: { kind: 'text', value: 'DAY', summary: 'first day, like 2026-09-01 (today)' },
    machines: { kind: 'number', value: 'N', summary: 'how many (12)' },
    traffic: { kind: 'text', value: 'X', summary: 'shoppers times this (1)' },
    every: { kind: 'number', value: 'DAYS', summary: 'days between two runs (1)' },
    step: { kind: 'number', value: 'HOURS', summary: 'hours between two syncs (12; divides 24)' },
    by: { kind: 'text', value: 'day|week', summary: 'lines of the report (week)', choices: ['day', 'week'] },
    checkouts: { kind: 'flag', summary: 'buy through checkouts at the simulated supplier, whole boxes, real arrivals' },
    observe: { kind: 'flag', summary: 'only sell and sync; nobody plans or buys' },
    restocking: { kind: 'text', value: 'HOW', summary: 'who else fills machines (none)', choices: RESTOCKING },
    keep: { kind: 'text', value: 'FILE', summary: 'keep the database for a look afterwards' },
  },
  details:
    'Simulated vendors, the real service, your guardrails file and plan parameters from the environment; no money and no\nnetwork. The same seed and start give the same numbers. A scripted owner approves everything, so what the guardrails\nstop is still told.',
  examples: [
    ['vendops simulate', 'thirty days, by week'],
    ['vendops simulate 90 --seed 7 --every 2', 'a quarter, planning every other day'],
    ['PLAN_PARAMS=\'{"cover_days":10}\' vendops simulate 60 --json', 'would a longer cover pay?'],
    ['vendops simulate 30 --observe --restocking route', 'a van on fixed days instead, to compare with'],
  ],
  async run(context, given) {
    const days = wholeDays(given.optional('days') ?? '30')
    const step = given.whole('step', 12, 1, 24)
    if (24 % step !== 0) throw new UsageError('--step must divide a day: 1, 2, 3, 4, 6, 8, 12 or 24')
    const [{ openStage }, { people }, { reportOf }] = await Promise.all([
      import('../simulate/stage.ts'),
      import('../simulate/owner.ts'),
      import('../simulate/report.ts'),
    ])
    const zone = context.env['TIMEZONE'] ?? 'Asia/Shanghai'
    if (!isTimeZone(zone)) throw new UsageError('TIMEZONE is not a time zone')
    const start = startDay(given, zone)
    const startMs = startOfDay(start, zone)
    const stage = await openStage({
      env: context.env,
      startMs,
      stepMs: step * HOUR,
      seed: given.whole('seed', 1, 0, 2 ** 31),
      machines: given.text('machines') === undefined ? undefined : given.whole('machines', 12, 1, 2000),
      traffic: trafficOf(given.text('traffic')),
      restocking: RESTOCKING.find((how) => how === given.text('restocking')) ?? 'none',
      checkouts: given.flag('checkouts'),
      database: given.text('keep'),
    })
    try {
      const { deeds, order, load, confirmAliases } = people(stage)
      const observe = given.flag('observe')
      const every = given.whole('every', 1, 1, 60)
      await context.during('playing', async (progress) => {
        progress.update('setting the stage', 0)
        await register(stage)
        if (given.flag('checkouts')) await confirmAliases()
        for (let day = 0; day < days; day++) {
          context.signal.throwIfAborted()
          progress.update(addDays(start, day), day / days)
          await playDay(stage, step, observe ? undefined : { order: day % every === 0 ? order : undefined, load })
        }
      })
      const dates = Array.from({ length: days }, (_, i) => addDays(start, i))
      const tallies = stage.simulator.world.tally(startMs, startMs + days * DAY - 1)
      const perPeriod = given.text('by') === 'day' ? 1 : 7
      const report = reportOf(dates, perPeriod, stage.timeZone, tallies, deeds)
      await present(context, report, { start, days, stage, every, observe })
      return stage.failures.length > 0 ? EXIT.failed : EXIT.ok
    } finally {
      await stage.close()
    }
  },
}

interface Morning {
  readonly order: (() => Promise<void>) | undefined
  readonly load: () => Promise<void>
}

/** From midnight to midnight, a step at a time; people work at the first step that has reached the morning. */
async function playDay(stage: Stage, step: number, morning: Morning | undefined): Promise<void> {
  let worked = false
  for (let hour = step; hour <= 24; hour += step) {
    await stage.advance(step * HOUR)
    if (!morning || worked || hour < MORNING_HOUR) continue
    worked = true
    await morning.load()
    await morning.order?.()
  }
}

/** Through the interface, as an operator does it. */
async function register({ client, simulator }: Stage): Promise<void> {
  for (const { id, name, profile } of simulator.machines())
    await client.putLocation({ params: { id }, body: { name, profile } })
  await client.syncLocations()
}

function wholeDays(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1) throw new UsageError(`"${text}" is not a number of days`)
  return Number(text)
}

function startDay(given: ParsedArgs, zone: string): string {
  const stated = given.text('start')
  if (stated === undefined) return localDay(systemClock.now(), zone)
  if (!/^\d{4}-\d\d-\d\d$/.test(stated)) throw new UsageError(`--start should look like 2026-09-01`)
  return stated
}

function trafficOf(text: string | undefined): number {
  const traffic = Number(text ?? '1')
  if (!(traffic > 0 && traffic <= 100)) throw new UsageError('--traffic must be a number above 0, at most 100')
  return traffic
}

interface Played {
  readonly start: string
  readonly days: number
  readonly every: number
  readonly observe: boolean
  readonly stage: Stage
}

async function present(context: Context, report: Report, played: Played): Promise<void> {
  const { stage, start, days, observe } = played
  const { periods, total, serviceLevel } = report
  const world = { seed: stage.simulator.world.seed, start, days, machines: stage.simulator.machines().length }
  await context.data({ ...world, ...report, failures: stage.failures })
  await context.table<Omit<Period, 'from'> & { from: string }>(
    [...periods, { from: 'total', ...total }],
    [
      { title: 'FROM', cell: ({ from }) => from },
      { title: 'SOLD', cell: ({ sold }) => sold, as: 'number' },
      { title: 'REVENUE', cell: ({ revenueFen }) => yuan(revenueFen), as: 'number' },
      { title: 'LOST', cell: ({ lost }) => lost, as: 'number' },
      { title: 'ORDERED', cell: ({ ordered }) => ordered, as: 'number' },
      { title: 'SPENT', cell: ({ spentFen }) => yuan(spentFen), as: 'number' },
      { title: 'LOADED', cell: ({ loaded }) => loaded, as: 'number' },
      { title: 'VISITS', cell: ({ visits }) => visits, as: 'number' },
      { title: 'APPROVED', cell: ({ approvals }) => approvals, as: 'number' },
      { title: 'REFUSED', cell: ({ refused }) => refused, as: 'number' },
    ],
  )
  const level = serviceLevel === null ? 'nobody came' : `${(serviceLevel * 100).toFixed(1)}% of wishes met`
  await context.say([
    `seed ${world.seed}, ${count(world.machines, 'machine')}, ${count(days, 'day')} from ${start}: ${level}; ${count(total.surplus, 'unit')} found no room`,
  ])
  await context.say([...new Set(stage.failures)].map((failure) => context.style.red(failure)))
  if (observe) context.next(`simulate ${days} --seed ${world.seed} --start ${start}`, 'the same days, with runs')
  else
    context.next(
      `simulate ${days} --seed ${world.seed} --start ${start} --observe --restocking route`,
      'compares with a van on fixed days',
    )
}
