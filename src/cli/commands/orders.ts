/** Sales of machines and purchases from suppliers. */
import type { Order } from '../../contract/shapes/order.ts'
import { type Command, LIMIT } from '../command.ts'
import { amountOf, totalOf, formatTime } from '../format.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { isCanceled, spentOn } from '../../kernel/sizes.ts'
import { count } from '../../kernel/text.ts'
import { collect, parsePairs, parseWholeNumber, requireMachine } from '../lookups.ts'

/** Of counters that are read now and then only the two readings are known. */
const timeOf = ({ created_at: at, sold_between: between }: Order): string | undefined =>
  between ? `${formatTime(between.from)} to ${formatTime(between.to)}` : formatTime(at)

const itemsOf = (order: Order) =>
  order.line_items
    .map(({ item, quantity }) => `${item.title}${quantity.total === 1 ? '' : ` ×${quantity.total}`}`)
    .join(', ')

const list: Command = {
  name: 'orders list',
  alias: 'orders',
  summary: 'sales of machines, or purchases from suppliers',
  csv: true,
  options: {
    kind: { kind: 'text', value: 'KIND', summary: 'default: sale', choices: ['sale', 'purchase'] },
    machine: { kind: 'text', value: 'ID', summary: 'only sales of this machine' },
    from: { kind: 'text', value: 'TIME', summary: 'from this time, e.g. 2026-09-10T00:00:00+08:00' },
    to: { kind: 'text', value: 'TIME', summary: 'up to this time' },
    every: { kind: 'flag', summary: 'include unsettled and failed sales' },
    limit: LIMIT,
  },
  examples: [
    ['vendops orders --machine M1001', 'the latest sales of a machine'],
    ['vendops orders --kind purchase', 'purchases'],
    ['vendops orders --limit 1000 --json | jq .orders[].totals', 'for a spreadsheet'],
  ],
  async run(context, args) {
    const kind = args.text('kind') === 'purchase' ? ('purchase' as const) : ('sale' as const)
    const limit = args.wholeNumber('limit', 20, 1, 100_000)
    const [location, from, to] = ['machine', 'from', 'to'].map((name) => args.text(name))
    const trade_status = args.flag('every') ? 'all' : undefined
    const query = { kind, location, from, to, trade_status, limit: Math.min(100, limit + 1) }
    const { found, hasMore } = await context.withProgress('reading orders', () =>
      collect(context.client.all.listOrders({ query, signal: context.signal }), limit),
    )
    await context.writeJson({ orders: found, has_more: hasMore })
    // Sales may be of a machine that is not on the roster; one that nobody knows is a mistake.
    if (found.length === 0 && location !== undefined) await requireMachine(context.client, location)
    await context.writeTable(
      found,
      [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'AT', cell: timeOf },
        {
          title: kind === 'sale' ? 'MACHINE' : 'ORDER',
          cell: ({ location, label }) => (kind === 'sale' ? location : label),
        },
        { title: 'STATUS', cell: ({ line_items }) => line_items[0]?.status, as: 'state' },
        { title: 'TOTAL', cell: ({ totals, currency }) => amountOf(totalOf(totals), currency), as: 'number' },
        { title: 'PRODUCTS', cell: itemsOf, flexible: true },
      ],
      { none: `no ${kind}s` },
    )
    if (found.length === 0) return context.suggest('sync', 'reads the machines again')
    // Sales that were canceled or refunded, and canceled purchases, are listed and not added.
    const counted = found.filter((order) => !isCanceled(order))
    const sum = counted.reduce((total, order) => total + spentOn(order), 0)
    const canceled = found.length - counted.length
    // A deployment has one currency.
    await context.writeLines([
      `${count(counted.length, kind)}, ${formatAmount(sum, found[0]?.currency ?? '')}${canceled === 0 ? '' : `; ${canceled} canceled`}`,
    ])
    context.suggest(`orders show ${found[0]?.id}`, 'shows the details')
  },
}

const show: Command = {
  name: 'orders show',
  summary: 'one sale or purchase, with its delivery status',
  args: [{ name: 'id' }],
  examples: [['vendops orders show po_20260910_1', 'a purchase and its status at the supplier']],
  async run(context, args) {
    const order = await context.client.getOrder({ params: { id: args.arg('id') } })
    await context.writeJson(order)
    await context.writeFields([
      ['id', order.id],
      ['kind', order.kind],
      ['at', timeOf(order)],
      ['supplier order', order.label],
      ['supplier status', order.supplier_status?.description],
      ['machine', order.location === undefined ? undefined : `${order.location} ${order.location_name ?? ''}`],
      ['payment status', order.trade_status_label ?? order.trade_status],
      ['total', formatAmount(totalOf(order.totals), order.currency)],
    ])
    await context.writeTable(order.line_items, [
      { title: 'SKU', cell: ({ item }) => item.id },
      { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
      { title: 'QTY', cell: ({ quantity }) => quantity.total, as: 'number' },
      { title: 'ARRIVED', cell: ({ quantity }) => quantity.fulfilled, as: 'number' },
      { title: 'PRICE', cell: ({ item }) => formatAmount(item.price, order.currency), as: 'number' },
      { title: 'STATUS', cell: ({ status }) => status, as: 'state' },
    ])
    const { events = [] } = order.fulfillment
    if (events.length > 0 && !context.csv)
      await context.writeTable(events, [
        { title: 'AT', cell: ({ occurred_at: at }) => formatTime(at) },
        { title: 'EVENT', cell: ({ type }) => type },
        { title: 'DETAIL', cell: ({ description }) => description, flexible: true, ifFilled: true },
      ])
    context.writeMessages(order.messages)
    context.suggest(order.kind === 'purchase' ? 'orders --kind purchase' : 'orders', 'lists the others')
  },
}

const receive: Command = {
  name: 'orders receive',
  summary: 'put a purchase into the store room when it arrives',
  args: [{ name: 'id' }, { name: 'sku=units', optional: true, many: true }],
  examples: [
    ['vendops orders receive po_20260910_1', 'everything came as the supplier confirmed'],
    ['vendops orders receive po_20260910_1 acme-supply:SP1=20', 'only 20 of this product came, and nothing else'],
  ],
  async run(context, args) {
    const pairs = parsePairs(args.rest('sku=units'), 'acme-supply:SP1=20')
    const delivered = pairs.map(({ key: id, value }) => ({ item: { id }, quantity: parseWholeNumber(value, 'units') }))
    const params = { id: args.arg('id') }
    const order = await context.client.receiveOrder({ params, body: delivered.length === 0 ? {} : { delivered } })
    await context.writeJson(order)
    await context.writeLines([`${order.id} is in the store room`])
    context.writeMessages(order.messages)
    context.suggest('storeroom', 'shows what is there')
  },
}

export const ORDERS: readonly Command[] = [list, show, receive]
