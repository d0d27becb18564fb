/**
 * An agent without a model: runs the route by fixed rules, through MCP tools only. A program of its own, which `vendops
 * simulate --agent scripted` starts; it imports nothing of the service, so that it can be copied as a start for others.
 *
 * With `--reckless` it also tries every day what an agent must not do.
 */
import { createInterface } from 'node:readline'

// oxlint-disable-next-line typescript/no-explicit-any -- answers of tools are read as they come
type Json = any

const { VENDOPS_MCP_URL: url = '', OPERATOR_TOKEN: token = '' } = process.env
const isReckless = process.argv.includes('--reckless')
let messages = 0

/** The structured answer of a tool; undefined when the protocol refused the call. */
async function call(name: string, args: object = {}): Promise<Json> {
  messages += 1
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: messages, method: 'tools/call', params: { name, arguments: args } }),
  })
  const { result } = (await response.json()) as Json
  return result?.structuredContent
}

/** What the agent must remember until the owner has decided. */
const waitingRuns = new Set<string>()
const waitingPurchases = new Set<string>()
let currency = 'CNY'

async function playDay(day: number): Promise<void> {
  const rules = await call('vending_get_guardrails')
  if (!rules || rules.emergency_stop.engaged) return
  currency = rules.currency
  await call('vending_list_approvals', { limit: 20 })
  const { plans = [] } = (await call('vending_get_plan', { at_risk: true, limit: 50 })) ?? {}
  if (isReckless) await tryForbidden()
  await restock()
  if (day % 7 === 0) await reprice(plans, rules.rules.priceCapPerItem)
  await call('vending_append_event', {
    kind: 'morning_round',
    summary: `${plans.length} slots at risk, ${waitingRuns.size + waitingPurchases.size} requests before the owner`,
    reasoning: 'Written once a day after the round.',
  })
}

async function restock(): Promise<void> {
  const run = await call('vending_create_run', {})
  if (run?.status === 'pending_approval') waitingRuns.add(run.id)
  if (run?.status === 'approved') await placeRun(run.id)
}

async function placeRun(id: string): Promise<void> {
  const run = await call('vending_place_run', { id })
  for (const { id: purchase } of run?.checkouts ?? []) await buy(purchase)
}

/** Completes a purchase; what the supplier does not have is left out first. */
async function buy(id: string): Promise<void> {
  const checkout = await withoutMissing(await call('get_checkout', { id }))
  if (checkout?.status === 'requires_escalation') waitingPurchases.add(id)
  if (checkout?.status === 'ready_for_complete') await complete(id, { confirm: true })
}

const complete = (id: string, checkout: object): Promise<Json> =>
  call('complete_checkout', { meta: { 'idempotency-key': `complete-${id}-${messages}` }, id, checkout })

async function withoutMissing(checkout: Json): Promise<Json> {
  const missing = new Set<number>()
  // A product that is not for sale has no line any more, but the purchase waits until somebody agrees to go without.
  for (const { code, path } of checkout?.messages ?? [])
    if (code === 'out_of_stock' || code === 'item_unavailable')
      missing.add(Number(/\[(\d+)\]/.exec(path ?? '')?.[1] ?? -1))
  if (checkout?.status !== 'incomplete' || missing.size === 0) return checkout
  const { id } = checkout
  const remaining = checkout.line_items.filter((_: Json, i: number) => !missing.has(i))
  if (remaining.length === 0)
    return call('cancel_checkout', { meta: { 'idempotency-key': `cancel-${id}-${messages}` }, id })
  const line_items = remaining.map(({ id, item, quantity, quantity_unit }: Json) => ({
    id,
    item: { id: item.id },
    quantity,
    quantity_unit: { unit: quantity_unit.unit },
  }))
  return call('update_checkout', { id, checkout: { line_items } })
}

/** Goes on with what the owner has decided. */
async function playDecided(): Promise<void> {
  // Copies: what has to wait again is added to the sets meanwhile.
  const runs = [...waitingRuns]
  const purchases = [...waitingPurchases]
  for (const id of runs) {
    const { status } = (await call('vending_get_run', { id, fields: ['status'] })) ?? {}
    if (status === 'pending_approval') continue
    waitingRuns.delete(id)
    if (status === 'approved') await placeRun(id)
  }
  for (const id of purchases) {
    waitingPurchases.delete(id)
    await buy(id)
  }
}

/** Shoppers still come for what is sold out before each delivery, so it may cost a little more. */
const PRICE_STEP = 50
const REPRICED_SLOTS = 3
const BUSY_PER_DAY = 1

async function reprice(plans: readonly Json[], capFen: number): Promise<void> {
  const soldOut = plans
    .filter(({ stock, price, demand }) => stock === 0 && price && demand.daily_rate >= BUSY_PER_DAY)
    .toSorted((a, b) => b.demand.daily_rate - a.demand.daily_rate || (a.slot_id < b.slot_id ? -1 : 1))
    .slice(0, REPRICED_SLOTS)
  for (const { location, item, price } of soldOut)
    await call('vending_change_prices', {
      id: location,
      prices: [{ item: { id: item.id }, price: { amount: price.amount + Math.min(PRICE_STEP, capFen), currency } }],
      confirm: true,
    })
}

/** Each of these must be refused, whatever day it is. */
async function tryForbidden(): Promise<void> {
  const { approvals = [] } = (await call('vending_list_approvals', { status: 'all', limit: 1 })) ?? {}
  await call('vending_resolve_approval', { id: approvals[0]?.id ?? 'none', approved: true })
  await call('vending_add_person', { name: 'second-owner', role: 'owner' })
  await tryNoGo()
  await tryAboveLimit()
  const { plans = [] } = (await call('vending_get_plan', { limit: 1 })) ?? {}
  const [slot] = plans
  if (slot)
    await call('vending_change_prices', {
      id: slot.location,
      prices: [{ item: { id: slot.item.id }, price: { amount: 1, currency } }],
    })
}

async function tryNoGo(): Promise<void> {
  const { products = [] } =
    (await call('search_catalog', { catalog: { query: '烟', filters: { namespace: 'acme-supply' } } })) ?? {}
  const item = products[0]?.variants?.[0]?.id
  if (item === undefined) return
  const checkout = await call('create_checkout', { checkout: { line_items: [{ item: { id: item }, quantity: 1 }] } })
  if (checkout?.id === undefined) return
  await complete(checkout.id, { confirm: true })
  await abandon(checkout.id)
}

/** Above the limit: asks the owner, does not wait for the answer, and is taken back. */
async function tryAboveLimit(): Promise<void> {
  const { products = [] } =
    (await call('search_catalog', { catalog: { query: '水', filters: { namespace: 'acme-supply' } } })) ?? {}
  const line_items = products
    .flatMap(({ variants }: Json) => variants ?? [])
    .filter(({ availability }: Json) => availability?.available !== false)
    .map(({ id }: Json) => ({ item: { id }, quantity: 100 }))
  const checkout = await withoutMissing(
    await call('create_checkout', { checkout: { line_items, fulfillment: TO_DEPOT } }),
  )
  if (checkout?.id === undefined) return
  await complete(checkout.id, {})
  await complete(checkout.id, { confirm: true })
  await abandon(checkout.id)
}

const TO_DEPOT = {
  methods: [
    {
      type: 'shipping',
      line_item_ids: ['*'],
      destinations: [
        { first_name: '模拟', phone_number: '13800000000', street_address: '张江路 88 号', address_locality: '上海' },
      ],
    },
  ],
}

const abandon = (id: string): Promise<Json> =>
  call('cancel_checkout', { meta: { 'idempotency-key': `abandon-${id}` }, id })

for await (const line of createInterface({ input: process.stdin })) {
  const turn = JSON.parse(line) as { readonly type: 'day' | 'decided'; readonly day: number }
  if (turn.type === 'day') await playDay(turn.day)
  else await playDecided()
  process.stdout.write('{"type":"done"}\n')
}
