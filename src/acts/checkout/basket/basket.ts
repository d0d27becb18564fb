/**
 * The order of a basket: its contents in the supplier's terms, its order hash, and its approval hash. Pure.
 */
import { hash } from 'node:crypto'
import type { ApprovalDestination } from '../../../contract/shapes/approval.ts'
import type { PostalAddress } from '../../../contract/common.ts'
import type { CurrencyCode } from '../../../kernel/currency.ts'
import type { Fen } from '../../../kernel/fen.ts'
import { vendorSkuOf } from '../../../kernel/ids.ts'
import type {
  SupplyFulfillment,
  SupplyLine,
  SupplyOrder,
  SupplyOrderLine,
  SupplyQuoteRequest,
  SupplyTotals,
} from '../../../vendors/supply-vendor.ts'
import { selectedDestination, siteIdOf } from './fulfillment.ts'
import type { ApprovedContents, Line, Method, Session } from '../session.ts'
import type { ProductsBySku } from './lines.ts'
import { plainTotals } from './totals.ts'

export interface OrderContents {
  readonly lines: readonly SupplyLine[]
  readonly fulfillment: SupplyFulfillment
}

type Basket = Pick<Session, 'vendor' | 'lines' | 'methods'>
type QuotedBasket = Basket & { readonly totals?: SupplyTotals | undefined }

/** Undefined while something is still to be chosen. */
export function orderContents({ lines, methods }: Pick<Basket, 'lines' | 'methods'>): OrderContents | undefined {
  const [method] = methods
  const fulfillment = method && toSupplyFulfillment(method)
  return fulfillment && { lines: lines.map(toSupplyLine), fulfillment }
}

const toSupplyLine = ({ skuId, quantity, unit }: Line): SupplyLine => ({
  vendorSku: vendorSkuOf(skuId),
  quantity,
  unit: unit === 'BX' ? 'pack' : 'each',
})

/** A line with the texts and prices that the session shows. */
const toSupplyOrderLine = (line: Line, products: ProductsBySku): SupplyOrderLine => {
  const barcode = products.get(vendorSkuOf(line.skuId))?.barcode
  return {
    ...toSupplyLine(line),
    title: line.title,
    unitPriceFen: line.priceFen,
    contains: line.contains ?? 1,
    ...(barcode !== undefined && { barcode }),
  }
}

/** What the supplier is asked to quote. */
export function quoteRequest(
  { lines, methods }: Pick<Basket, 'lines' | 'methods'>,
  products: ProductsBySku,
  currency: CurrencyCode,
): SupplyQuoteRequest {
  const [method] = methods
  const fulfillment = method && toSupplyFulfillment(method)
  const destination = method?.type === 'shipping' ? selectedDestination(method) : undefined
  return {
    lines: lines.map((line) => toSupplyOrderLine(line, products)),
    currency,
    ...(fulfillment && { fulfillment }),
    ...(destination && { destination: destination.address }),
  }
}

/** What is sent: the order with the texts, prices and totals that the session shows. */
export const orderToSend = (
  session: Pick<Session, 'id' | 'lines' | 'methods' | 'totalFen' | 'totals'>,
  { fulfillment }: OrderContents,
  products: ProductsBySku,
  currency: CurrencyCode,
): SupplyOrder => ({
  ref: session.id,
  ...quoteRequest(session, products, currency),
  fulfillment,
  totals: session.totals ?? plainTotals(session.totalFen),
  // The caller confirmed this total, and the rules or the owner allowed it.
  maxTotalFen: session.totalFen,
})

function toSupplyFulfillment(method: Method): SupplyFulfillment | undefined {
  const destination = selectedDestination(method)
  if (!destination || method.selectedOptionId === null) return undefined
  if (method.type === 'pickup')
    return method.pickupAt === undefined
      ? undefined
      : { method: 'pickup', pickupAt: method.pickupAt, siteId: siteIdOf(destination.id) }
  return { method: 'shipping', ...shippingContact(destination.address) }
}

/** The member of a shipment that each field of an address goes into, in the order in which they are written. */
const SHIPPING_MEMBERS = {
  first_name: 'contactName',
  last_name: 'contactName',
  phone_number: 'contactPhone',
  address_region: 'address',
  address_locality: 'address',
  street_address: 'address',
  extended_address: 'address',
  postal_code: 'address',
  address_country: 'address',
} as const satisfies Record<keyof PostalAddress, 'contactName' | 'contactPhone' | 'address'>

const fieldsOf = (member: (typeof SHIPPING_MEMBERS)[keyof PostalAddress]): readonly (keyof PostalAddress)[] =>
  (Object.keys(SHIPPING_MEMBERS) as (keyof PostalAddress)[]).filter((field) => SHIPPING_MEMBERS[field] === member)

const NAME_FIELDS = fieldsOf('contactName')
const PHONE_FIELDS = fieldsOf('contactPhone')
const ADDRESS_FIELDS = fieldsOf('address')

function shippingContact(address: PostalAddress) {
  const joinFields = (fields: readonly (keyof PostalAddress)[]): string =>
    fields.flatMap((field) => address[field]?.trim() || []).join(' ')
  return {
    contactName: joinFields(NAME_FIELDS),
    contactPhone: joinFields(PHONE_FIELDS),
    address: joinFields(ADDRESS_FIELDS),
  }
}

export const isSameOrder = (one: OrderContents | undefined, other: OrderContents | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The same order, whatever it costs: also the same box sizes and pickup time. */
export const isSameBasket = (one: Basket, other: Basket): boolean =>
  approvalHash(one) === approvalHash(other) && isSameOrder(orderContents(one), orderContents(other))

export function orderHashOf(basket: QuotedBasket): string {
  const { vendor, lines, totals } = basket
  const prices = lines.map(({ skuId, unit, quantity, priceFen, contains }) => [
    skuId,
    unit,
    quantity,
    priceFen,
    ...boxContents(contains),
  ])
  return sha256([vendor, prices, orderContents(basket)?.fulfillment ?? null, ...(totals ? [totals] : [])])
}

/**
 * A box that holds another number of items is another order. A line in single units adds nothing, so that hashes stored by
 * versions without this part stay valid; a session or approval from before, with boxes, is assessed or requested again.
 */
const boxContents = (contains: number | undefined): readonly number[] => (contains === undefined ? [] : [contains])

/** What an approval is given for: supplier, lines, units, quantities and destination. Prices and the pickup hour are not part of it. */
export function approvalHash({ vendor, lines, methods }: Basket): string {
  const [method] = methods
  const items = lines.map(({ skuId, unit, quantity, contains }) => [skuId, unit, quantity, ...boxContents(contains)])
  return sha256([vendor, items, (method && fulfillmentPlace(method)) ?? null])
}

function fulfillmentPlace(method: Method): readonly string[] | undefined {
  const destination = selectedDestination(method)
  if (!destination) return undefined
  if (method.type === 'pickup') return ['pickup', siteIdOf(destination.id)]
  const { contactName, contactPhone, address } = shippingContact(destination.address)
  return ['shipping', contactName, contactPhone, address]
}

/**
 * The destination as it is sent to the supplier: what an approval covers and what people are shown. The name that a caller
 * gives to an address is left out, because the supplier does not get it.
 */
export function shownDestination({ methods: [method] }: Pick<Basket, 'methods'>): ApprovalDestination | undefined {
  const destination = method && selectedDestination(method)
  if (!destination) return undefined
  if (method.type === 'pickup') {
    const { street_address: address } = destination.address
    return { method: 'pickup', name: destination.name ?? siteIdOf(destination.id), ...(address && { address }) }
  }
  const { contactName, contactPhone, address } = shippingContact(destination.address)
  return { method: 'shipping', name: contactName, phone_number: contactPhone, address }
}

/** The same as one text. */
export function destinationText(basket: Pick<Basket, 'methods'>): string | undefined {
  const { name, phone_number: phone, address } = shownDestination(basket) ?? {}
  return [name, phone, address].filter(Boolean).join(', ') || undefined
}

type Approval = Pick<Session, 'approvedOrderHash' | 'approvedTotalFen'>

/** True for the order that was approved, at a total no higher than approved: with tax, fees and delivery. */
export function isApproved(
  { approvedOrderHash, approvedTotalFen }: Approval,
  basket: QuotedBasket & { readonly totalFen: Fen },
): boolean {
  if (approvedOrderHash === undefined) return false
  // Approvals from before totals were recorded are for exactly that basket at exactly those prices.
  if (approvedTotalFen === undefined) return approvedOrderHash === orderHashOf(basket)
  return approvedOrderHash === approvalHash(basket) && basket.totalFen <= approvedTotalFen
}

export function contentsOf({ lines, methods: [method] }: Pick<Basket, 'lines' | 'methods'>): ApprovedContents {
  const quantities: Record<string, number> = {}
  for (const { skuId, unit, contains = 1, quantity } of lines) {
    const key = `${skuId} ${unit} ${contains}`
    quantities[key] = (quantities[key] ?? 0) + quantity
  }
  const place = method && fulfillmentPlace(method)
  return { place: place ? sha256(place) : null, quantities }
}

/** The same destination, and no more of anything. */
export const isWithin = (now: ApprovedContents, approved: ApprovedContents): boolean =>
  now.place === approved.place &&
  Object.entries(now.quantities).every(([key, quantity]) => quantity <= (approved.quantities[key] ?? 0))

const sha256 = (value: unknown): string => hash('sha256', JSON.stringify(value), 'hex')

/** The same members in another order are the same body. */
export const requestHashOf = (body: unknown): string => sha256(sortMembers(body))

function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(
    entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([key, inner]) => [key, sortMembers(inner)]),
  )
}
