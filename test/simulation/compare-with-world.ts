/** What the service has on record, held against what the supplier and the machines of the world saw. */
import type { Simulation } from '../../src/cli/simulate/simulation.ts'

export interface Comparison {
  /** Orders that the supplier has, stops that were received, and the units of both the driver and the records. */
  readonly orders: number
  readonly stops: number
  readonly units: number
  /** Anything in here is money or stock that somebody has wrong. */
  readonly problems: readonly string[]
}

export async function compareWithWorld(simulation: Simulation, fromMs: number): Promise<Comparison> {
  const { client, simulator } = simulation
  const problems: string[] = []
  const runs = await Array.fromAsync(client.all.listRuns())
  const checkouts = new Map<string, { readonly run: string; readonly status: string }>()
  for (const run of runs)
    for (const { id, status } of run.checkouts ?? []) {
      if (checkouts.has(id)) problems.push(`purchase ${id} belongs to two runs`)
      checkouts.set(id, { run: run.id, status })
    }

  const orders = simulator.orders().filter(({ cancelledAt }) => cancelledAt === null)
  const ordered = new Set(orders.map(({ outOrderNo }) => outOrderNo))
  for (const { outOrderNo, totalFen } of orders) {
    const own = checkouts.get(outOrderNo)
    if (own?.status !== 'completed') {
      problems.push(`the supplier has ${outOrderNo}, which is ${own?.status ?? 'unknown'} here`)
      continue
    }
    const { totals } = await client.getCheckout({ params: { id: outOrderNo } })
    const total = totals.find(({ type }) => type === 'total')?.amount
    if (total !== totalFen) problems.push(`${outOrderNo} costs ${totalFen}, here ${total}`)
  }
  for (const [id, { status }] of checkouts)
    if (status === 'completed' && !ordered.has(id))
      problems.push(`${id} is completed, and the supplier has no such order`)
  for (const run of runs) {
    const bought = (run.checkouts ?? []).filter(({ id }) => ordered.has(id))
    const skus: string[] = []
    for (const { id } of bought)
      for (const { item } of (await client.getCheckout({ params: { id } })).line_items) skus.push(item.id)
    if (new Set(skus).size !== skus.length) problems.push(`run ${run.id} bought a product twice`)
  }

  const received = runs.flatMap(({ id, visits = [] }) =>
    visits.flatMap(({ location, status, service_id }) =>
      status === 'received' ? [{ run: id, location, service: service_id }] : [],
    ),
  )
  if (new Set(received.map(({ service }) => service)).size !== received.length)
    problems.push('two stops have the same receipt')
  let units = 0
  const unitsAt = new Map<string, number>()
  for (const run of runs) {
    const delivered = run.fulfillment?.events?.filter(({ type }) => type === 'delivered') ?? []
    const lines = delivered.flatMap(({ line_items }) => line_items)
    if (new Set(lines.map(({ id }) => id)).size !== lines.length)
      problems.push(`run ${run.id}: a line was received twice`)
    for (const { quantity, slot_id, location } of run.line_items) {
      units += quantity.fulfilled
      unitsAt.set(location, (unitsAt.get(location) ?? 0) + quantity.fulfilled)
      if (quantity.fulfilled > quantity.total) problems.push(`run ${run.id}: ${slot_id} got more than was ordered`)
    }
  }
  const loadedAt = new Map<string, number>()
  for (const { location, loaded } of simulator.world.tally(fromMs, simulation.clock.now()))
    loadedAt.set(location, (loadedAt.get(location) ?? 0) + loaded)
  for (const [location, loaded] of loadedAt)
    if ((unitsAt.get(location) ?? 0) !== loaded)
      problems.push(`${location} was loaded with ${loaded}, here ${unitsAt.get(location) ?? 0}`)
  problems.push(...(await compareStoreroom(simulation, new Set(received.map(({ run }) => run)))))
  return { orders: orders.length, stops: received.length, units, problems }
}

/** Every unit that came is in a machine or in the store room: what runs bought and began to receive, and what was loaded. */
async function compareStoreroom({ client, simulator }: Simulation, receivedRuns: ReadonlySet<string>) {
  const problems: string[] = []
  const moved = new Map<string, Map<string, number>>()
  for await (const { item, kind, units } of client.all.listStoreroomMovements()) {
    const own = moved.get(item.id) ?? new Map<string, number>()
    moved.set(item.id, own.set(kind, (own.get(kind) ?? 0) + units))
  }
  const came = new Map<string, number>()
  for (const run of receivedRuns)
    for (const { id } of (await client.getRun({ params: { id: run } })).checkouts ?? [])
      for (const { goodsNo, num, unitType } of simulator.orders().find(({ outOrderNo }) => outOrderNo === id)?.items ??
        []) {
        const { packNum } = simulator.world.products.find(({ supply }) => supply.goodsNo === goodsNo)!.supply
        const skuId = `acme-supply:${goodsNo}`
        came.set(skuId, (came.get(skuId) ?? 0) + num * (unitType === 'PACK' ? packNum : 1))
      }
  const there = new Map<string, number>()
  for await (const { item, units, lots } of client.all.getStoreroom()) {
    there.set(item.id, units)
    if (lots.reduce((sum, lot) => sum + lot.units, 0) !== units) problems.push(`${item.id}: its lots are not ${units}`)
  }
  for (const skuId of new Set([...moved.keys(), ...came.keys(), ...there.keys()])) {
    const own = moved.get(skuId) ?? new Map<string, number>()
    const sum = [...own.values()].reduce((all, units) => all + units, 0)
    if (sum !== (there.get(skuId) ?? 0)) problems.push(`${skuId}: ${sum} by its movements, ${there.get(skuId)} there`)
    if ((own.get('bought') ?? 0) !== (came.get(skuId) ?? 0))
      problems.push(`${skuId}: ${own.get('bought')} booked as bought, ${came.get(skuId)} came`)
    if ((own.get('counted') ?? 0) !== 0) problems.push(`${skuId}: ${own.get('counted')} loaded that never came`)
  }
  return problems
}
