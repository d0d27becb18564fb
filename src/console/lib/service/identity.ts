/** Who is signed in and where, as the service said last. Kept in this browser, so that the first frame is the right one. */
import { effect, signal } from '@preact/signals'
import type { Me } from '../../../contract/shapes/people.ts'
import { isCurrency } from '../../../kernel/currency.ts'
import { type PersonRole, PERSON_ROLES } from '../../../kernel/person.ts'
import { readSetting, saveSetting } from '../storage.ts'

export type Identity = Pick<Me, 'name' | 'role' | 'separation_of_duties' | 'environment' | 'storeroom'> &
  Partial<Pick<Me, 'currency'>>

const isRole = (text: string | undefined): text is PersonRole => PERSON_ROLES.some((role) => role === text)

function savedIdentity(): Identity | undefined {
  const role = readSetting('role')
  const currency = readSetting('currency') ?? ''
  if (!isRole(role)) return undefined
  return {
    name: '',
    role,
    separation_of_duties: readSetting('separated') === 'yes',
    environment: readSetting('environment') === 'live' ? 'live' : 'staging',
    storeroom: readSetting('storeroom') !== 'no',
    ...(isCurrency(currency) ? { currency } : {}),
  }
}

/** Undefined until the service was asked, in a browser that never signed in before. */
export const me = signal<Identity | undefined>(savedIdentity())
/** Whether the service was asked and could not say: then the pages show what it refuses. */
export const isUnknown = signal(false)

/** Who signed in last on this device, kept for a start without a network; empty until the service said who it is. */
export const person = signal(readSetting('person') ?? '')
effect(() => saveSetting('person', person.value))

export function learnIdentity(known: Identity): void {
  const { name, role, separation_of_duties, environment, currency, storeroom = true } = known
  saveSetting('role', role)
  saveSetting('separated', separation_of_duties ? 'yes' : 'no')
  saveSetting('environment', environment)
  saveSetting('storeroom', storeroom ? 'yes' : 'no')
  saveSetting('currency', currency ?? '')
  isUnknown.value = false
  const stated = currency === undefined ? {} : { currency }
  me.value = { name, role, separation_of_duties, environment, storeroom, ...stated }
  person.value = `${role} ${name}`
}

/** Before somebody else signs in: nothing of the person before is offered to the next. */
export function forgetIdentity(): void {
  saveSetting('role', '')
  me.value = undefined
  isUnknown.value = false
}
