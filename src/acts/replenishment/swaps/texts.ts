/** What the owner is asked about a swap, and what became of it. */
import { type CurrencyCode, formatAmount, money } from '../../../kernel/currency.ts'
import { count, withId } from '../../../kernel/text.ts'
import type { NewDecision } from '../../../rules/approvals/index.ts'
import type { OwnEvent } from '../../../record/events/index.ts'
import type { SwapBack } from '../../trials/index.ts'
import type { Swap } from './choose.ts'
import type { SlotSwap } from './records.ts'

/** Names of products by SKU, and of machines by id. */
export interface SwapNames {
  readonly titles: ReadonlyMap<string, string>
  readonly machineName: (location: string) => string | undefined
}

export function decisionOf(
  { location, slotId, out, in: better, weeklyGainFen, evidence }: Swap,
  { titles, machineName }: SwapNames,
  currency: CurrencyCode,
): NewDecision {
  const [before, after] = [titles.get(out.sku) ?? out.sku, titles.get(better.sku) ?? better.sku]
  const name = machineName(location)
  const amount = (fen: number) => formatAmount(fen, currency)
  const where = evidence.venueType === undefined ? 'machines' : `machines at ${evidence.venueType} venues`
  const params = {
    machine: location,
    name: name ?? location,
    product: before,
    other_product: after,
    gain: money(weeklyGainFen, currency),
  }
  if (better.newSku !== undefined)
    return {
      kind: 'swap',
      code: 'new_product_proposed',
      params: { ...params, price: money(better.priceFen, currency) },
      summary: `${after}, which no machine holds yet, at ${amount(better.priceFen)} instead of ${before} in ${withId(name, location)}, about ${amount(weeklyGainFen)} more a week`,
      reasoning: `${before} earns about ${amount(out.weeklyFen)} a week. Products of ${evidence.category} sold ${count(evidence.units, 'unit')} in ${Math.round(evidence.days)} days in stock in ${evidence.machines} ${where}; at the usual margin about ${amount(better.weeklyFen)} a week are expected here. Approving confirms the price.`,
      subject: { type: 'slot', id: slotId },
    }
  return {
    kind: 'swap',
    code: 'swap_proposed',
    params,
    summary: `${after} instead of ${before} in ${withId(name, location)}, about ${amount(weeklyGainFen)} more a week`,
    reasoning: `${before} earns about ${amount(out.weeklyFen)} a week. ${after} sold ${count(evidence.units, 'unit')} in ${Math.round(evidence.days)} days in stock in ${evidence.machines} other ${where}; here about ${amount(better.weeklyFen)} a week are expected.`,
    subject: { type: 'slot', id: slotId },
  }
}

/** The owner or the rules allowed the trial, and so its end. */
export function backDecision(
  { location, locationName, slotId, title, to, gainFen }: SwapBack,
  currency: CurrencyCode,
): NewDecision {
  return {
    kind: 'swap',
    code: 'swap_back',
    params: {
      machine: location,
      name: locationName,
      product: title,
      other_product: to.title,
      gain: money(gainFen, currency),
    },
    summary: `${to.title} comes back instead of ${title} in ${withId(locationName, location)}`,
    reasoning: `${title} was on trial and did not earn more.`,
    subject: { type: 'slot', id: slotId },
  }
}

export function swapTrialStarted(
  { location, out, in: better, weeklyGainFen, gainErrorFen }: Swap,
  { titles, machineName }: SwapNames,
  currency: CurrencyCode,
): OwnEvent {
  const [before, after] = [titles.get(out.sku) ?? out.sku, titles.get(better.sku) ?? better.sku]
  const name = machineName(location)
  const amount = (fen: number) => formatAmount(fen, currency)
  return {
    kind: 'replenishment',
    code: 'swap_trial_started',
    params: {
      machine: location,
      name: name ?? location,
      product: before,
      other_product: after,
      gain: money(weeklyGainFen, currency),
    },
    summary: `${after} instead of ${before} in ${withId(name, location)} from the next visit, on trial`,
    reasoning: `Expected: ${amount(weeklyGainFen)} ± ${amount(gainErrorFen)} more a week. After 21 days in stock it is kept or taken back.`,
    location,
  }
}

export function swapEnded(
  { location, fromSku, toSku, status }: SlotSwap,
  { titles, machineName }: SwapNames,
  why: string,
): OwnEvent {
  const [before, after] = [titles.get(fromSku) ?? fromSku, titles.get(toSku) ?? toSku]
  const name = machineName(location)
  return {
    kind: 'replenishment',
    code: 'swap_ended',
    params: { machine: location, name: name ?? location, product: before, other_product: after, status },
    summary: `${after} instead of ${before} in ${withId(name, location)}: ${status}`,
    reasoning: why,
    location,
  }
}
