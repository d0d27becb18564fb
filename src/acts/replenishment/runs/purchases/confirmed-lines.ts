/** What comes for the lines of runs: less than was ordered where suppliers shortened it, or less came than they confirmed. */
import { ZERO, fen } from '../../../../kernel/fen.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import type { Queryable } from '../../../../store/store.ts'
import { type Purchase as OrderedPurchase, findPurchases, isShort, shortFenOf } from '../../../orders/index.ts'
import { confirmedProducts } from '../../storeroom/arrival.ts'
import { neededUnits } from '../create/order-quantities.ts'
import { productsBesides, purchasedUnits } from './purchased-units.ts'
import { type Run, type RunLine, activeLines, storeroomUnits, totalFen, unitsToBuy } from '../run.ts'
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
      const ids = run.checkouts.map(({ id }) => id)
      const own = purchases.filter(({ id }) => ids.includes(id))
      const lines = activeLines(run.lines)
      const sessions = await findConfirmedSessions(db, ids)
      const isSame = await loadSameProducts(db, productsBesides(lines, sessions))
      const units = purchasedUnits(lines, sessions, isSame)
      const confirmed = purchasedUnits(lines, await findConfirmedSessions(db, ids, { isBeforeReceipt: true }), isSame)
      const extra = extraOf(run, confirmedExtra(run, own, confirmed), { before: confirmed, now: units })
      return { ...run, lines: confirmedLines(run.lines, units), ...extra, ...roundedOf(run, units) }
    }),
  )
}

/** What the supplier does not bring is not paid: first of the lines, the rest of what would have been left over. */
function confirmedExtra(
  { lines, extraFen }: Run,
  purchases: readonly OrderedPurchase[],
  units: ReadonlyMap<SkuId, number>,
): Run['extraFen'] {
  if (extraFen === undefined) return undefined
  const shortFen = purchases.reduce((sum, purchase) => sum + shortFenOf(purchase), 0)
  const ofLines = totalFen(lines) - totalFen(confirmedLines(lines, units))
  return fen(Math.max(0, extraFen - Math.max(0, shortFen - ofLines)))
}

/** Units beyond what the lines need, of what comes. */
function roundedOf({ lines, roundedTo }: Run, units: ReadonlyMap<SkuId, number>): Pick<Run, 'roundedTo'> {
  if (roundedTo === undefined) return {}
  const needed = neededUnits(activeLines(lines))
  const left = Object.entries(roundedTo).flatMap(([source, ordered]) => {
    const came = Math.min(ordered, units.get(source as SkuId) ?? 0)
    return came > (needed.get(source as SkuId) ?? 0) ? [[source, came] as const] : []
  })
  return { roundedTo: Object.fromEntries(left) }
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

/** What is left over of whole boxes: of its cost, the part of the units that came of it. */
function extraOf(
  { lines, roundedTo = {} }: Run,
  extraFen: Run['extraFen'],
  { before, now }: { readonly before: ReadonlyMap<SkuId, number>; readonly now: ReadonlyMap<SkuId, number> },
): Pick<Run, 'extraFen'> {
  if (extraFen === undefined) return {}
  // As it was ordered, before a supplier canceled lines of it.
  const ordered = lines.filter(({ removed }) => removed === undefined || removed === 'canceled')
  const needed = neededUnits(ordered)
  const costs = new Map(ordered.map(({ source, costFen }) => [source, costFen]))
  let [planned, left] = [0, 0]
  for (const source of Object.keys(roundedTo) as SkuId[]) {
    const beyond = (units: ReadonlyMap<SkuId, number>) =>
      Math.max(0, (units.get(source) ?? 0) - (needed.get(source) ?? 0)) * (costs.get(source) ?? 0)
    planned += beyond(before)
    left += Math.min(beyond(before), beyond(now))
  }
  return { extraFen: planned === 0 ? ZERO : fen(Math.round((extraFen * left) / planned)) }
}
