/** The checkout sessions of runs: their status, and what they buy. */
import type { CheckoutStatus } from '../../../../contract/shapes/checkout.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import type { Queryable } from '../../../../store/store.ts'
import { type Session, findSessions, isOverdue } from '../../../checkout/index.ts'
import { type Purchase, cancelledUnits, findPurchases, isShort } from '../../../orders/index.ts'
import { findAliases, isConfirmed } from '../../../../route/skus/index.ts'
import { findArrivedOrders } from '../../../../route/storeroom/index.ts'
import { type IsSame, type PlacedLine, cameLines, productsBesides, purchasedUnits } from './purchased-units.ts'
import type { Run } from '../run.ts'

/** Of all runs at once. An overdue session counts as canceled, and so does a purchase that its supplier canceled. */
export async function findSessionStatuses(
  db: Queryable,
  runs: readonly Run[],
  now: number,
): Promise<ReadonlyMap<string, CheckoutStatus>> {
  const ids = runs.flatMap(({ checkouts }) => checkouts.map(({ id }) => id))
  const sessions = await findSessions(db, ids)
  const canceled = new Set(
    (await findPurchases(db, ids)).filter(({ state }) => state === 'cancelled').map(({ id }) => id),
  )
  return new Map(
    sessions.map((session) => [
      session.id,
      canceled.has(session.id) || isOverdue(session, now) ? 'canceled' : session.status,
    ]),
  )
}

/**
 * Units of each supplier product in the purchases of a run, as they are now: lines may have been changed since placing,
 * and suppliers may have confirmed less.
 */
export async function countPurchasedUnits(
  db: Queryable,
  { checkouts }: Run,
  lines: readonly PlacedLine[],
): Promise<{ readonly purchased: ReadonlyMap<SkuId, number>; readonly completed: ReadonlyMap<SkuId, number> }> {
  const sessions = await findConfirmedSessions(
    db,
    checkouts.map(({ id }) => id),
  )
  const isSame = await loadSameProducts(db, productsBesides(lines, sessions))
  const completed = sessions.filter(({ status }) => status === 'completed')
  return {
    purchased: purchasedUnits(lines, sessions, isSame),
    completed: purchasedUnits(lines, completed, isSame),
  }
}

/** With the quantities that the suppliers confirmed where they reported that less will come, and with what came since. */
export async function findConfirmedSessions(
  db: Queryable,
  ids: readonly string[],
  { isBeforeReceipt = false }: { readonly isBeforeReceipt?: boolean } = {},
): Promise<Session[]> {
  const sessions = await findSessions(db, ids)
  const purchases = await findPurchases(db, ids)
  const short = new Map(purchases.filter(isShort).map((each) => [each.id, cancelledUnits(each)]))
  const came = isBeforeReceipt ? new Map<string, ReadonlyMap<SkuId, number>>() : await findCame(db, purchases)
  return sessions.map((session) => {
    const cancelled = short.get(session.id)
    const confirmed = cancelled
      ? session.lines.map((line) => ({ ...line, quantity: line.quantity - (cancelled.get(line.id) ?? 0) }))
      : session.lines
    return { ...session, lines: cameLines(confirmed, came.get(session.id)) }
  })
}

/** By purchase: units of each product that came, once it was received; none at all where nothing came. */
export async function findCame(
  db: Queryable,
  purchases: readonly Pick<Purchase, 'id' | 'receivedAt'>[],
): Promise<ReadonlyMap<string, ReadonlyMap<SkuId, number>>> {
  const ids = purchases.map(({ id }) => id)
  const arrived = await findArrivedOrders(db, ids)
  return new Map(
    purchases.flatMap(({ id, receivedAt }) => {
      const units = arrived.get(id)?.units ?? (receivedAt === undefined ? undefined : new Map<SkuId, number>())
      return units ? [[id, units] as const] : []
    }),
  )
}

/** By the aliases of these supplier products; usually there are none to ask about. */
export async function loadSameProducts(db: Queryable, supplierSkus: readonly SkuId[]): Promise<IsSame> {
  const aliases = await findAliases(db, supplierSkus)
  return (machineSku, supplierSku) =>
    aliases.get(supplierSku)?.some((alias) => alias.skuId === machineSku && isConfirmed(alias)) === true
}
