/** The connections to vendors: their health, and the machines that a platform knows. Beyond the contract. */
import { type Static, Type } from 'typebox'
import { Count, Messages, Namespace, PaginationResponse, Timestamp, UcpEnvelope } from '../common.ts'
import { answer, list, oneOf } from '../schema-helpers.ts'

const RefusedRow = answer('RefusedRow', {
  source: oneOf(['catalog', 'inventory', 'ledger', 'files', 'replies']),
  location: Type.Optional(Type.String({ description: 'The machine, for a row of an inventory.' })),
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
  state: oneOf(['ok', 'failing', 'unused'], { title: 'ConnectionState' }),
  last_read_at: Type.Optional(Timestamp),
  last_failure: Type.Optional(
    answer('ConnectionFailure', {
      at: Timestamp,
      code: oneOf(['unauthorized', 'upstream_unreachable']),
      content: Type.String(),
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
})
export type PlatformLocation = Static<typeof PlatformLocation>

export const PlatformLocationList = answer('PlatformLocationList', {
  ucp: UcpEnvelope,
  locations: list(PlatformLocation),
  pagination: Type.Optional(PaginationResponse),
  messages: Type.Optional(Messages),
})
