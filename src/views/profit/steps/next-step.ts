/**
 * The one next step for a machine or a product that earns little: of all steps that are possible, the one that is
 * expected to bring most. What is not known is not guessed: without a cost no price is proposed. Pure.
 */
import type { Figures } from '../figures.ts'

/** What is known of one product in one machine. */
export interface StepSlot {
  readonly location: string
  readonly slotId: string
  readonly skuId: string
  readonly title: string
  readonly units: number
  readonly revenue: number
  readonly cost: number
  /** Revenue whose cost is not an estimate. */
  readonly knownRevenue: number
  readonly losses: number
  /** Null: not known. */
  readonly price: number | null
  readonly capacity: number | null
  readonly par: number | null
  /** Its price was changed within these days: what that brought is not known yet. */
  readonly wasPricedLately: boolean
}

/** Another product for a slot, as the swaps propose it. */
export interface StepSwap {
  readonly slotId: string
  readonly location: string
  readonly out: { readonly id: string; readonly title: string }
  readonly in: { readonly id: string; readonly title: string }
  readonly weeklyGain: number
}

export interface StepSubject {
  readonly kind: 'machine' | 'product'
  readonly days: number
  readonly figures: Figures
  readonly slots: readonly StepSlot[]
  readonly swaps: readonly StepSwap[]
  /** The most that one price may rise without being asked about; undefined: the rules are not readable. */
  readonly priceRiseMax: number | undefined
}

export interface PriceRise {
  readonly slot: StepSlot
  readonly from: number
  readonly to: number
}

export type NextStep = { readonly gainPerWeek: number } & (
  | { readonly step: 'raise_price'; readonly prices: readonly PriceRise[] }
  | { readonly step: 'fewer_visits'; readonly everyDays: number }
  | { readonly step: 'less_stock'; readonly pars: readonly { readonly slot: StepSlot; readonly par: number }[] }
  | { readonly step: 'swap'; readonly swaps: readonly StepSwap[] }
  /** `bearable`: commission and rent per week that leave as much to us as to the place. */
  | { readonly step: 'renegotiate'; readonly bearable: number }
  | { readonly step: 'remove' }
  | { readonly step: 'none'; readonly because: 'cost_unknown' | 'nothing_better' }
)

/**
 * By how many percent sales fall when a price rises by one percent. Nobody knows it before it was tried; 2 is more than
 * most products lose, so that a rise is proposed only where the margin is below half of the price.
 */
const ELASTICITY = 2
/** A rise of more is noticed by everybody, and the figure above holds for small ones only. */
const RISE_PERCENT_MAX = 15
const TIDY_PRICE = 10
/** Part of what a swap promises: some buyers of the new product would have bought another one of the machine. */
const SWAP_SHARE = 0.5
/** Of its capacity, a slot can sell between two visits; demand is not even. */
const SOLD_SHARE = 0.8
/** Part of the losses that bringing less avoids: the other units stand there shorter, but not all are sold in time. */
const LOSSES_AVOIDED = 0.5
/** A place agrees to less in one case of two. */
const AGREES_SHARE = 0.5
/** Less than this share of the revenue is within the noise. */
const WORTH_SHARE = 0.005
/** And so is less than this share of the price of a unit in a week: nobody changes a price for six cents. */
const WORTH_OF_UNIT = 0.1
const STEPS_LISTED = 10

const DAYS_OF_WEEK = 7

/** All that is possible. Those of a machine as a whole do not change what a single product costs. */
export function possibleSteps(subject: StepSubject): readonly NextStep[] {
  const weekly = weeklyOf(subject)
  return [
    raisePrices(subject, weekly),
    ...(subject.kind === 'machine' ? [fewerVisits(subject, weekly), renegotiate(subject, weekly)] : []),
    lessStock(subject, weekly),
    swap(subject),
  ].filter((each) => each !== undefined)
}

const weeklyOf =
  ({ days }: Pick<StepSubject, 'days'>): Weekly =>
  (amount) =>
    (amount * DAYS_OF_WEEK) / days

export function nextStep(subject: StepSubject): NextStep {
  const { figures } = subject
  const weekly = weeklyOf(subject)
  const [best] = possibleSteps(subject).toSorted((a, b) => expected(b) - expected(a))
  const profit = profitOf(figures)
  const unit = figures.units > 0 ? figures.revenue / figures.units : 0
  const worth = Math.max(1, WORTH_SHARE * weekly(figures.revenue), WORTH_OF_UNIT * unit)
  const isUseful = best !== undefined && best.gainPerWeek >= worth
  // It costs money to keep it, and nothing known turns that round.
  const isHopeless = profit < 0 && weekly(profit) + (isUseful ? best.gainPerWeek : 0) < 0
  if (isHopeless || (figures.revenue <= 0 && !isUseful))
    return { step: 'remove', gainPerWeek: Math.max(0, weekly(-profit)) }
  if (isUseful) return best
  const isCostKnown = figures.knownRevenue >= figures.revenue
  return { step: 'none', gainPerWeek: 0, because: isCostKnown ? 'nothing_better' : 'cost_unknown' }
}

const expected = (step: NextStep): number =>
  step.step === 'renegotiate' ? step.gainPerWeek * AGREES_SHARE : step.gainPerWeek

export const profitOf = ({ revenue, cost, losses, visitCost, commission }: Figures): number =>
  revenue - cost - losses - visitCost - commission

type Weekly = (amount: number) => number

function raisePrices({ slots, priceRiseMax = 0 }: StepSubject, weekly: Weekly): NextStep | undefined {
  const rises = slots
    .flatMap((slot) => {
      const to = raisedPrice(slot, priceRiseMax)
      if (to === undefined || slot.price === null) return []
      const unitCost = slot.cost / slot.units
      const kept = (to / slot.price) ** -ELASTICITY
      const gain = slot.units * ((to - unitCost) * kept - (slot.price - unitCost))
      return gain > 0 ? [{ slot, from: slot.price, to, gain }] : []
    })
    .toSorted((a, b) => b.gain - a.gain)
    .slice(0, STEPS_LISTED)
  if (rises.length === 0) return undefined
  return {
    step: 'raise_price',
    gainPerWeek: weekly(sum(rises, ({ gain }) => gain)),
    prices: rises.map(({ slot, from, to }) => ({ slot, from, to })),
  }
}

/** The best price at that elasticity, as far as one step goes. */
function raisedPrice(slot: StepSlot, riseMax: number): number | undefined {
  const { price, units, revenue, knownRevenue, cost } = slot
  if (price === null || units <= 0 || revenue <= 0 || knownRevenue < revenue || slot.wasPricedLately) return undefined
  const best = ((cost / units) * ELASTICITY) / (ELASTICITY - 1)
  const most = Math.min(best, price + riseMax, (price * (100 + RISE_PERCENT_MAX)) / 100)
  const tidy = Math.floor(most / TIDY_PRICE) * TIDY_PRICE
  const to = tidy > price ? tidy : Math.floor(most)
  return to > price ? to : undefined
}

/** Each visit costs the same; with fewer of them, what sells faster than its slot holds is sold out in between. */
function fewerVisits({ days, figures, slots }: StepSubject, weekly: Weekly): NextStep | undefined {
  const { visits, visitCost } = figures
  if (visits < 2 || visitCost <= 0) return undefined
  const selling = slots.filter(({ units }) => units > 0)
  // Where a capacity is not known, nobody can say what would be missed.
  if (selling.some(({ capacity }) => capacity === null)) return undefined
  const missed = (count: number) =>
    sum(selling, ({ units, revenue, cost, capacity }) => {
      const sold = Math.min(units, count * SOLD_SHARE * (capacity ?? 0))
      return ((units - sold) * Math.max(0, revenue - cost)) / units
    })
  const missedNow = missed(visits)
  const options = Array.from({ length: visits - 1 }, (_, i) => i + 1).map((count) => ({
    count,
    gain: ((visits - count) * visitCost) / visits - Math.max(0, missed(count) - missedNow),
  }))
  const best = options.reduce((a, b) => (b.gain > a.gain ? b : a))
  if (best.gain <= 0) return undefined
  return { step: 'fewer_visits', gainPerWeek: weekly(best.gain), everyDays: Math.max(1, Math.floor(days / best.count)) }
}

/** What is thrown away was brought in vain: the slot gets as much less as was not sold. */
function lessStock({ slots }: StepSubject, weekly: Weekly): NextStep | undefined {
  const pars = slots
    .flatMap((slot) => {
      const target = slot.par ?? slot.capacity
      if (slot.losses <= 0 || target === null) return []
      // Losses count at cost.
      const soldShare = slot.cost / (slot.cost + slot.losses)
      const par = Math.max(1, Math.floor(target * soldShare))
      return par < target ? [{ slot, par }] : []
    })
    .toSorted((a, b) => b.slot.losses - a.slot.losses)
    .slice(0, STEPS_LISTED)
  if (pars.length === 0) return undefined
  const gainPerWeek = weekly(LOSSES_AVOIDED * sum(pars, ({ slot }) => slot.losses))
  return { step: 'less_stock', gainPerWeek, pars }
}

function swap({ swaps }: StepSubject): NextStep | undefined {
  const listed = swaps.toSorted((a, b) => b.weeklyGain - a.weeklyGain).slice(0, STEPS_LISTED)
  if (listed.length === 0) return undefined
  return { step: 'swap', gainPerWeek: SWAP_SHARE * sum(listed, ({ weeklyGain }) => weeklyGain), swaps: listed }
}

/** The place takes more than it leaves. */
function renegotiate({ figures }: StepSubject, weekly: Weekly): NextStep | undefined {
  const { revenue, cost, losses, visitCost, commission } = figures
  const bearable = (revenue - cost - losses - visitCost) / 2
  // Where nothing is left to share, no rent is low enough.
  if (bearable <= 0 || commission <= bearable) return undefined
  return { step: 'renegotiate', gainPerWeek: weekly(commission - bearable), bearable: weekly(bearable) }
}

const sum = <T>(all: readonly T[], of: (each: T) => number): number => all.reduce((total, each) => total + of(each), 0)
