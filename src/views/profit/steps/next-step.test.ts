import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Figures, noFigures } from '../figures.ts'
import { type StepSlot, type StepSubject, nextStep } from './next-step.ts'

/** 4 weeks in which 100 units were sold for 4.00 that cost 1.50 each. */
const slot = (more: Partial<StepSlot> = {}): StepSlot => {
  const { units = 100, price = 400, cost = units * 150, ...rest } = more
  const revenue = units * (price ?? 400)
  return {
    location: 'M1',
    slotId: 'M1-A',
    skuId: 'm:A',
    title: 'A',
    losses: 0,
    capacity: 10,
    par: null,
    wasPricedLately: false,
    units,
    price,
    cost,
    revenue,
    knownRevenue: revenue,
    ...rest,
  }
}

const sumOf = (slots: readonly StepSlot[], more: Partial<Figures> = {}): Figures => {
  const figures = noFigures()
  for (const { units, revenue, cost, knownRevenue, losses } of slots) {
    figures.units += units
    figures.revenue += revenue
    figures.cost += cost
    figures.knownRevenue += knownRevenue
    figures.losses += losses
  }
  return { ...figures, ...more }
}

const subject = (
  slots: readonly StepSlot[],
  figures: Partial<Figures> = {},
  more: Partial<StepSubject> = {},
): StepSubject => ({
  kind: 'machine',
  days: 28,
  slots,
  figures: sumOf(slots, figures),
  swaps: [],
  priceRiseMax: 100,
  ...more,
})

test('a step that brings a few cents a week is none', () => {
  const few = { units: 4, cost: 4 * 260 }
  expect(nextStep(subject([slot(few)]))).toMatchObject({ step: 'none', because: 'nothing_better' })
  expect(nextStep(subject([slot({ units: 40, cost: 40 * 260 })]))).toMatchObject({ step: 'raise_price' })
})

const swapTo = (weeklyGain: number) => ({
  slotId: 'M1-A',
  location: 'M1',
  out: { id: 'm:A', title: 'A' },
  in: { id: 'm:B', title: 'B' },
  weeklyGain,
})

describe('the step that brings most', () => {
  test.each<[string, StepSubject, object]>([
    ['nothing is wrong', subject([slot()]), { step: 'none', because: 'nothing_better', gainPerWeek: 0 }],
    // 100 × ((460 - 300) × (400 / 460)² - (400 - 300)) / 4 weeks.
    [
      'sold too cheaply: a rise of 15 %',
      subject([slot({ cost: 30_000 })]),
      { step: 'raise_price', prices: [expect.objectContaining({ from: 400, to: 460 })], gainPerWeek: 524.575 },
    ],
    [
      'within the cap',
      subject([slot({ cost: 30_000 })], {}, { priceRiseMax: 30 }),
      { prices: [expect.objectContaining({ to: 430 })] },
    ],
    [
      'no further than where it pays',
      subject([slot({ cost: 22_500 })]),
      { prices: [expect.objectContaining({ to: 450 })] },
    ],
    [
      'the rules are not readable',
      subject([slot({ cost: 30_000 })], {}, { priceRiseMax: undefined }),
      { step: 'none' },
    ],
    ['the price was changed lately', subject([slot({ cost: 30_000, wasPricedLately: true })]), { step: 'none' }],
    [
      'the cost is an estimate',
      subject([slot({ cost: 30_000, knownRevenue: 0 })]),
      { step: 'none', because: 'cost_unknown' },
    ],
    // 5 visits of 100 units take 8 each: from 20 visits to 13 nothing is missed.
    [
      'visits cost more than they bring',
      subject([slot()], { visits: 20, visitCost: 10_000 }),
      { step: 'fewer_visits', everyDays: 2, gainPerWeek: 875 },
    ],
    [
      'as many visits as it needs',
      subject([slot()], { visits: 13, visitCost: 1300 }),
      { step: 'none', because: 'nothing_better' },
    ],
    [
      'nobody knows what would be missed',
      subject([slot({ capacity: null })], { visits: 20, visitCost: 10_000 }),
      { step: 'none' },
    ],
    // Of 15000 at cost a quarter was thrown away: 10 × 3/4.
    [
      'much is thrown away',
      subject([slot({ losses: 5000 })]),
      { step: 'less_stock', pars: [expect.objectContaining({ par: 7 })], gainPerWeek: 625 },
    ],
    [
      'slow, and another product would earn more',
      subject([slot()], {}, { swaps: [swapTo(900)] }),
      { step: 'swap', gainPerWeek: 450 },
    ],
    // 40000 - 15000 = 25000; the place takes 20000 of it.
    [
      'the place takes most',
      subject([slot()], { commission: 20_000 }),
      { step: 'renegotiate', gainPerWeek: 1875, bearable: 3125 },
    ],
    ['the place takes its share', subject([slot()], { commission: 12_500 }), { step: 'none' }],
    [
      'no rhythm and no price pays',
      subject([slot({ units: 1 })], { visits: 1, visitCost: 20_000 }),
      { step: 'remove', gainPerWeek: 4937.5 },
    ],
    ['sells nothing', subject([slot({ units: 0 })]), { step: 'remove', gainPerWeek: 0 }],
    ['sells nothing, and another would', subject([slot({ units: 0 })], {}, { swaps: [swapTo(900)] }), { step: 'swap' }],
    [
      'a product knows no visits and no commission',
      subject([slot()], { visits: 20, visitCost: 10_000, commission: 20_000 }, { kind: 'product' }),
      { step: 'remove' },
    ],
  ])('%s', (_why, of, expected) => {
    const step = nextStep(of)
    expect({ ...step, gainPerWeek: Math.round(step.gainPerWeek * 1000) / 1000 }).toMatchObject(expected)
  })

  test('a proposed price never falls, never leaves the cap, and never goes below what is expected to pay', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 500 }),
        fc.integer({ min: 0, max: 500 }),
        (price, unitCost, units, priceRiseMax) => {
          const step = nextStep(subject([slot({ price, units, cost: units * unitCost })], {}, { priceRiseMax }))
          expect(step.gainPerWeek).toBeGreaterThanOrEqual(0)
          if (step.step !== 'raise_price') return
          const [rise] = step.prices
          expect(rise!.to).toBeGreaterThan(price)
          expect(rise!.to - price).toBeLessThanOrEqual(priceRiseMax)
          expect(rise!.to).toBeLessThanOrEqual(Math.max(2 * unitCost, price))
        },
      ),
    )
  })
})
