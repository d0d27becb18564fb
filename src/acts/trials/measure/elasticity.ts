/**
 * By how many percent sales fall when a price rises by one. One trial says little about one product, so what trials showed
 * is shrunk: a product towards its category, a category towards the route (empirical Bayes). Pure.
 */
import type { Estimate } from './effect.ts'

/** What one trial of a price showed. */
export interface Measured extends Estimate {
  readonly sku: string
  readonly category: string | undefined
  readonly venueType: string | undefined
}

/** Of a route that tried nothing yet: most drinks and snacks lie between 0 and 2.5. */
const UNTRIED: Estimate = { mean: 1.3, error: 0.6 }
/** How far the members of a group lie apart while too few trials tell. */
const SPREAD = 0.35
const SPREAD_MIN = 0.2
const SPREAD_MAX = 0.8
const TRIALS_FOR_SPREAD = 5

/** Two independent estimates of one thing. */
export function combine(a: Estimate, b: Estimate): Estimate {
  const [x, y] = [1 / a.error ** 2, 1 / b.error ** 2]
  return { mean: (a.mean * x + b.mean * y) / (x + y), error: Math.sqrt(1 / (x + y)) }
}

export const widen = ({ mean, error }: Estimate, spread: number): Estimate => ({
  mean,
  error: Math.hypot(error, spread),
})

/** How far the things measured lie apart, beyond the errors of measuring them (method of moments). */
export function spreadOf(measured: readonly Estimate[]): number {
  if (measured.length < TRIALS_FOR_SPREAD) return SPREAD
  const weights = measured.map(({ error }) => 1 / error ** 2)
  const total = sum(weights)
  const mean = sum(measured.map((each, i) => each.mean * weights[i]!)) / total
  const excess = sum(measured.map((each, i) => weights[i]! * (each.mean - mean) ** 2)) - (measured.length - 1)
  const variance = excess / (total - sum(weights.map((weight) => weight ** 2)) / total)
  return Math.min(SPREAD_MAX, Math.max(SPREAD_MIN, Math.sqrt(Math.max(0, variance))))
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

export interface Subject {
  readonly sku: string
  readonly category: string | undefined
  readonly venueType: string | undefined
}

/** What is known of a product in a kind of venue, from all trials so far. */
export const elasticityOf = (measured: readonly Measured[], subject: Subject): Estimate =>
  learnFrom(measured, subject, UNTRIED)

/** `untried`: of a route that tried nothing yet. */
export function learnFrom(
  measured: readonly Measured[],
  { sku, category, venueType }: Subject,
  untried: Estimate,
): Estimate {
  const spread = spreadOf(measured)
  const isOfCategory = (one: Measured) => category !== undefined && one.category === category
  const [own, rest] = split(measured, (one) => one.sku === sku)
  const [akin, others] = split(rest, isOfCategory)
  const [here, elsewhere] = split(own, (one) => one.venueType === venueType)
  const learn = (from: Estimate, seen: readonly Measured[], apart: number) =>
    seen.reduce((known: Estimate, one) => combine(known, widen(one, apart)), from)
  // Each level starts from the one above it, as far as its members lie apart.
  const route = learn(untried, others, Math.SQRT2 * spread)
  const group = learn(widen(route, category === undefined ? 0 : spread), akin, spread)
  const product = learn(widen(group, spread), elsewhere, spread / 2)
  return learn(product, here, 0)
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}

/** Points and weights that stand for a normal distribution (Gauss and Hermite, five points). */
const POINTS = [
  [-2.85697, 0.0112574],
  [-1.355626, 0.2220759],
  [0, 0.5333333],
  [1.355626, 0.2220759],
  [2.85697, 0.0112574],
] as const

/** Mean and error of a function of something that is known with an error. */
export function spreadThrough({ mean, error }: Estimate, of: (value: number) => number): Estimate {
  const values = POINTS.map(([at, weight]) => [of(mean + at * error), weight] as const)
  const average = sum(values.map(([value, weight]) => value * weight))
  return { mean: average, error: Math.sqrt(sum(values.map(([value, weight]) => weight * (value - average) ** 2))) }
}
