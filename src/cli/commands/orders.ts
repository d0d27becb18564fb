/** Sales of the machines and purchases from suppliers. */
import type { Order } from '../../contract/order.ts'
import type { Command } from '../command.ts'
import { LIMIT } from '../command.ts'
import { count, totalOf, when, yuan } from '../format.ts'
import { take } from '../lookups.ts'

const itemsOf = (order: Order) =>
  order.line_items
    .map(({ item, quantity }) => `${item.title}${quantity.total === 1 ? '' : ` ×${quantity.total}`}`)
    .join('，')

const list: Command = {
  name: 'orders list',
  alias: 'orders',
  group: 'Look',
  summary: 'sales of the machines, or purchases',
  options: {
    kind: { kind: 'text', value: 'KIND', summary: 'sale unless said', choices: ['sale', 'purchase'] },
    machine: { kind: 'text', value: 'ID', summary: 'only sales of this machine' },
    from: { kind: 'text', value: 'TIME', summary: 'from this time on, like 2026-09-10T00:00:00+08:00' },
    to: { kind: 'text', value: 'TIME', summary: 'up to this time' },
    every: { kind: 'flag', summary: 'also unsettled and failed sales' },
    limit: LIMIT,
  },
  examples: [
    ['vendops orders --machine M1001', 'the latest sales of one machine'],
    ['vendops orders --kind purchase', 'what was bought'],
    ['vendops orders --limit 1000 --json | jq .orders[].totals', 'for a spreadsheet'],
  ],
  async run(context, given) {
    const kind = given.text('kind') === 'purchase' ? ('purchase' as const) : ('sale' as const)
    const limit = given.whole('limit', 20, 1, 100_000)
    const [location, from, to] = ['machine', 'from', 'to'].map((name) => given.text(name))
    const query = {
      kind,
      ...(location === undefined ? {} : { location }),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(given.flag('every') ? { trade_status: 'all' } : {}),
      limit: Math.min(100, limit + 1),
    }
    const { found, more } = await context.during('reading orders', () =>
      take(context.client.all.listOrders({ query, signal: context.signal }), limit),
    )
    await context.data({ orders: found, has_more: more })
    if (found.length === 0) {
      await context.say([`no ${kind}s`])
      return context.next('sync', 'reads the machines anew')
    }
    await context.table(found, [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'AT', cell: ({ created_at }) => when(created_at) },
      {
        title: kind === 'sale' ? 'MACHINE' : 'ORDER',
        cell: ({ location, label }) => (kind === 'sale' ? location : label),
      },
      { title: 'STATUS', cell: ({ line_items }) => line_items[0]?.status, as: 'state' },
      { title: 'TOTAL', cell: ({ totals }) => yuan(totalOf(totals)), as: 'number' },
      { title: 'GOODS', cell: itemsOf, flexible: true },
    ])
    await context.say([
      `${count(found.length, kind)}, ${yuan(found.reduce((sum, { totals }) => sum + totalOf(totals), 0))}`,
    ])
    context.next(`orders show ${found[0]?.id}`, 'shows one')
  },
}

const show: Command = {
  name: 'orders show',
  group: 'Look',
  summary: 'one sale or purchase, and where its goods are',
  args: [{ name: 'id' }],
  examples: [['vendops orders show po_20260910_1', 'a purchase with the supplier’s status']],
  async run(context, given) {
    const order = await context.client.getOrder({ params: { id: given.arg('id') } })
    await context.data(order)
    await context.fields([
      ['id', order.id],
      ['kind', order.kind],
      ['at', when(order.created_at)],
      ['supplier order', order.label],
      ['supplier says', order.supplier_status?.description],
      ['machine', order.location === undefined ? undefined : `${order.location} ${order.location_name ?? ''}`],
      ['trade status', order.trade_status_label ?? order.trade_status],
      ['total', yuan(totalOf(order.totals))],
    ])
    await context.table(order.line_items, [
      { title: 'SKU', cell: ({ item }) => item.id },
      { title: 'GOOD', cell: ({ item }) => item.title, flexible: true },
      { title: 'QTY', cell: ({ quantity }) => quantity.total, as: 'number' },
      { title: 'THERE', cell: ({ quantity }) => quantity.fulfilled, as: 'number' },
      { title: 'PRICE', cell: ({ item }) => yuan(item.price), as: 'number' },
      { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
    ])
    for (const { occurred_at, type, description } of order.fulfillment.events ?? [])
      await context.say([`${when(occurred_at)}  ${type}${description ? `  ${description}` : ''}`])
    context.messages(order.messages)
    context.next(order.kind === 'purchase' ? 'orders --kind purchase' : 'orders', 'shows the others')
  },
}

export const ORDERS: readonly Command[] = [list, show]
