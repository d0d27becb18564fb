/**
 * The order that a session stands for: in the supplier's terms (4.4 rule 7), as a hash with its prices, and as a hash of
 * what an approval covers. Pure.
 */
import { hash } from 'node:crypto'
import type { PostalAddress } from '../../contract/common.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import { ZERO } from '../../kernel/fen.ts'
import { vendorSkuOf } from '../../kernel/ids.ts'
import type { SupplyFulfillment, SupplyLine, SupplyOrder } from '../../vendors/contract.ts'
import { selectedDestination, siteIdOf } from './fulfillment.ts'
import type { Line, Method, Session } from './session.ts'
import { linesTotal } from './totals.ts'

export interface SupplierOrder {
  readonly lines: readonly SupplyLine[]
  readonly fulfillment: SupplyFulfillment
}

type Basket = Pick<Session, 'vendor' | 'lines' | 'methods'>

/** Undefined while something is still to be chosen. */
export function supplierOrder({ lines, methods }: Pick<Basket, 'lines' | 'methods'>): SupplierOrder | undefined {
  const [method] = methods
  const fulfillment = method && supplierFulfillment(method)
  return fulfillment && { lines: lines.map(supplierLine), fulfillment }
}

const supplierLine = ({ skuId, quantity, unit }: Line): SupplyLine => ({
  vendorSku: vendorSkuOf(skuId),
  quantity,
  unit: unit === 'BX' ? 'pack' : 'each',
})

/** What is sent: the order with the texts, prices and totals that the session shows. */
export function orderToSend(
  { id, lines, methods, totalFen }: Pick<Session, 'id' | 'lines' | 'methods' | 'totalFen'>,
  { fulfillment }: SupplierOrder,
  currency: CurrencyCode,
): SupplyOrder {
  const destination = fulfillment.method === 'shipping' && methods[0] && selectedDestination(methods[0])
  return {
    ref: id,
    lines: lines.map((line) => ({
      ...supplierLine(line),
      title: line.title,
      unitPriceFen: line.priceFen,
      contains: line.contains ?? 1,
    })),
    fulfillment,
    ...(destination && { destination: destination.address }),
    currency,
    totals: { subtotal: totalFen, fulfillment: ZERO, tax: ZERO, fee: ZERO, total: totalFen },
    mostFen: totalFen,
  }
}

function supplierFulfillment(method: Method): SupplyFulfillment | undefined {
  const destination = selectedDestination(method)
  if (!destination || method.selectedOptionId === null) return undefined
  if (method.type === 'pickup')
    return method.pickupAt === undefined
      ? undefined
      : { method: 'pickup', pickupAt: method.pickupAt, siteId: siteIdOf(destination.id) }
  return { method: 'shipping', ...shippingContact(destination.address) }
}

/** The member of the supplier's order that each field of an address goes into, in the order in which they are written. */
const SUPPLIER_MEMBERS = {
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

function shippingContact(address: PostalAddress) {
  const joinFields = (member: (typeof SUPPLIER_MEMBERS)[keyof PostalAddress]): string =>
    (Object.keys(SUPPLIER_MEMBERS) as (keyof PostalAddress)[])
      .filter((field) => SUPPLIER_MEMBERS[field] === member)
      .flatMap((field) => address[field]?.trim() || [])
      .join(' ')
  return {
    contactName: joinFields('contactName'),
    contactPhone: joinFields('contactPhone'),
    address: joinFields('address'),
  }
}

export const sameOrder = (one: SupplierOrder | undefined, other: SupplierOrder | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export function orderHashOf(basket: Basket): string {
  const { vendor, lines } = basket
  const prices = lines.map(({ skuId, unit, quantity, priceFen }) => [skuId, unit, quantity, priceFen])
  return sha256([vendor, prices, supplierOrder(basket)?.fulfillment ?? null])
}

/** What an approval is given for: supplier, lines, units, quantities and destination. Prices and the pickup hour are not part of it. */
export function approvableHash({ vendor, lines, methods }: Basket): string {
  const [method] = methods
  const items = lines.map(({ skuId, unit, quantity }) => [skuId, unit, quantity])
  return sha256([vendor, items, (method && deliveryPlace(method)) ?? null])
}

function deliveryPlace(method: Method): readonly string[] | undefined {
  const destination = selectedDestination(method)
  if (!destination) return undefined
  if (method.type === 'pickup') return ['pickup', siteIdOf(destination.id)]
  const { contactName, contactPhone, address } = shippingContact(destination.address)
  return ['shipping', contactName, contactPhone, address]
}

type Approval = Pick<Session, 'approvedOrderHash' | 'approvedTotalFen'>

/** True for the order that was approved, at a total no higher than approved. */
export function isApproved({ approvedOrderHash, approvedTotalFen }: Approval, basket: Basket): boolean {
  if (approvedOrderHash === undefined) return false
  // Approvals from before totals were recorded are for exactly that basket at exactly those prices.
  if (approvedTotalFen === undefined) return approvedOrderHash === orderHashOf(basket)
  return approvedOrderHash === approvableHash(basket) && linesTotal(basket.lines) <= approvedTotalFen
}

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
