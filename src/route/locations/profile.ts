/** What an operator states about a machine, and the address and amenities that follow from it. */
import { PREFIX } from '../../contract/capabilities.ts'
import type { PostalAddress } from '../../contract/common.ts'
import type { Location, MachineProfile } from '../../contract/shapes/location.ts'

interface FieldRule {
  /** Counts as missing while it is not stated. */
  readonly isExpected: boolean
  /** A search for a machine looks into it. */
  readonly isSearched: boolean
}

/** Every field of the profile, in the order callers see. A field of the contract that is not here does not compile. */
const FIELDS: Readonly<Record<keyof MachineProfile, FieldRule>> = {
  city: { isExpected: true, isSearched: true },
  address: { isExpected: true, isSearched: true },
  placement: { isExpected: true, isSearched: false },
  venueType: { isExpected: true, isSearched: false },
  floor: { isExpected: true, isSearched: true },
  spot: { isExpected: true, isSearched: true },
  notes: { isExpected: false, isSearched: false },
  time_zone: { isExpected: false, isSearched: false },
}
const NAMES = Object.keys(FIELDS) as (keyof MachineProfile)[]

/** The fields of the profile, trimmed and without blank ones. A request may carry other members beside them. */
export function cleanProfile(request: MachineProfile): MachineProfile {
  const stated = NAMES.flatMap((name) => {
    const value = request[name]?.trim()
    return value ? [[name, value]] : []
  })
  return Object.fromEntries(stated) as MachineProfile
}

export const missingFields = (profile: MachineProfile): string[] =>
  NAMES.filter((name) => FIELDS[name].isExpected && profile[name] === undefined)

export const searchedTexts = (profile: MachineProfile): string[] =>
  NAMES.flatMap((name) => (FIELDS[name].isSearched ? (profile[name] ?? []) : []))

export function addressOf({ city, address, floor, spot }: MachineProfile): PostalAddress | undefined {
  const inside = [floor, spot].filter((part) => part !== undefined).join(', ')
  const postal: PostalAddress = {
    ...(address === undefined ? {} : { street_address: address }),
    ...(inside === '' ? {} : { extended_address: inside }),
    ...(city === undefined ? {} : { address_locality: city }),
  }
  return Object.keys(postal).length > 0 ? postal : undefined
}

const PLACEMENTS: Readonly<Record<NonNullable<MachineProfile['placement']>, string>> = {
  indoor: 'Indoor',
  outdoor: 'Outdoor',
  semi_outdoor: 'Semi-outdoor',
}

export function amenitiesOf({ placement }: MachineProfile): NonNullable<Location['amenities']> | undefined {
  if (placement === undefined) return undefined
  return { [`${PREFIX}.amenity.${placement}`]: { description: PLACEMENTS[placement] } }
}
