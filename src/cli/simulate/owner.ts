/**
 * The people of a simulation, acting through the interface only: an owner who approves what waits, and an operator who
 * makes a run, buys what it opens, and loads the machines when the goods have come.
 */
import { VendopsError } from '../../client/index.ts'
import type { Client } from '../../client/index.ts'
import type { Checkout } from '../../contract/checkout.ts'
import type { ReplenishmentRun, RunLineItem } from '../../contract/replenishment.ts'
import { DAY } from '../../kernel/clock.ts'
import { parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { totalOf } from '../format.ts'
import type { Stage } from './stage.ts'

/** What people did, at which moment; the report adds it up. */
export type Deed =
  | { readonly kind: 'ordered'; readonly at: number; readonly units: number; readonly spentFen: number }
  | { readonly kind: 'approved'; readonly at: number }
  | { readonly kind: 'surplus'; readonly at: number; readonly units: number }
  | { readonly kind: 'refused'; readonly at: number; readonly code: string }

interface Bought {
  readonly orders: readonly string[]
  /** Supplier goods that come; undefined: everything. */
  readonly skus: ReadonlySet<string> | undefined
  readonly spentFen: number
}

interface Expected {
  readonly run: ReplenishmentRun
  /** What of it comes. */
  readonly lines: readonly RunLineItem[]
  /** Purchases whose arrival it waits for; none: a simulated supplier, `dueAt` decides. */
  readonly orders: readonly string[]
  readonly dueAt: number
}

export function people(stage: Stage) {
  const { client, clock, simulator } = stage
  const deeds: Deed[] = []
  let expected: Expected[] = []

  const refused = (failure: unknown): void => {
    if (!(failure instanceof VendopsError)) throw failure
    deeds.push({ kind: 'refused', at: clock.now(), code: failure.code })
  }

  async function approveAll(): Promise<void> {
    for await (const { id } of client.all.listApprovals({ query: { status: 'pending' } })) {
      await client.resolveApproval({ params: { id }, body: { approved: true } })
      deeds.push({ kind: 'approved', at: clock.now() })
    }
  }

  /** A line the supplier has not enough of holds up the rest; an operator takes it out and goes on. */
  async function withoutTrouble(id: string): Promise<Checkout> {
    const checkout = await client.getCheckout({ params: { id } })
    const faulty = new Set(
      checkout.messages?.flatMap(({ code, path }) => (code === 'out_of_stock' ? lineAt(path) : [])),
    )
    if (checkout.status !== 'incomplete' || faulty.size === 0) return checkout
    const left = checkout.line_items.filter((_, i) => !faulty.has(i))
    if (left.length === 0) return client.cancelCheckout({ params: { id } })
    const line_items = left.map(({ id, item, quantity, quantity_unit: { unit } }) => ({
      id,
      item: { id: item.id },
      quantity,
      quantity_unit: { unit },
    }))
    return client.updateCheckout({ params: { id }, body: { line_items } })
  }

  /** Completes what the run opened. A purchase that fails is told and left alone. */
  async function buy(run: ReplenishmentRun): Promise<Bought | undefined> {
    const opened = run.checkouts ?? []
    // Without a purchase of its own the run was handed to a simulated supplier, at its own cost and in full.
    if (opened.length === 0) return { orders: [], skus: undefined, spentFen: totalOf(run.totals) }
    const orders: string[] = []
    const skus = new Set<string>()
    let spentFen = 0
    for (const { id } of opened) {
      try {
        await withoutTrouble(id)
        await approveAll()
        const done = await client.completeCheckout({ params: { id }, body: { confirm: true } })
        if (done.status !== 'completed') {
          deeds.push({ kind: 'refused', at: clock.now(), code: done.messages?.[0]?.code ?? done.status })
          continue
        }
        orders.push(id)
        for (const { item } of done.line_items) skus.add(item.id)
        spentFen += totalOf(done.totals)
      } catch (failure) {
        refused(failure)
      }
    }
    return orders.length === 0 ? undefined : { orders, skus, spentFen }
  }

  /** Makes a run of the plan and carries it as far as money: approved, placed, bought. */
  async function order(): Promise<void> {
    try {
      const made = await client.createRun()
      if (made.status === 'nothing_to_do' || made.status === 'blocked') return
      await approveAll()
      const run = await client.placeRun({ params: { id: made.id } })
      const bought = await buy(run)
      const lines = bought ? linesOf(run, bought) : []
      const units = lines.reduce((sum, { quantity }) => sum + quantity.total, 0)
      if (bought) deeds.push({ kind: 'ordered', at: clock.now(), units, spentFen: bought.spentFen })
      // A run that brings nothing is closed all the same: its slots would otherwise wait for it for ever.
      expected.push({ run, lines, orders: bought?.orders ?? [], dueAt: clock.now() + stage.statedLeadDays * DAY })
    } catch (failure) {
      refused(failure)
    }
  }

  /** Drives out with what has arrived and counts what went in. */
  async function load(): Promise<void> {
    const later: Expected[] = []
    for (const one of expected)
      if (await hasArrived(client, one, clock.now())) await receive(one)
      else later.push(one)
    expected = later
  }

  async function receive({ run, lines }: Expected): Promise<void> {
    const loads = Map.groupBy(lines, ({ location }) => location)
      .entries()
      .flatMap(([location, own]) => {
        const brought = own.map(({ item, quantity }) => ({ goodsCode: codeOf(item.id), quantity: quantity.total }))
        return simulator.world
          .deliver(location, brought)
          .map(({ loaded }, i) => ({ slot_id: own[i]?.slot_id ?? '', quantity: loaded }))
      })
    const counted = new Map(loads.map(({ slot_id, quantity }) => [slot_id, quantity]))
    const delivered = run.line_items
      .filter(({ status }) => status !== 'removed')
      .map(({ slot_id }) => ({ slot_id, quantity: counted.get(slot_id) ?? 0 }))
    const wanted = lines.reduce((sum, { quantity }) => sum + quantity.total, 0)
    const loaded = delivered.reduce((sum, { quantity }) => sum + quantity, 0)
    if (wanted > loaded) deeds.push({ kind: 'surplus', at: clock.now(), units: wanted - loaded })
    try {
      await client.receiveRun({ params: { id: run.id }, body: { delivered } })
    } catch (failure) {
      refused(failure)
    }
  }

  /** Says yes to every suggestion of which goods are the same, as an operator does once for a new route. */
  async function confirmAliases(): Promise<void> {
    const { plans } = await client.getPlan()
    for (const sku_id of new Set(plans.map(({ item }) => item.id))) {
      const { aliases = [] } = await client.getSku({ params: { sku_id } })
      const suggested = aliases.find(({ source }) => source === 'suggested')
      if (aliases.every(({ source }) => source === 'suggested') && suggested)
        await client.confirmAliases({ params: { sku_id }, body: { aliases: [{ sku_id: suggested.sku_id }] } })
    }
  }

  return { deeds: deeds as readonly Deed[], order, load, confirmAliases }
}

const linesOf = (run: ReplenishmentRun, { skus }: Bought): readonly RunLineItem[] =>
  run.line_items.filter(
    ({ status, source }) =>
      status !== 'removed' && (skus === undefined || (source !== undefined && skus.has(source.sku_id))),
  )

/** `$.line_items[24].quantity` → 24. */
function lineAt(path: string | undefined): number[] {
  const index = /^\$\.line_items\[(\d+)\]/.exec(path ?? '')?.[1]
  return index === undefined ? [] : [Number(index)]
}

function codeOf(id: string): string {
  const sku = parseSkuId(id)
  return sku ? vendorSkuOf(sku) : id
}

async function hasArrived(client: Client, { orders, dueAt }: Expected, now: number): Promise<boolean> {
  if (orders.length === 0) return now >= dueAt
  for (const id of orders) {
    const { supplier_status: status } = await client.getOrder({ params: { id } })
    if (status?.mapped === 'ordered') return false
  }
  return true
}
