/** What a start page needs beyond the other reads: the steps of the set-up, spending, products nobody can order. Our own. */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, ENVELOPE, PostalAddress, SkuId, Timestamp } from '../common.ts'
import { answer, list, oneOf, request } from '../schema-helpers.ts'
import { PRESENCES } from '../../kernel/stock-state.ts'

/** In the order in which a new deployment does them. */
export const SETUP_STEPS = ['connection', 'rules', 'owner', 'machines', 'destination', 'sync'] as const

const SetupStep = answer('SetupStep', {
  step: oneOf(SETUP_STEPS, {
    description:
      'A supplier and a machine platform are connected; the rules can be read; somebody may approve; machines are registered; orders have a default destination; a machine was read.',
  }),
  done: Type.Boolean(),
})
export type SetupStep = Static<typeof SetupStep>

const Spending = answer('Spending', {
  from: Timestamp,
  to: Timestamp,
  currency: Currency,
  orders: Count,
  total: Amount,
  largest: Amount,
  // Simulated purchases; not in `total`.
  simulated: Type.Optional(answer('SimulatedSpending', { orders: Count, total: Amount })),
})
export type Spending = Static<typeof Spending>

const UnlinkedProduct = answer('UnlinkedProduct', { sku_id: SkuId, title: Type.String() })

const RosterFigures = answer('RosterFigures', {
  count: Count,
  unknown: Type.Integer({ minimum: 0, description: 'Of which nobody can say whether they are online.' }),
  not_reporting: Count,
  first: Type.Immutable(
    Type.Array(answer('SilentMachine', { id: Type.String(), name: Type.String(), presence: oneOf(PRESENCES) }), {
      description: 'The first four that do not report.',
    }),
  ),
})

const MachineProduct = answer('MachineProduct', {
  sku_id: SkuId,
  title: Type.String(),
  linked: Type.Boolean({ description: 'A supplier product is confirmed for it.' }),
})

const RememberedDestination = answer('RememberedDestination', {
  source: oneOf(['configured', 'last_purchase'], {
    description: '`DEFAULT_DESTINATION`, or the last purchase that was ordered and delivered to an address.',
  }),
  address: PostalAddress,
})

const DifferingInvoice = answer('DifferingInvoice', {
  order: Type.String(),
  label: Type.String(),
  difference: Amount,
  currency: Currency,
})

const OpenFault = answer('OpenFault', {
  id: Type.String(),
  location: Type.String(),
  name: Type.String(),
  fault: Type.String(),
  occurred_at: Timestamp,
})

export const Overview = answer('Overview', {
  ...ENVELOPE,
  environment: oneOf(['staging', 'live']),
  setup: list(SetupStep),
  spending: Spending,
  destination: Type.Optional(RememberedDestination),
  differing_invoices: Type.Immutable(
    Type.Array(DifferingInvoice, {
      description: 'Purchases of the last 30 days whose invoice differs from the order or the receipt: the newest 20.',
    }),
  ),
  faults: Type.Immutable(Type.Array(OpenFault, { description: 'Reported faults that are not fixed: the latest 20.' })),
  machines: RosterFigures,
  unlinked_count: Count,
  unlinked_products: Type.Immutable(
    Type.Array(UnlinkedProduct, {
      description: 'Products in machines without a confirmed supplier product: the first 20 by title.',
    }),
  ),
  products: Type.Optional(list(MachineProduct)),
})
export type Overview = Static<typeof Overview>

export const OverviewQuery = request('OverviewQuery', {
  products: Type.Optional(Type.Boolean({ description: 'With all products in machines.' })),
})
export type OverviewQuery = Static<typeof OverviewQuery>
