/** What is told about accepted lanes. */
import { type CurrencyCode, formatAmount, money } from '../../../kernel/currency.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { count, withId } from '../../../kernel/text.ts'
import type { OwnEvent } from '../../../record/events/index.ts'
import type { StoredLaneChange } from './records.ts'

interface Machine {
  readonly id: string
  readonly name: string
}

const sentence = ({ lane }: StoredLaneChange, before: string, after: string) =>
  `Slot ${lane}: ${after} instead of ${before}`

export function layoutAccepted(
  { id, name }: Machine,
  changes: readonly StoredLaneChange[],
  titleOf: (sku: SkuId) => string,
  currency: CurrencyCode,
): OwnEvent {
  const gain = changes.reduce((sum, { weeklyGainFen }) => sum + weeklyGainFen, 0)
  return {
    kind: 'replenishment',
    code: 'layout_accepted',
    params: { machine: id, name, lanes: changes.length, gain: money(gain, currency) },
    summary: `${withId(name, id)}: ${count(changes.length, 'slot')} to change at the next visit, about ${formatAmount(gain, currency)} more a week`,
    reasoning: `${changes.map((change) => sentence(change, titleOf(change.from), titleOf(change.to))).join('. ')}.`,
    location: id,
  }
}

export function laneChangeEnded(
  { id, name }: Machine,
  change: StoredLaneChange,
  titleOf: (sku: SkuId) => string,
  why: string,
): OwnEvent {
  const [product, other_product] = [titleOf(change.from), titleOf(change.to)]
  const { lane, status } = change
  return {
    kind: 'replenishment',
    code: 'lane_change_ended',
    params: { machine: id, name, lane, product, other_product, status },
    summary: `${withId(name, id)}: ${sentence(change, product, other_product)}: ${status}`,
    reasoning: why,
    location: id,
  }
}
