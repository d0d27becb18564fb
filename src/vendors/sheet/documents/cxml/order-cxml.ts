/** An order as a cXML OrderRequest. The order of the elements is that of the DTD. */
import { decimalOf } from '../../../../kernel/minor-units.ts'
import { contactName, countryCode, findProblem, lineTitle, orderNote, orderTime } from '../order-document.ts'
import type { SupplyAddress } from '../../../supply-vendor.ts'
import type { Order, OrderLine, WrittenOrder } from '../order-document.ts'
import type { CxmlIdentity } from '../../settings.ts'
import { type XmlOutput, group, leaf, optionalGroup, optionalLeaf, renderXml } from '../xml.ts'

interface CxmlSettings {
  readonly from: CxmlIdentity
  readonly to: CxmlIdentity
  readonly sharedSecret?: string | undefined
  /** Right half of the payload id. */
  readonly host: string
  readonly isTest?: boolean
}

const VERSION = '1.2.063'
const DOCTYPE = `<!DOCTYPE cXML SYSTEM "http://xml.cxml.org/schemas/cXML/${VERSION}/cXML.dtd">`
const UNIT_CODES = { each: 'EA', pack: 'BX' } as const

/** The same for every retry of an order: a receiver drops a second document with the same id. */
export const payloadIdOf = (ref: string, host: string): string => `${ref}@${host}`

export function writeCxmlOrder(order: Order, settings: CxmlSettings): WrittenOrder {
  const problem = findProblem(order)
  if (problem !== undefined) return { ok: false, problem }
  const { ref, currency, digits, lines, totals, buyer, destination } = order
  const { from, to, sharedSecret, host, isTest = false } = settings
  const money = (minor: number) => leaf('Money', decimalOf(minor, digits), { currency })
  const at = orderTime(order).toString({ timeZoneName: 'never', smallestUnit: 'second' })
  const root = group(
    'cXML',
    [
      group('Header', [
        group('From', [credential(from)]),
        group('To', [credential(to)]),
        group('Sender', [credential(from, sharedSecret), leaf('UserAgent', 'vendops')]),
      ]),
      group(
        'Request',
        [
          group('OrderRequest', [
            group(
              'OrderRequestHeader',
              [
                // The cXML reference defines it as the cost of the items, without tax and shipping.
                group('Total', [money(totals.net)]),
                group('ShipTo', [address(contactName(destination) || buyer.name, destination)]),
                group('BillTo', [address(buyer.name, buyer.address, buyer.account)]),
                totals.tax === 0
                  ? undefined
                  : group('Tax', [money(totals.tax), leaf('Description', 'Tax', { 'xml:lang': 'en' })]),
                optionalLeaf('Comments', orderNote(order), { 'xml:lang': 'en' }),
                optionalExtrinsic('buyerVatID', buyer.vatId),
              ],
              { orderID: ref, orderDate: at, type: 'new' },
            ),
            ...lines.map((line) => itemOut(line, money)),
          ]),
        ],
        { deploymentMode: isTest ? 'test' : 'production' },
      ),
    ],
    { payloadID: payloadIdOf(ref, host), timestamp: at, 'xml:lang': 'en', version: VERSION },
  )
  return { ok: true, document: renderXml(root, DOCTYPE) }
}

const credential = ({ domain, identity }: CxmlIdentity, sharedSecret?: string): XmlOutput =>
  group('Credential', [leaf('Identity', identity), optionalLeaf('SharedSecret', sharedSecret)], { domain })

const optionalExtrinsic = (name: string, value: string | undefined): XmlOutput | undefined =>
  optionalLeaf('Extrinsic', value, { name })

function itemOut(line: OrderLine, money: (minor: number) => XmlOutput): XmlOutput {
  const { lineNumber, vendorSku, quantity, unit, contains, unitPrice, barcode } = line
  return group(
    'ItemOut',
    [
      group('ItemID', [
        leaf('SupplierPartID', vendorSku),
        barcode === undefined ? undefined : group('IdReference', [], { domain: 'GTIN', identifier: barcode }),
      ]),
      group('ItemDetail', [
        group('UnitPrice', [money(unitPrice)]),
        leaf('Description', lineTitle(line), { 'xml:lang': 'en' }),
        leaf('UnitOfMeasure', UNIT_CODES[unit]),
        // Required by the DTD; a vending route has no commodity codes.
        leaf('Classification', 'unclassified', { domain: 'custom' }),
        unit === 'pack' ? optionalExtrinsic('itemsPerPack', String(contains)) : undefined,
      ]),
    ],
    { quantity: String(quantity), lineNumber: String(lineNumber) },
  )
}

/** Street and city are required by the DTD, even when they are empty. */
function address(name: string, lines: SupplyAddress, addressID?: string): XmlOutput {
  const code = countryCode(lines)
  return group(
    'Address',
    [
      leaf('Name', name, { 'xml:lang': 'en' }),
      group('PostalAddress', [
        optionalLeaf('DeliverTo', contactName(lines)),
        leaf('Street', lines.street_address ?? ''),
        optionalLeaf('Street', lines.extended_address),
        leaf('City', lines.address_locality ?? ''),
        optionalLeaf('State', lines.address_region),
        optionalLeaf('PostalCode', lines.postal_code),
        leaf('Country', lines.address_country ?? '', { isoCountryCode: code ?? '' }),
      ]),
      optionalGroup('Phone', [
        lines.phone_number === undefined
          ? undefined
          : group('TelephoneNumber', [
              leaf('CountryCode', '', { isoCountryCode: code ?? '' }),
              leaf('AreaOrCityCode', ''),
              leaf('Number', lines.phone_number),
            ]),
      ]),
    ],
    { addressID, isoCountryCode: code },
  )
}
