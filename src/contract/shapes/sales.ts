/** Daily sales: our own operation, beyond the contract, for charts that would otherwise read every order. */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, Day, ENVELOPE, LocationId } from '../common.ts'
import { answer, request } from '../schema-helpers.ts'

const SalesDay = answer('SalesDay', { day: Day, units: Count, revenue: Amount })
export type SalesDay = Static<typeof SalesDay>

export const DailySales = answer('DailySales', {
  ...ENVELOPE,
  currency: Currency,
  from: Day,
  to: Day,
  days: Type.Immutable(
    Type.Array(SalesDay, {
      description:
        'Days on which something was sold, oldest first. Only paid lines count (3.4), none whose refund failed.',
    }),
  ),
})
export type DailySales = Static<typeof DailySales>

export const DailySalesQuery = request('DailySalesQuery', {
  location: Type.Optional(LocationId),
  from: Type.Optional(Day),
  to: Type.Optional(Day),
})
export type DailySalesQuery = Static<typeof DailySalesQuery>
