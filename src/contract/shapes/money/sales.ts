/** Daily sales, and what the route earns: our own operations, beyond the contract. Profit is for owner and operator only. */
import { type Static, Type } from 'typebox'
import { Amount, Count, Currency, Day, ENVELOPE, LocationId, PAGED, PaginationResponse, SkuId } from '../../common.ts'
import { answer, list, nullable, oneOf, request } from '../../schema-helpers.ts'

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

export const PROFIT_GROUPINGS = ['day', 'week', 'location', 'product', 'slot'] as const
export type ProfitGrouping = (typeof PROFIT_GROUPINGS)[number]

const FIGURES = {
  units: Type.Integer(),
  revenue: Type.Integer({ description: 'Of paid lines. Refunded ones are not part of it.' }),
  refunds: Type.Integer({ description: 'Of sales of these days; not deducted again.' }),
  cost_of_goods: Type.Integer(),
  gross_profit: Type.Integer(),
  margin_percent: nullable(Type.Number({ description: 'Gross profit; null without revenue.' })),
  losses: Type.Integer({ description: 'Expired, damaged and lost units at cost.' }),
  visits: Type.Integer(),
  visit_cost: Type.Integer(),
  commission: Type.Integer({ description: 'With the rent.' }),
  profit: Type.Integer(),
  cost_known_percent: Type.Number({ description: 'Share of the revenue whose cost is not an estimate.' }),
}

const PROFIT_COLUMNS = Object.keys(FIGURES) as readonly (keyof typeof FIGURES)[]
export type ProfitColumn = keyof typeof FIGURES

const Figures = answer('ProfitFigures', FIGURES)
export type ProfitFigures = Static<typeof Figures>

const ProfitKey = answer('ProfitKey', {
  date: Type.Optional(Day),
  location: Type.Optional(Type.String()),
  item: Type.Optional(answer('ProfitItem', { id: Type.String(), title: Type.String() })),
  slot_id: Type.Optional(Type.String()),
  title: Type.Optional(Type.String()),
  other: Type.Optional(Type.Literal(true, { description: 'What belongs to no row, such as the rent by product.' })),
})
export type ProfitKey = Static<typeof ProfitKey>

const PROFIT_STEPS = ['raise_price', 'fewer_visits', 'less_stock', 'swap', 'renegotiate', 'remove', 'none'] as const

const StepSlot = answer('ProfitStepSlot', {
  location: Type.String(),
  slot_id: Type.String(),
  item: answer('ProfitStepItem', { id: Type.String(), title: Type.String() }),
  price: Type.Optional(Amount),
  new_price: Type.Optional(Amount),
  par: Type.Optional(Type.Integer({ description: 'Fill to this.' })),
  in: Type.Optional(answer('ProfitStepProduct', { id: Type.String(), title: Type.String() })),
})

const ProfitStep = answer('ProfitStep', {
  step: oneOf(PROFIT_STEPS),
  gain_per_week: Type.Integer({ description: 'Expected, in minor units.' }),
  slots: Type.Optional(list(StepSlot)),
  visit_every_days: Type.Optional(Type.Integer()),
  bearable_per_week: Type.Optional(Type.Integer({ description: 'Commission and rent that leave half to us.' })),
  because: Type.Optional(oneOf(['cost_unknown', 'nothing_better'])),
})
export type ProfitStep = Static<typeof ProfitStep>

const ProfitRow = answer('ProfitRow', {
  key: ProfitKey,
  ...FIGURES,
  previous: Type.Optional(Figures),
  next_step: Type.Optional(ProfitStep),
})
export type ProfitRow = Static<typeof ProfitRow>

export const Profit = answer('Profit', {
  ...ENVELOPE,
  period: answer('ProfitPeriod', { from: Day, to: Day }),
  currency: Currency,
  rows: list(ProfitRow),
  totals: answer('ProfitTotals', { ...FIGURES, previous: Type.Optional(Figures) }),
  pagination: PaginationResponse,
})
export type Profit = Static<typeof Profit>

export const ProfitQuery = request('ProfitQuery', {
  by: Type.Optional(oneOf(PROFIT_GROUPINGS, { default: 'day' })),
  from: Type.Optional(Day),
  to: Type.Optional(Type.String({ format: 'date', maxLength: 10, description: 'Default: yesterday.' })),
  compare: Type.Optional(oneOf(['previous'])),
  location: Type.Optional(LocationId),
  sku_id: Type.Optional(SkuId),
  steps: Type.Optional(
    Type.Boolean({ description: 'By location or product: what to do about the first 20 rows, from at least 28 days.' }),
  ),
  sort: Type.Optional(
    Type.String({ pattern: `^-?(${PROFIT_COLUMNS.join('|')})$`, maxLength: 32, description: '`-` is descending.' }),
  ),
  ...PAGED,
})
export type ProfitQuery = Static<typeof ProfitQuery>
