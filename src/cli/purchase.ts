/** Parses the lines and the delivery of a purchase from the command line. */
import type { CheckoutCreateRequest, FulfillmentMethodRequest, LineItemRequest } from '../contract/shapes/checkout.ts'
import { UsageError } from './exit.ts'
import type { ParsedArgs } from './parsed-args.ts'
import { omitUndefined } from '../lib/objects.ts'
import { parsePairs } from './lookups.ts'

const QUANTITY = /^(\d{1,7})(bx|ea)?$/i

/** `SP1001=2bx`: two boxes. `SP1001=24`: 24 single units. */
export const parseLines = (typed: readonly string[], skuId: (text: string) => string): LineItemRequest[] =>
  parsePairs(typed, 'SP1001=2bx').map(({ key, value }) => {
    const match = QUANTITY.exec(value)
    if (!match || Number(match[1]) < 1) throw new UsageError(`"${value}" is not a quantity such as 24 or 2bx`)
    const unit = match[2]?.toLowerCase() === 'bx' ? ('BX' as const) : ('EA' as const)
    return { item: { id: skuId(key) }, quantity: Number(match[1]), quantity_unit: { unit } }
  })

const SHIPPING = {
  first_name: 'name',
  phone_number: 'phone',
  street_address: 'street',
  address_locality: 'city',
  address_region: 'region',
  postal_code: 'postal-code',
  address_country: 'country',
} as const

export function parseFulfillment(args: ParsedArgs): CheckoutCreateRequest['fulfillment'] {
  const address = Object.entries(SHIPPING).flatMap(([field, option]) => {
    const value = args.text(option)
    return value === undefined ? [] : [[field, value] as const]
  })
  const site = args.text('site')
  const slot = args.text('slot')
  const pickup = args.flag('pickup') || site !== undefined || slot !== undefined
  if (pickup && address.length > 0) throw new UsageError('use either --pickup or an address, not both')
  if (pickup) {
    const groups = slot === undefined ? undefined : [{ selected_option_id: slot }]
    const method: FulfillmentMethodRequest = omitUndefined({ type: 'pickup', selected_destination_id: site, groups })
    return { methods: [method] }
  }
  if (address.length === 0) return undefined
  return { methods: [{ type: 'shipping', destinations: [Object.fromEntries(address)] }] }
}
