/** Cash: what machines took by their counters, and what was collected. Our own operation, for owner and operator. */
import { type Static, Type } from 'typebox'
import { Amount, Currency, ENVELOPE, LocationId, PAGED, PaginationResponse, Timestamp } from '../../common.ts'
import { answer, list, nullable, request } from '../../schema-helpers.ts'
import { By } from '../people.ts'

const Expected = nullable(
  Type.Integer({
    minimum: 0,
    description: 'Taken by the counters since the collection before. Null: not counted throughout.',
  }),
)
const Difference = nullable(Type.Integer({ description: 'Collected minus expected. Null where nothing was expected.' }))

const CashMachine = answer('CashMachine', {
  location: LocationId,
  name: Type.String(),
  expected: Expected,
  counted_at: nullable(Timestamp),
  last_collected_at: nullable(Timestamp),
  amount: nullable(Amount),
  difference: Difference,
  running_difference: Type.Integer({ description: 'Sum of the known differences of 90 days.' }),
})
export type CashMachine = Static<typeof CashMachine>

const CashCollection = answer('CashCollection', {
  id: Type.String({ description: 'The service it belongs to.' }),
  location: LocationId,
  name: Type.Optional(Type.String()),
  at: Timestamp,
  amount: Amount,
  bag: nullable(Type.String()),
  expected: Expected,
  difference: Difference,
  by: Type.Optional(By),
})
export type CashCollection = Static<typeof CashCollection>

export const Cash = answer('Cash', {
  ...ENVELOPE,
  currency: Currency,
  machines: Type.Immutable(
    Type.Array(CashMachine, { description: 'Machines that count cash or were collected, the largest sums first.' }),
  ),
  collections: list(CashCollection),
  pagination: PaginationResponse,
})
export type Cash = Static<typeof Cash>

export const CashQuery = request('CashQuery', {
  location: Type.Optional(LocationId),
  ...PAGED,
})
export type CashQuery = Static<typeof CashQuery>
