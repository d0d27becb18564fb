/** What a browser answers about a passkey, checked: origin, relying party, challenge, user verification, signature. */
import { isIP } from 'node:net'
import type { PasskeyProof, PasskeyRequest } from '../../../contract/shapes/passkeys.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'

export interface RelyingParty {
  readonly id: string
  readonly origin: string
}

const NO_ADDRESS =
  'Passkeys need an https address with a name, such as https://vend.example.com, in PUBLIC_URL; without https only localhost works'

const isLocal = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost')

/** Browsers make passkeys for a name only, over https or on this computer. */
export function relyingParty(publicUrl: string): Outcome<RelyingParty> {
  const { protocol, hostname, origin } = new URL(publicUrl)
  const isNumber = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  if (isNumber || (protocol !== 'https:' && !isLocal(hostname))) return refuse('not_enabled', NO_ADDRESS)
  return accept({ id: hostname, origin })
}

/** A counter that does not grow: the passkey was copied, or the answer is an old one. 0 twice: this device does not count. */
export const isCounterBack = (before: number, now: number): boolean => (before > 0 || now > 0) && now <= before

/** The challenge that an answer claims to be for; undefined when it cannot be read, or comes from a frame of another page. */
export function claimedChallenge(clientData: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(clientData, 'base64url').toString('utf8'))
    if (typeof parsed !== 'object' || parsed === null) return undefined
    const { challenge, crossOrigin } = parsed as Record<string, unknown>
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined
  } catch {
    return undefined
  }
}

/** ES256, RS256 and EdDSA: what phones, computers and security keys have. */
const ALGORITHMS = [-7, -257, -8]

export interface VerifiedPasskey {
  readonly credential: string
  readonly publicKey: string
  readonly counter: number
}

/** Loaded when the first passkey is used: it takes longer than the rest of the start. */
const library = () => import('@simplewebauthn/server')

/** Undefined when anything is wrong with it. The library throws for most of what is. */
export async function verifyMade(
  { credential_id: id, client_data: clientDataJSON, attestation: attestationObject }: PasskeyRequest,
  { origin, id: rpId }: RelyingParty,
  challenge: string,
): Promise<VerifiedPasskey | undefined> {
  const { verifyRegistrationResponse } = await library()
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    })
    if (!registrationInfo) return undefined
    const { credential } = registrationInfo
    if (credential.id !== id) return undefined
    const publicKey = Buffer.from(credential.publicKey).toString('base64url')
    return { credential: id, publicKey, counter: credential.counter }
  } catch {
    return undefined
  }
}

/** The counter that was signed; undefined when anything is wrong with the answer. */
export async function verifyUsed(
  proof: PasskeyProof,
  { origin, id: rpId }: RelyingParty,
  challenge: string,
  publicKey: string,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await library()
  const { credential_id: id, client_data: clientDataJSON, signature } = proof
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        response: { clientDataJSON, authenticatorData: proof.authenticator_data, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      // Compared by us, who tell the owners: without a value before there is nothing to compare here.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}
