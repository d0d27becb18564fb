/** From an order of the service to the document that the supplier gets, in the format of the connection. */
import { vendorOf } from '../../../kernel/ids.ts'
import { omitUndefined } from '../../../lib/objects.ts'
import type { ConnectionBasics } from '../../adapter-module.ts'
import type { SupplyFulfillment, SupplyOrder, SupplySite } from '../../supply-vendor.ts'
import { digitsOf } from '../../../kernel/currency.ts'
import { toWallTime } from '../../upstream/wall-time.ts'
import { writeCsvOrder } from './csv/order-csv.ts'
import { payloadIdOf, writeCxmlOrder } from './cxml/order-cxml.ts'
import type { Buyer, Order, WrittenOrder } from './order-document.ts'
import { writeUblOrder } from './ubl/order-ubl.ts'
import { writeX12Order, X12_NUMBER_MAX } from './x12/order-x12.ts'
import type { ReplyParties } from './order-reply.ts'
import type { X12Numbers } from '../order-record.ts'
import type { OrderSettings, X12Identity } from '../settings.ts'

const FILE_TYPES = {
  csv: { extension: 'csv', mediaType: 'text/csv; charset=utf-8' },
  ubl: { extension: 'xml', mediaType: 'application/xml' },
  x12: { extension: 'edi', mediaType: 'application/edi-x12' },
  cxml: { extension: 'xml', mediaType: 'text/xml; charset=utf-8' },
} as const satisfies Record<OrderSettings['format'], { readonly extension: string; readonly mediaType: string }>

export type OrderWriter = ReturnType<typeof orderWriter>

interface WriteOptions {
  readonly numbers: X12Numbers | undefined
  readonly includesSecrets: boolean
}

export function orderWriter(settings: OrderSettings, sites: readonly SupplySite[], connection: ConnectionBasics) {
  const { format, buyer, test: isTest = false } = settings
  const { namespace, currency, timeZone } = connection
  const digits = digitsOf(currency)
  const supplier = settings.seller ?? vendorOf(namespace)
  const host = settings.cxml?.host ?? `${namespace}.vendops`

  const interchange = {
    sender: settings.x12?.sender ?? interchangeId(buyer.account ?? buyer.name),
    receiver: settings.x12?.receiver ?? interchangeId(supplier),
  }

  const party: Buyer = {
    name: buyer.name,
    account: buyer.account ?? '',
    ...omitUndefined({ vatId: buyer.vat_id, gln: buyer.gln }),
    address: buyer.address ?? {},
  }

  function write(order: Order, { numbers, includesSecrets }: WriteOptions): WrittenOrder {
    switch (format) {
      case 'csv':
        return writeCsvOrder(order)
      case 'ubl':
        return writeUblOrder(order, {
          seller: { name: supplier, endpoint: settings.ubl?.seller_endpoint },
          buyerEndpoint: settings.ubl?.buyer_endpoint,
          profile: settings.ubl?.profile ?? (settings.inbox === undefined ? 'order_only' : 'ordering'),
        })
      case 'x12':
        return writeX12Order(order, {
          ...interchange,
          controlNumber: numbers?.control ?? 0,
          number: numbers?.number,
          isTest,
        })
      case 'cxml':
        return writeCxmlOrder(order, {
          from: settings.cxml?.from ?? { domain: 'NetworkId', identity: buyer.account ?? buyer.name },
          to: settings.cxml?.to ?? { domain: 'NetworkId', identity: supplier },
          sharedSecret: includesSecrets ? settings.cxml?.shared_secret : undefined,
          host,
          isTest,
        })
    }
  }

  const toOrder = (order: SupplyOrder, requestedAt: number): Order => ({
    ref: order.ref,
    currency: order.currency,
    digits: digits ?? 0,
    lines: order.lines.map(({ unitPriceFen, ...line }, i) => ({
      lineNumber: i + 1,
      ...omitUndefined(line),
      unitPrice: unitPriceFen,
    })),
    totals: { net: order.totals.subtotal, tax: order.totals.tax, total: order.totals.total },
    buyer: party,
    ...destinationAndNote(order, sites, timeZone),
    requestedAt,
    timeZone,
  })

  /** For the check: any numbers will do. */
  const NUMBERS: X12Numbers = { control: 1, number: 'V000000001' }

  return {
    ...FILE_TYPES[format],
    /** Why no document can state this order; undefined where one can. */
    findProblem(order: SupplyOrder): string | undefined {
      if (digits === undefined || order.currency !== currency) return `the order is not in ${currency}`
      if (order.totals.fulfillment !== 0 || order.totals.fee !== 0)
        return 'the documents of this supplier cannot state delivery costs or fees'
      if (order.ref.startsWith('.')) return 'an order number that begins with a point would be a hidden file'
      const site = order.fulfillment.method === 'pickup' ? order.fulfillment.siteId : undefined
      if (site !== undefined && !sites.some(({ id }) => id === site)) return 'the supplier has no such pickup site'
      const written = write(toOrder(order, 0), { numbers: NUMBERS, includesSecrets: false })
      return written.ok ? undefined : written.problem
    },
    toOrder,
    /** X12 orders have numbers that are given once for each order. */
    needsNumbers: format === 'x12',
    needsShortNumber: (ref: string) => ref.length > X12_NUMBER_MAX,
    write,
    /** Our reference in the payload id of a cXML document; undefined when it is not one of ours. */
    refOfPayload(payloadId: string): string | undefined {
      const ref = payloadId.slice(0, payloadId.indexOf('@'))
      return payloadId === payloadIdOf(ref, host) ? ref : undefined
    },
    /** Whether an X12 interchange goes from whom we send to, to us: control numbers of others are the same. */
    isFromSupplier: ({ sender, receiver }: ReplyParties) =>
      sender === interchange.receiver.id.trim() && receiver === interchange.sender.id.trim(),
  }
}

/** Letters and digits of a name, as an interchange id of our own agreement with the supplier. */
const interchangeId = (name: string): X12Identity => ({
  qualifier: 'ZZ',
  id: name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toUpperCase()
    .slice(0, 15)
    .padEnd(2, '0'),
})

function destinationAndNote(
  { fulfillment, destination }: Pick<SupplyOrder, 'fulfillment' | 'destination'>,
  sites: readonly SupplySite[],
  timeZone: string,
): Pick<Order, 'destination' | 'note'> {
  if (fulfillment.method === 'pickup') return toPickup(fulfillment, sites, timeZone)
  const { contactName, contactPhone, address } = fulfillment
  const hasName = destination?.first_name !== undefined || destination?.last_name !== undefined
  return {
    destination: {
      ...(destination ? omitUndefined(destination) : { street_address: address }),
      ...(!hasName && { last_name: contactName }),
      phone_number: destination?.phone_number ?? contactPhone,
    },
  }
}

function toPickup(
  { pickupAt, siteId }: Extract<SupplyFulfillment, { method: 'pickup' }>,
  sites: readonly SupplySite[],
  timeZone: string,
): Pick<Order, 'destination' | 'note'> {
  const site = sites.find(({ id }) => id === siteId)
  const place = [site?.name ?? site?.id, site?.address].filter(Boolean).join(', ')
  return {
    destination: omitUndefined({ street_address: site?.address }),
    note: `Pickup${place && ` at ${place}`}: ${toWallTime(pickupAt, timeZone).slice(0, 16)}`,
  }
}
