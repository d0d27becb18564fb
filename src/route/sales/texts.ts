/** Sentences about sales, for events. */
import type { OwnEvent } from '../../record/events/index.ts'
import { type CurrencyCode, formatAmount, money } from '../../kernel/currency.ts'
import { type NoteMessage, warning } from '../../kernel/message.ts'
import { count, withId } from '../../kernel/text.ts'
import type { SaleTransaction } from './sale-transaction.ts'

/** The platform lists no sales of the machine before that. */
export const machineCompleteSince = (machine: string, since: string): NoteMessage =>
  warning('history_truncated', `Sales of ${machine} before ${since} are not known.`, undefined, { machine, since })

export const salesDayDiffers = (day: string, differences: number): OwnEvent => ({
  kind: 'sync',
  code: 'sales_day_differs',
  params: { day, differences },
  summary: `Daily totals of ${day} differ from the ledger in ${count(differences, 'place')}`,
  reasoning: 'Totals are counted with every sale. `vendops profit rebuild` counts them again.',
})

/** The event of a sale: `sale_recorded` for each status in which the ledger lists it. */
export function saleEvent(
  sale: SaleTransaction,
  currency: CurrencyCode,
  titleOf: (vendorSku: string) => string | undefined,
): OwnEvent {
  const { orderNo, status, statusLabel, settled, locationId, locationName, lines, totalFen, namespace } = sale
  const refunded = lines.filter((line) => line.status === 'refunded').length
  const items = `${count(lines.length, 'item')}${refunded > 0 ? ` (${refunded} refunded)` : ''}`
  return {
    kind: 'order',
    code: 'sale_recorded',
    params: {
      order: orderNo,
      status: statusLabel ?? status,
      machine: locationName ?? locationId,
      machine_id: locationId,
      items: lines.length,
      refunded,
      // The console must not call it sold.
      ...(settled || refunded > 0 ? {} : { unpaid: lines.length }),
      total: money(totalFen, currency),
      ...(refunded > 0 ? {} : productOf(lines, titleOf)),
    },
    summary: `Sale ${orderNo}: ${statusLabel ?? status} at ${withId(locationName, locationId)}, ${items}, ${formatAmount(totalFen, currency)}`,
    reasoning: `The ledger of ${namespace} lists it as ${status}.`,
    location: locationId,
    occurredAt: sale.createdAt ?? sale.firstSeenAt,
  }
}

/** What was sold, where it is one product whose name is known. */
function productOf(lines: SaleTransaction['lines'], titleOf: (vendorSku: string) => string | undefined) {
  const [sku, ...others] = new Set(lines.map(({ vendorSku }) => vendorSku))
  const product = sku === undefined || others.length > 0 ? undefined : titleOf(sku)
  if (product === undefined) return {}
  return lines.length > 1 ? { product, quantity: lines.length } : { product }
}
