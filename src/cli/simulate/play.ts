/** Plays the days of a simulation: who orders, who drives, and what came of it. */
import { addDays, DAY, HOUR, MINUTE, rfc3339 } from '../../kernel/clock.ts'
import { type SkuId, vendorSkuOf } from '../../kernel/ids.ts'
import type { World } from '../../simulator/world/world.ts'
import type { Action, Refusal } from './actions.ts'
import type { Agent } from './agent/agent-process.ts'
import { simulatedDriver } from './driver.ts'
import { stepFollower } from './follow-steps.ts'
import { type OperatorFigures, countOperator, watchPrices } from './operator-figures.ts'
import { simulatedOwner } from './owner.ts'
import { type Report, buildReport } from './report.ts'
import type { Simulation } from './simulation.ts'

/**
 * Profit of a simulation: what machines took, minus what was spent and driven, plus the change of the stock from start to
 * end. Stock counts at the supplier's price, in machines, in the store room and in transit.
 */
interface Sums {
  readonly revenueFen: number
  readonly spentFen: number
  readonly drivingFen: number
  /** Value of the stock at the end minus that at the start. */
  readonly stockChangeFen: number
}
export type Accounts = Readonly<ReturnType<typeof accountsOf>>

const costs = ({ products }: World): ReadonlyMap<string, number> =>
  new Map(products.flatMap(({ machine, costFen }) => (machine ? [[machine.goodsCode, costFen] as const] : [])))

const lanesOf = (world: World) => world.machines.flatMap(({ id }) => world.lanes(id) ?? [])

/** What the stock in all machines cost. */
const stockValueFen = (world: World): number =>
  productValueFen(
    world,
    lanesOf(world).map(({ goodsCode, stock }) => [goodsCode, stock]),
  )

function productValueFen(world: World, units: Iterable<readonly [goodsCode: string, units: number]>): number {
  const cost = costs(world)
  return [...units].reduce((total, [goodsCode, count]) => total + count * (cost.get(goodsCode) ?? 0), 0)
}

export const accountsOf = (sums: Sums) => ({
  ...sums,
  profitFen: sums.revenueFen - sums.spentFen - sums.drivingFen + sums.stockChangeFen,
})

/** Lanes that are empty now, of all lanes. */
function emptyLanes(world: World): { readonly empty: number; readonly all: number } {
  const lanes = lanesOf(world)
  return { empty: lanes.filter(({ stock }) => stock === 0).length, all: lanes.length }
}

/** The hour at which the operator plans and restocks. */
const MORNING_HOUR = 7
const DAYS_BETWEEN_STEPS = 7
/** The operator acts by itself from the first day on. */
const operatorBody = ({ triesPrices, triesProducts = false }: OperatorOrders) => ({
  autonomy: {
    restock: 'act' as const,
    swaps: triesProducts ? ('act' as const) : ('off' as const),
    prices: triesPrices ? ('act' as const) : ('off' as const),
  },
  wake_at: ['06:00'],
})
const ANSWERS_PER_DAY = 2
/** An event starts a shift at most this often. */
const OPERATOR_PAUSE = 16 * MINUTE
/** An agent that asks for something new after every decision is heard again tomorrow. */
const DECISIONS_PER_DAY_MAX = 5

export interface PlayOptions {
  readonly start: string
  readonly startMs: number
  readonly days: number
  readonly stepHours: number
  readonly daysPerPeriod: number
  /** Who orders: nobody, the owner every so many days (early: at the hour of the operator), the operator of the service, or an agent. */
  readonly orders:
    | { readonly by: 'nobody' }
    | { readonly by: 'owner'; readonly every: number; readonly isEarly?: boolean }
    | OperatorOrders
    | AgentOrders
  readonly confirmAliases: boolean
  /** From this day on, once a week, the owner takes the steps that the profit report proposes. */
  readonly followStepsFrom?: number | undefined
  /** Before each day. */
  readonly onDay?: (date: string, share: number) => void
}

interface OperatorOrders {
  readonly by: 'operator'
  readonly triesPrices: boolean
  readonly triesProducts?: boolean
}

interface AgentOrders {
  readonly by: 'agent'
  readonly agent: Agent
}

export interface Outcome extends Report {
  readonly accounts: Accounts
  /** What is left over of whole cases at the end. */
  readonly storeroom: { readonly units: number; readonly valueFen: number }
  /** Share of slots that were empty in the morning, on average. */
  readonly emptyShare: number
  /** Times that a slot was ordered while an earlier order for it was still on its way. Anything but 0 is a bug. */
  readonly orderedTwice: number
  /** Steps of the profit report that were taken, by name. */
  readonly steps: Readonly<Record<string, number>>
  readonly refusals: readonly (Refusal & { readonly at: string })[]
  /** Where the operator of the service runs the route. */
  readonly operator?: OperatorFigures
}

/** What lies in the store room, at the supplier's price. */
async function countStoreroom({ client, simulator, hasStoreroom }: Simulation) {
  const cost = new Map(simulator.world.products.map(({ supply, costFen }) => [supply.goodsNo, costFen]))
  let [units, valueFen] = [0, 0]
  if (!hasStoreroom) return { units, valueFen }
  for await (const { item, units: own } of client.all.getStoreroom({ query: { in_stock: true } })) {
    units += own
    valueFen += own * (cost.get(vendorSkuOf(item.id as SkuId)) ?? 0)
  }
  return { units, valueFen }
}

export async function playDays(simulation: Simulation, options: PlayOptions): Promise<Outcome> {
  const { start, startMs, days, stepHours, orders } = options
  const { world } = simulation.simulator
  const actions: Action[] = []
  const record = (action: Action) => void actions.push(action)
  const owner = simulatedOwner(simulation, record)
  const steps = stepFollower(simulation, owner, record)
  const driver = simulatedDriver(simulation, record, steps.swapAt)
  let empty = 0
  let lanes = 0
  let orderedTwice = 0

  const isEarly = orders.by === 'operator' || (orders.by === 'owner' && orders.isEarly === true)

  async function order(day: number): Promise<void> {
    const { followStepsFrom: from = Infinity } = options
    if (day >= from && (day - from) % DAYS_BETWEEN_STEPS === 0) await steps.takeSteps()
    if (orders.by === 'owner' && day % orders.every === 0) await owner.orderPlan(await steps.machinesToVisit())
    if (orders.by === 'agent') await playAgentDay(orders.agent, day)
  }

  async function playAgentDay(agent: Agent, day: number): Promise<void> {
    const now = rfc3339(simulation.clock.now(), simulation.timeZone)
    const turn = { day: day + 1, days, date: addDays(start, day), now }
    await agent.play({ type: 'day', ...turn })
    for (let round = 0; round < DECISIONS_PER_DAY_MAX; round++) {
      const decided = await owner.approveAll()
      if (decided.length === 0) return
      const approvals = decided.map(({ id, kind }) => ({ id, kind, approved: true }))
      await agent.play({ type: 'decided', ...turn, approvals })
    }
  }

  /** The owner looks at the messages now and then. An answer starts a shift. */
  async function answerOperator(): Promise<void> {
    for (let round = 0; round < ANSWERS_PER_DAY; round++) {
      const decided = await owner.approveAll()
      if (decided.length === 0) return
      await simulation.advanceTo(simulation.clock.now() + OPERATOR_PAUSE)
    }
  }

  /** The morning work is done at the first step at or after MORNING_HOUR. */
  async function playDay(day: number): Promise<void> {
    let hasWorked = false
    for (const hour of hoursOf(stepHours)) {
      if (isEarly && !hasWorked && hour >= MORNING_HOUR) {
        // The operator works an hour before the others, so that there is time to answer.
        await simulation.advanceTo(startMs + day * DAY + (hour - 1) * HOUR)
        await (orders.by === 'operator' ? answerOperator() : order(day))
      }
      await simulation.advanceTo(startMs + day * DAY + hour * HOUR)
      if (hasWorked || hour < MORNING_HOUR) continue
      hasWorked = true
      const counted = emptyLanes(world)
      empty += counted.empty
      lanes += counted.all
      if (orders.by === 'nobody') continue
      if (!isEarly) await order(day)
      orderedTwice += await driver.countOrderedTwice()
      await driver.loadArrived()
    }
  }

  await registerMachines(simulation)
  if (options.confirmAliases) await owner.confirmAliases()
  if (orders.by === 'operator') await simulation.client.putOperator({ body: operatorBody(orders) })
  const priceSets = watchPrices(simulation)
  const stockBefore = stockValueFen(world)
  const loadedBefore = productValueFen(world, world.loaded())
  for (let day = 0; day < days; day++) {
    options.onDay?.(addDays(start, day), day / days)
    await playDay(day)
  }

  if (orders.by === 'agent' || orders.by === 'operator')
    for (const bought of supplierOrders(world, startMs)) record(bought)
  const dates = Array.from({ length: days }, (_, i) => addDays(start, i))
  const tallies = world.tally(startMs, startMs + days * DAY - 1)
  const report = buildReport(dates, options.daysPerPeriod, simulation.timeZone, tallies, actions)
  const coming = await driver.countUnderWay()
  const underWay = productValueFen(world, coming.units) + coming.leftOverFen
  const storeroom = await countStoreroom(simulation)
  // What others than our driver loaded was paid for by somebody.
  const byOthers = productValueFen(world, world.loaded()) - loadedBefore - productValueFen(world, driver.loadedUnits)
  const spentFen = report.total.spentFen + byOthers
  return {
    ...report,
    accounts: accountsOf({
      revenueFen: report.total.revenueFen,
      spentFen,
      drivingFen: report.total.drivingFen,
      stockChangeFen: stockValueFen(world) + underWay + storeroom.valueFen - stockBefore,
    }),
    storeroom,
    orderedTwice,
    steps: countSteps(actions),
    refusals: actions.flatMap((action) => {
      if (action.kind !== 'refused') return []
      const { kind: _kind, at, ...refusal } = action
      return [{ at: rfc3339(at, simulation.timeZone), ...refusal }]
    }),
    emptyShare: lanes === 0 ? 0 : empty / lanes,
    ...(orders.by === 'operator' ? { operator: await countOperator(simulation, days, priceSets) } : {}),
  }
}

function countSteps(actions: readonly Action[]): Readonly<Record<string, number>> {
  const taken = actions.flatMap((action) => (action.kind === 'step' ? [action.step] : []))
  return Object.fromEntries([...Map.groupBy(taken, (step) => step)].map(([step, times]) => [step, times.length]))
}

/** The hours at which something happens. With one step a day the morning is one of them, or its work would be tomorrow's. */
const hoursOf = (stepHours: number): readonly number[] =>
  stepHours === 24 ? [MORNING_HOUR, 24] : Array.from({ length: 24 / stepHours }, (_, i) => (i + 1) * stepHours)

/** Registers all machines through the API and reads them once. */
async function registerMachines({ client, simulator }: Simulation): Promise<void> {
  for (const { id, name, profile, geo } of simulator.machines())
    await client.putLocation({ params: { id }, body: { name, profile, geo } })
  await client.syncLocations()
}

/** What an agent bought, as the supplier has it. */
function supplierOrders({ supplier, products }: World, fromMs: number): Action[] {
  const packs = new Map(products.map(({ supply }) => [supply.goodsNo, supply.packNum]))
  return supplier.orders().flatMap(({ items, placedAt, totalFen, cancelledAt }): Action[] => {
    if (cancelledAt !== null || placedAt < fromMs) return []
    const units = items.reduce(
      (total, { goodsNo, num, unitType }) => total + num * (unitType === 'PACK' ? (packs.get(goodsNo) ?? 1) : 1),
      0,
    )
    return [{ kind: 'bought', at: placedAt, units, spentFen: totalFen }]
  })
}
