/** What an operator tells about a machine (2.5), and what follows from it. */
import { PREFIX } from '../../contract/capabilities.ts'
import type { PostalAddress } from '../../contract/common.ts'
import type { Location, MachineProfile } from '../../contract/location.ts'

/** The notes are nobody's duty; without the rest a machine cannot be found or compared. */
const EXPECTED = [
  'city',
  'address',
  'placement',
  'venueType',
  'floor',
  'spot',
] as const satisfies readonly (keyof MachineProfile)[]
const FIELDS = [...EXPECTED, 'notes'] as const

/** Only fields of the profile, in their order, and none that says nothing: a request may carry anything beside them. */
export function profileOf(given: MachineProfile): MachineProfile {
  const told = FIELDS.flatMap((field) => (given[field]?.trim() ? [[field, given[field].trim()]] : []))
  return Object.fromEntries(told) as MachineProfile
}

export const missingOf = (profile: MachineProfile): string[] => EXPECTED.filter((field) => profile[field] === undefined)

export function addressOf({ city, address, floor, spot }: MachineProfile): PostalAddress | undefined {
  const inside = [floor, spot].filter((part) => part !== undefined).join(', ')
  const postal: PostalAddress = {
    ...(address === undefined ? {} : { street_address: address }),
    ...(inside === '' ? {} : { extended_address: inside }),
    ...(city === undefined ? {} : { address_locality: city }),
  }
  return Object.keys(postal).length > 0 ? postal : undefined
}

const PLACES = { indoor: 'Indoor', outdoor: 'Outdoor', semi_outdoor: 'Semi-outdoor' } as const

export function amenitiesOf({ placement }: MachineProfile): NonNullable<Location['amenities']> | undefined {
  if (placement === undefined) return undefined
  return { [`${PREFIX}.amenity.${placement}`]: { description: PLACES[placement] } }
}
