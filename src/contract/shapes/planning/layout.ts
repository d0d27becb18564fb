/** Which lanes of a machine would earn more with another of its products: our own operation, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Amount, Currency, ENVELOPE, LocationId, SkuId } from '../../common.ts'
import { answer, list, request } from '../../schema-helpers.ts'

const LayoutItem = answer('LayoutItem', { id: SkuId, title: Type.String() })
const Gain = { ...Amount, description: 'Expected margin more per week, in minor units, with all lanes before it.' }
const Days = Type.Integer({ minimum: 1 })

export const Layout = answer('Layout', {
  ...ENVELOPE,
  location: LocationId,
  currency: Currency,
  /** Only those that should change, the largest gain first. */
  lanes: list(
    answer('LayoutLane', {
      lane: Type.String({ description: 'As the platform names it; else the slot id.' }),
      now: LayoutItem,
      proposed: LayoutItem,
      weekly_gain: Gain,
    }),
  ),
  weekly_gain: Amount,
  /** The best days between two visits. */
  visit_days: Type.Optional(answer('LayoutVisitDays', { now: Days, after: Days })),
})

export type Layout = Static<typeof Layout>

export const LayoutQuery = request('LayoutQuery', { location: LocationId })
export type LayoutQuery = Static<typeof LayoutQuery>
