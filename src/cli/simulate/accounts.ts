/**
 * Profit of a simulation: what machines took, minus what was spent and driven, plus the change of the stock from start to
 * end. Stock counts at the supplier's price, in machines and in transit; what was bought and never loaded counts nothing.
 */
import type { World } from '../../simulator/world/world.ts'

export interface Accounts {
  readonly revenueFen: number
  readonly spentFen: number
  readonly drivingFen: number
  /** Value of the stock at the end minus that at the start. */
  readonly stockChangeFen: number
  readonly profitFen: number
}

const costs = ({ products }: World): ReadonlyMap<string, number> =>
  new Map(products.flatMap(({ machine, costFen }) => (machine ? [[machine.goodsCode, costFen] as const] : [])))

/** What the stock in all machines cost. */
export function stockValueFen(world: World): number {
  const cost = costs(world)
  return world.machines
    .flatMap(({ id }) => world.lanes(id) ?? [])
    .reduce((total, { goodsCode, stock }) => total + stock * (cost.get(goodsCode) ?? 0), 0)
}

/** What all units that were ever loaded cost. */
export function loadedValueFen(world: World): number {
  const cost = costs(world)
  return world.machines
    .flatMap(({ id }) => world.lanes(id) ?? [])
    .reduce((total, { goodsCode, loaded }) => total + loaded * (cost.get(goodsCode) ?? 0), 0)
}

export function goodsValueFen(world: World, units: ReadonlyMap<string, number>): number {
  const cost = costs(world)
  return [...units].reduce((total, [goodsCode, count]) => total + count * (cost.get(goodsCode) ?? 0), 0)
}

export const accountsOf = (sums: Omit<Accounts, 'profitFen'>): Accounts => ({
  ...sums,
  profitFen: sums.revenueFen - sums.spentFen - sums.drivingFen + sums.stockChangeFen,
})

/** Lanes that are empty now, of all lanes. */
export function emptyLanes(world: World): { readonly empty: number; readonly all: number } {
  const lanes = world.machines.flatMap(({ id }) => world.lanes(id) ?? [])
  return { empty: lanes.filter(({ stock }) => stock === 0).length, all: lanes.length }
}
