/** Which price is worth a trial, and where: one step for one product, in at most half of the machines that sell it. Pure. */
import { compareText } from '../../../kernel/text.ts'
import type { Estimate } from '../measure/effect.ts'
import { type Measured, elasticityOf } from '../measure/elasticity.ts'
import type { RouteSlot } from '../route.ts'
import { expectedGain } from './gain.ts'

export interface PriceLimits {
  readonly priceCapPerItem: number
  readonly priceDriftPerWeek?: number | undefined
  readonly minimumMarginPercent?: number | undefined
}

/** What earlier trials left in a slot. */
export interface SlotPast {
  /** Steps that were kept, added up. */
  readonly keptFen: number
  /** Part of a trial, or of one that ended so lately that its days cannot be compared yet. */
  readonly isBusy: boolean
}

export interface PricePast {
  readonly measured: readonly Measured[]
  readonly slot: (slotId: string) => SlotPast
  /** Whether this product was tried in this direction and taken back not long ago. */
  readonly wasTakenBack: (sku: string, isRaise: boolean) => boolean
}

export interface Group {
  readonly treated: readonly KnownSlot[]
  readonly controls: readonly KnownSlot[]
  readonly venueType: string | undefined
}

export interface PriceProposal extends Group {
  readonly sku: string
  readonly title: string
  readonly category: string | undefined
  readonly stepFen: number
  /** Margin more a week in the treated machines. */
  readonly gain: Estimate
}

type KnownSlot = RouteSlot & { readonly costFen: number }

/** Fewer units on either side cannot tell anything. */
const UNITS_MIN = 8
/** So many machines of one kind of venue are compared among themselves. */
const VENUE_MACHINES_MIN = 6
/** The largest step, of the lowest price. */
const STEP_SHARE_MAX = 0.3
/** Prices end as the present ones do. */
const GRIDS = [100, 50, 10, 5]

/** The largest gain first; one for each product. */
export function proposePrices(route: readonly RouteSlot[], limits: PriceLimits, past: PricePast): PriceProposal[] {
  return [...Map.groupBy(route, ({ sku }) => sku).values()]
    .flatMap((slots) => proposeFor(slots, limits, past) ?? [])
    .toSorted((a, b) => b.gain.mean - a.gain.mean || compareText(a.sku, b.sku))
}

function proposeFor(slots: readonly RouteSlot[], limits: PriceLimits, past: PricePast): PriceProposal | undefined {
  const [first] = slots
  const group = compare(slots, past)
  if (!first || !group || [group.treated, group.controls].some((side) => unitsOf(side) < UNITS_MIN)) return undefined
  const { sku, title, category } = first
  const elasticity = elasticityOf(past.measured, { sku, category, venueType: group.venueType })
  let best: PriceProposal | undefined
  for (const stepFen of stepsWithin(group.treated, limits)) {
    if (past.wasTakenBack(sku, stepFen > 0)) continue
    const gain = gainOfStep(group.treated, stepFen, elasticity)
    if (gain.mean > (best?.gain.mean ?? 0)) best = { ...group, sku, title, category, stepFen, gain }
  }
  return best
}

export const gainOfStep = (treated: readonly KnownSlot[], stepFen: number, elasticity: Estimate): Estimate =>
  expectedGain(
    treated.map(({ rate, priceFen, costFen }) => ({ rate, priceFen, costFen, nextFen: priceFen + stepFen })),
    elasticity,
  )

const unitsOf = (slots: readonly RouteSlot[]): number => slots.reduce((total, { units }) => total + units, 0)

/**
 * Who gets the new price and who stays. Machines that earlier steps left behind come first, so that what was kept reaches
 * all of them; the others, whose prices stand still, are the controls. Undefined: nothing to compare.
 */
export function compare(slots: readonly RouteSlot[], past: Pick<PricePast, 'slot'>): Group | undefined {
  const known = slots.filter(
    (slot): slot is KnownSlot =>
      slot.costFen !== undefined && !slot.isFixed && slot.days > 0 && !past.slot(slot.slotId).isBusy,
  )
  const groups = [...Map.groupBy(known, ({ namespace, venueType }) => `${namespace} ${venueType ?? ''}`).values()]
  const ofVenue = groups.filter((each) => each.length >= VENUE_MACHINES_MIN).toSorted(bySales)[0]
  const ofPlatform = [...Map.groupBy(known, ({ namespace }) => namespace).values()].toSorted(bySales)[0]
  const all = ofVenue ?? ofPlatform
  if (!all || all.length < 2) return undefined
  const lowest = Math.min(...all.map(({ slotId }) => past.slot(slotId).keptFen))
  const behind = all.filter(({ slotId }) => past.slot(slotId).keptFen === lowest)
  const half = Math.floor(all.length / 2)
  const treated = new Set(behind.length <= half ? behind : everySecond(behind).slice(0, half))
  return {
    treated: [...treated],
    controls: all.filter((slot) => !treated.has(slot)),
    venueType: ofVenue?.[0]?.venueType,
  }
}

const bySales = (a: readonly RouteSlot[], b: readonly RouteSlot[]): number => unitsOf(b) - unitsOf(a)

/** Of the best seller and the next one, of the third and the fourth: both sides sell about as much. */
const everySecond = (slots: readonly KnownSlot[]): KnownSlot[] =>
  slots
    .toSorted((a, b) => b.rate - a.rate || compareText(a.slotId, b.slotId))
    .filter((_, i, { length }) => (length % 2 === 1 && i === length - 1 ? false : i % 4 === 1 || i % 4 === 2))

/** Steps up and down that the rules allow in all of these machines. */
export function stepsWithin(treated: readonly KnownSlot[], limits: PriceLimits): readonly number[] {
  const lowest = Math.min(...treated.map(({ priceFen }) => priceFen))
  const most = Math.min(
    limits.priceCapPerItem,
    limits.priceDriftPerWeek ?? Infinity,
    Math.floor(lowest * STEP_SHARE_MAX),
  )
  const grid = GRIDS.find((each) => each <= most && treated.every(({ priceFen }) => priceFen % each === 0)) ?? 1
  const sizes = [1, 0.5].map((share) => Math.floor((most * share) / grid) * grid).filter((size) => size > 0)
  return [...new Set(sizes)]
    .flatMap((size) => [size, -size])
    .filter((step) => treated.every((slot) => isAboveMargin(slot, slot.priceFen + step, limits)))
}

const isAboveMargin = ({ costFen }: KnownSlot, priceFen: number, { minimumMarginPercent = 0 }: PriceLimits): boolean =>
  priceFen * 100 >= costFen * (100 + minimumMarginPercent) && priceFen > 0
