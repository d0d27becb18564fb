/** What the route earns, what would earn more, and pricing all sales again by what is known now. */
import type { Profit, ProfitGrouping, ProfitRow, ProfitStep } from '../../contract/shapes/money/sales.ts'
import type { EarnStep, MachineWorth } from '../../contract/shapes/money/earn.ts'
import { PROFIT_GROUPINGS } from '../../contract/shapes/money/sales.ts'
import { systemClock } from '../../kernel/clock.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { silentLog } from '../../kernel/log.ts'
import { count } from '../../kernel/text.ts'
import { type Command, LIMIT } from '../command.ts'
import { allConnections, withDatabase } from '../host.ts'
import { requireMachine } from '../lookups.ts'
import type { Column } from '../table.ts'

const nameOf = ({ key }: ProfitRow): string | undefined =>
  key.other ? 'other' : (key.date ?? key.slot_id ?? key.location ?? key.item?.id)

const NAME: Column<ProfitRow> = { title: 'NAME', cell: ({ key }) => key.title, flexible: true }

function stepText({ step, gain_per_week: gain, slots = [], because, ...rest }: ProfitStep, currency: string): string {
  const amount = (fen: number) => formatAmount(fen, currency)
  const [first] = slots
  const { visit_every_days: days, bearable_per_week: bearable } = rest
  const detail = [
    first?.new_price === undefined ? undefined : `${first.item.title} to ${amount(first.new_price)}`,
    first?.par === undefined ? undefined : `${first.item.title} to ${first.par}`,
    first?.in && `${first.in.title} instead of ${first.item.title}`,
    slots.length > 1 ? `${slots.length - 1} more` : undefined,
    days === undefined ? undefined : `every ${count(days, 'day')}`,
    bearable === undefined ? undefined : `to ${amount(bearable)} a week`,
    because?.replaceAll('_', ' '),
  ].filter((part) => part !== undefined)
  const what = detail.length === 0 ? '' : ` (${detail.join(', ')})`
  return `${step.replaceAll('_', ' ')}${what}${gain > 0 ? `: about ${amount(gain)} more a week` : ''}`
}

const columnsOf = (by: ProfitGrouping, currency: string): readonly Column<ProfitRow>[] => {
  const amount = (title: string, of: (row: ProfitRow) => number | undefined): Column<ProfitRow> => ({
    title,
    cell: (row) => {
      const value = of(row)
      return value === undefined ? undefined : formatAmount(value, currency)
    },
    as: 'number',
  })
  return [
    { title: by.toUpperCase(), cell: nameOf },
    ...(by === 'day' || by === 'week' ? [] : [NAME]),
    { title: 'UNITS', cell: ({ units }) => units, as: 'number' },
    amount('REVENUE', ({ revenue }) => revenue),
    amount('GOODS', ({ cost_of_goods }) => cost_of_goods),
    {
      title: 'MARGIN',
      cell: ({ margin_percent: margin }) => (margin === null ? undefined : `${margin}%`),
      as: 'number',
    },
    amount('LOSSES', ({ losses }) => losses),
    amount('VISITS', ({ visit_cost }) => visit_cost),
    amount('COMMISSION', ({ commission }) => commission),
    amount('PROFIT', ({ profit }) => profit),
    amount('BEFORE', ({ previous }) => previous?.profit),
    { title: 'NEXT STEP', cell: ({ next_step: next }) => next && stepText(next, currency), flexible: true },
  ]
}

/** Up to `limit` rows of as many pages as needed; the totals are those of the first. */
async function readRows(read: (cursor: string | undefined) => Promise<Profit>, limit: number) {
  const whole = await read(undefined)
  const found = [...whole.rows]
  for (let page = whole; found.length <= limit && page.pagination.cursor !== undefined; found.push(...page.rows))
    page = await read(page.pagination.cursor)
  return { whole, found: found.slice(0, limit), hasMore: found.length > limit }
}

const ROWS_MAX = 100_000

export const PROFIT: Command = {
  name: 'profit',
  summary: 'what the route earns, by day, week, machine, product or slot',
  csv: true,
  options: {
    by: { kind: 'text', value: 'WHAT', summary: 'default: day', choices: [...PROFIT_GROUPINGS] },
    from: { kind: 'text', value: 'DATE', summary: 'first day (default: the last 7 full days)' },
    to: { kind: 'text', value: 'DATE', summary: 'last day (default: yesterday)' },
    compare: { kind: 'flag', summary: 'compared with as many days before' },
    machine: { kind: 'text', value: 'ID', summary: 'only this machine' },
    sku: { kind: 'text', value: 'SKU_ID', summary: 'only this product' },
    steps: { kind: 'flag', summary: 'what to do about the first 20 machines or products' },
    sort: { kind: 'text', value: 'COLUMN', summary: 'such as revenue or -profit (descending)' },
    limit: LIMIT,
  },
  examples: [
    ['vendops profit', 'the last 7 full days'],
    ['vendops profit --by location --compare --sort profit', 'the machines that earn least first'],
    ['vendops profit --by product --sort profit --steps', 'what to do about the products that earn least'],
    [
      'vendops profit --by product --from 2026-09-01 --to 2026-09-30 --csv > september.csv',
      'a month for a spreadsheet',
    ],
  ],
  async run(context, args) {
    const by = (args.text('by') ?? 'day') as ProfitGrouping
    // A spreadsheet must not lack rows without a word; a terminal is told.
    const limit = args.wholeNumber('limit', args.flag('csv') ? ROWS_MAX : 20, 1, ROWS_MAX)
    const location = args.text('machine')
    const query = {
      by,
      from: args.text('from'),
      to: args.text('to'),
      compare: args.flag('compare') ? ('previous' as const) : undefined,
      location,
      sku_id: args.text('sku'),
      steps: args.flag('steps') || undefined,
      sort: args.text('sort'),
      limit: Math.min(100, limit + 1),
    }
    const { found, hasMore, whole } = await context.withProgress('adding up', () =>
      readRows((cursor) => context.client.getProfit({ query: { ...query, cursor }, signal: context.signal }), limit),
    )
    const { period, currency, totals, messages } = whole
    await context.writeJson({ period, currency, rows: found, totals, has_more: hasMore, messages: messages ?? [] })
    if (location !== undefined && totals.units === 0) await requireMachine(context.client, location)
    await context.writeTable(found, columnsOf(by, currency), { none: 'nothing was sold' })
    context.writeMessages(messages)
    const [revenue, profit] = [totals.revenue, totals.profit].map((each) => formatAmount(each, currency))
    const before = totals.previous ? ` (${formatAmount(totals.previous.profit, currency)} before)` : ''
    await context.writeLines([
      `${period.from} to ${period.to}: ${count(totals.units, 'unit')}, revenue ${revenue}, profit ${profit}${before}`,
    ])
    if (hasMore) context.suggest(`profit --by ${by} --limit ${whole.pagination.total_count}`, 'shows all rows')
    else if (by === 'day') context.suggest('profit --by location --sort profit', 'shows which machines earn least')
  },
}

export const PROFIT_REBUILD: Command = {
  name: 'profit rebuild',
  summary: 'work out the cost of all stored sales again, by what is known now',
  details: `A sale keeps the cost that was known when it was stored. After products were linked or costs were corrected, this prices
every sale by the average that was paid, else the cost in the ledger, else the supplier's price. In staging and where a
supplier does not answer, its price is not used; a known cost is never replaced by an estimate.`,
  examples: [['vendops profit rebuild', 'on the server; the service may run']],
  async run(context) {
    const { rebuildCosts } = await import('../../route/sales/index.ts')
    const { liveSuppliers } = await import('../../route/skus/index.ts')
    const { deployVendors } = await import('../../vendors/deployment.ts')
    const { connectionNeeds } = await import('../../route/connections/index.ts')
    const { readDatabaseId } = await import('../../store/database-id.ts')
    return withDatabase(context.env, async (store, config) => {
      const deployment = deployVendors(config.env === 'live' ? await allConnections(context.env, config, store) : [], {
        clock: systemClock,
        log: silentLog,
        timeoutMs: config.upstreamTimeoutMs,
        ...connectionNeeds(store, silentLog, await readDatabaseId(store.db)),
      })
      try {
        const { vendors } = deployment
        const rebuilt = await context.withProgress('pricing sales', async () => {
          for (const namespace of liveSuppliers({ vendors })) {
            const vendor = vendors.supply(namespace)
            if (vendor.ok) await vendor.value.catalog()
          }
          return rebuildCosts({ store, vendors })
        })
        await context.writeJson(rebuilt)
        await context.writeLines([
          `${count(rebuilt.sales, 'sale')} of ${count(rebuilt.machines, 'machine')} worked out again`,
        ])
        context.suggest('profit', 'shows what the route earns')
      } finally {
        await deployment.close()
      }
    })
  },
}

function describeStep(
  { step, item, in: better, change = 0, machines = 0, lanes = [], ...rest }: EarnStep,
  currency: string,
) {
  const title = item?.title ?? ''
  switch (step) {
    case 'layout':
      return lanes
        .map(({ lane, now, proposed }) => `slot ${lane}: ${proposed.title} instead of ${now.title}`)
        .join(', ')
    case 'swap':
      return rest.price === undefined
        ? `try ${better?.title ?? ''} instead of ${title}`
        : `try ${better?.title ?? ''}, new, at ${formatAmount(rest.price, currency)} instead of ${title}`
    case 'price':
      return `try ${title} at ${change > 0 ? '+' : ''}${formatAmount(change, currency)} in ${count(machines, 'machine')}`
    case 'fewer_visits':
      return `visit about every ${count(rest.visit_every_days ?? 0, 'day')}`
    case 'less_stock':
      return 'bring less of what is thrown away'
    case 'dead_stock':
      return `${title}: no sale in 30 days, ${count(rest.units ?? 0, 'unit')} to take to another machine`
    case 'move':
      return `take ${count(rest.units ?? 0, 'unit')} of ${title} to ${rest.to?.location_name ?? ''}: here they would be too old`
    case 'renegotiate':
      return 'ask for a lower commission or rent'
    case 'remove':
      return 'earns less than its visits: move it, ask for a lower commission, or close it'
  }
}

/** The command that takes the step. */
function commandOf({
  step,
  location = '',
  slot_id: slotId = '',
  item,
  in: better,
  price,
  lanes = [],
}: EarnStep): string | undefined {
  if (step === 'layout') return `layout accept ${location} ${lanes[0]?.lane ?? ''}`
  // A price is typed by the one who confirms it.
  if (step === 'swap') return `swaps accept ${slotId} ${better?.id ?? ''}${price === undefined ? ' --start' : ''}`
  if (step === 'price') return `trials start ${item?.id ?? ''}`
  if (step === 'dead_stock') return `products phase-out ${item?.id ?? ''} --machine ${location}`
  return undefined
}

const VERDICTS: Readonly<Record<MachineWorth['verdict'], string>> = {
  pays: 'earns more than it costs',
  pays_with_steps: 'earns less than it costs, and should pay with the steps below',
  does_not_pay: 'earns less than it costs, whatever is done: move it, ask for a lower commission, or close it',
  too_early: 'too early to judge, two weeks of sales are needed',
}

export const EARN: Command = {
  name: 'earn',
  summary: 'the ten steps that would earn most next, with gain per week and how uncertain it is',
  csv: true,
  options: { machine: { kind: 'text', value: 'ID', summary: 'of this machine, and whether it is worth its place' } },
  examples: [
    ['vendops earn', 'the largest gain first'],
    ['vendops earn --machine M001', 'what one machine earns a month, now and at best'],
  ],
  async run(context, args) {
    const response = await context.client.getEarn({ query: { location: args.text('machine') } })
    await context.writeReply(response)
    const { steps, currency, worth, messages } = response
    const amount = (fen: number) => formatAmount(fen, currency)
    if (worth) {
      const { profit_per_month: now, best_per_month: best, visits_per_month: visits } = worth
      await context.writeLines([
        `${VERDICTS[worth.verdict]}: profit ${amount(now)} a month, ${amount(best)} with the steps below; ${visits} visits a month`,
        ...(worth.bearable_per_month === undefined
          ? []
          : [`it can pay ${amount(worth.bearable_per_month)} of commission and rent a month`]),
      ])
      context.writeMessages(messages)
    }
    await context.writeTable(
      steps,
      [
        { title: 'STEP', cell: ({ step }) => step.replaceAll('_', ' ') },
        { title: 'MACHINE', cell: (step) => step.location_name ?? step.location, flexible: true },
        { title: 'WHAT', cell: (step) => describeStep(step, currency), flexible: true },
        {
          title: 'GAIN/WEEK',
          cell: ({ expected }) => `${amount(expected.gain)} ± ${amount(expected.error)}`,
          as: 'number',
        },
      ],
      { none: 'nothing better is known now' },
    )
    const first = steps.map(commandOf).find((command) => command !== undefined)
    if (first) context.suggest(first, 'takes the first step')
  },
}
