/** X12 invoices (810). Other transaction sets of the interchange are passed over. */
import { omitUndefined } from '../../../lib/objects.ts'
import { UnreadableReply } from '../../upstream/read-json.ts'
import type { ReplySettings } from '../documents/order-reply.ts'
import { lineNumberOf, quantityAt, readElement, skuIn, unitAt, findOnly } from '../documents/x12/x12-elements.ts'
import { type TransactionSet, type X12Segment, readInterchange } from '../documents/x12/x12-text.ts'
import { wholeOf } from '../documents/units.ts'
import { type Invoice, type InvoiceLine, type ReadInvoices, readAmount, readInvoices, readPrice } from './invoice.ts'

export const readX12Invoices = (bytes: Uint8Array, settings: ReplySettings): ReadInvoices =>
  readInvoices(() => readInterchange(bytes).flatMap((set) => (set.type === '810' ? [readInvoice(set, settings)] : [])))

/** BIG07: an invoice. Credits and corrections need a person. */
const TYPES = new Set(['', 'DI', 'PR', 'DR'])
/** Amounts of this kind have two digits without a point, whatever the currency. */
const IMPLIED_DIGITS = 2

function readInvoice(set: TransactionSet, settings: ReplySettings): Invoice {
  const big = findOnly(set, 'BIG')
  const type = big.elements[7]?.trim() ?? ''
  if (!TYPES.has(type)) throw new UnreadableReply(`BIG07 ${type} is no plain invoice`)
  const currency = set.segments.find(({ id }) => id === 'CUR')?.elements[2]
  if (currency && currency !== settings.currency) throw new UnreadableReply('it is in another currency')
  if (set.segments.some(({ id }) => id === 'ITA')) throw new UnreadableReply('ITA is not understood')
  const lines = readLines(set, settings)
  const ctt = set.segments.find(({ id }) => id === 'CTT')
  if (ctt && wholeOf(ctt.elements[1]) !== lines.length)
    throw new UnreadableReply('the totals (CTT) are not those of the lines')
  const sumOf = (id: string, amountOf: (segment: X12Segment) => number) =>
    set.segments.filter((segment) => segment.id === id).reduce((sum, segment) => sum + amountOf(segment), 0)
  return {
    ref: readElement(big, 4),
    number: readElement(big, 2),
    lines,
    charges: sumOf('SAC', (segment) => chargeOf(segment, settings)),
    tax: sumOf('TXI', (segment) => readAmount(readElement(segment, 2), settings.digits)),
    total: impliedAmount(readElement(findOnly(set, 'TDS'), 1), settings),
  }
}

function readLines({ segments }: TransactionSet, { digits }: ReplySettings): readonly InvoiceLine[] {
  const lines: InvoiceLine[] = []
  for (const segment of segments) {
    if (segment.id === 'IT1')
      lines.push(
        omitUndefined({
          lineNumber: lineNumberOf(segment.elements[1]),
          vendorSku: skuIn(segment, 6),
          quantity: quantityAt(segment, 2),
          unit: segment.elements[3] ? unitAt(segment, 3) : undefined,
          price: readPrice(readElement(segment, 4), digits),
        }),
      )
    const last = lines.at(-1)
    const title = segment.id === 'PID' ? segment.elements[5]?.trim() : undefined
    if (last && title && last.title === undefined) lines[lines.length - 1] = { ...last, title }
  }
  return lines
}

function chargeOf(sac: X12Segment, settings: ReplySettings): number {
  const kind = readElement(sac, 1)
  if (kind === 'N') return 0
  if (kind !== 'A' && kind !== 'C') throw new UnreadableReply(`SAC01 ${kind} is unknown`)
  const amount = impliedAmount(readElement(sac, 5), settings)
  return kind === 'C' ? amount : -amount
}

function impliedAmount(text: string, { digits }: ReplySettings): number {
  const match = /^(-?)(\d{1,15})$/.exec(text)
  const amount = match && (Number(match[2]) * 10 ** digits) / 10 ** IMPLIED_DIGITS
  if (amount === null || !Number.isSafeInteger(amount)) throw new UnreadableReply('an amount cannot be read')
  return match?.[1] === '-' ? -amount : amount
}
