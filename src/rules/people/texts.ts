/** Texts about people, each with its code. */
import type { OwnEvent } from '../../record/events/index.ts'
import type { StoredPerson } from './records.ts'

export const LAST_OWNER =
  'This is the last owner. Without one nobody can approve anything; another can only be created on the server'

const DONE = {
  person_added: 'added',
  autonomous_added: 'added, to buy and change prices within the rules without asking,',
  person_revoked: 'revoked',
  person_key_rotated: 'given a new key',
} as const

const PASSKEY_DONE = {
  passkey_added: [
    'added a passkey',
    'It signs in without a key, until it is removed or the key is revoked or replaced.',
  ],
  passkey_removed: ['removed a passkey', 'It no longer signs in, and the sign-ins with it ended.'],
  passkey_copied: [
    'could not sign in with a passkey',
    'Its counter went back, so there may be a copy of it. Remove it, and add a new one.',
  ],
} as const

export const passkeyEvent = (
  code: keyof typeof PASSKEY_DONE,
  { name, role }: StoredPerson,
  passkey: string,
): OwnEvent => ({
  kind: 'guardrail',
  code,
  params: { name, role, passkey },
  summary: `${name} (${role}) ${PASSKEY_DONE[code][0]}: ${passkey}`,
  reasoning: PASSKEY_DONE[code][1],
})

export const personEvent = (code: keyof typeof DONE, { name, role }: StoredPerson, by: string): OwnEvent => ({
  kind: 'guardrail',
  code,
  params: { name, role, by },
  summary: `${name} (${role}) ${DONE[code]} by ${by}`,
  reasoning: 'Who may do what has changed.',
})
