/** GET /orders: machine sales out of the mirrored ledger, or purchases; newest first, stable under new arrivals. */
import { ORDERS_DEFAULT } from '../../contract/limits.ts'
import type { OrderList, OrderListQuery } from '../../contract/order.ts'
import { parseRfc3339, rfc3339 } from '../../kernel/clock.ts'
import { decodeCursor, encodeCursor } from '../../lib/cursor.ts'
import { warning } from '../../kernel/message.ts'
import type { NoteMessage } from '../../kernel/message.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { toRefusal } from '../../vendors/refusal.ts'
import type { Context } from '../context.ts'
import { catchUp, ledgerCoverage, ledgerNamespaces, keyOf, listSaleTransactions } from '../sales/index.ts'
import { refusedInfo, refusedSales } from '../locations/index.ts'
import { listPurchases } from './purchase.ts'
import type { SaleKey } from '../sales/index.ts'
import { saleViews } from './sales.ts'

/** Asks for trades of every status; any other word, or none, for settled ones (4.5). */
const EVERY_STATUS = 'all'

type Listed = Outcome<Omit<OrderList, 'ucp'>>

interface Range {
  readonly from?: number | undefined
  readonly to?: number | undefined
}

export async function listOrders(ctx: Context, query: OrderListQuery): Promise<Listed> {
  const range: Range = { from: instant(query.from), to: instant(query.to) }
  for (const name of ['from', 'to'] as const)
    if (query[name] !== undefined && range[name] === undefined)
      return refuse('invalid', `${name} must be RFC 3339 with a time-zone offset`, `$.${name}`)
  const limit = query.limit ?? ORDERS_DEFAULT
  if (query.kind === 'purchase') {
    const listed = await listPurchases(ctx, { ...range, location: query.location, cursor: query.cursor, limit })
    return listed.ok ? accept(listed.value.body) : listed
  }
  return listSales(ctx, query, range, limit)
}

async function listSales(ctx: Context, query: OrderListQuery, range: Range, limit: number): Promise<Listed> {
  const after = query.cursor === undefined ? undefined : keyFrom(query.cursor)
  if (query.cursor !== undefined && !after) return refuse('invalid', 'the cursor is not one of ours', '$.cursor')
  if (ledgerNamespaces(ctx).length === 0)
    return refuse('namespace_unsupported', 'no machine platform with a ledger is live here')
  const failure = await catchUp(ctx)
  if (failure) return toRefusal(failure)

  const trades = await listSaleTransactions(ctx.store.db, {
    ...range,
    location: query.location,
    settledOnly: query.trade_status !== EVERY_STATUS,
    after,
    limit: limit + 1,
  })
  const page = trades.slice(0, limit)
  const last = page.at(-1)
  const more = trades.length > limit && last !== undefined
  const messages = [...(await truncation(ctx, range)), ...(await unreadable(ctx))]
  return accept({
    orders: await saleViews(ctx, page),
    pagination: { has_next_page: more, ...(more ? { cursor: cursorAt(keyOf(last)) } : {}) },
    ...(messages.length === 0 ? {} : { messages }),
  })
}

const instant = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseRfc3339(text))

const cursorAt = ({ at, orderNo, namespace }: SaleKey): string => encodeCursor(at, orderNo, namespace)

function keyFrom(cursor: string): SaleKey | undefined {
  const [at, orderNo, namespace] = decodeCursor(cursor, 'number', 'string', 'string') ?? []
  return at === undefined || orderNo === undefined || namespace === undefined ? undefined : { at, orderNo, namespace }
}

/** Said when part of what was asked for is not mirrored yet; the rest follows in the background. */
async function truncation({ store, config }: Context, { from, to }: Range): Promise<NoteMessage[]> {
  const coverage = await ledgerCoverage(store.db)
  return coverage.flatMap(({ namespace, gap: hole }) =>
    hole && hole.to > (from ?? -Infinity) && hole.from < (to ?? Infinity)
      ? [
          warning(
            'history_truncated',
            `sales of ${namespace} are complete only since ${rfc3339(hole.to, config.timeZone)}; older ones are being read`,
          ),
        ]
      : [],
  )
}

/** Sales that the platform lists and nobody can read are missing from every page. */
const unreadable = async ({ store }: Context): Promise<NoteMessage[]> =>
  [...(await refusedSales(store.db))].flatMap(([namespace, rows]) => refusedInfo(namespace, rows))
