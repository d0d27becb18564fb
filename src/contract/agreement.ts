/** What the owner agreed to in advance, by the rules, for a key that need not ask each time. Pure. */
import { type CurrencyCode, formatAmount } from '../kernel/currency.ts'
import type { Guardrails } from './shapes/guardrails.ts'

type Limits = Pick<Guardrails, 'rules' | 'limits' | 'probation_active' | 'probationUntil'> & {
  readonly currency: CurrencyCode
}

/** @param name of the key: limits of other keys do not concern it */
export function agreementOf({ currency, rules, limits, ...guardrails }: Limits, name: string): string {
  const smallest = (window: Guardrails['limits'][number]['window']): string | undefined => {
    const amounts = limits
      .filter((limit) => limit.window === window && limit.supplier === undefined)
      .filter(({ key }) => key === undefined || key === name)
      .map(({ limit }) => limit)
    return amounts.length === 0 ? undefined : formatAmount(Math.min(...amounts), currency)
  }
  const day = smallest('day')
  const week = smallest('week')
  const purchases = [
    `${smallest('run') ?? formatAmount(rules.spendingLimitPerRun, currency)} each`,
    ...(day === undefined ? [] : [`${day} a day`]),
    ...(week === undefined ? [] : [`${week} a week`]),
  ].join(', ')
  const prices = `price changes up to ${formatAmount(rules.priceCapPerItem, currency)} for an item`
  return guardrails.probation_active
    ? `The owner has agreed in advance to ${prices}. Until ${guardrails.probationUntil} the owner decides about every purchase.`
    : `The owner has agreed in advance to purchases up to ${purchases}, and to ${prices}.`
}
