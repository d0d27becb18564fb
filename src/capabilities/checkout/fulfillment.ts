/**
 * How the goods get here (2.6, 4.4 rules 4 and 5). Shipping goes to an address of the caller's; pickup is at a site and
 * an hour the service offers. What there is only one of is selected, what was selected is never replaced. Pure.
 */
import type { FulfillmentMethodRequest } from '../../contract/checkout.ts'
import type { PostalAddress } from '../../contract/common.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import type { SupplySite } from '../../vendors/contract.ts'
import type { Destination, Method } from './session.ts'
import type { Slot } from './slots.ts'

const METHOD = '$.fulfillment.methods[0]'
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

/** What a request gets wrong by itself. One supplier order goes one way, so there is one method and one group. */
export function methodProblems(
  methods: readonly FulfillmentMethodRequest[],
  lineIds: readonly string[],
): readonly ErrorMessage[] {
  const problems: ErrorMessage[] = []
  const wrong = (content: string, path: string) => void problems.push(error('invalid', content, path))
  if (methods.length > 1) wrong('an order is fulfilled in one way; send one method', '$.fulfillment.methods[1]')
  const [method] = methods
  if (!method) return problems
  if ((method.groups?.length ?? 0) > 1) wrong('a method has one group', `${METHOD}.groups[1]`)
  if (!coversAll(method.line_item_ids))
    method.line_item_ids?.forEach((id, index) => {
      if (!lineIds.includes(id)) wrong('no line has this id', `${METHOD}.line_item_ids[${index}]`)
    })
  if (method.type === 'shipping') {
    const seen = new Set<string>()
    method.destinations?.forEach(({ id }, index) => {
      if (id === undefined) return
      if (seen.has(id)) wrong('another destination has this id', `${METHOD}.destinations[${index}].id`)
      seen.add(id)
    })
  }
  return problems
}

const coversAll = (ids: readonly string[] | undefined): boolean => ids === undefined || ids.includes('*')

/** The request as a method whose selections nobody has looked at yet. Pickup destinations are ours to name. */
export function readMethod(request: FulfillmentMethodRequest): Method {
  const group = request.groups?.[0]
  return {
    id: request.id ?? 'method_1',
    type: request.type,
    lineItemIds: coversAll(request.line_item_ids) ? 'all' : (request.line_item_ids ?? []),
    destinations: request.type === 'pickup' ? [] : shippingDestinations(request),
    selectedDestinationId: request.selected_destination_id ?? null,
    groupId: group?.id ?? 'group_1',
    selectedOptionId: group?.selected_option_id ?? null,
  }
}

function shippingDestinations({ destinations = [] }: FulfillmentMethodRequest): readonly Destination[] {
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
  readonly slots: readonly Slot[]
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
  const selectedDestinationId = select(
    destinations,
    wish.selectedDestinationId,
    `${METHOD}.selected_destination_id`,
    'a destination',
  )
  const selectedOptionId = select(
    pickup ? slots : [DELIVERY],
    wish.selectedOptionId,
    `${METHOD}.groups[0].selected_option_id`,
    pickup ? 'a pickup slot' : 'a delivery option',
  )
  if (pickup && slots.length === 0) lack('there is no pickup slot to choose', `${METHOD}.groups[0].selected_option_id`)
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
