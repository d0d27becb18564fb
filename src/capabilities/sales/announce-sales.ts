/** Tells the event stream of machine sales (6.3): each trade once per status, however often the ledger lists it. */
import { sql } from 'kysely'
import { yuan } from '../../kernel/fen.ts'
import type { Context } from '../context.ts'
import { recordEvent } from '../events/index.ts'
import { catchUp } from './mirror-ledger.ts'
import { lockMirror } from './ingest.ts'
import { saleTransactionOf } from './sale-transaction.ts'
import type { SaleTransaction } from './sale-transaction.ts'

const TOLD_AT_ONCE = 100
/** Per poll; what is left over is told by the next. */
const BITES_MAX = 50

export async function pollLedger(ctx: Context): Promise<void> {
  const failure = await catchUp(ctx)
  if (failure) ctx.log.warn({ reason: failure.reason, text: failure.message }, 'the ledger could not be read')
  // What was mirrored before the failure, or by somebody else's listing, is news all the same.
  for (let bites = 0; bites < BITES_MAX; bites += 1) if ((await announceSome(ctx)) < TOLD_AT_ONCE) return
}

async function announceSome(ctx: Pick<Context, 'store' | 'clock'>): Promise<number> {
  const waiting = await ctx.store.db
    .selectFrom('trade')
    .select(['namespace', 'order_no'])
    // Written into the text, not bound: only then the partial index is seen to apply.
    .where('to_announce', '=', sql.lit(1))
    .orderBy('at')
    .limit(TOLD_AT_ONCE)
    .execute()
  const byNamespace = Map.groupBy(waiting, ({ namespace }) => namespace)
  for (const [namespace, trades] of byNamespace)
    await ctx.store.transaction(async (tx) => {
      await lockMirror(tx, namespace)
      const told = await tx
        .updateTable('trade')
        .set({ to_announce: 0 })
        .where('namespace', '=', namespace)
        .where(
          'order_no',
          'in',
          trades.map(({ order_no }) => order_no),
        )
        .where('to_announce', '=', 1)
        .returningAll()
        .execute()
      for (const trade of told.map(saleTransactionOf).toSorted(byTime)) await recordEvent(ctx, tx, saleEvent(trade))
    })
  return waiting.length
}

const byTime = (a: SaleTransaction, b: SaleTransaction): number =>
  (a.createdAt ?? a.firstSeenAt) - (b.createdAt ?? b.firstSeenAt)

export function saleEvent(trade: SaleTransaction) {
  const { orderNo, status, statusLabel, locationId, locationName, lines, totalFen } = trade
  const site = locationName === undefined ? locationId : `${locationName} (${locationId})`
  const refunded = lines.filter((line) => line.status === 'refunded').length
  const items = `${lines.length} ${lines.length === 1 ? 'item' : 'items'}${refunded > 0 ? ` (${refunded} refunded)` : ''}`
  return {
    kind: 'order' as const,
    summary: `Sale ${orderNo}: ${statusLabel ?? status} at ${site}, ${items}, ${yuan(totalFen)}`,
    reasoning: `The ledger of ${trade.namespace} lists it as ${status}.`,
    location: locationId,
    occurredAt: trade.createdAt ?? trade.firstSeenAt,
  }
}
