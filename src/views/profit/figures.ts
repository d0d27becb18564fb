/** The figures of a row, which can be added, and how they are shown. Pure. */
import type { ProfitColumn, ProfitFigures } from '../../contract/shapes/money/sales.ts'

export interface Figures {
  units: number
  revenue: number
  refunds: number
  cost: number
  /** Revenue whose cost is not an estimate. */
  knownRevenue: number
  losses: number
  visits: number
  visitCost: number
  /** With the rent. */
  commission: number
}

// Written out, here and below: a report of a long route makes and adds a hundred thousand of them.
const figuresOf = (some: Partial<Figures>): Figures => ({
  units: some.units ?? 0,
  revenue: some.revenue ?? 0,
  refunds: some.refunds ?? 0,
  cost: some.cost ?? 0,
  knownRevenue: some.knownRevenue ?? 0,
  losses: some.losses ?? 0,
  visits: some.visits ?? 0,
  visitCost: some.visitCost ?? 0,
  commission: some.commission ?? 0,
})

export const noFigures = (): Figures => figuresOf({})

function addFigures(to: Figures, more: Partial<Figures>): void {
  to.units += more.units ?? 0
  to.revenue += more.revenue ?? 0
  to.refunds += more.refunds ?? 0
  to.cost += more.cost ?? 0
  to.knownRevenue += more.knownRevenue ?? 0
  to.losses += more.losses ?? 0
  to.visits += more.visits ?? 0
  to.visitCost += more.visitCost ?? 0
  to.commission += more.commission ?? 0
}

export const isNothing = (figures: Figures): boolean => Object.values(figures).every((value) => value === 0)

/** By key; each key has its own figures. */
export class FigureTable {
  readonly rows = new Map<string, Figures>()

  add(key: string, more: Partial<Figures>): void {
    const row = this.rows.get(key)
    if (row) addFigures(row, more)
    else this.rows.set(key, figuresOf(more))
  }

  totals(): Figures {
    const totals = noFigures()
    for (const row of this.rows.values()) addFigures(totals, row)
    return totals
  }
}

const oneDecimal = (value: number): number => Math.round(value * 10) / 10

const grossOf = ({ revenue, cost }: Figures): number => revenue - cost

/** How each column follows from the figures. */
const COLUMNS: { readonly [C in ProfitColumn]: (figures: Figures) => ProfitFigures[C] } = {
  units: ({ units }) => units,
  revenue: ({ revenue }) => revenue,
  refunds: ({ refunds }) => refunds,
  cost_of_goods: ({ cost }) => cost,
  gross_profit: grossOf,
  margin_percent: (figures) => (figures.revenue === 0 ? null : oneDecimal((100 * grossOf(figures)) / figures.revenue)),
  losses: ({ losses }) => losses,
  visits: ({ visits }) => visits,
  visit_cost: ({ visitCost }) => visitCost,
  commission: ({ commission }) => commission,
  profit: (figures) => grossOf(figures) - figures.losses - figures.visitCost - figures.commission,
  // Rounded down: 100 means that no cost is an estimate.
  cost_known_percent: ({ revenue, knownRevenue }) =>
    revenue === 0 ? 100 : Math.floor((1000 * knownRevenue) / revenue) / 10,
}

/** One column: sorting a long list needs no other. */
export const columnOf = (figures: Figures, column: ProfitColumn): number | null => COLUMNS[column](figures)

export const figuresView = (figures: Figures): ProfitFigures => ({
  units: COLUMNS.units(figures),
  revenue: COLUMNS.revenue(figures),
  refunds: COLUMNS.refunds(figures),
  cost_of_goods: COLUMNS.cost_of_goods(figures),
  gross_profit: COLUMNS.gross_profit(figures),
  margin_percent: COLUMNS.margin_percent(figures),
  losses: COLUMNS.losses(figures),
  visits: COLUMNS.visits(figures),
  visit_cost: COLUMNS.visit_cost(figures),
  commission: COLUMNS.commission(figures),
  profit: COLUMNS.profit(figures),
  cost_known_percent: COLUMNS.cost_known_percent(figures),
})
