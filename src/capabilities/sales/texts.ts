/** Sentences about sales, for events. */
import { yuan } from '../../kernel/fen.ts'
import { count, named } from '../../kernel/text.ts'
import type { SaleTransaction } from './sale-transaction.ts'

/** The event of a sale: `sale_recorded` for each status in which the ledger lists it. */
export function saleEvent(sale: SaleTransaction) {
  const { orderNo, status, statusLabel, locationId, locationName, lines, totalFen, namespace } = sale
  const refunded = lines.filter((line) => line.status === 'refunded').length
  const items = `${count(lines.length, 'item')}${refunded > 0 ? ` (${refunded} refunded)` : ''}`
  return {
    kind: 'order' as const,
    code: 'sale_recorded',
    params: {
      order: orderNo,
      status: statusLabel ?? status,
      machine: locationName ?? locationId,
      machine_id: locationId,
      items: lines.length,
      refunded,
      total: { amount: totalFen, currency: 'CNY' as const },
    },
    summary: `Sale ${orderNo}: ${statusLabel ?? status} at ${named(locationName, locationId)}, ${items}, ${yuan(totalFen)}`,
    reasoning: `The ledger of ${namespace} lists it as ${status}.`,
    location: locationId,
    occurredAt: sale.createdAt ?? sale.firstSeenAt,
  }
}
