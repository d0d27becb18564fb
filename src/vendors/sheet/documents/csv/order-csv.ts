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
  const said = (sentence: string) => [ref, '', sentence, '', '', '', '']
  const rows = [
    ['po', 'sku', 'title', 'qty', 'unit', 'unit_price', 'case_size'],
    ...lines.map((line) => [
      ref,
      line.vendorSku,
      lineTitle(line),
      String(line.quantity),
      line.unit,
      amount(line.unitPrice),
      line.unit === 'pack' ? String(line.contains) : '',
    ]),
    said(`Buyer: ${joined([buyer.name, buyer.account && `customer number ${buyer.account}`])}`),
    // What is picked up is said in the note.
    said(note ?? `Deliver to: ${addressLine(destination)}`),
    ...(totals.tax === 0 ? [] : [[ref, '', 'Tax', '', currency, amount(totals.tax), '']]),
    [ref, '', 'Total', '', currency, amount(totals.total), ''],
  ]
  // Titles come from the supplier's list: one that starts like a formula must not become one where the order is opened.
  return { ok: true, document: stringify(rows, { record_delimiter: '\r\n', escape_formulas: true }) }
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
