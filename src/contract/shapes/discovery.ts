/** The profile at the host root, and sign-in to the console. */
import { type Static, Type } from 'typebox'
import { NamespaceDefaults, NamespaceEntry } from './catalog.ts'
import { PaymentHandler, UcpEnvelope, Url } from '../common.ts'
import { TOKEN_MAX } from '../limits.ts'
import { PasskeyProof } from './passkeys.ts'
import { answer, list, oneOf, request, text } from '../schema-helpers.ts'

const ServiceEntry = answer('ServiceEntry', {
  version: Type.String(),
  transport: oneOf(['rest', 'mcp']),
  endpoint: Url,
  spec: Url,
  schema: Url,
})

export const ProfileCapability = answer('ProfileCapability', {
  version: Type.String(),
  spec: Url,
  schema: Url,
  extends: Type.Optional(Type.Union([Type.String(), list(Type.String())])),
  config: Type.Optional(answer('SkuConfig', { namespaces: list(NamespaceEntry), defaults: NamespaceDefaults })),
})
export type ProfileCapability = Static<typeof ProfileCapability>

const SigningKey = answer('SigningKey', {
  kty: oneOf(['EC']),
  crv: oneOf(['P-256']),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String({ description: 'RFC 7638 thumbprint; the `keyid` of signatures.' }),
  use: oneOf(['sig']),
  alg: oneOf(['ES256']),
})

export const Profile = answer('Profile', {
  ucp: answer('ProfileUcp', {
    version: Type.String(),
    status: Type.Optional(oneOf(['success'])),
    services: Type.Record(Type.String(), list(ServiceEntry)),
    capabilities: Type.Record(Type.String(), list(ProfileCapability)),
    payment_handlers: Type.Record(Type.String(), list(PaymentHandler)),
  }),
  keys: Type.Immutable(
    Type.Array(SigningKey, {
      description: 'The keys that sign webhooks and responses; empty where nothing is signed.',
    }),
  ),
})
export type Profile = Static<typeof Profile>

export const SignInRequest = request('SignInRequest', {
  token: Type.Optional(text(TOKEN_MAX)),
  passkey: Type.Optional(PasskeyProof),
})
export type SignInRequest = Static<typeof SignInRequest>

export const SignOutRequest = request('SignOutRequest', {
  everywhere: Type.Optional(
    Type.Boolean({ description: 'Also ends the sessions of the same person in other browsers.' }),
  ),
})
export type SignOutRequest = Static<typeof SignOutRequest>

export const Signed = answer('Signed', { ucp: UcpEnvelope, signed_in: Type.Boolean() })
export type Signed = Static<typeof Signed>
