/** Passkeys (WebAuthn) beside keys. Bytes are base64url. */
import { type Static, Type } from 'typebox'
import { Timestamp, UcpEnvelope } from '../common.ts'
import { PASSKEY_BYTES_MAX, PERSON_NAME_MAX } from '../limits.ts'
import { answer, list, nullable, oneOf, request, text } from '../schema-helpers.ts'

const bytes = (description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: PASSKEY_BYTES_MAX,
    pattern: '^[A-Za-z0-9_-]+$',
    ...(description === undefined ? {} : { description }),
  })

export const PasskeyStart = request('PasskeyStart', { purpose: oneOf(['sign_in', 'first_owner']) })

/** What the browser needs to ask for a passkey. */
export const PasskeyChallenge = answer('PasskeyChallenge', {
  ucp: UcpEnvelope,
  challenge: Type.String({ description: 'Works once, for five minutes.' }),
  rp_id: Type.String(),
  origin: Type.String({ description: 'The only address at which passkeys work.' }),
  user_id: Type.Optional(Type.String({ description: 'Whose passkey is made.' })),
  known: Type.Optional(list(Type.String({ description: 'Credentials that this person has already.' }))),
})
export type PasskeyChallenge = Static<typeof PasskeyChallenge>

/** What the browser answers when a passkey was made. */
export const PasskeyRequest = request('PasskeyRequest', {
  name: text(PERSON_NAME_MAX, 'What the person calls it, such as the name of the device.'),
  credential_id: bytes(),
  client_data: bytes(),
  attestation: bytes(),
})
export type PasskeyRequest = Static<typeof PasskeyRequest>

/** What the browser answers when a passkey was used. */
export const PasskeyProof = request('PasskeyProof', {
  credential_id: bytes(),
  client_data: bytes(),
  authenticator_data: bytes(),
  signature: bytes(),
  user_handle: bytes(),
})
export type PasskeyProof = Static<typeof PasskeyProof>

const PASSKEY = {
  id: Type.String(),
  name: Type.String(),
  created_at: Timestamp,
  last_used_at: nullable(Timestamp),
}
export const PasskeyEntry = answer('Passkey', PASSKEY)
export type PasskeyEntry = Static<typeof PasskeyEntry>

export const PasskeyAnswer = answer('PasskeyAnswer', { ucp: UcpEnvelope, ...PASSKEY })
export const PasskeyList = answer('PasskeyList', { ucp: UcpEnvelope, passkeys: list(PasskeyEntry) })
