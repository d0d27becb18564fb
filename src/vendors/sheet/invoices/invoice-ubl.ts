/** UBL invoices (Peppol BIS Billing 3). */
import { omitUndefined } from '../../../lib/objects.ts'
import { UnreadableReply } from '../../upstream/read-json.ts'
import type { ReplySettings } from '../documents/order-reply.ts'
import { unitOf, wholeOf } from '../documents/units.ts'
import { type XmlNode, childOf, childrenOf, readXml, requiredText, textAt } from '../documents/xml.ts'
import {
  type Invoice,
  type InvoiceLine,
  type ReadInvoices,
  lineAmount,
  readAmount,
  readInvoices,
  readPrice,
} from './invoice.ts'

/** Nothing where the document is something else. */
export const readUblInvoices = (bytes: Uint8Array, settings: ReplySettings): ReadInvoices =>
  readInvoices(() => {
    const root = readXml(bytes)
    if (root.name === 'CreditNote') throw new UnreadableReply('it is a credit note, which a person has to look at')
    return root.name === 'Invoice' ? [readInvoice(root, settings)] : []
  })

/** A commercial invoice, and one of a part. */
const TYPES = new Set(['380', '326'])

function readInvoice(root: XmlNode, settings: ReplySettings): Invoice {
  const type = textAt(root, 'InvoiceTypeCode') ?? '380'
  if (!TYPES.has(type)) throw new UnreadableReply(`InvoiceTypeCode ${type} is no plain invoice`)
  if ((textAt(root, 'DocumentCurrencyCode') ?? settings.currency) !== settings.currency)
    throw new UnreadableReply('it is in another currency')
  const lines = childrenOf(root, 'InvoiceLine').map((line) => readLine(line, settings))
  const totals = childOf(root, 'LegalMonetaryTotal')
  const total = childOf(totals, 'TaxInclusiveAmount') ?? childOf(totals, 'PayableAmount')
  if (!total) throw new UnreadableReply('LegalMonetaryTotal/PayableAmount is missing')
  return {
    ref: requiredText(root, 'OrderReference', 'ID'),
    number: requiredText(root, 'ID'),
    lines: lines.map(({ line }) => line),
    charges: chargesOf(root, settings) + lines.reduce((sum, { charges }) => sum + charges, 0),
    tax: taxOf(root, settings),
    total: amountOf(total, settings),
  }
}

function amountOf(node: XmlNode, { currency, digits }: ReplySettings): number {
  if ((node.attributes['currencyID'] ?? currency) !== currency) throw new UnreadableReply('it is in another currency')
  return readAmount(node.text, digits)
}

function chargesOf(node: XmlNode, settings: ReplySettings): number {
  return childrenOf(node, 'AllowanceCharge').reduce((sum, each) => {
    const indicator = requiredText(each, 'ChargeIndicator')
    if (!/^(?:true|false)$/.test(indicator)) throw new UnreadableReply('ChargeIndicator is neither true nor false')
    const amount = childOf(each, 'Amount')
    if (!amount) throw new UnreadableReply('Amount is missing')
    return sum + amountOf(amount, settings) * (indicator === 'true' ? 1 : -1)
  }, 0)
}

/** The tax may be stated again in the currency of the accounts. */
function taxOf(root: XmlNode, settings: ReplySettings): number {
  const amounts = childrenOf(root, 'TaxTotal')
    .map((total) => childOf(total, 'TaxAmount'))
    .filter((amount) => amount !== undefined)
    .filter((amount) => (amount.attributes['currencyID'] ?? settings.currency) === settings.currency)
  if (amounts.length > 1) throw new UnreadableReply('TaxTotal occurs more than once')
  return amounts[0] ? amountOf(amounts[0], settings) : 0
}

function readLine(node: XmlNode, settings: ReplySettings): { readonly line: InvoiceLine; readonly charges: number } {
  const invoiced = childOf(node, 'InvoicedQuantity')
  const quantity = wholeOf(invoiced?.text.trim())
  if (quantity === undefined) throw new UnreadableReply('a quantity is not a whole number')
  const code = invoiced?.attributes['unitCode']
  const unit = unitOf(code)
  if (code !== undefined && unit === undefined) throw new UnreadableReply(`a quantity is in the unit ${code}`)
  const price = childOf(node, 'Price')
  const base = wholeOf(childOf(price, 'BaseQuantity')?.text.trim() ?? '1')
  if (!base) throw new UnreadableReply('BaseQuantity is not a whole number')
  const line = omitUndefined({
    lineNumber: wholeOf(textAt(node, 'OrderLineReference', 'LineID')) || undefined,
    vendorSku: textAt(node, 'Item', 'SellersItemIdentification', 'ID'),
    title: textAt(node, 'Item', 'Name'),
    quantity,
    unit,
    price: Math.round(readPrice(requiredText(price, 'PriceAmount'), settings.digits) / base),
  })
  const stated = childOf(node, 'LineExtensionAmount')
  if (!stated) throw new UnreadableReply('LineExtensionAmount is missing')
  const charges = chargesOf(node, settings)
  if (Math.abs(amountOf(stated, settings) - charges - lineAmount(line)) > 1)
    throw new UnreadableReply('the amount of a line is not that of its quantity and price')
  return { line, charges }
}
