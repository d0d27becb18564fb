/** What comes for the lines of runs: less than was ordered where suppliers shortened it, or less came than they confirmed. */
import { fen } from '../../../../kernel/fen.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import type { Queryable } from '../../../../store/store.ts'
import { type Purchase as OrderedPurchase, findPurchases, isShort } from '../../../orders/index.ts'
import { confirmedProducts } from '../../storeroom/arrival.ts'
import { neededUnits } from '../create/order-quantities.ts'
import { productsBesides, purchasedUnits } from './purchased-units.ts'
import { type Run, type RunLine, activeLines, storeroomUnits, unitsToBuy } from '../run.ts'
import { findCame, findConfirmedSessions, loadSameProducts } from './sessions.ts'

/** Two queries where everything comes as ordered. */
export async function withConfirmedUnits(db: Queryable, runs: readonly Run[]): Promise<Run[]> {
  const ids = runs.flatMap(({ checkouts }) => checkouts.map(({ id }) => id))
  const purchases = await findPurchases(db, ids)
  const came = await findCame(db, purchases)
  const cameShort = (purchase: OrderedPurchase) => {
    const units = came.get(purchase.id)
    return units && confirmedProducts(purchase).some((product) => (units.get(product.skuId) ?? 0) < product.units)
  }
  const short = new Set(purchases.filter((each) => isShort(each) || cameShort(each)).map(({ id }) => id))
  if (short.size === 0) return [...runs]
  return Promise.all(
    runs.map(async (run) => {
      if (!run.checkouts.some(({ id }) => short.has(id))) return run
      const purchases = await findConfirmedSessions(
        db,
        run.checkouts.map(({ id }) => id),
      )
      const isSame = await loadSameProducts(db, productsBesides(activeLines(run.lines), purchases))
      const units = purchasedUnits(activeLines(run.lines), purchases, isSame)
      return { ...run, lines: confirmedLines(run.lines, units), ...extraOf(run, units) }
    }),
  )
}

/** What is too little for all lines goes to the first ones. */
function confirmedLines(lines: readonly RunLine[], units: ReadonlyMap<SkuId, number>): readonly RunLine[] {
  const left = new Map(units)
  return lines.map((line) => {
    const { source, removed, checkout } = line
    if (source === undefined || removed !== undefined || checkout === undefined) return line
    const wanted = unitsToBuy(line)
    const bought = Math.min(wanted, left.get(source) ?? 0)
    left.set(source, (left.get(source) ?? 0) - bought)
    return bought === wanted ? line : { ...line, confirmed: storeroomUnits(line) + bought }
  })
}

/** What is left over of whole boxes: the part of its cost that the units have which come beyond what the lines need. */
function extraOf({ lines, extraFen, roundedTo = {} }: Run, units: ReadonlyMap<SkuId, number>): Pick<Run, 'extraFen'> {
  if (extraFen === undefined) return {}
  // As it was ordered, before a supplier canceled lines of it.
  const ordered = lines.filter(({ removed }) => removed === undefined || removed === 'canceled')
  const needed = neededUnits(ordered)
  const costs = new Map(ordered.map(({ source, costFen }) => [source, costFen]))
  let [planned, left] = [0, 0]
  for (const [source, bought] of Object.entries(roundedTo) as [SkuId, number][]) {
    const extra = bought - (needed.get(source) ?? 0)
    const came = (units.get(source) ?? 0) - (needed.get(source) ?? 0)
    planned += extra * (costs.get(source) ?? 0)
    left += Math.min(extra, Math.max(0, came)) * (costs.get(source) ?? 0)
  }
  return planned === 0 ? {} : { extraFen: fen(Math.round((extraFen * left) / planned)) }
}
