/**
 * The people of a simulation, acting through the interface only: an owner who approves what waits, and an operator who
 * makes a run, buys what it opens, and loads the machines when the goods have come.
 */
import { VendopsError } from '../../client/index.ts'
import type { Client } from '../../client/index.ts'
import type { ReplenishmentRun } from '../../contract/replenishment.ts'
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

interface Expected {
  readonly run: ReplenishmentRun
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

  /** Completes what the run opened. A purchase that fails is refused once and not tried for ever. */
  async function buy(run: ReplenishmentRun): Promise<{ readonly orders: string[]; readonly spentFen: number }> {
    const orders: string[] = []
    let spentFen = run.checkouts === undefined ? totalOf(run.totals) : 0
    for (const { id } of run.checkouts ?? []) {
      try {
        const done = await client.completeCheckout({ params: { id }, body: { confirm: true } })
        if (done.status !== 'completed') continue
        orders.push(id)
        spentFen += totalOf(done.totals)
      } catch (failure) {
        refused(failure)
      }
    }
    return { orders, spentFen }
  }

  /** Makes a run of the plan and carries it as far as money: approved, placed, bought. */
  async function order(): Promise<void> {
    try {
      const made = await client.createRun()
      if (made.status === 'nothing_to_do' || made.status === 'blocked') return
      await approveAll()
      const run = await client.placeRun({ params: { id: made.id } })
      await approveAll()
      const { orders, spentFen } = await buy(run)
      if (run.checkouts !== undefined && run.checkouts.length > 0 && orders.length === 0) return
      const units = run.line_items.reduce((sum, { quantity }) => sum + quantity.total, 0)
      deeds.push({ kind: 'ordered', at: clock.now(), units, spentFen })
      expected.push({ run, orders, dueAt: clock.now() + stage.statedLeadDays * DAY })
    } catch (failure) {
      refused(failure)
    }
  }

  /** Drives out with what has arrived and counts what went in. */
  async function load(): Promise<void> {
    const later: Expected[] = []
    for (const one of expected)
      if (await hasArrived(client, one, clock.now())) await receive(one.run)
      else later.push(one)
    expected = later
  }

  async function receive(run: ReplenishmentRun): Promise<void> {
    const lines = run.line_items.filter(({ status }) => status !== 'removed')
    const delivered = Map.groupBy(lines, ({ location }) => location)
      .entries()
      .flatMap(([location, own]) => {
        const loads = own.map(({ item, quantity }) => ({ goodsCode: codeOf(item.id), quantity: quantity.total }))
        return simulator.world
          .deliver(location, loads)
          .map(({ loaded }, i) => ({ slot_id: own[i]?.slot_id ?? '', quantity: loaded }))
      })
      .toArray()
    const wanted = lines.reduce((sum, { quantity }) => sum + quantity.total, 0)
    const loaded = delivered.reduce((sum, { quantity }) => sum + quantity, 0)
    if (wanted > loaded) deeds.push({ kind: 'surplus', at: clock.now(), units: wanted - loaded })
    try {
      await client.receiveRun({ params: { id: run.id }, body: { delivered } })
    } catch (failure) {
      refused(failure)
    }
  }

  return { deeds: deeds as readonly Deed[], order, load, approveAll }
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
