import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type VisitSlot, type VisitSettings, decideVisit } from './visit.ts'

/** Sells one a day at 5 yuan; with this much left when a delivery could arrive. */
const slot = (stock: number, over: Partial<VisitSlot> = {}): VisitSlot => ({
  isOrderable: true,
  isInTransit: false,
  locked: false,
  rate: 1,
  priceFen: 500,
  marginFen: 225,
  missedFen: 225,
  stock,
  atRisk: stock <= 4,
  units: stock >= 18 ? 0 : 20 - stock,
  leadTimeDemand: 2,
  leadTimeAndReviewDemand: 3,
  leadTimeAndTripDemand: 0,
  orderUpTo: 19,
  maxUnits: 40,
  ...over,
})
const machine = (...stocks: number[]) => stocks.map((stock) => slot(stock))
const settings = (over: Partial<VisitSettings> = {}): VisitSettings => ({
  rule: 'cycle',
  costFen: null,
  reviewDays: 1,
  leadDays: 2,
  openShare: 1,
  costShare: 1,
  smallMachineSlots: 5,
  oneVisitAtATime: true,
  isClosedAtArrival: false,
  ...over,
})

describe('2.8 one visit per machine', () => {
  test('one empty slot in ten is not worth a visit, several are', () => {
    expect(decideVisit(machine(0, 18, 18, 18, 18, 18, 18, 18, 18, 18), settings()).go).toBe(false)
    expect(decideVisit(machine(0, 0, 0, 1, 2, 2, 3, 3, 4, 4), settings()).go).toBe(true)
  })

  test('slots that are locked, in transit or without room for an order do not count towards a visit', () => {
    const bare = machine(0, 0, 0, 0, 0, 0)
    expect(decideVisit(bare, settings()).go).toBe(true)
    expect(
      decideVisit(
        bare.map((s) => ({ ...s, isOrderable: false, locked: true })),
        settings(),
      ),
    ).toMatchObject({ go: false, load: 0, lossByWaitingFen: 0 })
    expect(
      decideVisit(
        bare.map((s) => ({ ...s, units: 0 })),
        settings(),
      ).go,
    ).toBe(false)
  })

  test('a small machine goes when any slot is at risk', () => {
    expect(decideVisit(machine(4, 18, 18, 18), settings())).toMatchObject({ go: true, rule: 'small_machine' })
    expect(decideVisit(machine(5, 18, 18, 18), settings()).go).toBe(false)
  })

  test('no machine is visited for nothing while no size is configured: a small one pays like any other', () => {
    const small = machine(4, 18, 18, 18)
    expect(decideVisit(small, settings({ smallMachineSlots: 0 }))).toMatchObject({ go: false, rule: 'cycle' })
    expect(decideVisit(machine(0, 0, 0, 0), settings({ smallMachineSlots: 0 })).go).toBe(true)
  })

  test('a machine with a slot in transit gets no second visit, unless it is allowed', () => {
    const slots = [...machine(0, 0, 0, 0, 0), slot(0, { isOrderable: false, isInTransit: true })]
    expect(decideVisit(slots, settings())).toMatchObject({ go: false, why: 'in_transit' })
    expect(decideVisit(slots, settings({ oneVisitAtATime: false }))).toMatchObject({ go: true, why: 'due' })
  })

  test('a machine that is closed when the delivery arrives, or locked altogether, waits and says why', () => {
    const slots = machine(0, 0, 0, 0, 0, 0)
    expect(decideVisit(slots, settings({ isClosedAtArrival: true }))).toMatchObject({ go: false, why: 'closed' })
    const locked = slots.map((s) => ({ ...s, isOrderable: false, locked: true }))
    expect(decideVisit(locked, settings())).toMatchObject({ go: false, why: 'locked' })
  })

  test('the dearer a visit, the longer it waits', () => {
    const half = machine(0, 0, 4, 5, 6, 7)
    const worth = [500, 2000, 8000].map((costFen) => decideVisit(half, settings({ costFen })).visitThresholdFen!)
    expect(worth).toEqual(worth.toSorted((a, b) => a - b))
    expect(decideVisit(half, settings({ costFen: 500 })).go).toBe(true)
    expect(decideVisit(half, settings({ costFen: 20_000 })).go).toBe(false)
  })

  test('an unstated cost scales with prices, so prices alone decide nothing', () => {
    const slots = machine(0, 0, 4, 5, 6, 7)
    const dearer = slots.map((s) => ({
      ...s,
      priceFen: s.priceFen * 8,
      marginFen: s.marginFen * 8,
      missedFen: s.missedFen * 8,
    }))
    const [cheap, dear] = [decideVisit(slots, settings()), decideVisit(dearer, settings())]
    expect(dear.go).toBe(cheap.go)
    expect(dear.visitThresholdFen).toBeCloseTo(8 * cheap.visitThresholdFen!, 6)
  })

  test('unstated, a visit is taken to cost five average prices', () => {
    const slots = [...machine(0, 0, 4, 5), slot(6, { rate: 3, priceFen: 900 })]
    const average = (4 * 500 + 3 * 900) / 7
    expect(decideVisit(slots, settings()).visitThresholdFen).toBeCloseTo(
      decideVisit(slots, settings({ costFen: 5 * average })).visitThresholdFen!,
      9,
    )
  })

  test('the best rhythm is that of the machine: what it sells, on the days it is open', () => {
    const slots = machine(0, 1, 2, 3, 4, 5)
    const worth = (over: Partial<VisitSettings>) =>
      decideVisit(slots, settings({ costFen: 3000, ...over })).visitThresholdFen!
    // Of all rhythms one every ten days costs least: (3000 + 6 x 225 x 0.5424 units unserved) / 10.
    expect(worth({})).toBeCloseTo(373.22, 2)
    expect(worth({ openShare: 0.5 })).toBeLessThan(worth({}))
    expect(worth({ reviewDays: 3 })).toBeCloseTo(3 * worth({}), 9)
  })

  test('one order limits what a visit brings, and not how full a slot is that was not empty', () => {
    const worth = (maxUnits: number, over: Partial<VisitSlot> = {}) =>
      decideVisit(
        [0, 1, 2, 3, 4, 5].map((stock) => slot(stock, { maxUnits, ...over })),
        settings({ costFen: 3000 }),
      ).visitThresholdFen!
    // Ten days of one a day are ten units: an order of 10 is as good as one of 40, an order of 5 is not.
    expect(worth(10)).toBe(worth(40))
    expect(worth(5)).toBeGreaterThan(worth(40))
    expect(worth(40, { orderUpTo: 60 })).toBeLessThan(worth(40, { orderUpTo: 40 }))
  })

  test('the smaller the share of estimated missed sales that is missed, the later a visit, as if it were dearer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 100, max: 20_000 }),
        fc.constantFrom(0.25, 0.5, 0.75),
        (stocks, costFen, share) => {
          const shared = stocks.map((stock) => slot(stock, { missedFen: share * 225 }))
          const less = decideVisit(shared, settings({ costFen, smallMachineSlots: 0 }))
          const dearer = decideVisit(machine(...stocks), settings({ costFen: costFen / share, smallMachineSlots: 0 }))
          expect(less.rhythmDays).toBe(dearer.rhythmDays)
          expect(less.lossByWaitingFen).toBeCloseTo(share * dearer.lossByWaitingFen!, 6)
          expect(less.visitThresholdFen).toBeCloseTo(share * dearer.visitThresholdFen!, 6)
        },
      ),
    )
  })

  test('by shares: enough revenue at risk, and a large enough load or half of the revenue', () => {
    const share = (...stocks: number[]) => decideVisit(machine(...stocks), settings({ rule: 'share' }))
    expect(share(4, 18, 18, 18, 18, 18, 18)).toMatchObject({ go: false, rule: 'share', lossByWaitingFen: null })
    expect(share(4, 4, 18, 18, 18, 18, 18).go).toBe(true)
    const light = machine(4, 4, 18, 18, 18, 18, 18).map((s) => ({ ...s, units: Math.min(s.units, 3) }))
    expect(decideVisit(light, settings({ rule: 'share' })).go).toBe(false)
    const much = light.map((s, i) => ({ ...s, atRisk: i < 4 }))
    expect(decideVisit(much, settings({ rule: 'share' })).go).toBe(true)
  })

  test('a machine that sells nothing is not visited, unless it is empty and there is something to fill it with', () => {
    const still = machine(0, 0, 0, 0, 0).map((s) => ({ ...s, rate: 0, atRisk: false }))
    const visit = (units: number) =>
      decideVisit(
        still.map((s) => ({ ...s, units })),
        settings(),
      )
    expect(visit(0)).toMatchObject({ go: false, why: 'not_due' })
    expect(visit(3)).toMatchObject({ go: true, why: 'sold_out' })
  })
})
