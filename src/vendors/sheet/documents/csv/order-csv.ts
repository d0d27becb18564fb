/** An order as CSV (RFC 4180, UTF-8): one row per line, the total in the last row. */
import { stringify } from 'csv-stringify/sync'
import { decimalOf } from '../../../../kernel/minor-units.ts'
import { type Order, type WrittenOrder, findProblem, lineTitle, orderNote } from '../order-document.ts'

export function writeCsvOrder(order: Order): WrittenOrder {
  const problem = findProblem(order)
  if (problem !== undefined) return { ok: false, problem }
  const { ref, currency, digits, lines, totals } = order
  const amount = (minor: number) => decimalOf(minor, digits)
  const note = orderNote(order)
  const rows = [
    ['po', 'sku', 'title', 'qty', 'unit', 'unit_price'],
    ...lines.map((line) => [
      ref,
      line.vendorSku,
      lineTitle(line),
      String(line.quantity),
      line.unit,
      amount(line.unitPrice),
    ]),
    ...(note === undefined ? [] : [[ref, '', note, '', '', '']]),
    ...(totals.tax === 0 ? [] : [[ref, '', 'Tax', '', currency, amount(totals.tax)]]),
    [ref, '', 'Total', '', currency, amount(totals.total)],
  ]
  // Titles come from the supplier's list: one that starts like a formula must not become one where the order is opened.
  return { ok: true, document: stringify(rows, { record_delimiter: '\r\n', escape_formulas: true }) }
}
