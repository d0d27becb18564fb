/** The connections to vendors: their health, and the machines that a platform knows. Beyond the contract. */
import { type Static, Type } from 'typebox'
import { PACK_SIZE_MAX, PACK_TEXT_MAX } from '../../kernel/pack.ts'
import {
  Count,
  Messages,
  Namespace,
  PAGED,
  PaginationResponse,
  Price,
  SkuId,
  Timestamp,
  UcpEnvelope,
} from '../common.ts'
import { PACK_ARTICLES_MAX } from '../limits.ts'
import { answer, list, oneOf, request } from '../schema-helpers.ts'

const RefusedRow = answer('RefusedRow', {
  source: oneOf(['catalog', 'inventory', 'ledger', 'files', 'replies']),
  location: Type.Optional(Type.String({ description: 'The machine, for a row of an inventory.' })),
  row: Type.Optional(Type.Integer({ minimum: 1, description: 'Its place in the file.' })),
  id: Type.Optional(
    Type.String({
      description:
        "The vendor's code of the row, the name of a file, or the number of the order that a reply is about; absent when that cannot be read either.",
    }),
  ),
  problem: Type.String(),
  first_seen_at: Timestamp,
})

export const Connection = answer('Connection', {
  namespace: Namespace,
  role: oneOf(['supply', 'machine']),
  capabilities: list(Type.String()),
  state: oneOf(['ok', 'failing', 'unused', 'not_ready'], { title: 'ConnectionState' }),
  managed: oneOf(['file', 'store'], {
    title: 'ManagedBy',
    description: '`file`: set on the server. `store`: an owner can change it.',
  }),
  adapter: Type.Optional(Type.String()),
  problem: Type.Optional(Type.String({ description: 'Why it is not ready on this instance.' })),
  last_read_at: Type.Optional(Timestamp),
  last_failure: Type.Optional(
    answer('ConnectionFailure', {
      at: Timestamp,
      code: oneOf(['unauthorized', 'upstream_unreachable']),
      content: Type.String(),
    }),
  ),
  waiting_packs: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Articles whose pack size somebody has to state, once the list was read.',
    }),
  ),
  refused_count: Count,
  refused_rows: list(RefusedRow),
})
export type Connection = Static<typeof Connection>

export const ConnectionList = answer('ConnectionList', {
  ucp: UcpEnvelope,
  connections: list(Connection),
  pagination: Type.Optional(PaginationResponse),
})

export const NamespaceParams = Type.Object({ namespace: Namespace })

const PlatformLocation = answer('PlatformLocation', {
  id: Type.String(),
  name: Type.String(),
  timezone: Type.Optional(Type.String({ description: 'IANA name.' })),
  address: Type.Optional(Type.String()),
  registered: Type.Boolean({ description: 'Whether the machine is on the roster of this service.' }),
  entry: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Found in files: to be added to `machines`.' }),
  ),
})
export type PlatformLocation = Static<typeof PlatformLocation>

export const PlatformLocationList = answer('PlatformLocationList', {
  ucp: UcpEnvelope,
  locations: list(PlatformLocation),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})

/** A pack whose number of items the supplier does not state for certain, or what was said about one. */
const Pack = answer('Pack', {
  text: Type.String({ description: 'What the supplier wrote; empty: nothing.' }),
  sku_id: Type.Optional(SkuId),
  title: Type.Optional(Type.String()),
  pack_price: Type.Optional(Price),
  each_price: Type.Optional(Price),
  reason: Type.Optional(oneOf(['unknown_size', 'prices_disagree', 'price_jump'], { title: 'PackReason' })),
  suggested: Type.Optional(Type.Integer({ minimum: 2, description: 'The only size that both prices fit.' })),
  contains: Type.Optional(Type.Integer({ minimum: 1 })),
  stated_at: Type.Optional(Timestamp),
  stated_by: Type.Optional(Type.String()),
})
export type Pack = Static<typeof Pack>

export const PackList = answer('PackList', {
  ucp: UcpEnvelope,
  packs: list(Pack),
  waiting_count: Count,
  stated_count: Count,
  pagination: PaginationResponse,
})
export type PackList = Static<typeof PackList>

export const PackQuery = request('PackQuery', {
  ...PAGED,
  state: Type.Optional(
    oneOf(['waiting', 'stated'], { default: 'waiting', description: '`stated`: what was said instead.' }),
  ),
})
export type PackQuery = Static<typeof PackQuery>

export const PackRequest = request('PackRequest', {
  text: Type.String({ maxLength: PACK_TEXT_MAX, description: 'As listed.' }),
  contains: Type.Union([Type.Integer({ minimum: 1, maximum: PACK_SIZE_MAX }), Type.Null()], {
    description: 'Items in the pack. 1 only where the each price agrees. Null takes it back.',
  }),
  sku_ids: Type.Optional(
    Type.Array(SkuId, {
      minItems: 1,
      maxItems: PACK_ARTICLES_MAX,
      description: 'Absent: all articles with this text.',
    }),
  ),
  same_for_all: Type.Optional(
    Type.Literal(true, {
      description: 'Needed for a text without a number.',
    }),
  ),
})
export type PackRequest = Static<typeof PackRequest>
