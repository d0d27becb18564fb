/** Money, identifiers, envelope, messages and the other shapes every resource uses. */
import { type Static, Type } from 'typebox'
import { LOCATION_ID_PATTERN, NAMESPACE_PATTERN, SKU_ID_PATTERN } from '../kernel/ids.ts'
import { CURSOR_MAX, LINE_MAX, PAGE_DEFAULT, PAGE_MAX, SKU_ID_MAX, SLOT_ID_MAX, WORD_MAX } from './limits.ts'
import { answer, anything, list, nullable, oneOf, request } from './schema-helpers.ts'

export const Day = Type.String({
  format: 'date',
  maxLength: 10,
  description: 'A day in the time zone of the machine, such as 2026-09-10.',
})
export const Timestamp = Type.String({
  format: 'date-time',
  description: 'RFC 3339 with a time-zone offset, such as 2026-09-10T08:00:00+08:00.',
})
export const Url = Type.String({ format: 'uri' })

export const MINOR_UNITS = 'Minor units: 5.50 is 550.'
export const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: MINOR_UNITS })
const SignedAmount = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
  description: `${MINOR_UNITS} Money given back is negative.`,
})
export const CURRENCY_TITLE = 'Currency'
/** One deployment has one currency: `withCurrency` makes of this the schema that a running service uses. */
export const Currency = Type.String({
  title: CURRENCY_TITLE,
  pattern: '^[A-Z]{3}$',
  maxLength: 3,
  description: 'ISO 4217 code. A deployment has one currency and refuses others.',
})

export const Price = answer('Price', { amount: Amount, currency: Currency })
export type Price = Static<typeof Price>

export const Total = answer('Total', {
  type: Type.String({ description: 'subtotal, discount, fulfillment, tax, fee or total.' }),
  amount: SignedAmount,
  display_text: Type.Optional(Type.String()),
})
export type Total = Static<typeof Total>

export const Namespace = Type.String({
  title: 'Namespace',
  pattern: NAMESPACE_PATTERN,
  maxLength: WORD_MAX,
  description: '`<vendor>-supply` or `<vendor>-machine`.',
})
export const SkuId = Type.String({
  title: 'SkuId',
  pattern: SKU_ID_PATTERN,
  maxLength: SKU_ID_MAX,
  description: '`<namespace>:<vendor_sku>`, compared as an exact string.',
})
export const LocationId = Type.String({
  title: 'LocationId',
  pattern: LOCATION_ID_PATTERN,
  description: 'The id its platform gave the machine.',
})
export const SlotId = Type.String({
  title: 'SlotId',
  pattern: '^[^:\\s]+$',
  maxLength: SLOT_ID_MAX,
  description: '`<location>-<vendor_sku>`; not a lane number.',
})

const CapabilityEntry = answer('CapabilityEntry', { version: Type.String() })

export const PaymentHandler = answer('PaymentHandler', {
  id: Type.String(),
  version: Type.String(),
  spec: Type.Optional(Url),
  schema: Type.Optional(Url),
  available_instruments: list(Type.Object({ type: oneOf(['on_account']) })),
})

export const UcpEnvelope = answer('UcpEnvelope', {
  version: Type.String({ description: 'Release of the protocol.' }),
  status: oneOf(['success', 'error']),
  capabilities: Type.Optional(
    Type.Record(Type.String(), list(CapabilityEntry), {
      description: 'Capabilities active in this response, including extensions.',
    }),
  ),
  payment_handlers: Type.Optional(Type.Record(Type.String(), list(PaymentHandler))),
})
export type UcpEnvelope = Static<typeof UcpEnvelope>

/** Values of a text by name: a caller can write the sentence of a code in another language with them. */
export const TextParams = Type.Record(
  Type.String(),
  Type.Union([Type.String(), Type.Number(), Type.Boolean(), Price]),
  {
    description: 'The values in the text, by name.',
  },
)

export const Message = answer('Message', {
  type: oneOf(['error', 'warning', 'info']),
  code: Type.String({ description: 'Branch on this only.' }),
  content: Type.String({ description: 'For people.' }),
  severity: Type.Optional(
    Type.Enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'], {
      type: 'string',
      description: 'On errors only.',
    }),
  ),
  path: Type.Optional(Type.String({ description: 'RFC 9535 JSONPath of the element.' })),
  content_type: Type.Optional(oneOf(['plain', 'markdown'], { default: 'plain' })),
  params: Type.Optional(TextParams),
})
export type Message = Static<typeof Message>

export const Messages = list(Message)

/** A rule with the values that were compared. */
export const RuleEvidence = answer('RuleEvidence', {
  rule: Type.String({ description: 'The member of the rules file.' }),
  code: Type.String(),
  text: Type.String(),
  needs_approval: Type.Boolean(),
  params: Type.Optional(Type.Immutable(Type.Record(Type.String(), Type.Unknown()))),
})
export type RuleEvidence = Static<typeof RuleEvidence>

/** In the answer to a dry run. */
export const DRY_RUN = {
  dry_run: Type.Optional(Type.Literal(true, { description: 'Nothing was written or sent.' })),
  evidence: Type.Optional(list(RuleEvidence)),
} as const

export const ErrorResponse = answer('ErrorResponse', {
  ucp: UcpEnvelope,
  messages: Type.Immutable(Type.Array(Message, { minItems: 1 })),
  continue_url: Type.Optional(Url),
})
export type ErrorResponse = Static<typeof ErrorResponse>

const Action = answer('Action', {
  id: Type.String(),
  config: Type.Optional(anything('Set by the action type.')),
})

export const Actions = Type.Record(Type.String(), Type.Immutable(Type.Array(Action, { minItems: 1 })), {
  title: 'Actions',
  description: 'Open work by action type. Absent when there is none.',
})
export type Actions = Static<typeof Actions>

export const Link = answer('Link', { type: Type.String(), url: Url, title: Type.Optional(Type.String()) })
export type Link = Static<typeof Link>

const addressLine = Type.Optional(Type.String({ maxLength: LINE_MAX }))

/** All optional; the same nine members in requests and responses. */
export const POSTAL_ADDRESS = {
  street_address: addressLine,
  extended_address: addressLine,
  address_locality: addressLine,
  address_region: addressLine,
  address_country: addressLine,
  postal_code: addressLine,
  first_name: addressLine,
  last_name: addressLine,
  phone_number: addressLine,
}

export const PostalAddress = answer('PostalAddress', POSTAL_ADDRESS)
export type PostalAddress = Static<typeof PostalAddress>

export const Cursor = Type.String({
  minLength: 1,
  maxLength: CURSOR_MAX,
  description: 'Opaque, from the previous page.',
})
const PageLimit = Type.Integer({
  minimum: 1,
  default: PAGE_DEFAULT,
  description: `Entries per page, at most ${PAGE_MAX}.`,
})

export const PaginationRequest = request('PaginationRequest', {
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(PageLimit),
})
export type PaginationRequest = Static<typeof PaginationRequest>

export const PaginationResponse = answer('PaginationResponse', {
  cursor: Type.Optional(Type.String({ description: 'Present exactly when there is a next page.' })),
  has_next_page: Type.Boolean(),
  total_count: Type.Optional(Type.Integer({ minimum: 0 })),
})
export type PaginationResponse = Static<typeof PaginationResponse>

/** The buyer, as stated by the caller: stored with the session and returned, not used otherwise. */
export const Buyer = request('Buyer', {
  first_name: Type.Optional(Type.String({ maxLength: LINE_MAX })),
  last_name: Type.Optional(Type.String({ maxLength: LINE_MAX })),
  email: Type.Optional(Type.String({ maxLength: LINE_MAX })),
  phone_number: Type.Optional(Type.String({ maxLength: LINE_MAX })),
})
export type Buyer = Static<typeof Buyer>

/** A reference to one product in a request. */
export const ItemReference = request('ItemReference', { id: SkuId })

export const Count = Type.Integer({ minimum: 0 })
export const NullableNumber = nullable(Type.Number())

export const PAGED = { cursor: Type.Optional(Cursor), limit: Type.Optional(PageLimit) }

/** Query members of a list that is whole without them. */
export const PARTED = {
  cursor: Type.Optional(Cursor),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: `Entries per page, at most ${PAGE_MAX}. Without it and a cursor, all.` }),
  ),
}
export const PartQuery = request('PartQuery', PARTED)
export type PartQuery = Static<typeof PartQuery>

/** Members of every response with one or several resources. */
export const ENVELOPE = { ucp: UcpEnvelope, messages: Type.Optional(Messages) }
