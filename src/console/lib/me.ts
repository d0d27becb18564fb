/** Who is signed in, and what that role may do. The service decides; the console only leaves out what it would refuse. */
import { effect, signal } from '@preact/signals'
import type { Me } from '../../contract/people.ts'
import { PERSON_ROLES, TOKEN_HOLDER } from '../../kernel/person.ts'
import type { PersonRole } from '../../kernel/person.ts'
import { client, session, sessionNumber } from './api.ts'
import { ROLES_OF } from './operation-roles.ts'
import { readSetting, saveSetting } from './storage.ts'

type Identity = Pick<Me, 'name' | 'role' | 'separation_of_duties'>

const isRole = (text: string | undefined): text is PersonRole => PERSON_ROLES.some((role) => role === text)

/** The role of the last sign-in, so that the first frame already offers the right buttons. */
const lastRole = readSetting('role')
/** Undefined until the service was asked, in a browser that never signed in before. */
export const me = signal<Identity | undefined>(
  isRole(lastRole) ? { name: '', role: lastRole, separation_of_duties: readSetting('separated') === 'yes' } : undefined,
)

/** Who signed in last on this device, kept for a start without a network; empty until the service said who it is. */
export const person = signal(readSetting('person') ?? '')
effect(() => saveSetting('person', person.value))

async function ask(): Promise<void> {
  const { name, role, separation_of_duties } = await client.getMe()
  saveSetting('role', role)
  saveSetting('separated', separation_of_duties ? 'yes' : 'no')
  me.value = { name, role, separation_of_duties }
  person.value = `${role} ${name}`
}

/** Asked again with every sign-in. A failure shows on the page itself. */
export const startMe = (): (() => void) =>
  effect(() => {
    // After a sign-in it may be somebody else: nothing kept for a person is shown until the service said who it is.
    if (sessionNumber.value > 0 || session.value === 'out') person.value = ''
    if (session.value === 'in') ask().catch(() => {})
  })

/** True while the role is unknown: better a button that is refused than one that is missing. */
export function may(operation: keyof typeof ROLES_OF): boolean {
  if (!me.value) return true
  const { name, role, separation_of_duties: isSeparated } = me.value
  if ((ROLES_OF[operation] as readonly string[]).includes(role)) return true
  // The operator token decides, too, until the first owner key exists.
  const isToken = role === TOKEN_HOLDER.role && (name === TOKEN_HOLDER.name || name === '')
  return operation === 'resolveApproval' && isToken && !isSeparated
}
