/** Reads single sales from the machine platform: the current state of a known one, and whether an unknown one exists. */
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Failure } from '../../vendors/contract.ts'
import type { Context } from '../../context.ts'
import type { OrdersContext, Search } from './context.ts'
import {
  type SaleTransaction,
  catchUp,
  LONG_LOOK_BACK_MS,
  listLedgerCoverage,
  ledgerNamespaces,
  readLedgerRange,
  findSaleTransaction,
} from '../../route/sales/index.ts'

const HALF_HOUR = 30 * MINUTE
/** After a search that found nothing, the next one waits this long, whatever id it is for. */
const SEARCH_PAUSE_MS = 15 * SECOND

/** Reads the hour around the sale, unless it was just read. For a sale without a time, the hour around its first reading. */
export async function refreshSale(ctx: Context, sale: SaleTransaction): Promise<Failure | undefined> {
  const { namespace, orderNo } = sale
  // A platform that is no longer connected cannot be read; the mirrored sale is shown.
  if (!ledgerNamespaces(ctx).includes(namespace)) return undefined
  const at = sale.createdAt ?? sale.firstSeenAt
  if (ctx.ledgerReads.hasRead(namespace, { from: at, to: at }, ctx.clock.now())) return undefined
  return readLedgerRange(ctx, namespace, { from: at - HALF_HOUR, to: at + HALF_HOUR }, orderNo)
}

/**
 * An unknown id may be a sale that was listed late. Its time is unknown, so new sales are read first, then the last 48
 * hours, newest first and within the page limit; the whole ledger while the mirror is incomplete.
 */
export async function findSale(ctx: OrdersContext, id: string): Promise<Failure | undefined> {
  if (ledgerNamespaces(ctx).length === 0) return undefined
  const failures = await catchUp(ctx)
  let failure = failures[0]?.failure
  for (const namespace of ledgerNamespaces(ctx)) {
    if (await findSaleTransaction(ctx.store.db, id)) return undefined
    if (failures.some((each) => each.namespace === namespace)) continue
    const failed = await ctx.saleSearches.run(namespace, (search) => searchLedger(ctx, namespace, id, search))
    failure ??= failed
  }
  // A sale that was not found may be in the ledger that could not be read.
  return (await findSaleTransaction(ctx.store.db, id)) ? undefined : failure
}

async function searchLedger(
  ctx: Context,
  namespace: Namespace,
  id: string,
  search: Search,
): Promise<Failure | undefined> {
  const now = ctx.clock.now()
  if (await findSaleTransaction(ctx.store.db, id)) return undefined
  if (search.endedAt !== undefined && now >= search.endedAt && now - search.endedAt < SEARCH_PAUSE_MS) return undefined
  const coverage = (await listLedgerCoverage(ctx.store.db)).find((each) => each.namespace === namespace)
  const from = coverage?.gap ? 0 : now - LONG_LOOK_BACK_MS
  if (ctx.ledgerReads.hasRead(namespace, { from, to: now }, now)) return undefined
  const failure = await readLedgerRange(ctx, namespace, { from, to: now + HOUR }, id)
  if (!failure && !(await findSaleTransaction(ctx.store.db, id))) search.endedAt = now
  return failure
}
