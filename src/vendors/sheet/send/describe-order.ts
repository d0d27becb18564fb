/** An order as lines that a person at the supplier can read and type in. */
import { decimalOf } from '../../../kernel/minor-units.ts'
import { type Order, contactName, lineTitle, lineTotal, orderNote, orderTime } from '../documents/order-document.ts'
import type { SupplyAddress } from '../../supply-vendor.ts'

export function describeOrder(order: Order): string {
  const { ref, currency, digits, lines, totals, buyer, destination } = order
  const money = (minor: number) => `${decimalOf(minor, digits)} ${currency}`
  const note = orderNote(order)
  return [
    `Purchase order ${ref}`,
    `Date: ${orderTime(order).toPlainDate().toString()}`,
    `Buyer: ${[buyer.name, buyer.account && `account ${buyer.account}`].filter(Boolean).join(', ')}`,
    ...(note === undefined ? [`Deliver to: ${addressLine(destination)}`] : [note]),
    '',
    ...lines.map((line) => {
      const unit = line.unit === 'pack' ? `pack of ${line.contains}` : 'each'
      return `${line.quantity} x ${unit}  ${line.vendorSku}  ${lineTitle(line)}  at ${money(line.unitPrice)} = ${money(lineTotal(line))}`
    }),
    '',
    ...(totals.tax === 0 ? [] : [`Net: ${money(totals.net)}`, `Tax: ${money(totals.tax)}`]),
    `Total: ${money(totals.total)}`,
  ].join('\n')
}

/** One line of what there is. */
const addressLine = (address: SupplyAddress): string =>
  [
    contactName(address),
    address.street_address,
    address.extended_address,
    address.postal_code,
    address.address_locality,
    address.address_region,
    address.address_country,
    address.phone_number,
  ]
    .map((part) => part?.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim())
    .filter(Boolean)
    .join(', ')
