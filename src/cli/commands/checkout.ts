/** Purchase orders in the making: list, create, fill in, show, complete, cancel. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { Checkout, FulfillmentMethod } from '../../contract/checkout.ts'
import type { Command, Option } from '../command.ts'
import { LIMIT, YES } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT, exitOfMessages, UsageError } from '../exit.ts'
import type { Exit } from '../exit.ts'
import { fenOf, totalOf, when, yuan } from '../format.ts'
import { skuReader, take } from '../lookups.ts'
import { fulfillmentOf, linesOf } from '../purchase.ts'

const STATUSES = [
  'incomplete',
  'requires_escalation',
  'ready_for_complete',
  'complete_in_progress',
  'completed',
  'canceled',
] as const

const LINES: Readonly<Record<string, Option>> = {
  line: { kind: 'list', value: 'SKU=QTY[bx]', summary: 'a line; bx counts boxes, otherwise single units' },
}

const FULFILLMENT: Readonly<Record<string, Option>> = {
  name: { kind: 'text', summary: 'shipping: who receives it' },
  phone: { kind: 'text', summary: 'shipping: telephone' },
  street: { kind: 'text', summary: 'shipping: street address' },
  city: { kind: 'text', summary: 'shipping: city' },
  region: { kind: 'text', summary: 'shipping: province' },
  pickup: { kind: 'flag', summary: 'fetch it at the supplier instead' },
  site: { kind: 'text', value: 'ID', summary: 'pickup: the site, as `checkout show` lists them' },
  slot: { kind: 'text', value: 'ID', summary: 'pickup: the time slot, as `checkout show` lists them' },
}

/** What to do with a session in this state. */
function suggest(context: Context, { id, status, actions, fulfillment }: Checkout): void {
  switch (status) {
    case 'incomplete':
      return context.next(`checkout update ${id} ${choiceOf(fulfillment?.methods[0])}`, 'fills in what is missing')
    case 'requires_escalation':
      return context.next(`approvals show ${actions?.[APPROVAL_ACTION]?.[0]?.id ?? ''}`, 'the decision it waits for')
    case 'ready_for_complete':
      return context.next(`checkout complete ${id}`, 'buys it')
    case 'complete_in_progress':
      return context.next(`checkout show ${id}`, 'the supplier has not answered yet; look again')
    case 'completed':
      return context.next(`orders show ${id}`, 'where the goods are')
    case 'canceled':
      return context.next('checkout create --help', 'starts another')
  }
}

/** Options that would settle what is still open, with the first choice of each as an example. */
function choiceOf(method: FulfillmentMethod | undefined): string {
  if (method?.type !== 'pickup') return '--help'
  const site = method.selected_destination_id ?? method.destinations[0]?.id
  const slot = method.groups[0]?.selected_option_id ?? method.groups[0]?.options[0]?.id
  return [...(site ? [`--site ${site}`] : []), ...(slot ? [`--slot ${slot}`] : [])].join(' ') || '--help'
}

async function present(context: Context, checkout: Checkout): Promise<void> {
  await context.fields([
    ['id', checkout.id],
    ['status', checkout.status],
    ['supplier', checkout.vendor],
    ['expires', checkout.status === 'completed' ? undefined : when(checkout.expires_at)],
    ['order', checkout.order?.label],
  ])
  await context.table(checkout.line_items, [
    { title: 'LINE', cell: ({ id }) => id },
    { title: 'SKU', cell: ({ item }) => item.id },
    { title: 'GOOD', cell: ({ item }) => item.title, flexible: true },
    { title: 'QTY', cell: ({ quantity }) => quantity, as: 'number' },
    {
      title: 'UNIT',
      cell: ({ quantity_unit: { display_text, contains } }) => display_text + (contains ? ` of ${contains}` : ''),
    },
    { title: 'PRICE', cell: ({ item }) => yuan(item.price), as: 'number' },
    { title: 'TOTAL', cell: ({ totals }) => yuan(totalOf(totals)), as: 'number' },
  ])
  await context.fields(checkout.totals.map(({ type, amount, display_text }) => [display_text ?? type, yuan(amount)]))
  await presentChoices(context, checkout)
  context.messages(checkout.messages)
}

const SLOTS_SHOWN = 8

/** Pickup sites and slots still to be chosen, by the ids that `--site` and `--slot` take. */
async function presentChoices(context: Context, checkout: Checkout): Promise<void> {
  for (const method of checkout.fulfillment?.methods ?? []) {
    if (method.type === 'pickup' && method.selected_destination_id === null)
      await context.table(method.destinations, [
        { title: 'SITE', cell: ({ id }) => id },
        { title: 'NAME', cell: ({ name }) => name },
        {
          title: 'ADDRESS',
          cell: ({ street_address, address }) => street_address ?? address?.street_address,
          flexible: true,
        },
      ])
    for (const group of method.groups)
      if (group.selected_option_id === null && group.options.length > 0) {
        await context.table(group.options.slice(0, SLOTS_SHOWN), [
          { title: 'SLOT', cell: ({ id }) => id },
          { title: 'WHEN', cell: ({ title }) => title },
        ])
        if (group.options.length > SLOTS_SHOWN)
          await context.say([`… and ${group.options.length - SLOTS_SHOWN} more; --json lists all`])
      }
  }
}

const list: Command = {
  name: 'checkout list',
  alias: 'checkout',
  group: 'Buy',
  summary: 'purchase orders in the making',
  options: {
    status: { kind: 'text', value: 'STATUS', summary: 'only in this state', choices: STATUSES },
    limit: LIMIT,
  },
  examples: [
    ['vendops checkout', 'newest first'],
    ['vendops checkout --status requires_escalation', 'those that wait for the owner'],
  ],
  async run(context, given) {
    const status = STATUSES.find((word) => word === given.text('status'))
    const query = status ? { status } : {}
    const { found, more } = await take(context.client.all.listCheckouts({ query }), given.whole('limit', 20, 1, 1000))
    await context.data({ checkouts: found, has_more: more })
    if (found.length === 0) {
      await context.say(['no checkouts'])
      return context.next('checkout create --line <sku>=<quantity>', 'starts one')
    }
    await context.table(found, [
      { title: 'ID', cell: ({ id }) => id },
      { title: 'STATUS', cell: (checkout) => checkout.status, as: 'state' },
      { title: 'SUPPLIER', cell: ({ vendor }) => vendor },
      { title: 'LINES', cell: ({ line_items }) => line_items.length, as: 'number' },
      { title: 'TOTAL', cell: ({ totals }) => yuan(totalOf(totals)), as: 'number' },
      { title: 'EXPIRES', cell: ({ expires_at }) => when(expires_at) },
    ])
    context.next(`checkout show ${found[0]?.id}`, 'shows one')
  },
}

const create: Command = {
  name: 'checkout create',
  group: 'Buy',
  summary: 'start a purchase order to one supplier; nothing is bought yet',
  options: { ...LINES, po: { kind: 'text', value: 'ID', summary: 'your own PO number' }, ...FULFILLMENT },
  examples: [
    ['vendops checkout create --line SP1001=2bx --line SP1002=24 --pickup', 'two boxes and 24 single units, fetched'],
    [
      'vendops checkout create --line SP1001=2bx --name 王芳 --phone 13800000000 --street 世纪大道100号',
      'shipped to an address',
    ],
  ],
  async run(context, given) {
    const typed = given.list('line')
    if (typed.length === 0) throw new UsageError('at least one --line is needed, like --line SP1001=2bx')
    const skuId = await skuReader(context.client, 'supply', typed)
    const po = given.text('po')
    const fulfillment = fulfillmentOf(given)
    const body = {
      ...(po === undefined ? {} : { id: po }),
      line_items: linesOf(typed, skuId),
      ...(fulfillment ? { fulfillment } : {}),
    }
    const answer = await context.client.createCheckout({ body })
    await context.data(answer)
    await present(context, answer)
    suggest(context, answer)
    return exitOfMessages(answer.messages)
  },
}

const update: Command = {
  name: 'checkout update',
  group: 'Buy',
  summary: 'change lines or say where the goods go; priced and judged anew',
  args: [{ name: 'id' }],
  options: { ...LINES, ...FULFILLMENT },
  examples: [['vendops checkout update po_20260910_1 --pickup --site site:S01', 'chooses where to fetch it']],
  async run(context, given) {
    const typed = given.list('line')
    const fulfillment = fulfillmentOf(given)
    if (typed.length === 0 && !fulfillment) throw new UsageError('nothing to change; give --line, --pickup or --street')
    const skuId = await skuReader(context.client, 'supply', typed)
    const answer = await context.client.updateCheckout({
      params: { id: given.arg('id') },
      body: {
        ...(typed.length > 0 ? { line_items: linesOf(typed, skuId) } : {}),
        ...(fulfillment ? { fulfillment } : {}),
      },
    })
    await context.data(answer)
    await present(context, answer)
    suggest(context, answer)
    return exitOfMessages(answer.messages)
  },
}

const show: Command = {
  name: 'checkout show',
  group: 'Buy',
  summary: 'one purchase order: lines, totals, what is missing',
  args: [{ name: 'id' }],
  examples: [['vendops checkout show po_20260910_1', 'also lists pickup sites and slots to choose from']],
  async run(context, given) {
    const answer = await context.client.getCheckout({ params: { id: given.arg('id') } })
    await context.data(answer)
    await present(context, answer)
    suggest(context, answer)
  },
}

const complete: Command = {
  name: 'checkout complete',
  group: 'Buy',
  summary: 'place the order with the supplier: spends real money',
  args: [{ name: 'id' }],
  options: { yes: YES, total: { kind: 'text', value: 'YUAN', summary: 'go on only if the total is exactly this' } },
  details:
    'Shows the order and asks for its total to be typed. The same session never becomes a second order, however often\nthis is called.',
  examples: [
    ['vendops checkout complete po_20260910_1', 'asks for the sum'],
    ['vendops checkout complete po_20260910_1 --total 128.40', 'for scripts: refuses when the price has changed'],
  ],
  async run(context, given) {
    const id = given.arg('id')
    const before = await context.client.getCheckout({ params: { id } })
    const sum = totalOf(before.totals)
    const stated = given.text('total')
    if (stated !== undefined && fenOf(stated) !== sum)
      throw new CommandFailure(`the total is ${yuan(sum)}, not ${yuan(fenOf(stated))}; nothing was bought`, {
        exit: EXIT.declined,
      })
    if (before.status !== 'completed') {
      const right = (answer: string) => /^[¥￥]?\d+(\.\d{1,2})?$/.test(answer) && fenOf(answer) === sum
      const agreed = given.flag('yes') || stated !== undefined
      if (!agreed) await present(context, { ...before, messages: [] })
      await context.confirm(`Type the total (${yuan(sum)}) to buy: `, right, agreed)
    }
    const answer = await context.during('asking the supplier', () =>
      context.client.completeCheckout({ params: { id }, body: { confirm: true }, signal: context.signal }),
    )
    await context.data(answer)
    await context.fields([
      ['id', answer.id],
      ['status', answer.status],
      ['total', yuan(totalOf(answer.totals))],
      ['order', answer.order?.label],
    ])
    context.messages(answer.messages)
    suggest(context, answer)
    return completion(answer)
  },
}

function completion({ status, messages }: Checkout): Exit {
  if (status === 'completed') return EXIT.ok
  return exitOfMessages(messages) === EXIT.ok ? EXIT.failed : EXIT.guarded
}

const cancel: Command = {
  name: 'checkout cancel',
  group: 'Buy',
  summary: 'give up a purchase order that is not finished',
  args: [{ name: 'id' }],
  examples: [['vendops checkout cancel po_20260910_1', 'the supplier never hears of it']],
  async run(context, given) {
    const answer = await context.client.cancelCheckout({ params: { id: given.arg('id') } })
    await context.data(answer)
    await context.say([`${answer.id} is ${answer.status}`])
    context.messages(answer.messages)
    context.next('checkout', 'shows the others')
  },
}

export const CHECKOUT: readonly Command[] = [list, create, update, show, complete, cancel]
