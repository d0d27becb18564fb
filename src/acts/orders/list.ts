/** GET /orders: machine sales out of the mirrored ledger, or purchases; newest first, stable while new ones arrive. */
import { ORDERS_DEFAULT } from '../../contract/limits.ts'
import type { OrderList, OrderListQuery } from '../../contract/shapes/order.ts'
import { parseRfc3339, rfc3339 } from '../../kernel/clock.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { type Outcome, accept, refuse } from '../../kernel/outcome.ts'
import { encodeCursor, pageOf, parseCursor } from '../../lib/pages.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../../context.ts'
import {
  type LocationRecord,
  findLocation,
  unreadableInfo,
  listUnreadableSales,
  truncatedWarning,
} from '../../route/locations/index.ts'
import {
  catchUp,
  saleKeyOf,
  listLedgerCoverage,
  loadLedgerMachines,
  ledgerNamespaces,
  listSaleTransactions,
  machineCompleteSince,
} from '../../route/sales/index.ts'
import { listPurchases } from './purchase.ts'
import { loadSaleViews } from './sale-views.ts'

/** `trade_status=all` lists sales of every status; otherwise only settled ones. */
const EVERY_STATUS = 'all'

type OrderPage = Outcome<Omit<OrderList, 'ucp'>>

interface Range {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export async function listOrders(ctx: Context, query: OrderListQuery): Promise<OrderPage> {
  const range: Range = { from: instant(query.from), to: instant(query.to) }
  for (const name of ['from', 'to'] as const)
    if (query[name] !== undefined && range[name] === undefined)
      return refuse(
        'invalid',
        `${name} is not valid: RFC 3339 with a time-zone offset, such as 2026-09-10T08:00:00+08:00`,
        `$.${name}`,
      )
  const limit = query.limit ?? ORDERS_DEFAULT
  return query.kind === 'purchase'
    ? listPurchases(ctx, { ...range, location: query.location, cursor: query.cursor, limit })
    : listSales(ctx, query, range, limit)
}

async function listSales(ctx: Context, query: OrderListQuery, range: Range, limit: number): Promise<OrderPage> {
  const cursor = parseCursor(query.cursor, '$.cursor', 'number', 'string', 'string')
  if (!cursor.ok) return cursor
  const [at, orderNo, namespace] = cursor.value ?? []
  if (ledgerNamespaces(ctx).length === 0)
    return refuse('namespace_unsupported', 'No machine platform with a sales ledger is live')
  const machine = query.location === undefined ? undefined : await findLocation(ctx.store.db, query.location)
  // The sales of a machine do not depend on other platforms; a list of all sales would be incomplete without one of them.
  const failed = (await catchUp(ctx)).find(({ namespace }) => !machine || namespace === machine.namespace)
  if (failed) return toRefusal(failed.failure)

  const sales = await listSaleTransactions(ctx.store.db, {
    ...range,
    machine: query.location === undefined ? undefined : { location: query.location, namespace: machine?.namespace },
    settledOnly: query.trade_status !== EVERY_STATUS,
    after:
      at === undefined || orderNo === undefined || namespace === undefined ? undefined : { at, orderNo, namespace },
    limit: limit + 1,
  })
  const page = pageOf(sales, limit, (last) => {
    const key = saleKeyOf(last)
    return encodeCursor(key.at, key.orderNo, key.namespace)
  })
  const messages = [
    ...(await findTruncations(ctx, range)),
    ...(machine ? await findUnlistedSales(ctx, machine, range) : []),
    ...(await loadUnreadableSalesInfo(ctx)),
  ]
  return accept({
    orders: await loadSaleViews(ctx, page.entries),
    pagination: page.pagination,
    ...(messages.length === 0 ? {} : { messages }),
  })
}

const instant = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseRfc3339(text))

/** A warning for each ledger whose mirror is not complete in this range yet. */
async function findTruncations({ store, config }: Context, { from, to }: Range): Promise<NoteMessage[]> {
  const coverage = await listLedgerCoverage(store.db)
  return coverage.flatMap(({ namespace, gap }) =>
    gap && gap.to > (from ?? -Infinity) && gap.from < (to ?? Infinity)
      ? [truncatedWarning(namespace, rfc3339(gap.to, config.timeZone))]
      : [],
  )
}

/** The platform of the machine does not list its older sales. */
async function findUnlistedSales(
  { store, config }: Context,
  machine: LocationRecord,
  { from }: Range,
): Promise<NoteMessage[]> {
  const { completeFrom, timeZone = config.timeZone } = (await loadLedgerMachines(store.db, [machine.id]))(machine)
  const isShown = completeFrom !== undefined && completeFrom > (from ?? -Infinity)
  return isShown ? [machineCompleteSince(machine.id, rfc3339(completeFrom, timeZone))] : []
}

const loadUnreadableSalesInfo = async ({ store }: Context): Promise<NoteMessage[]> =>
  [...(await listUnreadableSales(store.db))].flatMap(([namespace, rows]) => unreadableInfo(namespace, rows))
