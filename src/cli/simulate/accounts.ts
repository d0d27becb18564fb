/**
 * Profit of a simulation: what machines took, minus what was spent and driven, plus the change of the stock from start to
 * end. Stock counts at the supplier's price, in machines and in transit; what was bought and never loaded counts nothing.
 */
import type { World } from '../../simulator/world/world.ts'

interface Sums {
  readonly revenueFen: number
  readonly spentFen: number
  readonly drivingFen: number
  /** Value of the stock at the end minus that at the start. */
  readonly stockChangeFen: number
}
export type Accounts = Readonly<ReturnType<typeof accountsOf>>

const costs = ({ products }: World): ReadonlyMap<string, number> =>
  new Map(products.flatMap(({ machine, costFen }) => (machine ? [[machine.goodsCode, costFen] as const] : [])))

const lanesOf = (world: World) => world.machines.flatMap(({ id }) => world.lanes(id) ?? [])

/** What the stock in all machines cost, or all units that were ever loaded. */
export const laneValueFen = (world: World, units: 'stock' | 'loaded'): number =>
  productValueFen(
    world,
    lanesOf(world).map((lane) => [lane.goodsCode, lane[units]]),
  )

export function productValueFen(world: World, units: Iterable<readonly [goodsCode: string, units: number]>): number {
  const cost = costs(world)
  return [...units].reduce((total, [goodsCode, count]) => total + count * (cost.get(goodsCode) ?? 0), 0)
}

export const accountsOf = (sums: Sums) => ({
  ...sums,
  profitFen: sums.revenueFen - sums.spentFen - sums.drivingFen + sums.stockChangeFen,
})

/** Lanes that are empty now, of all lanes. */
export function emptyLanes(world: World): { readonly empty: number; readonly all: number } {
  const lanes = lanesOf(world)
  return { empty: lanes.filter(({ stock }) => stock === 0).length, all: lanes.length }
}
