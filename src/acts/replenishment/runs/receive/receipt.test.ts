/** Invariant 11 without a database: which lines a receipt books, in whatever order the stops are received. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fen } from '../../../../kernel/fen.ts'
import type { LocationId, SkuId } from '../../../../kernel/ids.ts'
import { deliveredLines, deliveredUnits } from './receipt.ts'
import { joinWork } from './receive-stop.ts'
import { type RunLine, activeLines, matchDelivered } from '../run.ts'
import { propertyRuns } from '../../../../../test/support/property-runs.ts'

const MACHINES = ['M1', 'M2', 'M3', 'M4'] as const

const cell = fc.record({
  machine: fc.constantFrom(...MACHINES),
  product: fc.constantFrom('A', 'B', 'C'),
  ordered: fc.integer({ min: 1, max: 30 }),
  /** Undefined: the receipt does not list it. */
  loaded: fc.option(fc.nat({ max: 40 }), { nil: undefined }),
  isRemoved: fc.constantFrom(false, false, false, true),
})
const receipts = fc.record({
  cells: fc.uniqueArray(cell, { selector: ({ machine, product }) => `${machine}${product}`, minLength: 1 }),
  order: fc.shuffledSubarray([...MACHINES], { minLength: MACHINES.length }),
})
type Receipt = typeof receipts extends fc.Arbitrary<infer T> ? T : never

const linesOf = (cells: Receipt['cells']): readonly RunLine[] =>
  cells.map(({ machine, product, ordered, isRemoved }, i) => ({
    n: i + 1,
    location: machine as LocationId,
    vendorSku: product,
    slotId: `${machine}-${product}`,
    skuId: `acme-machine:${product}` as SkuId,
    title: product,
    quantity: ordered,
    costFen: fen(100),
    costEstimated: false,
    ...(isRemoved ? { removed: 'hard_no_go' as const } : {}),
  }))
const loadedAt = (cells: Receipt['cells'], machines: readonly string[]) =>
  cells.flatMap(({ machine, product, loaded, isRemoved }) =>
    loaded === undefined || isRemoved || !machines.includes(machine)
      ? []
      : [{ slot_id: `${machine}-${product}`, quantity: loaded }],
  )

/** Books receipts one after the other; `stops` are the machines that each is about. */
function book(cells: Receipt['cells'], stops: readonly (readonly string[])[]) {
  let lines = linesOf(cells)
  let units = 0
  const events: { readonly n: number; readonly quantity: number }[] = []
  const works = new Map<string, readonly object[]>()
  for (const machines of stops) {
    const matched = matchDelivered(lines, loadedAt(cells, machines))
    assert.ok(matched.ok)
    const { deliveredByLine, alreadyReceived } = matched.value
    assert.deepEqual(alreadyReceived, [])
    events.push(...deliveredLines(deliveredByLine))
    units = deliveredUnits(lines, deliveredByLine)
    for (const machine of machines) {
      const own = activeLines(lines).filter(({ location }) => location === machine)
      works.set(machine, joinWork(own, deliveredByLine, new Map()))
    }
    lines = lines.map((line) =>
      line.removed === undefined && machines.includes(line.location)
        ? { ...line, deliveredAt: 1, delivered: deliveredByLine.get(line.n) ?? 0 }
        : line,
    )
  }
  return { lines, units, works, events: events.toSorted((a, b) => a.n - b.n) }
}

test('stops in any order book the same lines, units and slots as one receipt; a second time nothing is booked', () =>
  expect(() =>
    fc.assert(
      fc.property(receipts, ({ cells, order }) => {
        const together = book(cells, [MACHINES])
        const apart = book(
          cells,
          order.map((machine) => [machine]),
        )
        assert.deepEqual(apart, together)
        assert.equal(
          together.units,
          together.events.reduce((total, { quantity }) => total + quantity, 0),
        )
        for (const machines of [MACHINES, ...order.map((machine) => [machine])]) {
          const again = matchDelivered(apart.lines, loadedAt(cells, machines))
          assert.ok(again.ok && again.value.deliveredByLine.size === 0)
          assert.equal(again.value.alreadyReceived.length, loadedAt(cells, machines).length)
        }
      }),
      { numRuns: propertyRuns(5000), seed: 11 },
    ),
  ).not.toThrow())
