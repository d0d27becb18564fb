/**
 * The simulated owner of a route. Acts through the API only: approves everything and, where no agent runs the route,
 * creates runs and completes their purchases.
 */
import type { Approval } from '../../contract/shapes/approval.ts'
import type { Checkout } from '../../contract/shapes/checkout.ts'
import type { ReplenishmentRun, RunLineItem } from '../../contract/shapes/run.ts'
import { totalOf } from '../format.ts'
import { type RecordAction, type Refusal, refusalOf } from './actions.ts'
import type { Simulation } from './simulation.ts'

interface PurchasedLines {
  /** Supplier SKUs that were ordered; undefined: all of them. */
  readonly skus: ReadonlySet<string> | undefined
  readonly spentFen: number
}

export function simulatedOwner({ client, clock }: Simulation, record: RecordAction) {
  const recordRefusal = (refusal: Refusal): void => record({ kind: 'refused', at: clock.now(), ...refusal })

  /** Returns what was waiting. */
  async function approveAll(): Promise<readonly Approval[]> {
    const pending = await Array.fromAsync(client.all.listApprovals({ query: { status: 'pending' } }))
    for (const { id } of pending) {
      await client.resolveApproval({ params: { id }, body: { approved: true } })
      record({ kind: 'approved', at: clock.now() })
    }
    return pending
  }

  /** Removes lines that the supplier does not have enough of or does not sell any more, so that the rest can be ordered. */
  async function removeUnavailableLines(id: string): Promise<Checkout> {
    const checkout = await client.getCheckout({ params: { id } })
    const unavailable = new Set(
      checkout.messages?.flatMap(({ code, path }) => (code === 'out_of_stock' ? lineIndex(path) : [])),
    )
    // A product that is not for sale has no line any more, but the purchase waits until somebody agrees to go without.
    const isNotForSale = checkout.messages?.some(({ code }) => code === 'item_unavailable')
    if (checkout.status !== 'incomplete' || (unavailable.size === 0 && !isNotForSale)) return checkout
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

  /** Completes the purchases of a run. A purchase that fails is recorded, canceled and not retried. */
  async function completePurchases(run: ReplenishmentRun): Promise<PurchasedLines | undefined> {
    const checkouts = run.checkouts ?? []
    // Without purchases the run was placed with the built-in simulated supplier, which delivers everything.
    if (checkouts.length === 0) return { skus: undefined, spentFen: totalOf(run.totals) }
    const skus = new Set<string>()
    let spentFen = 0
    for (const { id } of checkouts) {
      try {
        await removeUnavailableLines(id)
        await approveAll()
        const checkout = await client.completeCheckout({ params: { id }, body: { confirm: true } })
        if (checkout.status === 'completed') {
          for (const { item } of checkout.line_items) skus.add(item.id)
          spentFen += totalOf(checkout.totals)
          continue
        }
        const [first] = checkout.messages ?? []
        const code = first?.code ?? checkout.status
        recordRefusal({ operation: 'completeCheckout', about: id, code, text: first?.content ?? '' })
        await client.cancelCheckout({ params: { id } })
      } catch (failure) {
        recordRefusal({ about: id, ...refusalOf(failure) })
      }
    }
    return skus.size === 0 ? undefined : { skus, spentFen }
  }

  /** Creates a run from the plan, of all machines or of `only` these, approves it, places it and completes its purchases. */
  async function orderPlan(only?: readonly string[]): Promise<void> {
    if (only?.length === 0) return
    try {
      const created = await client.createRun(only && { body: { locations: [...only] } })
      if (created.status === 'nothing_to_do' || created.status === 'blocked') return
      await approveAll()
      const run = await client.placeRun({ params: { id: created.id } })
      const purchased = await completePurchases(run)
      if (!purchased) return
      const units = boughtUnits(linesOf(run, purchased))
      record({ kind: 'bought', at: clock.now(), units, spentFen: purchased.spentFen })
    } catch (failure) {
      recordRefusal(refusalOf(failure))
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

  return { orderPlan, approveAll, confirmAliases }
}

const linesOf = (run: ReplenishmentRun, { skus }: PurchasedLines): readonly RunLineItem[] =>
  run.line_items.filter(
    ({ status, source }) =>
      status !== 'removed' && (skus === undefined || (source !== undefined && skus.has(source.sku_id))),
  )

/** With what whole cases hold more than the machines need: that stays in the store room, and later runs load it. */
function boughtUnits(lines: readonly RunLineItem[]): number {
  let units = 0
  for (const own of Map.groupBy(lines, ({ source, slot_id }) => source?.sku_id ?? slot_id).values()) {
    const needed = own.reduce((sum, { quantity, from_storeroom: given = 0 }) => sum + quantity.total - given, 0)
    units += own[0]?.source?.ordered ?? needed
  }
  return units
}

/** `$.line_items[24].quantity` → 24. */
function lineIndex(path: string | undefined): number[] {
  const index = /^\$\.line_items\[(\d+)\]/.exec(path ?? '')?.[1]
  return index === undefined ? [] : [Number(index)]
}
