/** How large a run is and what an order costs: one rule for answers, events, console and command line. Pure. */

/** The part of a line of a run that says how large it is; `total` is 0 where it was removed. */
interface SizedLine {
  readonly location: string
  readonly quantity: { readonly total: number }
}

export interface RunSize {
  readonly slots: number
  readonly machines: number
  readonly units: number
}

/** Removed lines, and those of which nothing comes, do not count. */
export function runSize(lines: readonly SizedLine[]): RunSize {
  const brought = lines.filter(({ quantity }) => quantity.total > 0)
  return {
    slots: brought.length,
    machines: new Set(brought.map(({ location }) => location)).size,
    units: brought.reduce((sum, { quantity }) => sum + quantity.total, 0),
  }
}

interface CostedOrder {
  readonly line_items: readonly { readonly status: string }[]
  readonly totals: readonly { readonly type: string; readonly amount: number }[]
}

/** A canceled order costs nothing. */
export const isCanceled = ({ line_items: lines }: Pick<CostedOrder, 'line_items'>): boolean =>
  lines.length > 0 && lines.every(({ status }) => status === 'removed')

export const spentOn = (order: CostedOrder): number =>
  isCanceled(order) ? 0 : (order.totals.find(({ type }) => type === 'total')?.amount ?? 0)
