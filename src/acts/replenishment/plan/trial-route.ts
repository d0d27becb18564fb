/** The route as trials see it: what each product sells in each machine, and its days in stock. */
import { DAY } from '../../../kernel/clock.ts'
import type { LocationId, SkuId, SlotId } from '../../../kernel/ids.ts'
import { fen } from '../../../kernel/fen.ts'
import { chunk, yieldToEventLoop } from '../../../lib/concurrency.ts'
import type { Context } from '../../../context.ts'
import { listLocations, listSlots } from '../../../route/locations/index.ts'
import { listLedgerCoverage, loadLedgerMachines } from '../../../route/sales/index.ts'
import { findSources, readSupplierCosts } from '../../../route/skus/index.ts'
import {
  type CountDays,
  type RouteSlot,
  type RouteSource,
  type SwapState,
  isOpenTrial,
  listTrials,
} from '../../trials/index.ts'
import { type SlotSalesHistory, slotSalesHistories } from '../forecasts/score.ts'
import { findSwapOf, loadMachineIds, madeAs } from '../swaps/records.ts'
import { swapBack } from '../swaps/swap-back.ts'
import { type CurrentPlan, computePlan } from './get-plan.ts'
import { readMachines } from './load-input.ts'

const MACHINES_AT_ONCE = 5

export const routeSource = (ctx: Context): RouteSource => ({
  loadSlots: () => loadSlots(ctx),
  loadDays: (locations, days) => loadDays(ctx, locations, days),
  findSwap: (decision) => findSwapState(ctx, decision),
  swapBack: (back) => swapBack(ctx, back),
})

async function findSwapState({ store: { db } }: Context, decision: string): Promise<SwapState | undefined> {
  const swap = await findSwapOf(db, decision)
  if (!swap) return undefined
  // A product of the platform has its name whether the machine reports it or not.
  const isNew = swap.priceFen !== undefined
  const slots = isNew ? new Set<string>((await listSlots(db, [swap.location])).map(({ slotId }) => slotId)) : undefined
  return { ...swap, sku: slots ? madeAs(swap, slots, await loadMachineIds(db, [swap])) : swap.toSku }
}

export async function loadSlots(ctx: Context, current?: CurrentPlan): Promise<readonly RouteSlot[]> {
  const { input, plan } = current ?? (await computePlan(ctx))
  const ids = [...new Set([...input.slots.values()].map(({ skuId }) => skuId))]
  const sources = await findSources(ctx, ids)
  const supplier = await readSupplierCosts(ctx, ids)
  // A product that is on trial in a slot keeps its price there, and is no yardstick for others.
  const onTrial = new Set<string>(
    (await listTrials(ctx.store.db, 'swap'))
      .filter(isOpenTrial)
      .flatMap(({ slotId, members }) => [
        slotId ?? '',
        ...members.filter(({ swap }) => swap).map((each) => each.slotId),
      ]),
  )
  /** The higher of what the ledger and the suppliers say, as the rule about margins does. */
  const costOf = (sku: SkuId, known: number | undefined) => {
    const cost = supplier.get(sku)
    return typeof cost === 'number' ? Math.max(cost, known ?? 0) : cost === 'unread' ? undefined : known
  }
  return plan.areas.flatMap(({ machines }) =>
    machines.flatMap(({ rated }) => {
      const machine = input.locations.get(rated.machine.location as LocationId)
      if (!machine) return []
      return rated.slots.flatMap(({ slot, rate, observation }): RouteSlot[] => {
        const stored = input.slots.get(slot.slotId)
        if (!stored || slot.priceFen <= 0) return []
        return [
          {
            location: machine.id,
            locationName: machine.name ?? machine.id,
            namespace: machine.namespace,
            venueType: machine.profile.venueType,
            slotId: slot.slotId as SlotId,
            sku: stored.skuId,
            title: stored.title,
            category: sources.get(stored.skuId)?.category,
            priceFen: fen(slot.priceFen),
            costFen: costOf(stored.skuId, slot.costFen),
            rate,
            units: observation.rateUnits,
            days: observation.rateDays,
            isFixed: slot.locked || slot.isPhasedOut === true || slot.blocked !== undefined || onTrial.has(slot.slotId),
          },
        ]
      })
    }),
  )
}

export async function loadDays(ctx: Context, locations: readonly LocationId[], days: number): Promise<CountDays> {
  const { db } = ctx.store
  const now = ctx.clock.now()
  const coverage = new Map((await listLedgerCoverage(db)).map((each) => [each.namespace, each]))
  const window = {
    now,
    days,
    completeFrom: now - days * DAY,
    timeZone: ctx.config.timeZone,
    coverage,
    machines: await loadLedgerMachines(db),
  }
  const wanted = new Set<string>(locations)
  const roster = (await listLocations(db)).filter(({ id }) => wanted.has(id))
  const counted = new Map<string, CountedDays>()
  for (const part of chunk(roster, MACHINES_AT_ONCE)) {
    const { machines } = await readMachines(db, part, window)
    for (const machine of machines) {
      const namespace = part.find(({ id }) => id === machine.location)?.namespace
      const until = (namespace && coverage.get(namespace)?.to) ?? 0
      for (const [slotId, history] of slotSalesHistories(machine, now, days, until))
        counted.set(slotId, toDays(history))
    }
    await yieldToEventLoop()
  }
  return (slotId, from, until) => countBetween(counted.get(slotId), from, until)
}

interface CountedDays extends SlotSalesHistory {
  readonly units: Float64Array
}

function toDays(history: SlotSalesHistory): CountedDays {
  const { starts } = history.calendar
  const { at, units } = history.sales
  const perDay = new Float64Array(starts.length)
  let day = 0
  for (let i = 0; i < at.length; i++) {
    if (at[i]! < starts[0]!) continue
    while (day + 1 < starts.length && at[i]! >= starts[day + 1]!) day++
    perDay[day]! += units ? units[i]! : 1
  }
  return { ...history, units: perDay }
}

function countBetween(history: CountedDays | undefined, from: number, until: number) {
  let [units, days, squares] = [0, 0, 0]
  if (!history) return { units, days, squares }
  const { calendar, usual, coveredFrom, coveredUntil } = history
  for (let i = 0; i + 1 < usual.length; i++) {
    const [start, end] = [calendar.starts[i]!, calendar.starts[i + 1]!]
    if (start < Math.max(from, coveredFrom) || end > Math.min(until, coveredUntil)) continue
    const weight = usual[i + 1]! - usual[i]!
    if (weight === 0) continue
    const sold = history.units[i]!
    units += sold
    days += weight
    squares += sold * sold
  }
  return { units, days, squares }
}
