/**
 * How the goods get here (2.6, 4.4 rules 4 and 5). Shipping goes to an address of the caller's; pickup is at a site and
 * an hour the service offers. What there is only one of is selected, what was selected is never replaced. Pure.
 */
import type { FulfillmentMethodUpdateRequest } from '../../contract/checkout.ts'
import type { PostalAddress } from '../../contract/common.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import { accept, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { SupplySite } from '../../vendors/contract.ts'
import type { Destination, Method } from './session.ts'
import type { PickupSlot } from './pickup-slots.ts'

const METHOD = '$.fulfillment.methods[0]'
const DESTINATION_PATH = `${METHOD}.selected_destination_id`
const OPTION_PATH = `${METHOD}.groups[0].selected_option_id`
const SITE = 'site:'
/** A supplier delivers in one way. */
export const DELIVERY = { id: 'standard', title: 'Delivery by the supplier' } as const

const NEEDED = ['street_address', 'first_name', 'phone_number'] as const
const ADDRESS_LINES = [
  'street_address',
  'extended_address',
  'address_locality',
  'address_region',
  'address_country',
  'postal_code',
  'first_name',
  'last_name',
  'phone_number',
] as const satisfies readonly (keyof PostalAddress)[]

export interface MethodChange {
  /** Its selections are not checked against the offer yet. */
  readonly method: Method
  /** Paths of the selections that this request itself makes. */
  readonly selects: ReadonlySet<string>
}

/**
 * The methods of a request merged into those of the session, and all that the request gets wrong by itself. One
 * supplier order goes one way, so there is one method and one group.
 */
export function readMethods(
  requested: readonly FulfillmentMethodUpdateRequest[],
  held: readonly Method[],
  lineIds: readonly string[],
): Outcome<readonly MethodChange[]> {
  const problems: ErrorMessage[] = []
  const refuseAt = (content: string, path: string) => void problems.push(error('invalid', content, path))
  const [request] = requested
  if (!request) return accept([])
  if (requested.length > 1) refuseAt('an order is fulfilled in one way; send one method', '$.fulfillment.methods[1]')
  if ((request.groups?.length ?? 0) > 1) refuseAt('a method has one group', `${METHOD}.groups[1]`)
  if (!coversAll(request.line_item_ids))
    request.line_item_ids?.forEach((id, index) => {
      if (!lineIds.includes(id)) refuseAt('no line has this id', `${METHOD}.line_item_ids[${index}]`)
    })
  // A session has at most one method: a request without an id means that one, another id means another method.
  const known = held.find(({ id }) => request.id === undefined || request.id === id)
  const type = request.type ?? known?.type
  if (type === undefined) return refuseAll([...problems, error('missing', 'type is required', `${METHOD}.type`)])
  if (type === 'shipping') {
    const seen = new Set<string>()
    request.destinations?.forEach(({ id }, index) => {
      if (id === undefined) return
      if (seen.has(id)) refuseAt('another destination has this id', `${METHOD}.destinations[${index}].id`)
      seen.add(id)
    })
  }
  return problems.length > 0 ? refuseAll(problems) : accept([mergeMethod(request, type, known)])
}

const coversAll = (ids: readonly string[] | undefined): boolean => ids === undefined || ids.includes('*')

function mergeMethod(request: FulfillmentMethodUpdateRequest, type: Method['type'], known?: Method): MethodChange {
  // Addresses and slots of one type mean nothing to the other.
  const kept = known?.type === type ? known : undefined
  const group = request.groups?.[0]
  const selects = new Set<string>()
  if (typeof request.selected_destination_id === 'string') selects.add(DESTINATION_PATH)
  if (typeof group?.selected_option_id === 'string') selects.add(OPTION_PATH)
  const method: Method = {
    id: request.id ?? known?.id ?? 'method_1',
    type,
    lineItemIds:
      request.line_item_ids === undefined
        ? (known?.lineItemIds ?? 'all')
        : coversAll(request.line_item_ids)
          ? 'all'
          : request.line_item_ids,
    // Pickup destinations are the supplier's sites; what a caller sends in their place is ignored.
    destinations:
      type === 'pickup'
        ? []
        : request.destinations === undefined
          ? (kept?.destinations ?? [])
          : shippingDestinations(request.destinations ?? []),
    selectedDestinationId: selectedDestinationId(request, type, kept),
    groupId: group?.id ?? known?.groupId ?? 'group_1',
    selectedOptionId: selectedOptionId(request, kept),
  }
  return { method, selects }
}

/** Other addresses end a selection, unless one of them carries the selected id: a made id could name another place. */
function selectedDestinationId(
  { selected_destination_id: asked, destinations }: FulfillmentMethodUpdateRequest,
  type: Method['type'],
  kept: Method | undefined,
): string | null {
  if (asked !== undefined) return asked
  const selected = kept?.selectedDestinationId ?? null
  if (type === 'pickup' || destinations === undefined) return selected
  return destinations?.some(({ id }) => id !== undefined && id === selected) ? selected : null
}

function selectedOptionId({ groups }: FulfillmentMethodUpdateRequest, kept: Method | undefined): string | null {
  if (groups === null || groups?.length === 0) return null
  const asked = groups?.[0]?.selected_option_id
  return asked === undefined ? (kept?.selectedOptionId ?? null) : asked
}

function shippingDestinations(
  destinations: NonNullable<FulfillmentMethodUpdateRequest['destinations']>,
): readonly Destination[] {
  const taken = new Set(destinations.flatMap(({ id }) => (id === undefined ? [] : [id])))
  let n = 0
  const next = (): string => {
    do n++
    while (taken.has(`dest_${n}`))
    return `dest_${n}`
  }
  return destinations.map((destination) => ({
    id: destination.id ?? next(),
    type: 'shipping_address',
    ...(destination.name === undefined ? {} : { name: destination.name }),
    address: addressOf(destination),
  }))
}

/** Field by field: nothing a caller sends is stored blindly. */
function addressOf(from: PostalAddress): PostalAddress {
  const address: { -readonly [K in keyof PostalAddress]: PostalAddress[K] } = {}
  for (const line of ADDRESS_LINES) if (from[line] !== undefined) address[line] = from[line]
  return address
}

export interface Offer {
  readonly lineIds: readonly string[]
  readonly sites: readonly SupplySite[]
  readonly slots: readonly PickupSlot[]
}

export interface Planned {
  readonly method: Method
  readonly missing: readonly ErrorMessage[]
  /** Selections that are not, or no longer, on offer. They are taken back, and never replaced by another. */
  readonly unknown: readonly ErrorMessage[]
}

export function planMethod(wish: Method, { lineIds, sites, slots }: Offer): Planned {
  const missing: ErrorMessage[] = []
  const unknown: ErrorMessage[] = []
  const lack = (content: string, path: string) => void missing.push(error('missing', content, path))

  const select = (options: readonly { readonly id: string }[], wanted: string | null, path: string, what: string) => {
    if (wanted === null) {
      if (options.length === 1) return options[0]?.id ?? null
      if (options.length > 1) lack(`choose ${what}`, path)
      return null
    }
    if (options.some(({ id }) => id === wanted)) return wanted
    unknown.push(error('invalid', `${what} with this id is not on offer`, path))
    return null
  }

  // Lines that were named and are no longer there count for nothing, and are not echoed.
  const covered = wish.lineItemIds === 'all' ? lineIds : lineIds.filter((id) => wish.lineItemIds.includes(id))
  const uncovered = lineIds.filter((id) => !covered.includes(id))
  if (uncovered.length > 0) lack(`no method covers ${uncovered.join(', ')}`, `${METHOD}.line_item_ids`)

  const pickup = wish.type === 'pickup'
  const destinations = pickup ? sites.map(siteDestination) : wish.destinations
  if (destinations.length === 0)
    lack(pickup ? 'the supplier has no pickup site' : 'a shipping address is needed', `${METHOD}.destinations`)
  if (!pickup)
    destinations.forEach(({ address }, index) => {
      for (const line of NEEDED)
        if (!address[line]?.trim()) lack(`${line} is required`, `${METHOD}.destinations[${index}].${line}`)
    })
  const selectedDestinationId = select(destinations, wish.selectedDestinationId, DESTINATION_PATH, 'a destination')
  const selectedOptionId = select(
    pickup ? slots : [DELIVERY],
    wish.selectedOptionId,
    OPTION_PATH,
    pickup ? 'a pickup slot' : 'a delivery option',
  )
  if (pickup && slots.length === 0) lack('there is no pickup slot to choose', OPTION_PATH)
  const { pickupAt: _, ...rest } = wish
  const slot = pickup ? slots.find(({ id }) => id === selectedOptionId) : undefined
  const method: Method = {
    ...rest,
    lineItemIds: uncovered.length === 0 ? 'all' : covered,
    destinations,
    selectedDestinationId,
    selectedOptionId,
    ...(slot ? { pickupAt: slot.at } : {}),
  }
  return { method, missing, unknown }
}

const siteDestination = ({ id, name, address }: SupplySite): Destination => ({
  id: `${SITE}${id}`,
  type: 'business_location',
  name: name ?? id,
  address: address === undefined ? {} : { street_address: address },
})

/** The supplier's own id of a pickup destination. */
export const siteIdOf = (destinationId: string): string => destinationId.slice(SITE.length)

export const selectedDestination = (method: Method): Destination | undefined =>
  method.destinations.find(({ id }) => id === method.selectedDestinationId)
