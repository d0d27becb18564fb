/**
 * What a driver gets: the same replies without amounts. The role reads machines, runs and visits and has nothing to do with
 * prices or costs. A test walks the schemas of all operations that a driver may call, so that no amount is forgotten.
 */

/** Members that hold an amount, wherever they are. */
export const MONEY_MEMBERS: ReadonlySet<string> = new Set([
  'amount',
  'commission_percent',
  'cost',
  'cost_is_estimated',
  'due_because',
  'goods_cost',
  'lost_per_day',
  'price',
  'price_derived',
  'price_range',
  'rent_per_month',
  'stays_in_storeroom',
  'stop_cost',
  'trip_cost',
  'unit_price',
  'visit_cost',
  'waiting_until_next',
  'worth',
])

/** Lists of amounts stay as empty lists, because the contract requires them. */
export const MONEY_LISTS: ReadonlySet<string> = new Set(['totals'])

/** `waiting` is an amount where it is a number; the waiting machines of the trips are a list. */
const isMoney = (name: string, value: unknown): boolean =>
  MONEY_MEMBERS.has(name) || (name === 'waiting' && typeof value === 'number')

export function withoutMoney(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isPricedMessage(each)).map(withoutMoney)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      isMoney(name, inner) ? [] : [[name, MONEY_LISTS.has(name) ? [] : withoutMoney(inner)]],
    ),
  )
}

/** A message whose sentence has an amount in it, such as an estimated total, or may have one: what the owner said. */
function isPricedMessage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('content' in value && 'params' in value)) return false
  const isAmount = (each: unknown) => typeof each === 'object' && each !== null && 'amount' in each
  return Object.entries(value.params ?? {}).some(([name, each]) => name === 'comment' || isAmount(each))
}
