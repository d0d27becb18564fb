/**
 * The simulated driver: loads the machines of every run whose products have arrived, whoever placed it, and receives the
 * run. Knows of runs and purchases only what the API says.
 */
import { VendopsError } from '../../client/index.ts'
import type { ReplenishmentRun, RunLineItem } from '../../contract/replenishment.ts'
import { DAY, parseRfc3339 } from '../../kernel/clock.ts'
import { parseSkuId, vendorSkuOf } from '../../kernel/ids.ts'
import type { RecordAction } from './actions.ts'
import type { Simulation } from './simulation.ts'

/** A purchase that is still open after this long is not waited for: its products are received as zero units. */
const OPEN_PURCHASE_DAYS = 4

interface Purchase {
  readonly lines: readonly RunLineItem[]
  readonly isHere: boolean
}

export function simulatedDriver(simulation: Simulation, record: RecordAction) {
  const { client, clock, simulator } = simulation
  /** Orders that have arrived, which never changes again. */
  const arrived = new Set<string>()
  const loadedUnits = new Map<string, number>()

  async function hasArrived(id: string): Promise<boolean> {
    if (arrived.has(id)) return true
    const { supplier_status: status } = await client.getOrder({ params: { id } })
    if (status?.mapped === 'ordered') return false
    arrived.add(id)
    return true
  }

  /** The lines of a run that were bought, and whether all of them have arrived. */
  async function purchaseOf(run: ReplenishmentRun): Promise<Purchase> {
    const lines = run.line_items.filter(({ status }) => status !== 'removed')
    const age = clock.now() - (parseRfc3339(run.placed_at ?? '') ?? 0)
    // Without purchases the run was placed with the built-in simulated supplier, which delivers everything.
    if (!run.checkouts) return { lines, isHere: age >= simulation.statedLeadDays * DAY }
    const skus = new Set<string>()
    let isHere = true
    for (const { id, status } of run.checkouts) {
      if (status === 'canceled') continue
      if (status !== 'completed') {
        if (age < OPEN_PURCHASE_DAYS * DAY) isHere = false
        continue
      }
      if (!(await hasArrived(id))) isHere = false
      const { line_items } = await client.getCheckout({ params: { id } })
      for (const { item } of line_items) skus.add(item.id)
    }
    return { lines: lines.filter(({ source }) => source !== undefined && skus.has(source.sku_id)), isHere }
  }

  /** Loads every delivery that has arrived, oldest first. */
  async function loadArrived(): Promise<void> {
    for (const run of await placedRuns()) {
      const { lines, isHere } = await purchaseOf(run)
      if (isHere) await receive(run, lines)
    }
  }

  async function placedRuns(): Promise<readonly ReplenishmentRun[]> {
    const runs = await Array.fromAsync(client.all.listRuns({ query: { status: 'placed' } }))
    return runs.toReversed()
  }

  async function receive(run: ReplenishmentRun, lines: readonly RunLineItem[]): Promise<void> {
    const loads = Map.groupBy(lines, ({ location }) => location)
      .entries()
      .flatMap(([location, locationLines]) => {
        const brought = locationLines.map(({ item, quantity }) => ({
          goodsCode: productCode(item.id),
          quantity: quantity.total,
        }))
        return simulator.world.deliver(location, brought).map(({ goodsCode, loaded }, i) => {
          addUnits(loadedUnits, goodsCode, loaded)
          return { slot_id: locationLines[i]?.slot_id ?? '', quantity: loaded }
        })
      })
    const counted = new Map(loads.map(({ slot_id, quantity }) => [slot_id, quantity]))
    const delivered = run.line_items
      .filter(({ status }) => status !== 'removed')
      .map(({ slot_id }) => ({ slot_id, quantity: counted.get(slot_id) ?? 0 }))
    const ordered = lines.reduce((total, { quantity }) => total + quantity.total, 0)
    const loaded = delivered.reduce((total, { quantity }) => total + quantity, 0)
    if (ordered > loaded) record({ kind: 'surplus', at: clock.now(), units: ordered - loaded })
    try {
      await client.receiveRun({ params: { id: run.id }, body: { delivered } })
    } catch (failure) {
      if (!(failure instanceof VendopsError)) throw failure
      record({ kind: 'refused', at: clock.now(), code: failure.code })
    }
  }

  /** Units that were bought and are not in a machine yet, by product. */
  async function unitsUnderWay(): Promise<ReadonlyMap<string, number>> {
    const units = new Map<string, number>()
    for (const run of await placedRuns())
      for (const { item, quantity } of (await purchaseOf(run)).lines)
        addUnits(units, productCode(item.id), quantity.total)
    return units
  }

  return { loadArrived, unitsUnderWay, loadedUnits: loadedUnits as ReadonlyMap<string, number> }
}

const addUnits = (units: Map<string, number>, code: string, count: number) =>
  void units.set(code, (units.get(code) ?? 0) + count)

function productCode(id: string): string {
  const sku = parseSkuId(id)
  return sku ? vendorSkuOf(sku) : id
}
