/** An order as UBL 2 by the rules of Peppol BIS Ordering 3. The order of the elements is that of the schema. */
import { decimalOf } from '../../../../kernel/minor-units.ts'
import {
  type Order,
  type OrderLine,
  type WrittenOrder,
  UBL_DIGITS_MAX,
  contactName,
  countryCode,
  findProblem,
  lineTitle,
  lineTotal,
  orderNote,
  orderTime,
} from '../order-document.ts'
import type { SupplyAddress } from '../../../supply-vendor.ts'
import type { UblEndpoint } from '../../settings.ts'
import { type XmlOutput, group, leaf, optionalGroup, optionalLeaf, renderXml } from '../xml.ts'

export interface UblSettings {
  readonly seller: { readonly name: string; readonly endpoint?: UblEndpoint | undefined }
  /** Where it is not the GLN of the buyer. */
  readonly buyerEndpoint?: UblEndpoint | undefined
  /** `ordering` expects an answer, `order_only` none. */
  readonly profile: 'ordering' | 'order_only'
}

const NAMESPACE = 'urn:oasis:names:specification:ubl:schema:xsd'
const UNIT_CODES = { each: 'C62', pack: 'XBX' } as const
const GTIN = '0160'
const GLN = '0088'

export function writeUblOrder(order: Order, { seller, buyerEndpoint, profile }: UblSettings): WrittenOrder {
  const problem = findProblem(order)
  if (problem !== undefined) return { ok: false, problem }
  const { ref, currency, digits, lines, totals, buyer, destination } = order
  if (digits > UBL_DIGITS_MAX) return { ok: false, problem: `a Peppol order cannot state amounts of ${currency}` }
  const amount = (name: string, minor: number) => leaf(name, decimalOf(minor, digits), { currencyID: currency })
  const at = orderTime(order)
  const root = group(
    'Order',
    [
      leaf('cbc:CustomizationID', 'urn:fdc:peppol.eu:poacc:trns:order:3'),
      leaf('cbc:ProfileID', `urn:fdc:peppol.eu:poacc:bis:${profile}:3`),
      leaf('cbc:ID', ref),
      leaf('cbc:IssueDate', at.toPlainDate().toString()),
      leaf('cbc:IssueTime', at.toPlainTime().toString({ smallestUnit: 'second' })),
      optionalLeaf('cbc:Note', orderNote(order)),
      leaf('cbc:DocumentCurrencyCode', currency),
      group('cac:BuyerCustomerParty', [
        group('cac:Party', [
          endpoint(buyerEndpoint ?? (buyer.gln === undefined ? undefined : { id: buyer.gln, scheme: GLN })),
          optionalGroup('cac:PartyIdentification', [optionalLeaf('cbc:ID', buyer.account)]),
          group('cac:PartyName', [leaf('cbc:Name', buyer.name)]),
          address('cac:PostalAddress', buyer.address),
          optionalTaxScheme(buyer.vatId),
          group('cac:PartyLegalEntity', [leaf('cbc:RegistrationName', buyer.name)]),
          contact(buyer.address),
        ]),
      ]),
      group('cac:SellerSupplierParty', [
        group('cac:Party', [
          endpoint(seller.endpoint),
          group('cac:PartyLegalEntity', [leaf('cbc:RegistrationName', seller.name)]),
        ]),
      ]),
      optionalGroup('cac:Delivery', [
        optionalGroup('cac:DeliveryLocation', [address('cac:Address', destination)]),
        optionalGroup('cac:DeliveryParty', [
          optionalGroup('cac:PartyName', [optionalLeaf('cbc:Name', contactName(destination))]),
          contact(destination),
        ]),
      ]),
      group('cac:TaxTotal', [amount('cbc:TaxAmount', totals.tax)]),
      group('cac:AnticipatedMonetaryTotal', [
        amount('cbc:LineExtensionAmount', totals.net),
        amount('cbc:TaxExclusiveAmount', totals.net),
        amount('cbc:TaxInclusiveAmount', totals.total),
        amount('cbc:PayableAmount', totals.total),
      ]),
      ...lines.map((line) => orderLine(line, amount)),
    ],
    {
      xmlns: `${NAMESPACE}:Order-2`,
      'xmlns:cac': `${NAMESPACE}:CommonAggregateComponents-2`,
      'xmlns:cbc': `${NAMESPACE}:CommonBasicComponents-2`,
    },
  )
  return { ok: true, document: renderXml(root) }
}

function orderLine(line: OrderLine, amount: (name: string, minor: number) => XmlOutput): XmlOutput {
  const { lineNumber, vendorSku, quantity, unit, contains, unitPrice, barcode } = line
  return group('cac:OrderLine', [
    group('cac:LineItem', [
      leaf('cbc:ID', String(lineNumber)),
      leaf('cbc:Quantity', String(quantity), { unitCode: UNIT_CODES[unit] }),
      amount('cbc:LineExtensionAmount', lineTotal(line)),
      group('cac:Price', [amount('cbc:PriceAmount', unitPrice)]),
      group('cac:Item', [
        leaf('cbc:Name', lineTitle(line)),
        group('cac:SellersItemIdentification', [leaf('cbc:ID', vendorSku)]),
        optionalGroup('cac:StandardItemIdentification', [
          // Fourteen digits, as the Peppol code list wants them.
          optionalLeaf('cbc:ID', barcode?.padStart(14, '0'), { schemeID: GTIN }),
        ]),
        unit === 'pack'
          ? group('cac:AdditionalItemProperty', [
              leaf('cbc:Name', 'Items per pack'),
              leaf('cbc:Value', String(contains)),
            ])
          : undefined,
      ]),
    ]),
  ])
}

const endpoint = (given: UblEndpoint | undefined): XmlOutput | undefined =>
  optionalLeaf('cbc:EndpointID', given?.id, { schemeID: given?.scheme })

function optionalTaxScheme(vatId: string | undefined): XmlOutput | undefined {
  const company = optionalLeaf('cbc:CompanyID', vatId)
  return company && group('cac:PartyTaxScheme', [company, group('cac:TaxScheme', [leaf('cbc:ID', 'VAT')])])
}

const address = (name: string, lines: SupplyAddress): XmlOutput | undefined =>
  optionalGroup(name, [
    optionalLeaf('cbc:StreetName', lines.street_address),
    optionalLeaf('cbc:AdditionalStreetName', lines.extended_address),
    optionalLeaf('cbc:CityName', lines.address_locality),
    optionalLeaf('cbc:PostalZone', lines.postal_code),
    optionalLeaf('cbc:CountrySubentity', lines.address_region),
    optionalGroup('cac:Country', [optionalLeaf('cbc:IdentificationCode', countryCode(lines))]),
  ])

const contact = (lines: SupplyAddress): XmlOutput | undefined =>
  optionalGroup('cac:Contact', [
    optionalLeaf('cbc:Name', contactName(lines)),
    optionalLeaf('cbc:Telephone', lines.phone_number),
  ])
