/**
 * Fulfillment: shipping to an address of the caller, or pickup at a site and an hour that the
 * service offers. A single choice is selected automatically; a selection is never replaced by another. Pure.
 */
import type { FulfillmentMethodUpdateRequest } from '../../../contract/shapes/checkout.ts'
import type { PostalAddress } from '../../../contract/common.ts'
import { copyFields } from '../../../lib/objects.ts'
import { type ErrorMessage, error } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import type { SupplySite } from '../../../vendors/supply-vendor.ts'
import type { Destination, Method } from '../session.ts'
import type { PickupSlot } from './pickup-slots.ts'
import { TEXTS } from '../texts.ts'

const METHOD_PATH = '$.fulfillment.methods[0]'
const DESTINATION_PATH = `${METHOD_PATH}.selected_destination_id`
export const OPTION_PATH = `${METHOD_PATH}.groups[0].selected_option_id`
const SITE_PREFIX = 'site:'
/** The only delivery option. */
export const SHIPPING_OPTION = { id: 'standard', title: 'Delivery by the supplier' } as const

const REQUIRED_FIELDS = ['street_address', 'first_name', 'phone_number'] as const
const ADDRESS_FIELDS: Readonly<Record<keyof PostalAddress, true>> = {
  street_address: true,
  extended_address: true,
  address_locality: true,
  address_region: true,
  address_country: true,
  postal_code: true,
  first_name: true,
  last_name: true,
  phone_number: true,
}

export interface MethodChange {
  /** Its selections are not checked against the offer yet. */
  readonly method: Method
  /** Paths of the selections that this request itself makes. */
  readonly selectionPaths: ReadonlySet<string>
}

/**
 * Merges the methods of a request into those of the session and reports every mistake in the request. A supplier order
 * has one fulfillment, so there is one method with one group.
 */
export function readMethods(
  requested: readonly FulfillmentMethodUpdateRequest[],
  current: readonly Method[],
  lineIds: readonly string[],
): Outcome<readonly MethodChange[]> {
  const problems: ErrorMessage[] = []
  const refuseAt = (content: string, path: string) => void problems.push(error('invalid', content, path))
  const [request] = requested
  if (!request) return accept([])
  if (requested.length > 1) refuseAt(TEXTS.oneMethod, '$.fulfillment.methods[1]')
  if ((request.groups?.length ?? 0) > 1) refuseAt(TEXTS.oneGroup, `${METHOD_PATH}.groups[1]`)
  if (!isForAllLines(request.line_item_ids))
    request.line_item_ids?.forEach((id, index) => {
      if (!lineIds.includes(id)) refuseAt(TEXTS.unknownLine, `${METHOD_PATH}.line_item_ids[${index}]`)
    })
  // A session has at most one method: a request without an id means that one, another id means another method.
  const known = current.find(({ id }) => request.id === undefined || request.id === id)
  const type = request.type ?? known?.type
  if (type === undefined)
    return refuseAll([...problems, error('missing', TEXTS.required('type'), `${METHOD_PATH}.type`)])
  if (type === 'shipping') {
    const seen = new Set<string>()
    request.destinations?.forEach(({ id }, index) => {
      if (id === undefined) return
      if (seen.has(id)) refuseAt(TEXTS.duplicateDestinationId, `${METHOD_PATH}.destinations[${index}].id`)
      seen.add(id)
    })
  }
  return problems.length > 0 ? refuseAll(problems) : accept([mergeMethod(request, type, known)])
}

const isForAllLines = (ids: readonly string[] | undefined): boolean => ids === undefined || ids.includes('*')

function mergeMethod(request: FulfillmentMethodUpdateRequest, type: Method['type'], known?: Method): MethodChange {
  // Destinations and options of one type do not apply to the other.
  const sameType = known?.type === type ? known : undefined
  const group = request.groups?.[0]
  const selectionPaths = new Set<string>()
  if (typeof request.selected_destination_id === 'string') selectionPaths.add(DESTINATION_PATH)
  if (typeof group?.selected_option_id === 'string') selectionPaths.add(OPTION_PATH)
  const method: Method = {
    id: request.id ?? known?.id ?? 'method_1',
    type,
    lineItemIds:
      request.line_item_ids === undefined
        ? (known?.lineItemIds ?? 'all')
        : isForAllLines(request.line_item_ids)
          ? 'all'
          : request.line_item_ids,
    // Pickup destinations are the supplier's sites; what a caller sends in their place is ignored.
    destinations:
      type === 'pickup'
        ? []
        : request.destinations === undefined
          ? (sameType?.destinations ?? [])
          : shippingDestinations(request.destinations ?? []),
    selectedDestinationId: selectedDestinationId(request, type, sameType),
    groupId: group?.id ?? known?.groupId ?? 'group_1',
    selectedOptionId: selectedOptionId(request, sameType),
  }
  return { method, selectionPaths }
}

/** New addresses end a selection, unless one has the selected id: a generated id could now name another address. */
function selectedDestinationId(
  { selected_destination_id: requested, destinations }: FulfillmentMethodUpdateRequest,
  type: Method['type'],
  known: Method | undefined,
): string | null {
  if (requested !== undefined) return requested
  const selected = known?.selectedDestinationId ?? null
  if (type === 'pickup' || destinations === undefined) return selected
  return destinations?.some(({ id }) => id !== undefined && id === selected) ? selected : null
}

function selectedOptionId({ groups }: FulfillmentMethodUpdateRequest, known: Method | undefined): string | null {
  if (groups === null || groups?.length === 0) return null
  const requested = groups?.[0]?.selected_option_id
  return requested === undefined ? (known?.selectedOptionId ?? null) : requested
}

function shippingDestinations(
  destinations: NonNullable<FulfillmentMethodUpdateRequest['destinations']>,
): readonly Destination[] {
  const taken = new Set(destinations.flatMap(({ id }) => (id === undefined ? [] : [id])))
  let n = 0
  const nextId = (): string => {
    do n++
    while (taken.has(`dest_${n}`))
    return `dest_${n}`
  }
  return destinations.map((destination) => ({
    id: destination.id ?? nextId(),
    type: 'shipping_address',
    ...(destination.name === undefined ? {} : { name: destination.name }),
    address: copyFields<PostalAddress>(destination, ADDRESS_FIELDS),
  }))
}

export interface Offer {
  readonly lineIds: readonly string[]
  readonly sites: readonly SupplySite[]
  readonly pickupSlots: readonly PickupSlot[]
}

export interface ResolvedMethod {
  readonly method: Method
  readonly missing: readonly ErrorMessage[]
  /** Selections that are not, or no longer, offered. They are removed, and never replaced by another. */
  readonly notOffered: readonly ErrorMessage[]
}

export function resolveMethod(requested: Method, { lineIds, sites, pickupSlots }: Offer): ResolvedMethod {
  const missing: ErrorMessage[] = []
  const notOffered: ErrorMessage[] = []
  const addMissing = (content: string, path: string) => void missing.push(error('missing', content, path))

  const select = (options: readonly { readonly id: string }[], wanted: string | null, path: string, what: string) => {
    if (wanted === null) {
      if (options.length === 1) return options[0]?.id ?? null
      if (options.length > 1) addMissing(TEXTS.choose(what), path)
      return null
    }
    if (options.some(({ id }) => id === wanted)) return wanted
    notOffered.push(error('invalid', TEXTS.notOffered(what), path))
    return null
  }

  // Ids of lines that no longer exist are dropped.
  const covered = requested.lineItemIds === 'all' ? lineIds : lineIds.filter((id) => requested.lineItemIds.includes(id))
  const uncovered = lineIds.filter((id) => !covered.includes(id))
  if (uncovered.length > 0) addMissing(TEXTS.uncoveredLines(uncovered), `${METHOD_PATH}.line_item_ids`)

  const isPickup = requested.type === 'pickup'
  const destinations = isPickup ? sites.map(siteDestination) : requested.destinations
  if (destinations.length === 0)
    addMissing(isPickup ? TEXTS.noPickupSite : TEXTS.required('A shipping address'), `${METHOD_PATH}.destinations`)
  if (!isPickup)
    destinations.forEach(({ address }, index) => {
      for (const field of REQUIRED_FIELDS)
        if (!address[field]?.trim()) addMissing(TEXTS.required(field), `${METHOD_PATH}.destinations[${index}].${field}`)
    })
  const selectedDestinationId = select(
    destinations,
    requested.selectedDestinationId,
    DESTINATION_PATH,
    isPickup ? 'pickup site' : 'destination',
  )
  const selectedOptionId = select(
    isPickup ? pickupSlots : [SHIPPING_OPTION],
    requested.selectedOptionId,
    OPTION_PATH,
    isPickup ? 'pickup slot' : 'delivery option',
  )
  if (isPickup && pickupSlots.length === 0) addMissing(TEXTS.noPickupSlot, OPTION_PATH)
  const { pickupAt: _, ...rest } = requested
  const slot = isPickup ? pickupSlots.find(({ id }) => id === selectedOptionId) : undefined
  const method: Method = {
    ...rest,
    lineItemIds: uncovered.length === 0 ? 'all' : covered,
    destinations,
    selectedDestinationId,
    selectedOptionId,
    ...(slot ? { pickupAt: slot.at } : {}),
  }
  return { method, missing, notOffered }
}

const siteDestination = ({ id, name, address }: SupplySite): Destination => ({
  id: `${SITE_PREFIX}${id}`,
  type: 'business_location',
  name: name ?? id,
  address: address === undefined ? {} : { street_address: address },
})

/** The supplier's own id of a pickup destination. */
export const siteIdOf = (destinationId: string): string => destinationId.slice(SITE_PREFIX.length)

export const selectedDestination = (method: Method): Destination | undefined =>
  method.destinations.find(({ id }) => id === method.selectedDestinationId)
