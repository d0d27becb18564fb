/** What the role of who is signed in may do. The service decides; the console only leaves out what it would refuse. */
import { effect } from '@preact/signals'
import type { Me } from '../../../contract/shapes/people.ts'
import { TOKEN_HOLDER } from '../../../kernel/person.ts'
import { client, session, sessionNumber } from './api.ts'
import { learnZone } from '../text/format.ts'
import { isUnknown, learnIdentity, me, person } from './identity.ts'
import { ROLES_OF, TOKEN_UNTIL_OWNER } from './operation-roles.ts'

export { me, person } from './identity.ts'

function learnMe(answer: Me): void {
  // Before anything with a time was read: a new service has no events and no machines.
  if (answer.now !== undefined) learnZone(answer.now)
  learnIdentity(answer)
}

/** After a change of what everybody sees: currency and zone. */
export const refreshMe = async (): Promise<void> => learnMe(await client.getMe())

/** Asked again with every sign-in. A failure shows on the page itself. */
export const startMe = (): (() => void) =>
  effect(() => {
    // After a sign-in it may be somebody else: nothing kept for a person is shown until the service said who it is.
    if (sessionNumber.value > 0 || session.value === 'out') person.value = ''
    if (session.value !== 'in') return
    client
      .getMe()
      .then(learnMe)
      .catch(() => (isUnknown.value = true))
  })

export type OperationName = keyof typeof ROLES_OF

/** True while the role is unknown: better a button that is refused than one that is missing. */
export function may(operation: OperationName): boolean {
  if (!me.value) return true
  const { role, separation_of_duties: isSeparated } = me.value
  if ((ROLES_OF[operation] as readonly string[]).includes(role)) return true
  return TOKEN_UNTIL_OWNER.includes(operation) && isToken() && !isSeparated
}

/** Signed in with the operator token, which is nobody. */
export function isToken(): boolean {
  const { name, role } = me.value ?? {}
  return role === TOKEN_HOLDER.role && (name === TOKEN_HOLDER.name || name === '')
}

/** A driver gets no amounts from the service: where one would stand, nothing is shown. */
export const seesMoney = (): boolean => me.value?.role !== 'driver'

/** Whether this deployment keeps a store room. */
export const hasStoreroom = (): boolean => me.value?.storeroom !== false
