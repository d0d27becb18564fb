/** Which lanes of a machine would earn more with another of its products: our own operation, beyond the contract. */
import { type Static, Type } from 'typebox'
import { Amount, Currency, ENVELOPE, LocationId, SkuId } from '../../common.ts'
import { BATCH_IDS_MAX, SLOT_ID_MAX } from '../../limits.ts'
import { SlotPosition } from '../catalog.ts'
import { Confirm } from '../checkout.ts'
import { Signed } from './experiments.ts'
import { answer, list, oneOf, request, text } from '../../schema-helpers.ts'

const LayoutItem = answer('LayoutItem', { id: SkuId, title: Type.String() })
const Gain = { ...Amount, description: 'Expected margin more per week, in minor units, with all lanes before it.' }
const Days = Type.Integer({ minimum: 1 })

export const Layout = answer('Layout', {
  ...ENVELOPE,
  location: LocationId,
  currency: Currency,
  /** Those that should change, the largest gain first; then those that were accepted. */
  lanes: list(
    answer('LayoutLane', {
      lane: Type.String({ description: 'As the platform names it; else the slot id.' }),
      position: Type.Optional(SlotPosition),
      now: LayoutItem,
      proposed: LayoutItem,
      weekly_gain: Gain,
      gain_error: { ...Amount, description: 'Give or take this much.' },
      status: oneOf(['proposed', 'accepted', 'done', 'canceled'], {
        description: '`accepted`: the next visit changes the lane. `done`: it did.',
      }),
    }),
  ),
  weekly_gain: { ...Amount, description: 'Of all that is proposed.' },
  /** What the lanes that were changed lately brought so far, per week, beside the other products of the machine. */
  result: Type.Optional(
    answer('LayoutResult', {
      lanes: Days,
      /** Since the last of them. */
      days: Days,
      expected: Signed('Per week, when they were accepted.'),
      gain: Signed('Per week, measured.'),
      error: Signed('Its standard error.'),
    }),
  ),
  /** The best days between two visits. */
  visit_days: Type.Optional(answer('LayoutVisitDays', { now: Days, after: Days })),
})

export type Layout = Static<typeof Layout>

export const LayoutQuery = request('LayoutQuery', { location: LocationId })
export type LayoutQuery = Static<typeof LayoutQuery>

const Lane = text(SLOT_ID_MAX, 'As the layout names it.')

export const LayoutRequest = request('LayoutRequest', {
  location: LocationId,
  lanes: Type.Array(request('LayoutLaneRequest', { lane: Lane, item: request('LayoutItemRequest', { id: SkuId }) }), {
    minItems: 1,
    maxItems: BATCH_IDS_MAX,
    description: 'Which proposed lanes to change, and to which product.',
  }),
  confirm: Confirm,
})
export type LayoutRequest = Static<typeof LayoutRequest>

export const LaneEndRequest = request('LaneEndRequest', { lane: Lane, status: oneOf(['done', 'canceled']) })
export type LaneEndRequest = Static<typeof LaneEndRequest>
