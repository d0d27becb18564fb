/** Asks the browser to make or use a passkey. Bytes travel as base64url. */
import type { PasskeyChallenge, PasskeyProof, PasskeyRequest } from '../../../contract/shapes/passkeys.ts'

const encode = (bytes: ArrayBuffer): string =>
  btoa(String.fromCodePoint(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const decode = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.codePointAt(0) ?? 0)

/** The address of this page is not the one that the service is known under. */
export class OtherAddressError extends Error {
  override readonly name = 'OtherAddressError'
}

function checkAddress({ origin }: PasskeyChallenge): void {
  if (location.origin !== origin) throw new OtherAddressError(origin)
}

/** ES256, RS256 and EdDSA. */
const ALGORITHMS = [-7, -257, -8]

export async function makePasskey(asked: PasskeyChallenge, person: string, name: string): Promise<PasskeyRequest> {
  checkAddress(asked)
  const made = (await navigator.credentials.create({
    publicKey: {
      challenge: decode(asked.challenge),
      rp: { id: asked.rp_id, name: 'vendops' },
      user: { id: decode(asked.user_id ?? ''), name: person, displayName: person },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key' as const, alg })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: (asked.known ?? []).map((id) => ({ type: 'public-key' as const, id: decode(id) })),
      attestation: 'none',
    },
  })) as PublicKeyCredential
  const answer = made.response as AuthenticatorAttestationResponse
  return {
    name,
    credential_id: encode(made.rawId),
    client_data: encode(answer.clientDataJSON),
    attestation: encode(answer.attestationObject),
  }
}

export async function usePasskey(asked: PasskeyChallenge): Promise<PasskeyProof> {
  checkAddress(asked)
  const used = (await navigator.credentials.get({
    publicKey: { challenge: decode(asked.challenge), rpId: asked.rp_id, userVerification: 'required' },
  })) as PublicKeyCredential
  const answer = used.response as AuthenticatorAssertionResponse
  return {
    credential_id: encode(used.rawId),
    client_data: encode(answer.clientDataJSON),
    authenticator_data: encode(answer.authenticatorData),
    signature: encode(answer.signature),
    user_handle: encode(answer.userHandle ?? new ArrayBuffer(0)),
  }
}

/** What most people would call the device. */
export function deviceName(agent: string): string {
  const names: readonly [RegExp, string][] = [
    [/iPhone/, 'iPhone'],
    [/iPad/, 'iPad'],
    [/Android/, 'Android'],
    [/Macintosh/, 'Mac'],
    [/Windows/, 'Windows'],
    [/CrOS/, 'Chromebook'],
  ]
  return names.find(([pattern]) => pattern.test(agent))?.[1] ?? 'Linux'
}
