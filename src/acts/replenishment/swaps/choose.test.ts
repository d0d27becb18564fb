/** Which slots would earn more with another product. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type MayPropose, type SwapMachine, type SwapSlot, proposeSwaps as propose, trialsMax } from './choose.ts'
import { propertyRuns } from '../../../../test/support/property-runs.ts'

const DAYS = 21
const slot = (location: string, sku: string, perDay: number, over: Partial<SwapSlot> = {}): SwapSlot => ({
  slotId: `${location}-${sku}`,
  sku,
  category: undefined,
  priceFen: 500,
  rate: perDay,
  marginFen: 200,
  units: perDay * DAYS,
  days: DAYS,
  isFixed: false,
  ...over,
})
const machine = (location: string, slots: readonly SwapSlot[], over: Partial<SwapMachine> = {}): SwapMachine => ({
  location,
  namespace: 'acme-machine',
  venueType: 'office',
  slots,
  heldSkus: new Set(slots.map(({ sku }) => sku)),
  trials: 0,
  ...over,
})
/** Products sell what is expected of them. */
const proposeSwaps = (machines: readonly SwapMachine[], may: MayPropose) =>
  propose(machines, may, () => ({ mean: 0, error: 0.1 }))
const any: MayPropose = () => true
/** One machine whose cake sells nothing, others in which cola does. */
const poor = (over: Partial<SwapSlot> = {}) =>
  machine('m1', [slot('m1', 'tea', 2), slot('m1', 'cake', 0, { rate: 0.02, ...over })])
const rich = (over: Partial<SwapMachine> = {}) => machine('m2', [slot('m2', 'cola', 4), slot('m2', 'tea', 2)], over)
/** For the first machine. */
const slotsOf = (machines: readonly SwapMachine[], may = any) =>
  proposeSwaps(machines, may)
    .filter(({ location }) => location === 'm1')
    .map(({ slotId, in: product }) => `${slotId} ${product.sku}`)

describe('4.7 swaps', () => {
  test('propose for the slot that earns least what sells best elsewhere, with gain and evidence', () => {
    const [swap, ...others] = proposeSwaps([poor(), rich()], any)
    expect(others).toEqual([])
    expect(swap).toMatchObject({
      location: 'm1',
      slotId: 'm1-cake',
      out: { sku: 'cake' },
      in: { sku: 'cola' },
      evidence: { venueType: 'office', machines: 1, units: 84, days: DAYS },
    })
    expect(swap!.weeklyGainFen).toBe(swap!.in.weeklyFen - swap!.out.weeklyFen)
  })

  test.each([
    ['a slot that is locked, phased out or in transit', [poor({ isFixed: true }), rich()]],
    ['a slot that is known for a few days only', [poor({ days: 5 }), rich()]],
    ['what sells in other kinds of venues', [poor(), rich({ venueType: 'gym' })]],
    ['products of another platform', [poor(), rich({ namespace: 'other-machine' })]],
    ['a product that the machine holds already', [{ ...poor(), heldSkus: new Set(['tea', 'cake', 'cola']) }, rich()]],
    ['a product known for a few days only', [poor(), machine('m2', [slot('m2', 'cola', 4, { days: 10, units: 40 })])]],
    ['a product that sold a few units only', [poor(), machine('m2', [slot('m2', 'cola', 4, { days: 20, units: 9 })])]],
    ['a product that earns no more', [poor({ rate: 9 }), rich()]],
    ['anything on a route of one machine', [poor()]],
    ['anything on an empty route', []],
  ])('do not propose %s', (_, machines) => {
    expect(slotsOf(machines)).toEqual([])
  })

  test('a machine whose venue is unknown is compared with all', () => {
    expect(slotsOf([{ ...poor(), venueType: undefined }, rich({ venueType: 'gym' })])).toEqual(['m1-cake cola'])
  })

  test('what may not be proposed leaves the next best', () => {
    const others = machine('m2', [slot('m2', 'cola', 4), slot('m2', 'juice', 3)])
    expect(slotsOf([poor(), others], (sku) => sku !== 'cola')).toEqual(['m1-cake juice'])
    expect(slotsOf([poor(), others], () => false)).toEqual([])
  })

  test('more trials than one for every five slots are not proposed', () => {
    expect([0, 4, 9, 10, 26].map(trialsMax)).toEqual([1, 1, 1, 2, 5])
    expect(slotsOf([{ ...poor(), trials: 1 }, rich()])).toEqual([])
  })

  test('what is known from few machines is less certain, and what trials taught lowers it', () => {
    const others = [rich(), ...['m3', 'm4', 'm5'].map((id) => machine(id, [slot(id, 'cola', 4), slot(id, 'tea', 2)]))]
    const [few] = propose([poor(), rich()], any, () => ({ mean: 0, error: 0.1 }))
    const [many] = propose([poor(), ...others], any, () => ({ mean: 0, error: 0.1 }))
    const [taught] = propose([poor(), ...others], any, () => ({ mean: Math.log(0.5), error: 0.1 }))
    const share = (swap: typeof few) => swap!.gainErrorFen / swap!.in.weeklyFen
    expect(share(many)).toBeLessThan(share(few))
    expect(taught!.in.rate).toBeCloseTo(many!.in.rate / 2)
    expect(taught!.in.plainRate).toBeCloseTo(many!.in.rate)
  })

  const routes = fc
    .array(
      fc.record({
        venueType: fc.constantFrom('office', 'gym', undefined),
        namespace: fc.constantFrom('a-machine', 'b-machine'),
        slots: fc.uniqueArray(
          fc.record({
            sku: fc.constantFrom('p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'),
            perDay: fc.double({ min: 0, max: 6, noNaN: true }),
            marginFen: fc.integer({ min: 0, max: 500 }),
            days: fc.nat(28),
            isFixed: fc.boolean(),
          }),
          { selector: ({ sku }) => sku, maxLength: 7 },
        ),
      }),
      { maxLength: 6 },
    )
    .map((list) =>
      list.map(({ venueType, namespace, slots }, m) =>
        machine(
          `m${m}`,
          slots.map(({ sku, perDay, ...over }) =>
            slot(`m${m}`, sku, perDay, { ...over, units: Math.round(perDay * over.days) }),
          ),
          { venueType, namespace },
        ),
      ),
    )

  test('for any route: a positive gain, a free slot, a product new to the machine and allowed, each once, at most three', () => {
    fc.assert(
      fc.property(routes, fc.subarray(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6']), (machines, allowed) => {
        const swaps = proposeSwaps(machines, (sku) => allowed.includes(sku))
        for (const swap of swaps) {
          const own = machines.find(({ location }) => location === swap.location)!
          const changed = own.slots.find(({ slotId }) => slotId === swap.slotId)!
          expect(swap.weeklyGainFen).toBeGreaterThan(0)
          expect(changed.isFixed).toBe(false)
          expect(own.heldSkus.has(swap.in.sku)).toBe(false)
          expect(allowed).toContain(swap.in.sku)
          expect(machines.some((other) => other.namespace === own.namespace && other.heldSkus.has(swap.in.sku))).toBe(
            true,
          )
        }
        for (const [, ofMachine] of Map.groupBy(swaps, ({ location }) => location)) {
          expect(ofMachine.length).toBeLessThanOrEqual(3)
          expect(new Set(ofMachine.map((swap) => swap.in.sku)).size).toBe(ofMachine.length)
          expect(new Set(ofMachine.map((swap) => swap.slotId)).size).toBe(ofMachine.length)
        }
        expect(proposeSwaps(machines.toReversed(), (sku) => allowed.includes(sku))).toEqual(swaps)
      }),
      { numRuns: propertyRuns(500) },
    )
  })
})
