/** The site and the area of a machine: which machines are one stop, and which are visited on the same trips. */
import type { Geo, Place } from '../input.ts'

export interface MachineAddress {
  readonly area?: string | undefined
  readonly city?: string | undefined
  readonly address?: string | undefined
  readonly geo?: Geo | undefined
}

/** Without case and repeated blanks, so that two ways to write an address are one site. */
const fold = (text: string): string => text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase()

/** Machines with the same city and address are one site. A machine without an address is a site of its own. */
export const placeOf = (location: string, { area, city, address, geo }: MachineAddress): Place => ({
  area: area?.trim() || city?.trim() || '',
  site: address?.trim() ? `${fold(city ?? '')}, ${fold(address)}`.replace(/^, /, '') : location,
  geo,
})
