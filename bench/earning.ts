/**
 * What the right lanes (A), trials of products (B) and prices (C) and fresh goods (D) are worth where nobody but the
 * simulator knows what customers want and how long things keep. The same days of the same world with and without each.
 * With A and D the shipped rule plans every visit; with B and C a van fills the machines on fixed days.
 *
 *   npm run bench -- earning        SEEDS=10 DAYS=180 MACHINES=12
 */
import { type Move, chooseMoves } from '../src/acts/replenishment/moves/choose.ts'
import { layOut } from '../src/acts/replenishment/planner/layout/layout.ts'
import { LAYOUT_WINDOW_DAYS, toLayoutMachine } from '../src/acts/replenishment/planner/layout/machine-layout.ts'
import type { PlanSettings } from '../src/acts/replenishment/planner/input.ts'
import { type Plan, planRoute } from '../src/acts/replenishment/planner/plan.ts'
import { HOUR } from '../src/kernel/clock.ts'
import { DEFAULT_PLAN_PARAMS } from '../src/kernel/plan-params.ts'
import { type Outcome, benchSeeds, money, percent, setting } from './earning-table.ts'
import { type Brought, HISTORY_DAYS, VISIT_FEN, WORK_FEN, followWorld } from './followed-world.ts'
import { table } from './harness.ts'
import { random } from './random.ts'
import { playSwaps } from './swap-trials.ts'
import { playPrices } from './trials.ts'

const LEAD_DAYS = 2
const REVIEW_DAYS = 1
/** `layoutChangesPerVisit` where nobody states it. */
const CHANGES_PER_VISIT = 3
/** A lane that was changed stays for this long. */
const SETTLED_DAYS = 90

interface Ways {
  readonly hasLayouts: boolean
  /** Learned shelf lives are planned with, and units are moved to machines that sell them. */
  readonly isFresh: boolean
}

interface Order {
  readonly day: number
  readonly location: string
  readonly units: ReadonlyMap<string, number>
}

function playPlanned(seed: number, { hasLayouts, isFresh }: Ways): Outcome {
  const [days, machines] = [setting('DAYS', 180), setting('MACHINES', 12)]
  const world = followWorld({ seed, machines, minds: 1, hasVan: false })
  const shelfDays = (sku: string) => (isFresh ? world.learnedDays(sku) : undefined)
  let orders: Order[] = []
  /** Units taken out of machines for others, by product. */
  const storeroom = new Map<string, { units: number; since: number }[]>()
  const changedLanes = new Map<string, number>()
  let [changes, moved, expectedFen] = [0, 0, 0]

  const settingsOf = (windowDays: number): PlanSettings => ({
    now: world.now(),
    params: { ...DEFAULT_PLAN_PARAMS, visit_cost: VISIT_FEN, window_days: windowDays },
    leadTime: { days: LEAD_DAYS, source: 'stated', samples: 0 },
    reviewDays: REVIEW_DAYS,
  })
  const planNow = (windowDays = DEFAULT_PLAN_PARAMS.window_days): Plan =>
    planRoute({ ...settingsOf(windowDays), machines: world.planInput(shelfDays) })

  function order(day: number): Plan {
    const plan = planNow()
    const onTheWay = new Set(orders.map(({ location }) => location))
    for (const [location, own] of Map.groupBy(plan.plans, (entry) => entry.location)) {
      const units = new Map(
        own.flatMap(({ slotId, recommendation: { action, quantity = 0 } }) =>
          action === 'order' && quantity > 0 ? [[slotId, quantity] as const] : [],
        ),
      )
      if (units.size === 0 || onTheWay.has(location)) continue
      for (const slotId of units.keys()) world.setInTransit(slotId, true)
      const chance = random(seed * 100_003 + day * 101 + world.machines.indexOf(location))()
      orders.push({ day: day + (chance < 0.25 ? 1 : chance < 0.75 ? 2 : 3), location, units })
    }
    return plan
  }

  /** Units that lie in the store room go first; they keep their age. */
  function fromStoreroom(location: string, units: ReadonlyMap<string, number>): Brought[] {
    return [...units].flatMap(([slotId, quantity]) => {
      const lots = storeroom.get(slotId.slice(location.length + 1)) ?? []
      const brought: Brought[] = []
      let left = quantity
      while (left > 0 && lots[0]) {
        const taken = Math.min(left, lots[0].units)
        brought.push({ slotId, units: taken, since: lots[0].since })
        lots[0].units -= taken
        left -= taken
        if (lots[0].units === 0) lots.shift()
      }
      return left > 0 ? [...brought, { slotId, units: left }] : brought
    })
  }

  function takeOut(moves: readonly Move[]): Brought[] {
    for (const { from, sku, units } of moves) {
      const since = world.loads(from.slotId).at(-1)?.at ?? world.now()
      const code = sku.slice(sku.indexOf(':') + 1)
      storeroom.set(code, [...(storeroom.get(code) ?? []), { units, since }])
      moved += units
    }
    return moves.map(({ from, units }) => ({ slotId: from.slotId, units }))
  }

  function chooseMovesAt(plan: Plan, location: string, filled: ReadonlyMap<string, number>): readonly Move[] {
    const slots = plan.areas.flatMap((area) =>
      area.machines.flatMap(({ rated }) =>
        rated.slots.map(({ slot, rate }) => ({
          location: rated.machine.location,
          slotId: slot.slotId,
          sku: slot.sku,
          stock: slot.isInTransit ? Math.max(slot.stock, slot.capacity ?? 0) : slot.stock,
          rate: rate * rated.openShare,
          capacity: slot.capacity ?? undefined,
          costFen: slot.costFen,
          shelfDays: slot.shelfDays,
          loads: rated.machine.location === location ? world.loads(slot.slotId) : [],
          isClosed: false,
          visitCostFen: VISIT_FEN,
        })),
      ),
    )
    return chooseMoves(slots, world.now(), LEAD_DAYS + REVIEW_DAYS).filter(
      ({ from }) => from.location === location && !filled.has(from.slotId),
    )
  }

  /** The most valuable lanes, at most so many at one visit. */
  function changeLanes(location: string, day: number): void {
    const rated = planNow(LAYOUT_WINDOW_DAYS)
      .areas.flatMap((area) => area.machines)
      .find((machine) => machine.rated.machine.location === location)?.rated
    if (!rated) return
    const lanes = world.lanes(location)
    const nameOf = (i: number) => `${location} ${i}`
    const categories = new Map(lanes.map(({ goodsCode, product }) => [`m:${goodsCode}`, product.category]))
    const { changes: proposed } = layOut(
      toLayoutMachine(
        { ...rated, slots: rated.slots.map((each) => ({ ...each, slot: { ...each.slot, isInTransit: false } })) },
        {
          lanesOf: ({ sku }) =>
            lanes.flatMap(({ goodsCode, capacity }, i) =>
              `m:${goodsCode}` === sku
                ? [
                    {
                      lane: nameOf(i),
                      capacity,
                      isFixed: day - (changedLanes.get(nameOf(i)) ?? -Infinity) < SETTLED_DAYS,
                    },
                  ]
                : [],
            ),
          categoryOf: (sku) => categories.get(sku),
          isPinned: () => false,
          visitCostFen: VISIT_FEN,
          leadDays: LEAD_DAYS,
        },
      ),
    )
    for (const { lane, from, to, weeklyGainFen } of proposed.slice(0, CHANGES_PER_VISIT)) {
      world.changeLane(location, from.slice(2), to.slice(2))
      changedLanes.set(lane, day)
      changes += 1
      expectedFen += weeklyGainFen
    }
  }

  for (let day = 0; day < HISTORY_DAYS + days; day++) {
    if (day < HISTORY_DAYS) {
      world.play(day)
      continue
    }
    const plan = order(day)
    world.advance(9 * HOUR)
    const due = orders.filter((each) => each.day <= day)
    orders = orders.filter((each) => each.day > day)
    for (const { location, units } of due) {
      const taken = isFresh ? takeOut(chooseMovesAt(plan, location, units)) : []
      world.visit(location, fromStoreroom(location, units), taken)
      if (hasLayouts) changeLanes(location, day)
    }
    world.play(day)
  }
  const unsold = [...storeroom].flatMap(([code, lots]) => lots.map(({ units }) => units * world.costOf(code)))
  const { profitFen, ...result } = world.result()
  return {
    ...result,
    profitFen: profitFen - changes * WORK_FEN - unsold.reduce((total, fen) => total + fen, 0),
    trials: hasLayouts ? changes : moved,
    expectedFen,
  }
}

const SCENARIOS = {
  'A layouts': (seed: number, isOn: boolean) => playPlanned(seed, { hasLayouts: isOn, isFresh: false }),
  'B product trials': playSwaps,
  'C price trials': playPrices,
  'D shelf lives and moves': (seed: number, isOn: boolean) => playPlanned(seed, { hasLayouts: false, isFresh: isOn }),
} as const

export function benchEarning(only = process.env['ONLY'] ?? ''): void {
  const rows = Object.entries(SCENARIOS)
    .filter(([name]) => name.startsWith(only))
    .map(([name, play]) => {
      const compared = benchSeeds(name, play, name !== 'D shelf lives and moves')
      const gains = compared.map(({ gain }) => gain).toSorted((a, b) => a - b)
      const sum = (of: (each: (typeof compared)[number]) => number) => compared.reduce((all, each) => all + of(each), 0)
      return [
        name,
        `${gains.filter((gain) => gain > 0).length} of ${gains.length}`,
        `${percent(gains[0]!)} to ${percent(gains.at(-1)!)}`,
        percent(sum(({ gain }) => gain) / gains.length),
        `${sum(({ without }) => without.visits)} → ${sum((each) => each.with.visits)}`,
        `${sum(({ without }) => without.spoiled)} → ${sum((each) => each.with.spoiled)}`,
        `${sum((each) => each.with.trials)}${compared[0]!.with.kept === undefined ? '' : `, ${sum((each) => each.with.kept ?? 0)}`}`,
        `${money(sum((each) => each.with.expectedFen))}${compared[0]!.with.measuredFen === undefined ? '' : `, ${money(sum((each) => each.with.measuredFen ?? 0))}`}`,
      ]
    })
  table(
    'earning more, all seeds together',
    ['', 'above', 'gain', 'on average', 'visits', 'spoiled', 'changes, kept', 'expected, measured / week'],
    rows,
  )
}
