/**
 * An order as CSV (RFC 4180, UTF-8): one row per line, then who buys and where it goes, the total in the last row. Programs of
 * suppliers may read it by the place of its columns, so new ones come last.
 */
import { stringify } from 'csv-stringify/sync'
import { decimalOf } from '../../../../kernel/minor-units.ts'
import type { SupplyAddress } from '../../../supply-vendor.ts'
import { type Order, type WrittenOrder, contactName, findProblem, lineTitle, orderNote } from '../order-document.ts'

export function writeCsvOrder(order: Order): WrittenOrder {
  const problem = findProblem(order)
  if (problem !== undefined) return { ok: false, problem }
  const { ref, currency, digits, lines, totals, buyer, destination } = order
  const amount = (minor: number) => decimalOf(minor, digits)
  const note = orderNote(order)
  const said = (sentence: string) => [ref, '', sentence, '', '', '', '', '']
  const rows = [
    ['po', 'sku', 'title', 'qty', 'unit', priceHeader(lines), 'case_size', 'price_of_one'],
    ...lines.map((line) => [
      ref,
      line.vendorSku,
      lineTitle(line),
      String(line.quantity),
      line.unit,
      amount(line.unitPrice),
      line.unit === 'pack' ? String(line.contains) : '',
      priceOfOne(line, digits),
    ]),
    said(`Buyer: ${joined([buyer.name, buyer.account && `customer number ${buyer.account}`])}`),
    // What is picked up is said in the note.
    said(note ?? `Deliver to: ${addressLine(destination)}`),
    ...(totals.tax === 0 ? [] : [[ref, '', 'Tax', '', currency, amount(totals.tax), '', '']]),
    [ref, '', 'Total', '', currency, amount(totals.total), '', ''],
  ]
  // Titles come from the supplier's list: one that starts like a formula must not become one where the order is opened.
  return { ok: true, document: stringify(rows, { record_delimiter: '\r\n', escape_formulas: true }) }
}

/** Of what: the price of a case must not be read as that of one item. */
function priceHeader(lines: Order['lines']): string {
  const units = new Set(lines.map(({ unit }) => unit))
  if (units.size > 1) return 'pack_or_each_price'
  return units.has('pack') ? 'pack_price' : 'each_price'
}

/** A case of 24 at 12.50 is 0.5208 each: with two digits more than the currency has, where they say something. */
function priceOfOne({ unitPrice, contains }: Order['lines'][number], digits: number): string {
  const hundredths = Math.round((unitPrice * 100) / contains)
  return hundredths % 100 === 0 ? decimalOf(hundredths / 100, digits) : decimalOf(hundredths, digits + 2)
}

const addressLine = (address: SupplyAddress): string =>
  joined([
    contactName(address),
    address.phone_number,
    address.street_address,
    address.extended_address,
    address.address_locality,
    address.address_region,
    address.postal_code,
    address.address_country,
  ])

const joined = (parts: readonly (string | undefined)[]): string =>
  parts
    .map((part) => part?.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(', ')
