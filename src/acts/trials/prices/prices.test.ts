import { describe, expect, test } from 'vitest'
import { fen } from '../../../kernel/fen.ts'
import type { LocationId, Namespace, SkuId, SlotId } from '../../../kernel/ids.ts'
import type { Counts } from '../measure/effect.ts'
import type { Measured } from '../measure/elasticity.ts'
import type { RouteSlot } from '../route.ts'
import { expectedGain, judgePrice } from './gain.ts'
import { type PricePast, compare, proposePrices, stepsWithin } from './propose.ts'

const slot = (machine: string, change: Partial<RouteSlot> = {}): RouteSlot & { costFen: number } => ({
  location: machine as LocationId,
  locationName: machine,
  namespace: 'm' as Namespace,
  venueType: 'office',
  slotId: `${machine} cola` as SlotId,
  sku: 'm:cola' as SkuId,
  title: 'Cola',
  category: 'soda',
  priceFen: fen(350),
  rate: 1,
  units: 28,
  days: 28,
  isFixed: false,
  ...change,
  costFen: change.costFen ?? 200,
})
const NO_PAST: PricePast = {
  measured: [],
  slot: () => ({ keptFen: 0, isBusy: false }),
  wasTakenBack: () => false,
}
const LIMITS = { priceCapPerItem: 100 }
const four = ['M1', 'M2', 'M3', 'M4'].map((machine) => slot(machine))

describe('who gets the new price', () => {
  test('at most half, about as much on both sides', () => {
    const rates = [8, 7, 2, 1].map((rate, i) => slot(`M${i}`, { rate }))
    const group = compare(rates, NO_PAST)!
    expect(group.treated.map(({ rate }) => rate)).toEqual([7, 2])
    expect(group.controls.map(({ rate }) => rate)).toEqual([8, 1])
    expect(compare(four.slice(0, 3), NO_PAST)!.treated).toHaveLength(1)
  })

  test.each<[string, readonly RouteSlot[]]>([
    ['one machine', four.slice(0, 1)],
    ['one that is not fixed', [slot('M1'), slot('M2', { isFixed: true })]],
    ['no cost', four.map((each) => ({ ...each, costFen: undefined }))],
    ['never in stock', [slot('M1'), slot('M2', { days: 0 })]],
  ])('%s: nobody', (_what, slots) => expect(compare(slots, NO_PAST)).toBeUndefined())

  test('those that a kept step left behind come next, and the others are the controls', () => {
    const past = { slot: (id: string) => ({ keptFen: /M[12]/.test(id) ? 50 : 0, isBusy: false }) }
    expect(compare(four, past)!.treated.map(({ location }) => location)).toEqual(['M3', 'M4'])
  })

  test('a slot in a trial is in no other', () => {
    const past = { slot: (id: string) => ({ keptFen: 0, isBusy: id.startsWith('M4') }) }
    const { treated, controls } = compare(four, past)!
    expect([...treated, ...controls].map(({ location }) => location)).not.toContain('M4')
  })
})

describe('which step', () => {
  test.each([
    ['the cap', LIMITS, [100, -100, 50, -50]],
    ['the drift', { ...LIMITS, priceDriftPerWeek: 50 }, [50, -50]],
    ['the margin', { ...LIMITS, minimumMarginPercent: 60 }, [100, 50]],
    ['a small cap', { priceCapPerItem: 7 }, [5, -5]],
    ['no change allowed', { priceCapPerItem: 0 }, []],
  ])('%s', (_what, limits, steps) => expect([...stepsWithin(four, limits)]).toEqual(steps))

  test('never more than the lowest price bears', () => {
    expect(Math.max(...stepsWithin([slot('M1', { priceFen: fen(100), costFen: 50 })], LIMITS))).toBe(30)
  })

  test('a raise where few leave, a cut where many do, nothing where a trial failed', () => {
    const seen = (mean: number): PricePast => ({
      ...NO_PAST,
      measured: [{ sku: 'm:cola', category: 'soda', venueType: undefined, mean, error: 0.1 }],
    })
    expect(proposePrices(four, LIMITS, seen(0.5))[0]!.stepFen).toBeGreaterThan(0)
    expect(proposePrices(four, LIMITS, seen(4))[0]!.stepFen).toBeLessThan(0)
    const failed = { ...seen(0.5), wasTakenBack: (_: string, isRaise: boolean) => isRaise }
    expect(proposePrices(four, LIMITS, failed)).toEqual([])
  })

  test('too few sales to tell: no proposal', () => {
    expect(
      proposePrices(
        four.map((each) => ({ ...each, units: 2 })),
        LIMITS,
        NO_PAST,
      ),
    ).toEqual([])
  })

  test('the gain of a price is what arithmetic says', () => {
    const priced = { rate: 2, priceFen: 300, nextFen: 330, costFen: 200 }
    expect(expectedGain([priced], { mean: 0, error: 1e-9 }).mean).toBeCloseTo(7 * 2 * 30)
    expect(expectedGain([priced], { mean: 1, error: 1e-9 }).mean).toBeCloseTo(7 * 2 * ((130 * 300) / 330 - 100))
  })
})

/** A small generator of its own, so that the numbers are the same every time. */
function dice(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  const poisson = (mean: number): number => {
    const limit = Math.exp(-mean)
    let [count, product] = [0, next()]
    while (product > limit) {
      count++
      product *= next()
    }
    return count
  }
  return { next, poisson }
}

describe('the verdict', () => {
  const PRICE = { priceFen: 350, nextFen: 450, costFen: 215 }
  /** At this elasticity the higher price earns exactly what the lower one did. */
  const BREAK_EVEN = Math.log((450 - 215) / (350 - 215)) / Math.log(450 / 350)

  /** Trials of many products, one after the other, each judged with what the earlier ones showed. */
  function play(seed: number, elasticity: number, perDay: number, trials = 60) {
    const { next, poisson } = dice(seed)
    const measured: Measured[] = []
    let kept = 0
    for (let i = 0; i < trials; i++) {
      const period = (mean: number, days: number): Counts => {
        let [units, squares] = [0, 0]
        for (let day = 0; day < days; day++) {
          const sold = poisson(mean * (0.7 + 0.6 * next()))
          units += sold
          squares += sold * sold
        }
        return { units, days, squares }
      }
      const machine = (ratio: number) => ({ before: period(perDay, 28), after: period(perDay * ratio, 14) })
      const subject = { sku: `${i}`, category: `${i % 6}`, venueType: undefined }
      const treated = [1, 2, 3].map(() => ({ ...PRICE, ...machine((450 / 350) ** -elasticity) }))
      const result = judgePrice(treated, [machine(1), machine(1), machine(1)], measured, subject)!
      measured.push({ ...subject, ...result.elasticity })
      if (result.isKept) kept++
    }
    return kept / trials
  }
  const average = (elasticity: number, perDay: number) =>
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].reduce((sum, seed) => sum + play(seed, elasticity, perDay) / 10, 0)

  test.each([0.3, 1, 3])('without a gain at most one of twenty is kept (%s sold a day)', (perDay) => {
    expect(average(BREAK_EVEN, perDay)).toBeLessThanOrEqual(0.05)
  })
  test('with a loss even fewer', () => expect(average(BREAK_EVEN + 0.6, 1)).toBeLessThan(0.01))
  test('a good price is found more often the more is sold', () => {
    const [slow, fast] = [average(1, 0.3), average(1, 3)]
    expect(fast).toBeGreaterThan(0.6)
    expect(slow).toBeLessThan(fast)
    expect(slow).toBeGreaterThan(0.1)
  })
})
