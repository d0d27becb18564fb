/**
 * The simulated owner of a route. Acts through the API only: approves everything, creates runs, completes their
 * purchases, and loads the machines when the products have arrived.
 */
import { VendopsError } from '../../client/index.ts'
import type { Client } from '../../client/index.ts'
import type { Checkout } from '../../contract/checkout.ts'
import type { ReplenishmentRun, RunLineItem } from '../../contract/replenishment.ts'
import { DAY } from '../../kernel/clock.ts'
import { parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import { totalOf } from '../format.ts'
import type { Simulation } from './simulation.ts'

/** Something the owner did; the report counts it. */
export type OwnerAction =
  | { readonly kind: 'ordered'; readonly at: number; readonly units: number; readonly spentFen: number }
  | { readonly kind: 'approved'; readonly at: number }
  | { readonly kind: 'surplus'; readonly at: number; readonly units: number }
  | { readonly kind: 'refused'; readonly at: number; readonly code: string }

interface PurchasedLines {
  readonly orders: readonly string[]
  /** Supplier SKUs that were ordered; undefined: all of them. */
  readonly skus: ReadonlySet<string> | undefined
  readonly spentFen: number
}

interface ExpectedDelivery {
  readonly run: ReplenishmentRun
  /** The lines that were ordered. */
  readonly lines: readonly RunLineItem[]
  /** Purchases that must arrive first; if there are none, the delivery arrives at `dueAt`. */
  readonly orders: readonly string[]
  readonly dueAt: number
}

export function simulatedOwner(simulation: Simulation) {
  const { client, clock, simulator } = simulation
  const actions: OwnerAction[] = []
  let expected: ExpectedDelivery[] = []

  const recordRefusal = (failure: unknown): void => {
    if (!(failure instanceof VendopsError)) throw failure
    actions.push({ kind: 'refused', at: clock.now(), code: failure.code })
  }

  async function approveAll(): Promise<void> {
    for await (const { id } of client.all.listApprovals({ query: { status: 'pending' } })) {
      await client.resolveApproval({ params: { id }, body: { approved: true } })
      actions.push({ kind: 'approved', at: clock.now() })
    }
  }

  /** Removes lines the supplier does not have enough of, so that the rest can be ordered. */
  async function removeUnavailableLines(id: string): Promise<Checkout> {
    const checkout = await client.getCheckout({ params: { id } })
    const unavailable = new Set(
      checkout.messages?.flatMap(({ code, path }) => (code === 'out_of_stock' ? lineIndex(path) : [])),
    )
    if (checkout.status !== 'incomplete' || unavailable.size === 0) return checkout
    const remaining = checkout.line_items.filter((_, i) => !unavailable.has(i))
    if (remaining.length === 0) return client.cancelCheckout({ params: { id } })
    const line_items = remaining.map(({ id, item, quantity, quantity_unit: { unit } }) => ({
      id,
      item: { id: item.id },
      quantity,
      quantity_unit: { unit },
    }))
    return client.updateCheckout({ params: { id }, body: { line_items } })
  }

  /** Completes the purchases of a run. A purchase that fails is recorded and not retried. */
  async function completePurchases(run: ReplenishmentRun): Promise<PurchasedLines | undefined> {
    const checkouts = run.checkouts ?? []
    // Without purchases the run was placed with the built-in simulated supplier, which delivers everything.
    if (checkouts.length === 0) return { orders: [], skus: undefined, spentFen: totalOf(run.totals) }
    const orders: string[] = []
    const skus = new Set<string>()
    let spentFen = 0
    for (const { id } of checkouts) {
      try {
        await removeUnavailableLines(id)
        await approveAll()
        const checkout = await client.completeCheckout({ params: { id }, body: { confirm: true } })
        if (checkout.status !== 'completed') {
          actions.push({ kind: 'refused', at: clock.now(), code: checkout.messages?.[0]?.code ?? checkout.status })
          continue
        }
        orders.push(id)
        for (const { item } of checkout.line_items) skus.add(item.id)
        spentFen += totalOf(checkout.totals)
      } catch (failure) {
        recordRefusal(failure)
      }
    }
    return orders.length === 0 ? undefined : { orders, skus, spentFen }
  }

  /** Creates a run from the plan, approves it, places it and completes its purchases. */
  async function orderPlan(): Promise<void> {
    try {
      const created = await client.createRun()
      if (created.status === 'nothing_to_do' || created.status === 'blocked') return
      await approveAll()
      const run = await client.placeRun({ params: { id: created.id } })
      const purchased = await completePurchases(run)
      const lines = purchased ? linesOf(run, purchased) : []
      const units = lines.reduce((total, { quantity }) => total + quantity.total, 0)
      if (purchased) actions.push({ kind: 'ordered', at: clock.now(), units, spentFen: purchased.spentFen })
      // A run without purchases is received with zero units; otherwise its slots would stay reserved.
      expected.push({
        run,
        lines,
        orders: purchased?.orders ?? [],
        dueAt: clock.now() + simulation.statedLeadDays * DAY,
      })
    } catch (failure) {
      recordRefusal(failure)
    }
  }

  /** Loads every delivery that has arrived. */
  async function loadArrived(): Promise<void> {
    const remaining: ExpectedDelivery[] = []
    for (const delivery of expected)
      if (await hasArrived(client, delivery, clock.now())) await receive(delivery)
      else remaining.push(delivery)
    expected = remaining
  }

  async function receive({ run, lines }: ExpectedDelivery): Promise<void> {
    const loads = Map.groupBy(lines, ({ location }) => location)
      .entries()
      .flatMap(([location, locationLines]) => {
        const brought = locationLines.map(({ item, quantity }) => ({
          goodsCode: productCode(item.id),
          quantity: quantity.total,
        }))
        return simulator.world
          .deliver(location, brought)
          .map(({ loaded }, i) => ({ slot_id: locationLines[i]?.slot_id ?? '', quantity: loaded }))
      })
    const counted = new Map(loads.map(({ slot_id, quantity }) => [slot_id, quantity]))
    const delivered = run.line_items
      .filter(({ status }) => status !== 'removed')
      .map(({ slot_id }) => ({ slot_id, quantity: counted.get(slot_id) ?? 0 }))
    const ordered = lines.reduce((total, { quantity }) => total + quantity.total, 0)
    const loaded = delivered.reduce((total, { quantity }) => total + quantity, 0)
    if (ordered > loaded) actions.push({ kind: 'surplus', at: clock.now(), units: ordered - loaded })
    try {
      await client.receiveRun({ params: { id: run.id }, body: { delivered } })
    } catch (failure) {
      recordRefusal(failure)
    }
  }

  /** Confirms every suggested alias, as an operator does once for a new route. */
  async function confirmAliases(): Promise<void> {
    const { plans } = await client.getPlan()
    for (const sku_id of new Set(plans.map(({ item }) => item.id))) {
      const { aliases = [] } = await client.getSku({ params: { sku_id } })
      const suggested = aliases.find(({ source }) => source === 'suggested')
      if (aliases.every(({ source }) => source === 'suggested') && suggested)
        await client.confirmAliases({ params: { sku_id }, body: { aliases: [{ sku_id: suggested.sku_id }] } })
    }
  }

  return { actions: actions as readonly OwnerAction[], orderPlan, loadArrived, confirmAliases }
}

const linesOf = (run: ReplenishmentRun, { skus }: PurchasedLines): readonly RunLineItem[] =>
  run.line_items.filter(
    ({ status, source }) =>
      status !== 'removed' && (skus === undefined || (source !== undefined && skus.has(source.sku_id))),
  )

/** `$.line_items[24].quantity` → 24. */
function lineIndex(path: string | undefined): number[] {
  const index = /^\$\.line_items\[(\d+)\]/.exec(path ?? '')?.[1]
  return index === undefined ? [] : [Number(index)]
}

function productCode(id: string): string {
  const sku = parseSkuId(id)
  return sku ? vendorSkuOf(sku) : id
}

async function hasArrived(client: Client, { orders, dueAt }: ExpectedDelivery, now: number): Promise<boolean> {
  if (orders.length === 0) return now >= dueAt
  for (const id of orders) {
    const { supplier_status: status } = await client.getOrder({ params: { id } })
    if (status?.mapped === 'ordered') return false
  }
  return true
}
