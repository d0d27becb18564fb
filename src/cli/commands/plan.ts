/** What would be ordered now, and why. */
import { explain } from '../../capabilities/replenishment/index.ts'
import type { Language } from '../../capabilities/replenishment/index.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit.ts'
import { count, when } from '../format.ts'
import { entryOf } from '../plan-entry.ts'

export const PLAN: Command = {
  name: 'plan',
  group: 'Stock and prices',
  summary: 'what to order now, slot by slot, and why',
  args: [{ name: 'machine', optional: true }],
  options: {
    all: { kind: 'flag', summary: 'also slots that need nothing' },
    why: { kind: 'flag', summary: 'the reason below each slot' },
    lang: { kind: 'text', value: 'zh|en', summary: 'reasons in this language (en)', choices: ['zh', 'en'] },
    stdin: { kind: 'flag', summary: 'plan states given as JSON lines on standard input; needs no service' },
  },
  details:
    'With --stdin every input line is one state of a route, every output line its plan, by the same code the service\nruns. A line that cannot be read is answered with an error line.',
  examples: [
    ['vendops plan', 'what to order and what to watch'],
    ['vendops plan M1001 --why', 'with a sentence on each'],
    ['vendops plan M1001 --all --lang zh', 'every slot of one machine, with reasons in Chinese'],
    ['vendops plan --stdin < states.jsonl > plans.jsonl', 'plans without a service'],
  ],
  async run(context, given) {
    const { terminal } = context
    if (given.flag('stdin')) {
      const { planLines } = await import('../../capabilities/replenishment/planner-cli/plan-lines.ts')
      await planLines(terminal.input, (text) => terminal.out(text))
      return EXIT.ok
    }
    const plan = await context.during('planning', () => context.client.getPlan({ signal: context.signal }))
    await context.data(plan)
    const machine = given.optional('machine')
    const language = (given.text('lang') ?? 'en') as Language
    const reasons = given.flag('why') || given.text('lang') !== undefined
    const shown = plan.plans.filter(
      ({ location, recommendation: { action } }) =>
        (machine === undefined || location === machine) &&
        (given.flag('all') || action === 'order' || action === 'watch'),
    )
    const ordered = shown.filter(({ recommendation }) => recommendation.action === 'order')
    if (shown.length === 0) await context.say(['nothing to order and nothing to watch'])
    else
      await context.table(
        shown,
        [
          { title: 'SLOT', cell: ({ slot_id }) => slot_id },
          { title: 'GOOD', cell: ({ item }) => item.title, flexible: true },
          { title: 'STOCK', cell: ({ stock }) => stock, as: 'number' },
          { title: 'A DAY', cell: ({ demand }) => demand.daily_rate.toFixed(2), as: 'number' },
          {
            title: 'COVER',
            cell: ({ days_of_cover: days }) => (days === null ? undefined : `${days.toFixed(1)}d`),
            as: 'number',
          },
          { title: 'EMPTY', cell: ({ stockout_at }) => when(stockout_at) },
          { title: 'DO', cell: ({ recommendation }) => recommendation.action, as: 'state' },
          { title: 'QTY', cell: ({ recommendation }) => recommendation.quantity, as: 'number' },
        ],
        reasons ? (entry) => explain(entryOf(entry, plan), language) : undefined,
      )
    const { days, source, samples } = plan.lead_time
    const units = ordered.reduce((sum, { recommendation }) => sum + (recommendation.quantity ?? 0), 0)
    await context.say([
      `${count(ordered.length, 'slot')} to order, ${count(units, 'unit')}; lead time ${days} days (${source}, ${count(samples, 'sample')}); strategy ${plan.strategy_version}`,
    ])
    context.messages(plan.messages)
    if (ordered.length > 0) context.next('runs create', 'makes a run of it')
    else context.next('sync', 'reads the machines anew')
    return EXIT.ok
  },
}
