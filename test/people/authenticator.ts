/** An authenticator in software (ES256), which tells the truth unless a test asks for something else. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { PasskeyChallenge, PasskeyProof, PasskeyRequest } from '../../src/contract/shapes/passkeys.ts'

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
const encode = (data: string | Uint8Array): string => Buffer.from(data).toString('base64url')

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_KEY = 0x40

/** CBOR of short texts, byte strings and small numbers, which is all that is needed. */
const text = (value: string): Buffer => Buffer.from([0x60 + value.length, ...Buffer.from(value)])
function bytes(value: Uint8Array): Buffer {
  const head = value.length < 256 ? [0x58, value.length] : [0x59, value.length >> 8, value.length & 0xff]
  return Buffer.concat([Buffer.from(head), value])
}

function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const [X, Y] = [x, y].map((part) => bytes(Buffer.from(part, 'base64url'))) as [Buffer, Buffer]
  // { 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }
  return Buffer.concat([Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]), X, Buffer.from([0x22]), Y])
}

export interface Lies {
  readonly origin?: string
  readonly challenge?: string
  readonly rpId?: string
  readonly type?: string
  readonly crossOrigin?: boolean
  readonly counter?: number
  readonly isVerified?: boolean
  readonly credential?: string
  readonly userHandle?: string
  readonly signature?: string
}

type Asked = Pick<PasskeyChallenge, 'challenge' | 'rp_id' | 'origin'> & { readonly user_id?: string }

export function authenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(16)
  let counter = 0
  let user = ''

  function answer(asked: Asked, type: string, lies: Lies) {
    const clientData = JSON.stringify({
      type: lies.type ?? type,
      challenge: lies.challenge ?? asked.challenge,
      origin: lies.origin ?? asked.origin,
      crossOrigin: lies.crossOrigin ?? false,
    })
    counter = lies.counter ?? counter + 1
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    const flags = (more: number) => Buffer.from([PRESENT + ((lies.isVerified ?? true) ? VERIFIED : 0) + more])
    const data = (more = 0) => Buffer.concat([sha256(lies.rpId ?? asked.rp_id), flags(more), count])
    return { clientData, data }
  }

  return {
    make(asked: Asked, name = 'Phone', lies: Lies = {}): PasskeyRequest {
      user = asked.user_id ?? ''
      const { clientData, data } = answer(asked, 'webauthn.create', lies)
      const id = lies.credential === undefined ? credential : Buffer.from(lies.credential, 'base64url')
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, coseKey(publicKey)])
      const authData = bytes(Buffer.concat([data(HAS_KEY), attested]))
      const attestation = [Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])]
      return {
        name,
        credential_id: encode(id),
        client_data: encode(clientData),
        attestation: encode(Buffer.concat([...attestation, text('authData'), authData])),
      }
    },
    use(asked: Asked, lies: Lies = {}): PasskeyProof {
      const { clientData, data } = answer(asked, 'webauthn.get', lies)
      const signed = Buffer.concat([data(), sha256(clientData)])
      return {
        credential_id: lies.credential ?? encode(credential),
        client_data: encode(clientData),
        authenticator_data: encode(data()),
        signature: lies.signature ?? encode(sign('sha256', signed, privateKey)),
        user_handle: lies.userHandle ?? user,
      }
    },
    credential: encode(credential),
  }
}
