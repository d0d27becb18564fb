/** Replenishment runs: made of the plan, placed with the supplier, received at the machines. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { ReplenishmentRun } from '../../contract/replenishment.ts'
import type { Command } from '../command.ts'
import { LIMIT } from '../command.ts'
import type { Context } from '../context.ts'
import { EXIT, exitOfMessages, UsageError } from '../exit.ts'
import type { Exit } from '../exit.ts'
import { totalOf, when, yuan } from '../format.ts'
import { PAGE_MAX } from '../../contract/limits.ts'
import { pairsOf, take, wholeOf } from '../lookups.ts'

const STATUSES = [
  'blocked',
  'nothing_to_do',
  'pending_approval',
  'approved',
  'rejected',
  'placed',
  'delivered',
] as const

const unitsOf = (run: ReplenishmentRun) => run.line_items.reduce((sum, { quantity }) => sum + quantity.total, 0)
const costOf = (run: ReplenishmentRun) => `${yuan(totalOf(run.totals))}${run.cost_is_estimated ? ' (estimated)' : ''}`

function suggest(context: Context, run: ReplenishmentRun): void {
  switch (run.status) {
    case 'pending_approval':
      return context.next(
        `approvals show ${run.actions?.[APPROVAL_ACTION]?.[0]?.id ?? ''}`,
        'the decision it waits for',
      )
    case 'approved':
      return context.next(`runs place ${run.id}`, 'hands it to the supplier')
    case 'placed':
      return context.next(`runs receive ${run.id} --all`, 'once the goods are in the machines')
    case 'blocked':
      return context.next('status', 'tells why the emergency stop is on')
    case 'nothing_to_do':
    case 'rejected':
    case 'delivered':
      return context.next('plan', 'what to order now')
  }
}

async function present(context: Context, run: ReplenishmentRun): Promise<void> {
  await context.fields([
    ['id', run.id],
    ['status', run.status],
    ['made', when(run.created_at)],
    ['placed', when(run.placed_at)],
    ['delivered', when(run.delivered_at)],
    ['supplier', run.supplier],
    ['cost', costOf(run)],
    ['note', run.note],
  ])
  if (run.line_items.length > 0)
    await context.table(run.line_items, [
      { title: 'SLOT', cell: ({ slot_id }) => slot_id },
      { title: 'GOOD', cell: ({ item }) => item.title, flexible: true },
      { title: 'QTY', cell: ({ quantity }) => quantity.total, as: 'number' },
      { title: 'LOADED', cell: ({ quantity }) => quantity.fulfilled, as: 'number' },
      { title: 'TOTAL', cell: ({ totals }) => yuan(totalOf(totals)), as: 'number' },
      { title: 'BOUGHT AS', cell: ({ source }) => (source ? `${source.sku_id} ${source.unit}` : undefined) },
      { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
    ])
  for (const { id, vendor, status } of run.checkouts ?? []) await context.say([`checkout ${id}  ${vendor}  ${status}`])
  context.messages(run.messages)
}

async function told(context: Context, run: ReplenishmentRun): Promise<Exit> {
  await context.data(run)
  await present(context, run)
  suggest(context, run)
  if (run.status === 'pending_approval' || run.status === 'blocked') return EXIT.guarded
  return exitOfMessages(run.messages)
}

const list: Command = {
  name: 'runs list',
  alias: 'runs',
  group: 'Stock and prices',
  summary: 'replenishment runs, newest first',
  options: {
    status: { kind: 'text', value: 'STATUS', summary: 'only in this state', choices: STATUSES },
    limit: LIMIT,
  },
  examples: [
    ['vendops runs', 'the latest'],
    ['vendops runs --status placed', 'on their way'],
  ],
  async run(context, given) {
    const status = STATUSES.find((word) => word === given.text('status'))
    const limit = given.whole('limit', 20, 1, 1000)
    const query = { ...(status ? { status } : {}), limit: Math.min(limit, PAGE_MAX) }
    const { found, more } = await take(context.client.all.listRuns({ query }), limit)
    await context.data({ runs: found, has_more: more })
    if (found.length === 0) {
      await context.say(['no runs'])
      return context.next('plan', 'shows what a run would order')
    }
    await context.table(found, [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'STATUS', cell: (run) => run.status, as: 'state' },
      { title: 'MADE', cell: ({ created_at }) => when(created_at) },
      { title: 'PLACED', cell: ({ placed_at }) => when(placed_at) },
      { title: 'DELIVERED', cell: ({ delivered_at }) => when(delivered_at) },
      { title: 'UNITS', cell: unitsOf, as: 'number' },
      { title: 'COST', cell: costOf, as: 'number' },
    ])
    context.next(`runs show ${found[0]?.id}`, 'shows one')
  },
}

const show: Command = {
  name: 'runs show',
  group: 'Stock and prices',
  summary: 'one run: its lines, cost and state',
  args: [{ name: 'id' }],
  examples: [['vendops runs show run-1789000000000', 'lines without a source cannot be bought yet']],
  async run(context, given) {
    const run = await context.client.getRun({ params: { id: given.arg('id') } })
    await context.data(run)
    await present(context, run)
    suggest(context, run)
  },
}

const create: Command = {
  name: 'runs create',
  group: 'Stock and prices',
  summary: 'make a run of the current plan',
  examples: [['vendops runs create', 'above the spending limit it waits for the owner (exit code 3)']],
  run: async (context) => told(context, await context.during('planning', () => context.client.createRun())),
}

const place: Command = {
  name: 'runs place',
  group: 'Stock and prices',
  summary: 'hand a run to the supplier',
  args: [{ name: 'id' }],
  examples: [
    ['vendops runs place run-1789000000000', 'with a real supplier it opens checkouts, which are completed one by one'],
  ],
  run: async (context, given) =>
    told(context, await context.during('placing', () => context.client.placeRun({ params: { id: given.arg('id') } }))),
}

const cancel: Command = {
  name: 'runs cancel',
  group: 'Stock and prices',
  summary: 'cancel a run that was not placed',
  args: [{ name: 'id' }],
  examples: [['vendops runs cancel run-1789000000000', 'its pending decision is withdrawn; nothing was ordered']],
  async run(context, given) {
    const run = await context.client.cancelRun({ params: { id: given.arg('id') } })
    await context.data(run)
    await present(context, run)
    suggest(context, run)
  },
}

const receive: Command = {
  name: 'runs receive',
  group: 'Stock and prices',
  summary: 'record what was really loaded into the machines',
  args: [{ name: 'id' }, { name: 'slot=units', optional: true, many: true }],
  options: {
    all: { kind: 'flag', summary: 'everything as ordered, except what is counted otherwise' },
    note: { kind: 'text', summary: 'a remark to keep' },
  },
  examples: [
    ['vendops runs receive run-1789000000000 --all', 'everything came'],
    ['vendops runs receive run-1789000000000 --all M1001-G-0001=4', 'but only four of this'],
  ],
  async run(context, given) {
    const id = given.arg('id')
    const typed = given.rest('slot=units')
    const counted = pairsOf(typed, 'M1001-G-0001=4').map(({ key, value }) => [key, wholeOf(value, 'units')] as const)
    if (counted.length === 0 && !given.flag('all'))
      throw new UsageError('say --all, or count slots like M1001-G-0001=4')
    const ordered = given.flag('all')
      ? (await context.client.getRun({ params: { id } })).line_items
          .filter(({ status }) => status !== 'removed')
          .map(({ slot_id, quantity }) => [slot_id, quantity.total] as const)
      : []
    const delivered = [...new Map([...ordered, ...counted])].map(([slot_id, quantity]) => ({ slot_id, quantity }))
    if (delivered.length === 0) throw new UsageError('this run has no lines to receive')
    const note = given.text('note')
    const body = { delivered, ...(note === undefined ? {} : { note }) }
    return told(context, await context.client.receiveRun({ params: { id }, body }))
  },
}

export const RUNS: readonly Command[] = [list, show, create, place, cancel, receive]
