/**
 * What broke a rule of the owner without the owner's word, counted from what the supplier and the machines saw. Written
 * beside the rules of the service and without them, so that an error there is not repeated here. Pure.
 */
import type { GuardrailRules } from '../../contract/shapes/guardrails.ts'
import { DAY } from '../../kernel/clock.ts'

export interface SeenOrder {
  readonly at: number
  readonly totalFen: number
  readonly supplier: string
  /** Who bought it. */
  readonly key: string
  readonly titles: readonly string[]
  /** The owner approved the purchase itself, or only its run. */
  readonly approved: 'purchase' | 'run' | undefined
}

export interface SeenPrice {
  readonly at: number
  readonly machine: string
  readonly product: string
  readonly fromFen: number
  readonly toFen: number
  readonly costFen: number
  readonly isApproved: boolean
}

interface Limits {
  readonly perRun?: number | undefined
  readonly perDay?: number | undefined
  readonly perWeek?: number | undefined
}

/** By rule; anything but an empty object is a bug. */
export function countViolations(
  rules: GuardrailRules,
  orders: readonly SeenOrder[],
  prices: readonly SeenPrice[],
): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  const count = (rule: string, isBroken: boolean) => {
    if (isBroken) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  }
  const byTime = orders.toSorted((a, b) => a.at - b.at)
  byTime.forEach((order, i) => {
    /** With the order itself and those before it. */
    const spentIn = (days: number, isCounted: (other: SeenOrder) => boolean) =>
      byTime
        .slice(0, i + 1)
        .filter((other) => other.at > order.at - days * DAY && isCounted(other))
        .reduce((sum, { totalFen }) => sum + totalFen, 0)
    const compare = (rule: string, { perRun, perDay, perWeek }: Limits, isCounted: (other: SeenOrder) => boolean) => {
      // An approved run covers the limits of one purchase, and no other.
      count(`${rule} run`, order.approved === undefined && order.totalFen > (perRun ?? Infinity))
      const isFree = order.approved !== 'purchase'
      count(`${rule} day`, isFree && spentIn(1, isCounted) > (perDay ?? Infinity))
      count(`${rule} week`, isFree && spentIn(7, isCounted) > (perWeek ?? Infinity))
    }
    const { spendingLimitPerRun: perRun, spendingLimitPerDay: perDay, spendingLimitPerWeek: perWeek } = rules
    compare('spending', { perRun, perDay, perWeek }, () => true)
    const { supplier, key } = order
    compare('supplier', rules.spendingLimitBySupplier?.[supplier] ?? {}, (other) => other.supplier === supplier)
    compare('key', rules.spendingLimitByKey?.[key] ?? {}, (other) => other.key === key)
    const isNoGo = (title: string) => rules.hardNoGos.some((entry) => title.toLowerCase().includes(entry.toLowerCase()))
    count('no-go', order.titles.some(isNoGo))
  })
  const pricesByTime = prices.toSorted((a, b) => a.at - b.at)
  pricesByTime.forEach((price, i) => {
    if (price.isApproved) return
    const { at, machine, product, fromFen, toFen, costFen } = price
    const ofWeek = pricesByTime
      .slice(0, i)
      .find((other) => other.machine === machine && other.product === product && other.at > at - 7 * DAY)
    const weekAgoFen = ofWeek?.fromFen ?? fromFen
    count('price cap', Math.abs(toFen - fromFen) > rules.priceCapPerItem)
    count('price drift', Math.abs(toFen - weekAgoFen) > (rules.priceDriftPerWeek ?? Infinity))
    const percent = rules.minimumMarginPercent
    count('margin', percent !== undefined && toFen !== fromFen && toFen * 100 < costFen * (100 + percent))
  })
  return Object.fromEntries(counts)
}
