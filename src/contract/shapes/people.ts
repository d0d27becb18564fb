/** People and their keys, beyond the contract, which knows one token. */
import { type Static, Type } from 'typebox'
import { PERSON_ROLES } from '../../kernel/person.ts'
import { Currency, ENVELOPE, PaginationResponse, Timestamp, UcpEnvelope } from '../common.ts'
import { PERSON_NAME_MAX, RATE_LIMIT_MAX, TOKEN_MAX } from '../limits.ts'
import { PasskeyRequest } from './passkeys.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

const PersonRole = oneOf(PERSON_ROLES, { title: 'PersonRole' })

/** Who caused something. */
export const By = answer('By', { name: Type.String(), role: PersonRole })
export type By = Static<typeof By>

const PERSON = {
  id: Type.String(),
  name: Type.String(),
  role: PersonRole,
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
  expires_at: nullable(Timestamp),
  revoked_at: nullable(Timestamp),
  rate_limit_per_minute: Type.Optional(
    Type.Integer({ description: 'Requests per minute of this key, where it has a limit of its own.' }),
  ),
  autonomous: Type.Optional(
    Type.Boolean({ description: 'True: the owner agreed in advance to what the rules allow.' }),
  ),
  renews: Type.Optional(
    Type.Boolean({ description: 'True: a program renews this key by itself; `expires_at` then moves on.' }),
  ),
}

export const PersonEntry = answer('Person', PERSON)
export type PersonEntry = Static<typeof PersonEntry>

export const PersonAnswer = answer('PersonAnswer', { ...ENVELOPE, ...PERSON })
export type PersonAnswer = Static<typeof PersonAnswer>

export const PersonList = answer('PersonList', {
  ucp: UcpEnvelope,
  people: list(PersonEntry),
  pagination: Type.Optional(PaginationResponse),
})
export type PersonList = Static<typeof PersonList>

export const PersonRequest = request('PersonRequest', {
  name: text(PERSON_NAME_MAX),
  role: PersonRole,
  expires_at: Type.Optional(Type.String({ format: 'date-time' })),
  rate_limit_per_minute: Type.Optional(Type.Integer({ minimum: 1, maximum: RATE_LIMIT_MAX })),
  autonomous: Type.Optional(
    Type.Boolean({ description: 'For the role operator: it need not ask a person for what the rules allow.' }),
  ),
})
export type PersonRequest = Static<typeof PersonRequest>

export const PersonAdded = answer('PersonAdded', {
  ucp: UcpEnvelope,
  id: Type.String(),
  name: Type.String(),
  role: PersonRole,
  key: Type.String({ description: 'The bearer token of this person. It is shown once and stored as a hash.' }),
  sign_in_url: nullable(
    Type.String({
      description: 'Signs a browser in, once, within ten minutes. Null for a bridge, which has no console.',
    }),
  ),
  expires_at: nullable(Timestamp),
  autonomous: Type.Optional(Type.Boolean()),
})
export type PersonAdded = Static<typeof PersonAdded>

export const FirstOwnerRequest = request('FirstOwnerRequest', {
  code: text(TOKEN_MAX, 'From the link that the first start of a live deployment shows.'),
  name: text(PERSON_NAME_MAX),
  passkey: Type.Optional(PasskeyRequest),
})
export type FirstOwnerRequest = Static<typeof FirstOwnerRequest>

export const FirstOwner = answer('FirstOwner', {
  ucp: UcpEnvelope,
  id: Type.String(),
  name: Type.String(),
  role: PersonRole,
  key: nullable(
    Type.String({
      description: 'The bearer token of the owner. It is shown once and stored as a hash. Null for one with a passkey.',
    }),
  ),
})
export type FirstOwner = Static<typeof FirstOwner>

export const Me = answer('Me', {
  ucp: UcpEnvelope,
  name: Type.String(),
  role: PersonRole,
  separation_of_duties: Type.Boolean({
    description: 'True once an owner key exists: only owners and bridges then resolve approvals.',
  }),
  currency: Currency,
  environment: oneOf(['staging', 'live'], { description: 'In staging everything is simulated; nothing is bought.' }),
  storeroom: Type.Optional(Type.Boolean({ description: 'False: this deployment keeps no store room.' })),
  now: Type.Optional(
    Type.String({ format: 'date-time', description: "The time of the service, in the deployment's time zone." }),
  ),
})
export type Me = Static<typeof Me>
