/** Replenishment runs: created from the plan and ordered from the supplier. Receiving them is in visits.ts. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { Message } from '../../contract/common.ts'
import type { ReplenishmentRun } from '../../contract/shapes/run.ts'
import { type Command, LIMIT } from '../command.ts'
import type { Context } from '../context.ts'
import { type Exit, EXIT, exitOfMessages } from '../exit.ts'
import { amountOf, totalOf, formatTime } from '../format.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { runSize } from '../../kernel/sizes.ts'
import { count } from '../../kernel/text.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import { parsePairs, collect, parseWholeNumber, requireMachine } from '../lookups.ts'

/** A driver gets no totals. */
const moneyOf = (totals: ReplenishmentRun['totals'], currency: string) =>
  totals.length === 0 ? undefined : amountOf(totalOf(totals), currency)

const STATUSES = [
  'blocked',
  'nothing_to_do',
  'pending_approval',
  'approved',
  'rejected',
  'placed',
  'delivered',
] as const

const unitsOf = (run: ReplenishmentRun) => runSize(run.line_items).units
function costOf({
  totals,
  currency,
  cost_is_estimated: isEstimated,
  stays_in_storeroom: stays,
}: ReplenishmentRun): string {
  if (totals.length === 0) return '–'
  const boxes = stays ? `, of which ${formatAmount(stays.amount, currency)} stays in the store room` : ''
  return `${formatAmount(totalOf(totals), currency)}${isEstimated ? ' (estimated)' : ''}${boxes}`
}

function suggestNext(context: Context, run: ReplenishmentRun): void {
  switch (run.status) {
    case 'pending_approval':
      return context.suggest(
        `approvals show ${run.actions?.[APPROVAL_ACTION]?.[0]?.id ?? ''}`,
        'shows the pending approval',
      )
    case 'approved':
      return context.suggest(`runs place ${run.id}`, 'orders it from the supplier')
    case 'placed': {
      const open = run.checkouts?.find(({ status }) => status !== 'completed' && status !== 'canceled')
      return open
        ? context.suggest(
            `checkout show ${open.id}`,
            'shows the purchase of this run; it is ordered when it is completed',
          )
        : context.suggest(`pick ${run.id}`, 'shows what to load into the van; vendops receive records it')
    }
    case 'blocked':
      return context.suggest('status', 'shows why the emergency stop is on')
    case 'nothing_to_do':
    case 'rejected':
    case 'delivered':
      return context.suggest('plan', 'shows what to order now')
  }
}

/** Products without a supplier are listed by name, one line each; the messages name only the slots. */
function writeRunMessages(context: Context, { messages = [], line_items }: ReplenishmentRun): void {
  const isUnresolved = ({ code }: Message) => code === 'unresolved_sku'
  context.writeMessages(messages.filter((message) => !isUnresolved(message)))
  if (!messages.some(isUnresolved)) return
  const unresolved = line_items.filter(({ source }) => source === undefined)
  const products = new Map(unresolved.map(({ item }) => [item.id, item.title]))
  for (const [id, title] of products)
    context.writeMessages([{ type: 'warning', code: 'unresolved_sku', content: `${title} (${id}) has no supplier` }])
  const [first] = products.keys()
  if (first !== undefined) context.suggest(`alias ${first}`, 'shows suggestions; confirm one to order it')
}

async function printRun(context: Context, run: ReplenishmentRun): Promise<void> {
  await context.writeFields([
    ['id', run.id],
    ['status', run.status],
    ['created', formatTime(run.created_at)],
    ['placed', formatTime(run.placed_at)],
    ['delivered', formatTime(run.delivered_at)],
    ['supplier', run.supplier],
    ['cost', costOf(run)],
    ['note', run.note],
  ])
  if (run.line_items.length > 0)
    await context.writeTable(run.line_items, [
      { title: 'SLOT', cell: ({ slot_id }) => slot_id },
      { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
      { title: 'QTY', cell: ({ quantity }) => quantity.total, as: 'number' },
      { title: 'LOADED', cell: ({ quantity }) => quantity.fulfilled, as: 'number' },
      { title: 'TOTAL', cell: ({ totals }) => moneyOf(totals, run.currency), as: 'number' },
      {
        title: 'SUPPLIER ITEM',
        cell: ({ source }) => (source ? `${source.sku_id} ${source.unit}` : undefined),
        optional: true,
      },
      { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
    ])
  if (run.checkouts?.length && !context.csv)
    await context.writeTable(run.checkouts, [
      { title: 'CHECKOUT', cell: ({ id }) => id },
      { title: 'SUPPLIER', cell: ({ vendor }) => vendor },
      { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
    ])
  writeRunMessages(context, run)
}

export async function reportRun(context: Context, run: ReplenishmentRun): Promise<Exit> {
  await context.writeJson(run)
  await printRun(context, run)
  suggestNext(context, run)
  if (run.status === 'pending_approval' || run.status === 'blocked') return EXIT.guarded
  return exitOfMessages(run.messages)
}

const list: Command = {
  name: 'runs list',
  alias: 'runs',
  summary: 'replenishment runs, newest first',
  csv: true,
  options: {
    status: { kind: 'text', value: 'STATUS', summary: 'only this status', choices: STATUSES },
    limit: LIMIT,
  },
  examples: [
    ['vendops runs', 'the latest runs'],
    ['vendops runs --status placed', 'in transit'],
  ],
  async run(context, args) {
    const status = STATUSES.find((word) => word === args.text('status'))
    const limit = args.wholeNumber('limit', 20, 1, 1000)
    const query = { status, limit: Math.min(limit, PAGE_MAX) }
    const { found, hasMore } = await collect(context.client.all.listRuns({ query }), limit)
    await context.writeJson({ runs: found, has_more: hasMore })
    await context.writeTable(
      found,
      [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'STATUS', cell: (run) => run.status, as: 'state' },
        { title: 'CREATED', cell: ({ created_at }) => formatTime(created_at) },
        { title: 'PLACED', cell: ({ placed_at }) => formatTime(placed_at) },
        { title: 'DELIVERED', cell: ({ delivered_at }) => formatTime(delivered_at) },
        { title: 'UNITS', cell: unitsOf, as: 'number' },
        { title: 'COST', cell: (run) => moneyOf(run.totals, run.currency), as: 'number' },
        { title: 'ESTIMATED', cell: (run) => (run.cost_is_estimated ? 'yes' : ''), optional: true },
      ],
      { none: 'no runs' },
    )
    if (found.length === 0) return context.suggest('plan', 'shows what a run would order')
    context.suggest(`runs show ${found[0]?.id}`, 'shows the details')
  },
}

const show: Command = {
  name: 'runs show',
  summary: 'one run: lines, cost and status',
  csv: true,
  args: [{ name: 'id' }],
  examples: [['vendops runs show run-1789000000000', 'lines without a supplier item cannot be ordered yet']],
  async run(context, args) {
    await reportRun(context, await context.client.getRun({ params: { id: args.arg('id') } }))
  },
}

const create: Command = {
  name: 'runs create',
  summary: 'create a run from the current plan',
  csv: true,
  options: {
    area: { kind: 'text', value: 'AREA', summary: 'only the machines of this area' },
    machine: { kind: 'list', value: 'ID', summary: 'only this machine, also when it is not due' },
    line: { kind: 'list', value: 'SLOT=UNITS', summary: 'another quantity for this slot; 0 leaves it out' },
    'dry-run': { kind: 'flag', summary: 'show what the run would order and create nothing' },
  },
  examples: [
    ['vendops runs create', 'above the spending limit it needs approval (exit code 3)'],
    ['vendops runs create --machine M1001 --machine M1002', 'for these machines, due or not'],
    ['vendops runs create --line M1001-G-0001=24 --line M1001-G-0002=0', 'as planned, except for two slots'],
    ['vendops runs create --machine M1001 --dry-run', 'what it would bring to one machine, and its cost'],
  ],
  async run(context, args) {
    const machines = args.list('machine')
    const lines = parsePairs(args.list('line'), 'M1001-G-0001=24').map(({ key, value }) => ({
      slot_id: key,
      quantity: parseWholeNumber(value, 'units'),
    }))
    const body = {
      area: args.text('area'),
      locations: machines.length === 0 ? undefined : [...machines],
      lines: lines.length === 0 ? undefined : lines,
    }
    for (const id of machines) await requireMachine(context.client, id)
    const query = { dry_run: args.flag('dry-run') ? ('true' as const) : undefined }
    const run = await context.withProgress('planning', () => context.client.createRun({ body, query }))
    return args.flag('dry-run') ? previewRun(context, run) : reportRun(context, run)
  },
}

async function previewRun(context: Context, run: ReplenishmentRun): Promise<Exit> {
  await context.writeJson(run)
  const lines = run.line_items
  if (lines.length === 0) await context.writeLines(['nothing to order'])
  else
    await context.writeTable(lines, [
      { title: 'SLOT', cell: ({ slot_id }) => slot_id },
      { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
      { title: 'QTY', cell: ({ quantity }) => quantity.total, as: 'number' },
      { title: 'TOTAL', cell: ({ totals }) => moneyOf(totals, run.currency), as: 'number' },
    ])
  await context.writeLines([
    `${count(lines.length, 'slot')}, ${count(unitsOf(run), 'unit')}, ${costOf(run)}; nothing was created`,
  ])
  writeRunMessages(context, run)
  return EXIT.ok
}

const place: Command = {
  name: 'runs place',
  summary: 'order a run from the supplier',
  args: [{ name: 'id' }],
  examples: [
    ['vendops runs place run-1789000000000', 'opens one purchase per supplier; complete each with checkout complete'],
  ],
  async run(context, args) {
    const params = { id: args.arg('id') }
    return reportRun(context, await context.withProgress('ordering', () => context.client.placeRun({ params })))
  },
}

const cancel: Command = {
  name: 'runs cancel',
  summary: 'cancel a run that is not ordered yet',
  args: [{ name: 'id' }],
  examples: [['vendops runs cancel run-1789000000000', 'also closes its pending approval']],
  async run(context, args) {
    await reportRun(context, await context.client.cancelRun({ params: { id: args.arg('id') } }))
  },
}

export const RUNS: readonly Command[] = [list, show, create, place, cancel]
