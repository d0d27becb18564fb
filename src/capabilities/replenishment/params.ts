/** The plan's parameters, as configuration and callers write them and as a plan tells them. */
import { DEFAULT_PARAMS } from './state.ts'
import type { PlanParams, VisitRule } from './state.ts'

const RULES: readonly VisitRule[] = ['cycle', 'share', 'since_visit']

/** Wire name, our name, and the range within which a value makes sense. */
const FIELDS = [
  ['window_days', 'windowDays', 1, 90, 'whole'],
  ['cover_days', 'coverDays', 0, 60, 'number'],
  ['safety_days', 'safetyDays', 0, 30, 'number'],
  ['min_order_qty', 'minOrderQty', 1, 1000, 'whole'],
  ['max_order_qty', 'maxOrderQty', 1, 10_000, 'whole'],
  ['visit_rule', 'visitRule', 0, 0, 'rule'],
  ['visit_cost_fen', 'visitCostFen', 0, 10_000_000, 'optional'],
  ['room_lead_share', 'roomLeadShare', 0, 1, 'number'],
] as const

/** Given values over the defaults. Unknown names are ignored; a value out of range throws: a plan on nonsense spends money. */
export function paramsFrom(given: Readonly<Record<string, unknown>>, over: PlanParams = DEFAULT_PARAMS): PlanParams {
  const params: Record<string, unknown> = { ...over }
  for (const [wire, name, least, most, kind] of FIELDS) {
    const value = given[wire]
    if (value === undefined) continue
    const fits =
      (kind === 'rule' && RULES.includes(value as VisitRule)) ||
      (value === null && kind === 'optional') ||
      (typeof value === 'number' &&
        value >= least &&
        value <= most &&
        kind !== 'rule' &&
        (kind !== 'whole' || Number.isInteger(value)))
    if (!fits)
      throw new RangeError(
        `${wire} must be ${kind === 'whole' ? 'a whole number' : 'a number'} from ${least} to ${most}`,
      )
    params[name] = value
  }
  const read = params as unknown as PlanParams
  if (read.maxOrderQty < read.minOrderQty) throw new RangeError('max_order_qty must not be below min_order_qty')
  return read
}

export const wireParams = (params: PlanParams): Record<string, string | number | null> =>
  Object.fromEntries(FIELDS.map(([wire, name]) => [wire, params[name]]))
