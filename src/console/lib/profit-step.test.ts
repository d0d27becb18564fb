import { expect, test } from 'vitest'
import type { ProfitFigures } from '../../contract/shapes/money/sales.ts'
import { type ProfitStep, nextStep } from './profit-step.ts'

const figures = (revenue: number, cost: number, more: Partial<ProfitFigures> = {}): ProfitFigures => ({
  units: revenue / 100,
  revenue,
  refunds: 0,
  cost_of_goods: cost,
  gross_profit: revenue - cost,
  margin_percent: revenue === 0 ? null : (100 * (revenue - cost)) / revenue,
  losses: 0,
  visits: 1,
  visit_cost: 0,
  commission: 0,
  profit: 0,
  cost_known_percent: 100,
  ...more,
})

test.each<[string, 'machine' | 'product', ProfitFigures, ProfitStep]>([
  ['sells nothing', 'machine', figures(0, 0), 'remove'],
  ['sells nothing and is visited', 'machine', figures(0, 0, { visit_cost: 900, commission: 100 }), 'fewer_visits'],
  ['sells nothing', 'product', figures(0, 0), 'remove'],
  ['visits eat the margin', 'machine', figures(1000, 500, { visit_cost: 400 }), 'fewer_visits'],
  ['visits are cheap', 'machine', figures(1000, 500, { visit_cost: 200 }), 'swap'],
  ['losses eat it', 'machine', figures(1000, 500, { losses: 300, visit_cost: 260 }), 'swap'],
  ['much is thrown away', 'product', figures(1000, 400, { losses: 150 }), 'swap'],
  ['sold too cheaply', 'product', figures(1000, 800), 'raise_price'],
  ['sold below cost', 'machine', figures(1000, 1200), 'raise_price'],
  ['the place costs more than it earns', 'machine', figures(1000, 500, { commission: 600 }), 'remove'],
  ['earns well, only little', 'machine', figures(1000, 400), 'swap'],
  ['earns well, only little', 'product', figures(1000, 400), 'swap'],
])('%s (%s)', (_why, kind, row, step) => expect(nextStep(kind, row)).toBe(step))
