/** Checkout sessions: draft purchase orders that can be completed or canceled. */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type {
  Checkout,
  FulfillmentMethod,
  CheckoutCreateRequest,
  FulfillmentMethodRequest,
  LineItemRequest,
} from '../../contract/shapes/checkout.ts'
import { readTypedAmount } from '../../kernel/typed-amount.ts'
import { type Command, LIMIT, YES } from '../command.ts'
import type { Option, ParsedArgs } from '../parsed-args.ts'
import type { Context } from '../context.ts'
import { type Exit, CommandFailure, EXIT, exitOfMessages, UsageError } from '../exit.ts'
import { amountOf, parseAmount, totalOf, formatTime } from '../format.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { createSkuResolver, collect, parsePairs } from '../lookups.ts'
import { omitUndefined } from '../../lib/objects.ts'

/** Parses the lines and the delivery of a purchase from the command line. */
const QUANTITY = /^(\d{1,7})(bx|ea)?$/i

/** `SP1001=2bx`: two boxes. `SP1001=24`: 24 single units. */
export const parseLines = (typed: readonly string[], skuId: (text: string) => string): LineItemRequest[] =>
  parsePairs(typed, 'SP1001=2bx').map(({ key, value }) => {
    const match = QUANTITY.exec(value)
    if (!match || Number(match[1]) < 1) throw new UsageError(`"${value}" is not a quantity such as 24 or 2bx`)
    const unit = match[2]?.toLowerCase() === 'bx' ? ('BX' as const) : ('EA' as const)
    return { item: { id: skuId(key) }, quantity: Number(match[1]), quantity_unit: { unit } }
  })

const SHIPPING = {
  first_name: 'name',
  phone_number: 'phone',
  street_address: 'street',
  address_locality: 'city',
  address_region: 'region',
  postal_code: 'postal-code',
  address_country: 'country',
} as const

export function parseFulfillment(args: ParsedArgs): CheckoutCreateRequest['fulfillment'] {
  const address = Object.entries(SHIPPING).flatMap(([field, option]) => {
    const value = args.text(option)
    return value === undefined ? [] : [[field, value] as const]
  })
  const site = args.text('site')
  const slot = args.text('slot')
  const pickup = args.flag('pickup') || site !== undefined || slot !== undefined
  if (pickup && address.length > 0) throw new UsageError('use either --pickup or an address, not both')
  if (pickup) {
    const groups = slot === undefined ? undefined : [{ selected_option_id: slot }]
    const method: FulfillmentMethodRequest = omitUndefined({ type: 'pickup', selected_destination_id: site, groups })
    return { methods: [method] }
  }
  if (address.length === 0) return undefined
  return { methods: [{ type: 'shipping', destinations: [Object.fromEntries(address)] }] }
}

const STATUSES = [
  'incomplete',
  'requires_escalation',
  'ready_for_complete',
  'complete_in_progress',
  'completed',
  'canceled',
] as const

const LINES: Readonly<Record<string, Option>> = {
  line: { kind: 'list', value: 'SKU=QTY[bx]', summary: 'a line in single units, or in boxes with bx' },
}

const FULFILLMENT: Readonly<Record<string, Option>> = {
  name: { kind: 'text', summary: 'delivery: recipient' },
  phone: { kind: 'text', summary: 'delivery: phone number' },
  street: { kind: 'text', summary: 'delivery: street address' },
  city: { kind: 'text', summary: 'delivery: city' },
  region: { kind: 'text', summary: 'delivery: province or state' },
  'postal-code': { kind: 'text', summary: 'delivery: postal code' },
  country: { kind: 'text', value: 'CODE', summary: 'delivery: country, two letters such as US' },
  pickup: { kind: 'flag', summary: 'pick up at the supplier instead of delivery' },
  site: { kind: 'text', value: 'ID', summary: 'pickup: site id from `checkout show`' },
  slot: { kind: 'text', value: 'ID', summary: 'pickup: time slot id from `checkout show`' },
}

/** Suggests the next command for the status of the session. */
function suggestNext(context: Context, { id, status, actions, fulfillment, messages, order }: Checkout): void {
  if (messages?.some(({ code }) => code === 'outcome_unconfirmed'))
    context.suggest(
      `checkout outcome ${id} ${order ? '--placed' : '--not-placed'}`,
      'confirms it, with the key of an owner',
    )
  switch (status) {
    case 'incomplete':
      return context.suggest(...missingDetails(id, fulfillment?.methods[0]))
    case 'requires_escalation':
      return context.suggest(
        `approvals show ${actions?.[APPROVAL_ACTION]?.[0]?.id ?? ''}`,
        'shows the pending approval',
      )
    case 'ready_for_complete':
      return context.suggest(`checkout complete ${id}`, 'places the order')
    case 'complete_in_progress':
      return mayRecordOutcome(messages)
        ? context.suggest(`checkout outcome ${id} --placed`, 'records what you found out at the supplier')
        : context.suggest(`checkout show ${id}`, 'checks again; the supplier has not confirmed yet')
    case 'completed':
      return context.suggest(`orders show ${id}`, 'shows the delivery status')
    case 'canceled':
      return context.suggest('checkout create --help', 'starts another purchase')
  }
}

const mayRecordOutcome = (messages: Checkout['messages']): boolean =>
  messages?.some(({ code }) => code === 'handoff' || code === 'outcome_needed') ?? false

/** Options for what is still missing: where it goes, or the first site and the first time slot. */
function missingDetails(id: string, method: FulfillmentMethod | undefined): [command: string, why: string] {
  const delivered = `checkout update ${id} --name NAME --phone PHONE --street STREET`
  if (!method) return [delivered, 'says where it goes; --pickup, if you fetch it']
  if (method.type !== 'pickup') return [`checkout update ${id} --help`, 'adds the missing details']
  if (method.destinations.length === 0) return [delivered, 'has it delivered; this supplier has no pickup site']
  const site = method.selected_destination_id ?? method.destinations[0]?.id
  const slot = method.groups[0]?.selected_option_id ?? method.groups[0]?.options[0]?.id
  const options = [...(site ? [`--site ${site}`] : []), ...(slot ? [`--slot ${slot}`] : [])].join(' ') || '--help'
  return [`checkout update ${id} ${options}`, 'adds the missing details']
}

/** The supplier's page on which a person completes the purchase. */
const handoffPage = ({ messages, continue_url }: Checkout): string | undefined =>
  messages?.some(({ code }) => code === 'handoff') ? continue_url : undefined

/** A purchase that was handed over is in progress for the contract, but nothing was sent. */
const statusText = (checkout: Checkout): string =>
  handoffPage(checkout) === undefined ? checkout.status : `${checkout.status}: to be paid at the supplier`

async function printCheckout(context: Context, checkout: Checkout): Promise<void> {
  const format = (amount: number) => formatAmount(amount, checkout.currency)
  await context.writeFields([
    ['id', checkout.id],
    ['status', statusText(checkout)],
    ['supplier', checkout.vendor],
    ['expires', checkout.status === 'completed' ? undefined : formatTime(checkout.expires_at)],
    ['order', checkout.order?.label],
    ['page', handoffPage(checkout)],
  ])
  await context.writeTable(checkout.line_items, [
    { title: 'LINE', cell: ({ id }) => id },
    { title: 'SKU', cell: ({ item }) => item.id },
    { title: 'PRODUCT', cell: ({ item }) => item.title, flexible: true },
    { title: 'QTY', cell: ({ quantity }) => quantity, as: 'number' },
    {
      title: 'UNIT',
      cell: ({ quantity_unit: { display_text, contains } }) => display_text + (contains ? ` of ${contains}` : ''),
    },
    { title: 'PRICE', cell: ({ item }) => format(item.price), as: 'number' },
    { title: 'TOTAL', cell: ({ totals }) => format(totalOf(totals)), as: 'number' },
  ])
  await context.writeFields(
    checkout.totals.map(({ type, amount, display_text }) => [display_text ?? type, format(amount)]),
  )
  await printPickupChoices(context, checkout)
  context.writeMessages(checkout.messages)
}

const SLOTS_SHOWN = 8

/** Lists the pickup sites and time slots to choose from, with the ids for `--site` and `--slot`. */
async function printPickupChoices(context: Context, checkout: Checkout): Promise<void> {
  for (const method of checkout.fulfillment?.methods ?? []) {
    if (method.type === 'pickup' && method.destinations.length === 0) continue
    if (method.type === 'pickup' && method.selected_destination_id === null)
      await context.writeTable(method.destinations, [
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
        await context.writeTable(group.options.slice(0, SLOTS_SHOWN), [
          { title: 'SLOT', cell: ({ id }) => id },
          { title: 'WHEN', cell: ({ title }) => title },
        ])
        if (group.options.length > SLOTS_SHOWN)
          await context.writeLines([`… and ${group.options.length - SLOTS_SHOWN} more; --json lists all`])
      }
  }
}

async function reportCheckout(context: Context, checkout: Checkout): Promise<Exit> {
  await context.writeJson(checkout)
  await printCheckout(context, checkout)
  suggestNext(context, checkout)
  return exitOfMessages(checkout.messages)
}

const list: Command = {
  name: 'checkout list',
  alias: 'checkout',
  summary: 'draft purchase orders',
  csv: true,
  options: {
    status: { kind: 'text', value: 'STATUS', summary: 'only this status', choices: STATUSES },
    limit: LIMIT,
  },
  examples: [
    ['vendops checkout', 'newest first'],
    ['vendops checkout --status requires_escalation', 'waiting for the owner'],
  ],
  async run(context, args) {
    const status = STATUSES.find((word) => word === args.text('status'))
    const limit = args.wholeNumber('limit', 20, 1, 1000)
    const { found, hasMore } = await collect(context.client.all.listCheckouts({ query: { status } }), limit)
    await context.writeJson({ checkouts: found, has_more: hasMore })
    await context.writeTable(
      found,
      [
        { title: 'ID', cell: ({ id }) => id },
        { title: 'STATUS', cell: (checkout) => checkout.status, as: 'state' },
        { title: 'SUPPLIER', cell: ({ vendor }) => vendor },
        { title: 'LINES', cell: ({ line_items }) => line_items.length, as: 'number' },
        { title: 'TOTAL', cell: ({ totals, currency }) => amountOf(totalOf(totals), currency), as: 'number' },
        { title: 'EXPIRES', cell: ({ expires_at }) => formatTime(expires_at) },
      ],
      { none: 'no purchase orders' },
    )
    if (found.length === 0) return context.suggest('checkout create --line <sku>=<quantity>', 'starts a purchase')
    context.suggest(`checkout show ${found[0]?.id}`, 'shows the details')
  },
}

const create: Command = {
  name: 'checkout create',
  summary: 'create a draft purchase order for one supplier; nothing is ordered yet',
  options: { ...LINES, po: { kind: 'text', value: 'ID', summary: 'your own purchase order number' }, ...FULFILLMENT },
  examples: [
    ['vendops checkout create --line SP1001=2bx --line SP1002=24 --pickup', 'two boxes and 24 single units, picked up'],
    [
      'vendops checkout create --line SP1001=2bx --name 王芳 --phone 13800000000 --street 世纪大道100号',
      'delivered to an address',
    ],
  ],
  async run(context, args) {
    const lines = args.list('line')
    if (lines.length === 0) throw new UsageError('at least one --line is required, e.g. --line SP1001=2bx')
    const skuId = await createSkuResolver(context.client, lines)
    const fulfillment = parseFulfillment(args)
    const body = { id: args.text('po'), line_items: parseLines(lines, skuId), fulfillment }
    return reportCheckout(context, await context.client.createCheckout({ body }))
  },
}

const update: Command = {
  name: 'checkout update',
  summary: 'change lines or delivery; re-priced and re-checked',
  args: [{ name: 'id' }],
  options: { ...LINES, ...FULFILLMENT },
  examples: [['vendops checkout update po_20260910_1 --pickup --site site:S01', 'chooses the pickup site']],
  async run(context, args) {
    const lines = args.list('line')
    const fulfillment = parseFulfillment(args)
    if (lines.length === 0 && !fulfillment) throw new UsageError('nothing to change; use --line, --pickup or --street')
    const skuId = await createSkuResolver(context.client, lines)
    const body = { line_items: lines.length > 0 ? parseLines(lines, skuId) : undefined, fulfillment }
    return reportCheckout(context, await context.client.updateCheckout({ params: { id: args.arg('id') }, body }))
  },
}

const show: Command = {
  name: 'checkout show',
  summary: 'one purchase order: lines, totals, missing details',
  args: [{ name: 'id' }],
  examples: [['vendops checkout show po_20260910_1', 'including the pickup sites and time slots to choose from']],
  async run(context, args) {
    await reportCheckout(context, await context.client.getCheckout({ params: { id: args.arg('id') } }))
  },
}

const complete: Command = {
  name: 'checkout complete',
  summary: 'place the order with the supplier; this spends real money',
  args: [{ name: 'id' }],
  options: {
    yes: YES,
    total: {
      kind: 'text',
      value: 'AMOUNT',
      summary: 'order only if the purchase shows this total and the supplier asks no more',
    },
  },
  details:
    'Shows the order and asks you to type its total. A purchase order is never placed twice, no matter how often this is\ncalled.',
  examples: [
    ['vendops checkout complete po_20260910_1', 'asks for the total'],
    ['vendops checkout complete po_20260910_1 --total 128.40', 'for scripts: refuses if the price rose'],
  ],
  async run(context, args) {
    const id = args.arg('id')
    const before = await context.client.getCheckout({ params: { id } })
    const total = totalOf(before.totals)
    const stated = args.text('total')
    const { currency } = before
    const format = (amount: number) => formatAmount(amount, currency)
    const statedTotal = stated === undefined ? undefined : parseAmount(stated, currency)
    if (statedTotal !== undefined && statedTotal !== total)
      throw new CommandFailure(`the total is ${format(total)}, not ${format(statedTotal)}; nothing was ordered`, {
        exit: EXIT.declined,
      })
    if (before.status !== 'completed') {
      const isTotal = (answer: string) => {
        const typed = readTypedAmount(answer, currency)
        return typed.ok && typed.amount === total
      }
      const isConfirmed = args.flag('yes') || stated !== undefined
      if (!isConfirmed) await printCheckout(context, { ...before, messages: [] })
      await context.confirm(`Type the total (${format(total)}) to place the order: `, isTotal, isConfirmed)
    }
    const response = await context.withProgress('waiting for the supplier', () =>
      context.client.completeCheckout({ params: { id }, body: { confirm: true }, signal: context.signal }),
    )
    await context.writeJson(response)
    await context.writeFields([
      ['id', response.id],
      ['status', statusText(response)],
      ['total', format(totalOf(response.totals))],
      ['order', response.order?.label],
      ['page', handoffPage(response)],
    ])
    context.writeMessages(response.messages)
    suggestNext(context, response)
    return completionExit(response)
  },
}

function completionExit({ status, messages }: Checkout): Exit {
  if (status === 'completed') return EXIT.ok
  return exitOfMessages(messages) === EXIT.ok ? EXIT.failed : EXIT.guarded
}

const cancel: Command = {
  name: 'checkout cancel',
  summary: 'cancel an unfinished purchase order',
  args: [{ name: 'id' }],
  examples: [['vendops checkout cancel po_20260910_1', 'nothing is sent to the supplier']],
  async run(context, args) {
    const response = await context.client.cancelCheckout({ params: { id: args.arg('id') } })
    await context.writeJson(response)
    await context.writeLines([`${response.id} is ${response.status}`])
    context.writeMessages(response.messages)
    context.suggest('checkout', 'lists the others')
  },
}

const outcome: Command = {
  name: 'checkout outcome',
  summary: 'record whether the supplier has an order, where only you can find out',
  args: [{ name: 'id' }],
  options: {
    placed: { kind: 'flag', summary: 'the supplier has the order' },
    'not-placed': { kind: 'flag', summary: 'the supplier has no order; it can be placed again' },
    order: { kind: 'text', value: 'NUMBER', summary: "the supplier's order number" },
  },
  details:
    "For purchases that you complete on the supplier's page, and for suppliers that the service cannot ask. Where it can\nask, the outcome is accepted once the supplier has not known it for an hour. Nothing is sent.",
  examples: [
    ['vendops checkout outcome po_20260910_1 --placed --order SO-4711', 'it was ordered'],
    ['vendops checkout outcome po_20260910_1 --not-placed', 'it was not ordered'],
  ],
  async run(context, args) {
    const placed = args.flag('placed')
    if (placed === args.flag('not-placed')) throw new UsageError('either --placed or --not-placed is required')
    const label = args.text('order')
    if (!placed && label !== undefined) throw new UsageError('--order goes with --placed')
    const params = { id: args.arg('id') }
    return reportCheckout(context, await context.client.recordOutcome({ params, body: { placed, label } }))
  },
}

export const CHECKOUT: readonly Command[] = [list, create, update, show, complete, cancel, outcome]
