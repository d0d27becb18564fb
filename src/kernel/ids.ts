/** Identifiers, each with its only parser. */
import type { Brand } from './brand.ts'

export type Role = 'supply' | 'machine'
export type Namespace = Brand<string, 'Namespace'>
export type SkuId = Brand<string, 'SkuId'>
export type LocationId = Brand<string, 'LocationId'>
export type SlotId = Brand<string, 'SlotId'>

export const NAMESPACE_PATTERN = '^[a-z][a-z0-9]*-(supply|machine)$'
export const SKU_ID_PATTERN = '^[a-z][a-z0-9]*-(supply|machine):[^:\\s]+$'
export const LOCATION_ID_PATTERN = '^[A-Za-z0-9._-]{1,64}$'
/** A PO number is also a path segment, a supplier reference and a row key: the same safe alphabet as a location. */
export const PO_NUMBER_PATTERN = '^[A-Za-z0-9._-]{1,64}$'

const NAMESPACE = new RegExp(NAMESPACE_PATTERN)
const SKU = new RegExp(SKU_ID_PATTERN)
const LOCATION = new RegExp(LOCATION_ID_PATTERN)
const PO_NUMBER = new RegExp(PO_NUMBER_PATTERN)

export const parseNamespace = (text: string): Namespace | undefined =>
  NAMESPACE.test(text) ? (text as Namespace) : undefined

/** The only parser of SkuId. The vendor_sku half is opaque: split off, never interpreted. */
export const parseSkuId = (text: string): SkuId | undefined => (SKU.test(text) ? (text as SkuId) : undefined)

/** `.` and `..` match the patterns, but clients resolve them away in URLs. */
const isDots = (text: string): boolean => text === '.' || text === '..'

export const parseLocationId = (text: string): LocationId | undefined =>
  LOCATION.test(text) && !isDots(text) ? (text as LocationId) : undefined

export const isPoNumber = (text: string): boolean => PO_NUMBER.test(text) && !isDots(text)

export const namespaceOf = (id: SkuId): Namespace => id.slice(0, id.indexOf(':')) as Namespace
export const vendorSkuOf = (id: SkuId): string => id.slice(id.indexOf(':') + 1)
export const roleOf = (namespace: Namespace): Role => (namespace.endsWith('-supply') ? 'supply' : 'machine')
export const vendorOf = (namespace: Namespace): string => namespace.slice(0, namespace.lastIndexOf('-'))

/** The id of a vendor's code in its namespace; undefined when the code cannot be part of an id. */
export const skuIdOf = (namespace: Namespace, vendorSku: string): SkuId | undefined =>
  parseSkuId(`${namespace}:${vendorSku}`)

/** `<location>-<vendor_sku>`: a substitute for the physical lane number, which is unknown. */
export const slotIdOf = (location: LocationId, vendorSku: string): SlotId => `${location}-${vendorSku}` as SlotId
