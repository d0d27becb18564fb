/** What comes for the lines of runs: less than was ordered where suppliers shortened it, or less came than they confirmed. */
import type { SkuId } from '../../../../kernel/ids.ts'
import type { Queryable } from '../../../../store/store.ts'
import { findArrivedOrders } from '../../../../route/storeroom/index.ts'
import { type Purchase as OrderedPurchase, findPurchases, isShort } from '../../../orders/index.ts'
import { confirmedProducts } from '../../storeroom/arrival.ts'
import { type IsSame, type Purchase, productsBesides, purchasedUnits } from './purchased-units.ts'
import { type Run, type RunLine, activeLines, storeroomUnits, unitsToBuy } from '../run.ts'
import { findConfirmedSessions, loadSameProducts } from './sessions.ts'

/** Two queries where everything comes as ordered. */
export async function withConfirmedUnits(db: Queryable, runs: readonly Run[]): Promise<Run[]> {
  const ids = runs.flatMap(({ checkouts }) => checkouts.map(({ id }) => id))
  const arrived = await findArrivedOrders(db, ids)
  const cameShort = (purchase: OrderedPurchase) => {
    const units = arrived.get(purchase.id)?.units
    return units && confirmedProducts(purchase).some((product) => (units.get(product.skuId) ?? 0) < product.units)
  }
  const purchases = await findPurchases(db, ids)
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
      return { ...run, lines: confirmedLines(run.lines, purchases, isSame) }
    }),
  )
}

/** What is too little for all lines goes to the first ones. */
function confirmedLines(lines: readonly RunLine[], purchases: readonly Purchase[], isSame: IsSame): readonly RunLine[] {
  const left = new Map<SkuId, number>(purchasedUnits(activeLines(lines), purchases, isSame))
  return lines.map((line) => {
    const { source, removed, checkout } = line
    if (source === undefined || removed !== undefined || checkout === undefined) return line
    const wanted = unitsToBuy(line)
    const bought = Math.min(wanted, left.get(source) ?? 0)
    left.set(source, (left.get(source) ?? 0) - bought)
    return bought === wanted ? line : { ...line, confirmed: storeroomUnits(line) + bought }
  })
}
