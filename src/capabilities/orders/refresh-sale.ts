/** Asks the machine platform about single sales: how a known one stands now, and whether there is an unknown one. */
import { HOUR, MINUTE, SECOND } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Store } from '../../store/store.ts'
import type { Failure } from '../../vendors/contract.ts'
import type { Context } from '../context.ts'
import {
  catchUp,
  DEEP_LOOK_BACK_MS,
  ledgerCoverage,
  ledgerNamespaces,
  readLedgerRange,
  wasJustRead,
  findSaleTransaction,
} from '../sales/index.ts'
import type { SaleTransaction } from '../sales/index.ts'

const HALF_HOUR = 30 * MINUTE
/** A search that found nothing is not repeated sooner, whatever id it was for. */
const SEARCH_REST_MS = 15 * SECOND

/** Reads the hour around the sale, unless it was just read. A sale without a time is looked for where it was first seen. */
export async function refreshSale(ctx: Context, sale: SaleTransaction): Promise<Failure | undefined> {
  const { namespace, orderNo } = sale
  // A platform that is no longer connected cannot be asked; what it last listed stands.
  if (!ledgerNamespaces(ctx).includes(namespace)) return undefined
  const at = sale.createdAt ?? sale.firstSeenAt
  if (wasJustRead(ctx, namespace, at)) return undefined
  return readLedgerRange(ctx, namespace, { from: at - HALF_HOUR, to: at + HALF_HOUR }, orderNo)
}

/**
 * An unknown id may be a sale that came late. It has no time, so the platform is asked for what is new, and then for the
 * last 48 hours, newest first and within the page limit; for all of it while the mirror is not complete.
 */
export async function findSale(ctx: Context, id: string): Promise<Failure | undefined> {
  if (ledgerNamespaces(ctx).length === 0) return undefined
  const failure = await catchUp(ctx)
  if (failure) return failure
  for (const namespace of ledgerNamespaces(ctx)) {
    if (await findSaleTransaction(ctx.store.db, id)) return undefined
    const failed = await inTurn(ctx.store, namespace, (search) => searchLedger(ctx, namespace, id, search))
    if (failed) return failed
  }
  return undefined
}

interface Search {
  turn: Promise<unknown>
  /** When the platform last listed everything a search looks at, without the sale that was wanted. */
  endedAt: number | undefined
}

const searches = new WeakMap<Store, Map<Namespace, Search>>()

/** One search of a ledger at a time: what one reads, the next finds in the mirror. */
function inTurn<T>(store: Store, namespace: Namespace, work: (search: Search) => Promise<T>): Promise<T> {
  const byNamespace = searches.get(store) ?? new Map<Namespace, Search>()
  searches.set(store, byNamespace)
  const search = byNamespace.get(namespace) ?? { turn: Promise.resolve(), endedAt: undefined }
  byNamespace.set(namespace, search)
  const mine = search.turn.then(() => work(search))
  search.turn = mine.catch(() => undefined)
  return mine
}

async function searchLedger(
  ctx: Context,
  namespace: Namespace,
  id: string,
  search: Search,
): Promise<Failure | undefined> {
  const now = ctx.clock.now()
  if (await findSaleTransaction(ctx.store.db, id)) return undefined
  if (search.endedAt !== undefined && now >= search.endedAt && now - search.endedAt < SEARCH_REST_MS) return undefined
  const coverage = (await ledgerCoverage(ctx.store.db)).find((each) => each.namespace === namespace)
  const from = coverage?.gap ? 0 : now - DEEP_LOOK_BACK_MS
  if (wasJustRead(ctx, namespace, from, now)) return undefined
  const failure = await readLedgerRange(ctx, namespace, { from, to: now + HOUR }, id)
  if (!failure && !(await findSaleTransaction(ctx.store.db, id))) search.endedAt = now
  return failure
}
