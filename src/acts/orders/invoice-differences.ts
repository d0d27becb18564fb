/** Invoices of a supplier held against the order, what will not come, and the receipt. Pure. */
import { type SkuId, vendorSkuOf } from '../../kernel/ids.ts'
import type { SupplyInvoice } from '../../vendors/supply-vendor.ts'
import type { InvoiceDifference, Purchase, PurchaseLine } from './purchase-record.ts'
import { cancelledUnits, shortFenOf } from './short-lines.ts'

/**
 * `received`: single items by product, where the receipt was booked. Less than expected is no difference: the rest may be
 * invoiced later, and a lower price needs nobody.
 */
export function invoiceDifferences(
  purchase: Purchase,
  invoices: readonly SupplyInvoice[],
  received: ReadonlyMap<string, number> | undefined,
): readonly InvoiceDifference[] {
  // Booked from the supplier's records: nothing is known that an invoice could be compared with.
  if (invoices.length === 0 || purchase.lines.length === 0) return []
  const cancelled = cancelledUnits(purchase)
  const numbers = invoices.map(({ number }) => number).join(', ')
  const lines = purchase.lines.flatMap((line) =>
    differencesOfLine(line, invoices, expectedOf(purchase, line, cancelled.get(line.id) ?? 0, received)),
  )
  const differences = [...lines, ...notOrdered(invoices), ...chargeDifference(purchase, invoices, numbers)]
  if (differences.length > 0) return differences
  const invoiced = sum(invoices, ({ totalFen }) => totalFen)
  const expected = purchase.totalFen - shortFenOf(purchase)
  return invoiced > expected
    ? [{ kind: 'total', invoice: numbers, invoiced, expected, amount: invoiced - expected }]
    : []
}

const sum = <T>(entries: readonly T[], of: (entry: T) => number): number =>
  entries.reduce((all, entry) => all + of(entry), 0)

const containsOf = ({ item }: PurchaseLine): number => item.quantity_unit?.contains ?? 1

/** In the unit of the line. A receipt names products: one that stands in several lines is compared with what was confirmed. */
function expectedOf(
  { lines }: Purchase,
  line: PurchaseLine,
  cancelled: number,
  received: ReadonlyMap<string, number> | undefined,
): number {
  const confirmed = line.quantity - cancelled
  const isAlone = lines.filter(({ item }) => item.id === line.item.id).length === 1
  return received && isAlone ? Math.min(confirmed, (received.get(line.item.id) ?? 0) / containsOf(line)) : confirmed
}

function differencesOfLine(
  line: PurchaseLine,
  invoices: readonly SupplyInvoice[],
  expected: number,
): readonly InvoiceDifference[] {
  const own = invoices.flatMap((invoice) =>
    invoice.lines
      .filter(
        ({ vendorSku, contains }) => vendorSku === vendorSkuOf(line.item.id as SkuId) && contains === containsOf(line),
      )
      .map((each) => ({ ...each, invoice: invoice.number })),
  )
  const about = { line: line.id, title: line.item.title }
  const invoiced = sum(own, ({ quantity }) => quantity)
  const more: readonly InvoiceDifference[] =
    invoiced > expected
      ? [
          {
            kind: 'quantity',
            invoice: [...new Set(own.map(({ invoice }) => invoice))].join(', '),
            ...about,
            invoiced,
            expected,
            amount: Math.round((invoiced - expected) * line.item.price),
          },
        ]
      : []
  const prices = own.flatMap(({ invoice, quantity, unitPriceFen }): InvoiceDifference[] =>
    unitPriceFen <= line.item.price || quantity === 0
      ? []
      : [
          {
            kind: 'price',
            invoice,
            ...about,
            invoiced: unitPriceFen,
            expected: line.item.price,
            amount: (unitPriceFen - line.item.price) * quantity,
          },
        ],
  )
  return [...more, ...prices]
}

const notOrdered = (invoices: readonly SupplyInvoice[]): readonly InvoiceDifference[] =>
  invoices.flatMap(({ number, lines }) =>
    lines.flatMap(({ unordered, quantity, unitPriceFen }): InvoiceDifference[] =>
      unordered === undefined
        ? []
        : [
            {
              kind: 'not_ordered',
              invoice: number,
              title: unordered,
              invoiced: quantity,
              expected: 0,
              amount: quantity * unitPriceFen,
            },
          ],
    ),
  )

function chargeDifference(
  { totals }: Purchase,
  invoices: readonly SupplyInvoice[],
  numbers: string,
): readonly InvoiceDifference[] {
  const invoiced = sum(invoices, ({ chargesFen }) => chargesFen)
  const expected = totals ? totals.fulfillment + totals.fee : 0
  return invoiced > expected
    ? [{ kind: 'charge', invoice: numbers, invoiced, expected, amount: invoiced - expected }]
    : []
}
