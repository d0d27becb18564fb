/** Writes an event for every machine sale: one per sale and status, however often the ledger lists it. */
import type { Context } from '../../context.ts'
import type { Tx } from '../../store/store.ts'
import { type Namespace, skuIdOf } from '../../kernel/ids.ts'
import { findMachineProducts } from '../skus/index.ts'
import { eventId, recordEvent } from '../../record/events/index.ts'
import { addOrderMessages } from '../../record/outbox/index.ts'
import { catchUp } from './mirror-ledger.ts'
import { lockMirror } from './mirror-records.ts'
import { takeUnannounced, listUnannouncedSales } from './records.ts'
import type { SaleTransaction } from './sale-transaction.ts'
import { saleEvent } from './texts.ts'

const BATCH_SIZE = 100
/** Per poll; the next poll announces the rest. */
const BATCHES_MAX = 50

export async function pollLedger(ctx: Context): Promise<void> {
  for (const { namespace, failure } of await catchUp(ctx))
    ctx.log.warn({ namespace, reason: failure.reason, text: failure.message }, 'The ledger could not be read')
  // Sales that were mirrored before the failure, or by a listing of orders, are announced all the same.
  for (let batches = 0; batches < BATCHES_MAX; batches += 1) if ((await announceBatch(ctx)) < BATCH_SIZE) return
}

async function announceBatch(ctx: Pick<Context, 'store' | 'clock' | 'config'>): Promise<number> {
  const waiting = await listUnannouncedSales(ctx.store.db, BATCH_SIZE)
  const byNamespace = Map.groupBy(waiting, ({ namespace }) => namespace)
  for (const [namespace, rows] of byNamespace)
    await ctx.store.transaction(async (tx) => {
      await lockMirror(tx, namespace)
      const orderNos = rows.map(({ order_no }) => order_no)
      const sales = (await takeUnannounced(tx, namespace, orderNos)).toSorted(byTime)
      const titleOf = await loadTitles(tx, namespace as Namespace, sales)
      for (const sale of sales) {
        const event = await recordEvent(ctx, tx, saleEvent(sale, ctx.config.currency, titleOf))
        await addOrderMessages(ctx, tx, {
          id: sale.orderNo,
          kind: 'sale',
          orderedAt: sale.createdAt ?? sale.firstSeenAt,
          occurredAt: event.storedAt,
          eventId: eventId(event),
        })
      }
    })
  return waiting.length
}

const byTime = (a: SaleTransaction, b: SaleTransaction): number =>
  (a.createdAt ?? a.firstSeenAt) - (b.createdAt ?? b.firstSeenAt)

/** The names of the products sold, by the code of the platform. */
async function loadTitles(tx: Tx, namespace: Namespace, sales: readonly SaleTransaction[]) {
  const codes = new Set(sales.flatMap(({ lines }) => lines.map(({ vendorSku }) => vendorSku)))
  const products = await findMachineProducts(
    tx,
    [...codes].flatMap((code) => skuIdOf(namespace, code) ?? []),
  )
  return (code: string): string | undefined => {
    const id = skuIdOf(namespace, code)
    return id && products.get(id)?.title
  }
}
