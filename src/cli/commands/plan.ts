/** The replenishment plan: what to order now, and why. */
import { type Language, type ExplainedEntry, explain } from '../../acts/replenishment/index.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit.ts'
import { formatTime } from '../format.ts'
import { count } from '../../kernel/text.ts'
import { requireMachine } from '../lookups.ts'
import type { PlanEntry, ReplenishmentPlan } from '../../contract/shapes/replenishment.ts'

/** Converts a plan entry of the API into what `explain` takes. */
const NO_VISIT = { go: false, risk_share: 0, load: 0 }

function toExplainedEntry(
  {
    location,
    stock,
    demand,
    days_of_cover: daysOfCover,
    at_risk,
    capacity = null,
    recommendation,
    unsold_days,
  }: PlanEntry,
  { visits = [], lead_time }: Pick<ReplenishmentPlan, 'visits' | 'lead_time'>,
): ExplainedEntry {
  const visit = visits.find((each) => each.location === location) ?? NO_VISIT
  const { action, quantity, because } = recommendation
  return {
    stock,
    demand: {
      dailyRate: demand.daily_rate,
      availableDays: demand.available_days,
      measured: demand.measured,
      earlierDays: demand.earlier_days ?? 0,
    },
    daysOfCover,
    recommendation: { action, ...(quantity === undefined ? {} : { quantity }), ...(because ? { because } : {}) },
    basis: {
      atRisk: at_risk ?? false,
      // `watch` although the machine is visited: there was no room for the minimum order.
      unitsIfVisited: action === 'watch' && visit.go ? 0 : (quantity ?? 1),
      room: capacity === null ? null : Math.max(0, capacity - stock),
      leadDays: lead_time.days,
      ...(unsold_days === undefined ? {} : { unsoldDays: unsold_days }),
      visit: { riskShare: visit.risk_share, load: visit.load, lossByWaitingFen: null, visitThresholdFen: null },
    },
  }
}

const isBoxed = ({ rounding }: PlanEntry): boolean => rounding?.unit === 'BX'

export const PLAN: Command = {
  name: 'plan',
  summary: 'what to order now, slot by slot, and why',
  csv: true,
  args: [{ name: 'machine', optional: true }],
  options: {
    all: { kind: 'flag', summary: 'include slots that need nothing' },
    why: { kind: 'flag', summary: 'show the reason below each slot' },
    lang: {
      kind: 'text',
      value: 'zh|en',
      summary: 'language of the reasons (default en)',
      choices: ['zh', 'en'],
    },
    stdin: { kind: 'flag', summary: 'read route states as JSON lines from standard input; needs no service' },
  },
  details:
    'With --stdin each input line is the state of a route and each output line is its plan, computed by the same code as\nin the service. An invalid line produces an error line.',
  examples: [
    ['vendops plan', 'slots to order for or to watch'],
    ['vendops plan M1001 --why', 'with the reason for each'],
    ['vendops plan M1001 --all --lang zh', 'every slot of one machine, with reasons in Chinese'],
    ['vendops plan --stdin < states.jsonl > plans.jsonl', 'plans without a service'],
  ],
  async run(context, args) {
    const { terminal } = context
    if (args.flag('stdin')) {
      const { planLines } = await import('../../acts/replenishment/planner-cli/plan-lines.ts')
      await planLines(terminal.input, (text) => terminal.out(text))
      return EXIT.ok
    }
    const machine = args.optional('machine')
    if (machine !== undefined) await requireMachine(context.client, machine)
    const plan = await context.withProgress('planning', () => context.client.getPlan({ signal: context.signal }))
    await context.writeJson(plan)
    const language = (args.text('lang') ?? 'en') as Language
    const showReasons = args.flag('why') || args.text('lang') !== undefined
    const shown = plan.plans.filter(
      ({ location, recommendation: { action } }) =>
        (machine === undefined || location === machine) &&
        (args.flag('all') || action === 'order' || action === 'watch'),
    )
    const ordered = shown.filter(({ recommendation }) => recommendation.action === 'order')
    const inTransit = plan.plans.filter(
      ({ location, recommendation: { action } }) =>
        action === 'in_transit' && (machine === undefined || location === machine),
    ).length
    await context.writeTable(
      shown,
      [
        { title: 'SLOT', cell: ({ slot_id }) => slot_id },
        { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
        { title: 'STOCK', cell: ({ stock }) => stock, as: 'number' },
        { title: 'PER DAY', cell: ({ demand }) => demand.daily_rate.toFixed(2), as: 'number', optional: true },
        {
          title: 'LASTS',
          cell: ({ days_of_cover: days }) =>
            days === null ? undefined : `${(Math.round(days * 10) / 10).toFixed(1)}d`,
          as: 'number',
        },
        {
          title: 'RUNS OUT',
          cell: ({ stockout_at, empty_since }) =>
            empty_since === undefined ? formatTime(stockout_at) : `empty since ${formatTime(empty_since)}`,
          optional: true,
        },
        { title: 'ACTION', cell: ({ recommendation }) => recommendation.action, as: 'state' },
        { title: 'QTY', cell: ({ recommendation }) => recommendation.quantity, as: 'number' },
        { title: 'STORE ROOM', cell: ({ from_storeroom: n }) => n, as: 'number', ifFilled: true },
        // Where our own count or refill is newer than what the machine said.
        { title: 'COUNTED', cell: ({ counted_at }) => formatTime(counted_at), optional: true, ifFilled: true },
        { title: 'RECEIVED', cell: ({ received_at }) => formatTime(received_at), optional: true, ifFilled: true },
        {
          title: 'MACHINE SAYS',
          cell: ({ reported_stock }) => reported_stock,
          as: 'number',
          optional: true,
          ifFilled: true,
        },
        // Only where a supplier sells no single items.
        ...(shown.some(isBoxed)
          ? [
              {
                title: 'SOLD IN',
                cell: (entry: PlanEntry) => (isBoxed(entry) ? `boxes of ${entry.rounding?.contains}` : undefined),
              },
            ]
          : []),
      ],
      {
        none: `nothing to order or watch${inTransit > 0 ? `; ${inTransit} slots are in transit (--all shows them)` : ''}`,
        remark: showReasons
          ? (entry) => explain(toExplainedEntry(entry, plan), language, entry.price?.currency ?? '')
          : undefined,
      },
    )
    const { days, source, samples } = plan.lead_time
    const units = ordered.reduce((total, { recommendation }) => total + (recommendation.quantity ?? 0), 0)
    const stored = ordered.reduce((total, { from_storeroom: n = 0 }) => total + n, 0)
    const supply = stored === 0 ? '' : `: ${stored} from the store room, ${units - stored} to order`
    await context.writeLines([
      `${count(ordered.length, 'slot')} to ${stored === 0 ? 'order' : 'fill'}, ${count(units, 'unit')}${supply}; delivery time ${days} days (${source}, ${count(samples, 'sample')}); strategy ${plan.strategy_version}`,
    ])
    context.writeMessages(plan.messages)
    if (ordered.length > 0) context.suggest('runs create', 'creates a run from this plan')
    else if (plan.messages?.some(({ code }) => code === 'stock_unknown'))
      context.suggest(`slots count ${machine ?? '<machine>'} --help`, 'enters what is in the slots')
    else context.suggest('sync', 'reads the machines again')
  },
}
