/**
 * What lanes that were changed have brought: the margin of the products concerned since then, beside what they would have
 * brought without the change, by their own days before and by how the other products of the machine changed. Pure.
 */

export interface ProductSums {
  readonly sku: string
  readonly units: number
  readonly marginFen: number
}

export interface LayoutSums {
  /** Days, and what was sold on them. */
  readonly before: { readonly days: number; readonly sums: readonly ProductSums[] }
  readonly after: { readonly days: number; readonly sums: readonly ProductSums[] }
  /** Those that lost or got a lane. */
  readonly changed: ReadonlySet<string>
}

/** With fewer units of the other products their change says nothing. */
const CONTROL_UNITS_MIN = 30

/** A week; the standard error comes from the number of units. */
export function measureLayout({ before, after, changed }: LayoutSums) {
  const of = (sums: readonly ProductSums[], isChanged: boolean) => {
    const own = sums.filter(({ sku }) => changed.has(sku) === isChanged)
    const total = (value: (each: ProductSums) => number) => own.reduce((sum, each) => sum + value(each), 0)
    return {
      units: total(({ units }) => units),
      marginFen: total(({ marginFen }) => marginFen),
      // Units come one by one: the variance of a count is the count.
      variance: total(({ units, marginFen }) => (units === 0 ? 0 : marginFen ** 2 / units)),
    }
  }
  const [then, now] = [of(before.sums, true), of(after.sums, true)]
  const [controlThen, controlNow] = [of(before.sums, false), of(after.sums, false)]
  const hasControls = controlThen.units >= CONTROL_UNITS_MIN && controlNow.units >= CONTROL_UNITS_MIN
  const change = hasControls ? controlNow.units / after.days / (controlThen.units / before.days) : 1
  const changeVariance = hasControls ? change ** 2 * (1 / controlNow.units + 1 / controlThen.units) : 0
  const expected = (change * then.marginFen) / before.days
  const variance =
    now.variance / after.days ** 2 +
    (change ** 2 * then.variance) / before.days ** 2 +
    changeVariance * (then.marginFen / before.days) ** 2
  return {
    gainFen: Math.round(7 * (now.marginFen / after.days - expected)),
    errorFen: Math.round(7 * Math.sqrt(variance)),
  }
}
