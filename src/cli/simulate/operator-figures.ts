/** What the operator of the service did in a simulation, counted from outside: at the supplier and through the API. */
import type { Simulation } from './simulation.ts'
import { type SeenOrder, countViolations } from './violations.ts'

/** The namespace of the simulated supplier. */
const SUPPLIER = 'acme-supply'

export interface OperatorFigures {
  /** Orders that the supplier has, and purchases that the service knows. Anything but equal is a bug. */
  readonly supplierOrders: number
  readonly purchases: number
  /** What broke a rule that no owner approved, and by which rule. Anything but 0 is a bug. */
  readonly violations: number
  readonly broken: Readonly<Record<string, number>>
  readonly priceChanges: number
  readonly questions: number
  readonly questionsPerWeek: number
  /** Questions by the rule that asked. */
  readonly asked: Readonly<Record<string, number>>
  /** Price trials by status. */
  readonly trials: Readonly<Record<string, number>>
  /** Trials of products by status. */
  readonly swaps: Readonly<Record<string, number>>
}

interface PriceSet {
  readonly at: number
  readonly machine: string
  readonly product: string
  readonly fromFen: number
  readonly toFen: number
}

/** From now on: every price that a machine took, with the one before. */
export function watchPrices({ simulator: { world } }: Simulation): readonly PriceSet[] {
  const seen: PriceSet[] = []
  const prices = new Map<string, number>()
  for (const { id } of world.machines)
    for (const { goodsCode, priceFen } of world.lanes(id) ?? []) prices.set(`${id} ${goodsCode}`, priceFen)
  world.onInput((input) => {
    if (input.type !== 'prices') return
    const { at, location: machine } = input
    for (const { goodsCode: product, salePrice: toFen } of input.prices) {
      const fromFen = prices.get(`${machine} ${product}`) ?? toFen
      prices.set(`${machine} ${product}`, toFen)
      if (fromFen !== toFen) seen.push({ at, machine, product, fromFen, toFen })
    }
  })
  return seen
}

export async function countOperator(
  { client, simulator }: Simulation,
  days: number,
  priceSets: readonly PriceSet[],
): Promise<OperatorFigures> {
  const approvals = await Array.fromAsync(client.all.listApprovals({ query: { status: 'all' } }))
  const runs = await Array.fromAsync(client.all.listRuns())
  const purchases = await Array.fromAsync(client.all.listOrders({ query: { kind: 'purchase' } }))
  const { rules } = await client.getGuardrails()
  const { world } = simulator
  const agreed = approvals.filter(({ status }) => status === 'approved')
  const approved = new Set(agreed.map(({ subject }) => subject.id))
  const approvedRuns = new Set(
    runs.flatMap(({ id, checkouts = [] }) => (approved.has(id) ? checkouts.map((checkout) => checkout.id) : [])),
  )
  const buyers = new Map(
    runs.flatMap(({ by, checkouts = [] }) => checkouts.map(({ id }) => [id, by?.name ?? ''] as const)),
  )
  const titles = new Map(world.products.map(({ supply }) => [supply.goodsNo, supply.goodsName]))
  const costs = new Map(
    world.products.flatMap(({ machine, costFen }) => (machine ? [[machine.goodsCode, costFen] as const] : [])),
  )
  const orders = world.supplier.orders().map(({ outOrderNo: id, placedAt: at, totalFen, items }): SeenOrder => ({
    at,
    totalFen,
    supplier: SUPPLIER,
    key: buyers.get(id) ?? '',
    titles: items.map(({ goodsNo }) => titles.get(goodsNo) ?? goodsNo),
    approved: approved.has(id) ? 'purchase' : approvedRuns.has(id) ? 'run' : undefined,
  }))
  const prices = priceSets.map((set) => ({
    ...set,
    costFen: costs.get(set.product) ?? 0,
    isApproved: agreed.some(({ kind, params }) => kind === 'price_change' && params?.['machine'] === set.machine),
  }))
  const broken = countViolations(rules, orders, prices)
  const { running, past } = await client.listExperiments()
  const { trials: products } = await client.getSwaps()
  const codes = approvals.map(({ code, kind }) => code ?? kind)
  return {
    supplierOrders: orders.length,
    purchases: purchases.length,
    violations: Object.values(broken).reduce((sum, times) => sum + times, 0),
    broken,
    priceChanges: priceSets.length,
    questions: approvals.length,
    questionsPerWeek: Math.round((approvals.length * 70) / days) / 10,
    asked: tally(codes),
    trials: tally([...running, ...past].map(({ status }) => status)),
    swaps: tally(products.map(({ status }) => status)),
  }
}

const tally = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, times]) => [word, times.length]))
