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

export const personEvent = (code: keyof typeof DONE, { name, role }: StoredPerson, by: string): OwnEvent => ({
  kind: 'guardrail',
  code,
  params: { name, role, by },
  summary: `${name} (${role}) ${DONE[code]} by ${by}`,
  reasoning: 'Who may do what has changed.',
})
