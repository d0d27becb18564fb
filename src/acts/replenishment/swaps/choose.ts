/**
 * Which slots would earn more with another product. The slots that earn less than the average of their machine are
 * compared with what the route sells in other machines of the same platform, of the same kind of venue where it is known.
 * How well a product sells is shrunk: in a kind of venue towards the route, on the route towards its category (empirical
 * Bayes), and what trials showed corrects the rest. A product that no machine holds is expected to sell as its category does
 * at its price. Pure.
 */
import { compareText } from '../../../kernel/text.ts'
import { type Estimate, type Subject, combine, gainOfSwap, widen } from '../../trials/index.ts'
import { machineRate } from '../planner/demand/demand.ts'

export interface SwapSlot {
  readonly slotId: string
  readonly sku: string
  readonly category: string | undefined
  readonly priceFen: number
  readonly rate: number
  readonly marginFen: number
  /** What its rate was learned from. */
  readonly units: number
  readonly days: number
  /** Locked, phased out, in transit or on trial: it stays as it is. */
  readonly isFixed: boolean
}

export interface SwapMachine {
  readonly location: string
  /** Products of another platform have other names, so they are no candidates. */
  readonly namespace: string
  readonly venueType: string | undefined
  readonly slots: readonly SwapSlot[]
  /** All products that it holds, also in slots that are not planned. */
  readonly heldSkus: ReadonlySet<string>
  /** Trials of products that run here already. */
  readonly trials: number
}

/** Whether a product may be proposed for a machine: buyable, allowed by the rules, not phased out, not rejected before. */
export type MayPropose = (sku: string, location: string, slotId: string) => boolean

/** How much of its prediction a product sells, from trials; a logarithm. */
export type ShareOf = (subject: Subject) => Estimate

/** By how many percent sales fall when a price is one percent higher. */
export type ElasticityOf = (subject: Subject) => Estimate

/** A product that no machine holds. */
export interface NewProduct {
  /** The supplier's. */
  readonly sku: string
  /** What platforms call it, where a machine held it before. */
  readonly machineIds: readonly string[]
  readonly category: string
  readonly costFen: number
  readonly priceFen: number
  /** Items in the smallest order. */
  readonly smallestOrder: number
}

/** What may be tried beside the products of the route. */
export interface NewProducts {
  readonly products: readonly NewProduct[]
  readonly elasticityOf: ElasticityOf
}

export interface Swap {
  readonly location: string
  readonly slotId: string
  readonly out: { readonly sku: string; readonly rate: number; readonly weeklyFen: number; readonly marginFen: number }
  readonly in: {
    readonly sku: string
    readonly category: string | undefined
    readonly rate: number
    readonly weeklyFen: number
    readonly marginFen: number
    readonly priceFen: number
    /** Before what trials taught. */
    readonly plainRate: number
    /** No machine holds it; the supplier's id. */
    readonly newSku?: string
  }
  readonly weeklyGainFen: number
  /** Its standard error. */
  readonly gainErrorFen: number
  readonly evidence: {
    /** Undefined: machines of all venues. */
    readonly venueType: string | undefined
    readonly machines: number
    readonly units: number
    readonly days: number
    /** Of a new product: what its category sold. */
    readonly category?: string
  }
}

/** A slot whose rate is known from fewer days says too little about what it earns. */
const OWN_DAYS_MIN = 7
/** Fewer days or units elsewhere say too little about the other product. */
const EVIDENCE_DAYS_MIN = 14
const EVIDENCE_UNITS_MIN = 10
/** A product has to earn this much more: rates are estimates, and changing a slot is work. */
const GAIN_SHARE_MIN = 1.25
const SWAPS_PER_MACHINE = 3
const SLOTS_PER_TRIAL = 5
/** A new product should sell what must be ordered of it within so many days. */
const FIRST_ORDER_DAYS = 56
const ROUNDS = 4

/** How many products of a machine may be on trial at once. */
export const trialsMax = (slots: number): number => Math.max(1, Math.floor(slots / SLOTS_PER_TRIAL))

/**
 * The largest gain first; at most three for each machine, and no more than may be tried there now. A new product is proposed
 * for the machine in which it is expected to bring most, and no other.
 */
export function proposeSwaps(
  route: readonly SwapMachine[],
  mayPropose: MayPropose,
  shareOf: ShareOf,
  untried?: NewProducts,
): Swap[] {
  // Sums of fractions depend on their order; the proposals must not.
  const machines = route.toSorted((a, b) => compareText(a.location, b.location))
  const routeRate = routeRateOf(machines)
  const rates = new Map(machines.map((machine) => [machine.location, machineRate(totalsOf(machine), routeRate)]))
  const candidatesOf = candidateFinder(machines, rates, shareOf, untried)
  const propose = (isTried: (candidate: Candidate, location: string) => boolean) =>
    machines
      .flatMap((machine) => {
        const { location } = machine
        const candidates = candidatesOf(machine).filter((candidate) => isTried(candidate, location))
        return proposeForMachine(machine, rates.get(location)!, candidates, mayPropose)
      })
      .toSorted((a, b) => b.weeklyGainFen - a.weeklyGainFen || compareText(a.slotId, b.slotId))
  // A machine whose new product goes to another one gets the next, as far as a few rounds tell.
  const bestMachines = new Map<string, string>()
  const isFree = (newSku: string | undefined, location: string, isLast: boolean) =>
    newSku === undefined || (bestMachines.get(newSku) ?? (isLast ? undefined : location)) === location
  for (let round = 1; ; round++) {
    const isLast = round > ROUNDS
    const swaps = propose(({ newSku }, location) => isFree(newSku, location, isLast))
    const undecided = swaps.filter(({ in: { newSku } }) => newSku !== undefined && !bestMachines.has(newSku))
    if (undecided.length === 0) return swaps
    for (const { location, in: product } of undecided) bestMachines.getOrInsert(product.newSku!, location)
  }
}

interface Candidate {
  readonly sku: string
  readonly category: string | undefined
  readonly marginFen: number
  readonly priceFen: number
  readonly units: number
  readonly days: number
  readonly machines: number
  readonly venueType: string | undefined
  /** How much better than an average product of the machine it is expected to sell; a logarithm. */
  readonly ratio: Estimate
  /** Before what trials taught. */
  readonly plainRatio: number
  /** No machine holds it; the supplier's id. */
  readonly newSku?: string
  readonly smallestOrder?: number
}

function proposeForMachine(
  machine: SwapMachine,
  ownRate: number,
  candidates: readonly Candidate[],
  mayPropose: MayPropose,
): Swap[] {
  const ranked = candidates
    .filter(
      ({ sku, days, units }) => days >= EVIDENCE_DAYS_MIN && units >= EVIDENCE_UNITS_MIN && !machine.heldSkus.has(sku),
    )
    .map((candidate) => {
      const rate = ownRate * Math.exp(candidate.ratio.mean)
      return { ...candidate, rate, weeklyFen: weeklyMarginFen(rate, candidate.marginFen) }
    })
    .filter(({ rate, smallestOrder = 0 }) => rate * FIRST_ORDER_DAYS >= smallestOrder)
    .toSorted((a, b) => b.weeklyFen - a.weeklyFen || compareText(a.sku, b.sku))
  const earning = machine.slots.map((slot) => ({ ...slot, weeklyFen: weeklyMarginFen(slot.rate, slot.marginFen) }))
  const average = earning.reduce((total, { weeklyFen }) => total + weeklyFen, 0) / earning.length
  const worst = earning
    .filter(({ isFixed, days, weeklyFen }) => !isFixed && days >= OWN_DAYS_MIN && weeklyFen < average)
    .toSorted((a, b) => a.weeklyFen - b.weeklyFen || compareText(a.slotId, b.slotId))
  const max = Math.min(SWAPS_PER_MACHINE, trialsMax(machine.slots.length) - machine.trials)
  const taken = new Set<string>()
  const swaps: Swap[] = []
  for (const slot of worst) {
    if (swaps.length >= max) break
    const best = ranked.find(({ sku }) => !taken.has(sku) && mayPropose(sku, machine.location, slot.slotId))
    if (!best || best.weeklyFen <= slot.weeklyFen * GAIN_SHARE_MIN) continue
    const weeklyGainFen = Math.round(best.weeklyFen) - Math.round(slot.weeklyFen)
    if (weeklyGainFen <= 0) continue
    taken.add(best.sku)
    const { venueType, machines, units, days, sku, category, rate, marginFen, priceFen, newSku } = best
    const { error } = gainOfSwap(
      {
        rate: { mean: rate, error: rate * best.ratio.error },
        oldRate: { mean: slot.rate, error: slot.rate / Math.sqrt(slot.units + 1) },
      },
      { marginFen, oldMarginFen: slot.marginFen },
    )
    swaps.push({
      location: machine.location,
      slotId: slot.slotId,
      out: {
        sku: slot.sku,
        rate: slot.rate,
        weeklyFen: Math.round(slot.weeklyFen),
        marginFen: slot.marginFen,
      },
      in: {
        sku,
        category,
        rate,
        weeklyFen: Math.round(best.weeklyFen),
        marginFen,
        priceFen: Math.round(priceFen),
        plainRate: ownRate * Math.exp(best.plainRatio),
        ...(newSku === undefined ? {} : { newSku }),
      },
      weeklyGainFen,
      gainErrorFen: Math.round(error),
      evidence: {
        venueType,
        machines,
        units,
        days,
        ...(newSku === undefined || category === undefined ? {} : { category }),
      },
    })
  }
  return swaps
}

const weeklyMarginFen = (rate: number, marginFen: number): number => rate * 7 * marginFen

/** Candidates for the machines of one platform and kind of venue, worked out once for all of them. */
function candidateFinder(
  machines: readonly SwapMachine[],
  rates: ReadonlyMap<string, number>,
  shareOf: ShareOf,
  untried: NewProducts | undefined,
) {
  const platforms = new Map(
    [...Map.groupBy(machines, ({ namespace }) => namespace)].map(([namespace, own]) => [
      namespace,
      sellingOf(own, rates),
    ]),
  )
  const groups = new Map<string, readonly Candidate[]>()
  return ({ namespace, venueType }: SwapMachine): readonly Candidate[] =>
    groups.getOrInsertComputed(`${namespace} ${venueType ?? ''}`, () =>
      findCandidates(platforms.get(namespace) ?? [], namespace, venueType, shareOf, untried),
    )
}

interface Selling extends SwapSlot {
  readonly location: string
  readonly venueType: string | undefined
  /** What an average product would have sold in the same machine. */
  readonly expected: number
}

const sellingOf = (machines: readonly SwapMachine[], rates: ReadonlyMap<string, number>): readonly Selling[] =>
  machines.flatMap(({ location, venueType, slots }) =>
    slots.flatMap((slot) =>
      slot.days > 0 ? [{ ...slot, location, venueType, expected: slot.days * rates.get(location)! }] : [],
    ),
  )

/** While nothing is known, an average product of any category sells like any other. */
const CATEGORY_SPREAD = 0.3
/** How far products of a category lie apart; how far one product does in machines of one kind. */
const PRODUCT_SPREAD: Range = { least: 0.3, most: 1 }
const MACHINE_SPREAD: Range = { least: 0.2, most: 0.8 }
const HALF = 0.5

interface Range {
  readonly least: number
  readonly most: number
}

const total = (slots: readonly Selling[], of: (slot: Selling) => number): number =>
  slots.reduce((sum, slot) => sum + of(slot), 0)

/** How much better than an average product these slots sold, as a logarithm. */
function ratioOf(slots: readonly Selling[], machineSpread: number): Estimate {
  const units = total(slots, (slot) => slot.units)
  const expected = total(slots, (slot) => slot.expected)
  return {
    mean: Math.log((units + HALF) / (expected + HALF)),
    error: Math.sqrt(1 / (units + HALF) + machineSpread ** 2 / slots.length),
  }
}

/** How far things sold lie from what was expected, beyond chance; relative (method of moments). */
function spreadOf(pairs: readonly (readonly [sold: number, expected: number])[], { least, most }: Range): number {
  let [excess, squares] = [0, 0]
  for (const [sold, expected] of pairs) {
    excess += (sold - expected) ** 2 - expected
    squares += expected ** 2
  }
  return squares === 0 ? least : Math.min(most, Math.max(least, Math.sqrt(Math.max(0, excess / squares))))
}

function findCandidates(
  selling: readonly Selling[],
  namespace: string,
  venueType: string | undefined,
  shareOf: ShareOf,
  untried: NewProducts | undefined,
): readonly Candidate[] {
  const products = [...Map.groupBy(selling, ({ sku }) => sku)]
  const machineSpread = spreadOf(
    products.flatMap(([, slots]) => {
      const scale =
        total(slots, ({ units }) => units) /
        Math.max(
          HALF,
          total(slots, ({ expected }) => expected),
        )
      return slots.length < 2 ? [] : slots.map(({ units, expected }) => [units, expected * scale] as const)
    }),
    MACHINE_SPREAD,
  )
  const productSpread = spreadOf(
    products.map(([, slots]) => [total(slots, ({ units }) => units), total(slots, ({ expected }) => expected)]),
    PRODUCT_SPREAD,
  )
  const categories = new Map(
    [...Map.groupBy(products, ([, [first]]) => first?.category)].map(([category, own]) => [
      category,
      own.reduce((known: Estimate, [, slots]) => combine(known, widen(ratioOf(slots, machineSpread), productSpread)), {
        mean: 0,
        error: CATEGORY_SPREAD,
      }),
    ]),
  )
  const isHere = (slot: Selling) => venueType === undefined || slot.venueType === venueType
  const evidenceOf = (here: readonly Selling[], plain: Estimate, share: Estimate) => ({
    units: total(here, ({ units }) => units),
    days: total(here, ({ days }) => days),
    machines: new Set(here.map(({ location }) => location)).size,
    venueType,
    // A machine of its own, too, lies apart from the others.
    ratio: { mean: plain.mean + share.mean, error: Math.hypot(plain.error, share.error, machineSpread) },
    plainRatio: plain.mean,
  })
  const known = products.flatMap(([sku, slots]): Candidate[] => {
    const here = slots.filter(isHere)
    if (here.length === 0) return []
    const elsewhere = slots.filter((slot) => !isHere(slot))
    const category = slots[0]?.category
    let before = widen(categories.get(category)!, productSpread)
    if (elsewhere.length > 0) before = combine(before, widen(ratioOf(elsewhere, machineSpread), machineSpread))
    const plain = combine(before, ratioOf(here, machineSpread))
    const share = shareOf({ sku, category, venueType })
    return [
      {
        sku,
        category,
        marginFen: total(here, ({ marginFen }) => marginFen) / here.length,
        priceFen: total(here, ({ priceFen }) => priceFen) / here.length,
        ...evidenceOf(here, plain, share),
      },
    ]
  })
  if (!untried) return known
  const spreads = { productSpread, machineSpread }
  const byCategory = Map.groupBy(selling, ({ category }) => category)
  return [
    ...known,
    ...untried.products.flatMap((product): Candidate[] => {
      const akin = byCategory.get(product.category) ?? []
      const here = akin.filter(isHere)
      if (here.length === 0) return []
      const elsewhere = akin.filter((slot) => !isHere(slot))
      const subject = { sku: product.sku, category: product.category, venueType }
      const plain = ratioOfNew(product, { here, elsewhere }, untried.elasticityOf(subject), spreads)
      const share = shareOf(subject)
      return [
        {
          sku: product.machineIds.find((id) => id.startsWith(`${namespace}:`)) ?? product.sku,
          newSku: product.sku,
          category: product.category,
          marginFen: product.priceFen - product.costFen,
          priceFen: product.priceFen,
          smallestOrder: product.smallestOrder,
          ...evidenceOf(here, plain, share),
        },
      ]
    }),
  ]
}

interface Spreads {
  readonly productSpread: number
  readonly machineSpread: number
}

/** What the category sells, the kind of venue shrunk towards the others, and as much less as the product costs more. */
function ratioOfNew(
  { priceFen }: NewProduct,
  { here, elsewhere }: Readonly<Record<'here' | 'elsewhere', readonly Selling[]>>,
  elasticity: Estimate,
  { productSpread, machineSpread }: Spreads,
): Estimate {
  const learn = (from: Estimate, slots: readonly Selling[]) =>
    [...Map.groupBy(slots, ({ sku }) => sku).values()].reduce(
      (before: Estimate, own) => combine(before, widen(ratioOf(own, machineSpread), productSpread)),
      from,
    )
  const others = learn({ mean: 0, error: CATEGORY_SPREAD }, elsewhere)
  const category = learn(elsewhere.length > 0 ? widen(others, machineSpread) : others, here)
  const dearer = Math.log(priceFen) - total(here, (slot) => Math.log(slot.priceFen)) / here.length
  return {
    mean: category.mean - elasticity.mean * dearer,
    error: Math.hypot(category.error, productSpread, elasticity.error * dearer),
  }
}

function totalsOf({ slots }: SwapMachine) {
  let units = 0
  let availableDays = 0
  for (const slot of slots) {
    units += slot.units
    availableDays += slot.days
  }
  return { units, availableDays }
}

function routeRateOf(machines: readonly SwapMachine[]): number {
  const totals = machines.map(totalsOf)
  const units = totals.reduce((sum, each) => sum + each.units, 0)
  return (
    units /
    Math.max(
      1,
      totals.reduce((sum, each) => sum + each.availableDays, 0),
    )
  )
}
