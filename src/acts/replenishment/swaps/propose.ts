/** The swaps of the route now: proposals from the current plan, and those that were accepted before. */
import { DAY } from '../../../kernel/clock.ts'
import type { LocationId, SkuId } from '../../../kernel/ids.ts'
import type { Context } from '../../../context.ts'
import type { Rules } from '../../../rules/guardrails/index.ts'
import { type Source, findIdentities, findSources, findUnheld, loadPhaseOuts } from '../../../route/skus/index.ts'
import {
  type Trial,
  elasticityOf,
  isOpenTrial,
  listTrials,
  measuredPrices,
  measuredSwaps,
  shareOf,
} from '../../trials/index.ts'
import { listOpenLaneChanges } from '../layouts/records.ts'
import { type CurrentPlan, computePlan } from '../plan/get-plan.ts'
import { matchingNoGo } from '../runs/create/draft-lines.ts'
import { type NewProducts, type Swap, type SwapMachine, proposeSwaps } from './choose.ts'
import { priceNewProducts } from './new-products.ts'
import { type SlotSwap, isMade, isOpenSwap, listSwaps, loadMachineIds } from './records.ts'
import type { SwapNames } from './texts.ts'

/** A swap that the owner rejected or somebody canceled is not proposed again for this long: sales change with the season. */
const DECLINED_MS = 90 * DAY
/** Nor is a product that was tried in the machine and taken back. */
const TAKEN_BACK_MS = 180 * DAY

const isDeclined = ({ status, changedAt }: SlotSwap, now: number): boolean =>
  (status === 'rejected' || status === 'canceled') && now - changedAt < DECLINED_MS

const wasTakenBack = ({ status, endedAt }: Trial, now: number): boolean =>
  status === 'taken_back' && now - (endedAt ?? now) < TAKEN_BACK_MS

export interface RouteSwaps extends SwapNames {
  readonly proposals: readonly Swap[]
  readonly accepted: readonly SlotSwap[]
  /** Of products, the newest first. */
  readonly trials: readonly Trial[]
  readonly categoryOf: (sku: string) => string | undefined
  readonly current: CurrentPlan
}

type SwapRules = Pick<Rules, 'noGos' | 'newProducts' | 'minimumMarginPercent'>

export async function loadSwaps(ctx: Context, rules: SwapRules): Promise<RouteSwaps> {
  const current = await computePlan(ctx)
  const now = ctx.clock.now()
  const stored = await listSwaps(ctx.store.db)
  const idsOf = await loadMachineIds(ctx.store.db, stored)
  const accepted = stored.map((swap) =>
    isMade(swap, current.input.slots, idsOf) ? { ...swap, status: 'done' as const, changedAt: now } : swap,
  )
  const titles = new Map<string, string>(stored.map(({ toSku, toTitle }) => [toSku, toTitle]))
  for (const { skuId, title } of current.input.slots.values()) titles.set(skuId, title)
  const held = new Set<SkuId>([...current.input.slots.values()].map(({ skuId }) => skuId))
  const sources = await findSources(ctx, [...held])
  const isPhasedOut = await loadPhaseOuts(ctx.store.db)
  const open = accepted.filter(isOpenSwap)
  const trials = await listTrials(ctx.store.db, 'swap')
  const running = trials.filter(isOpenTrial)
  const lanes = await listOpenLaneChanges(ctx.store.db)
  const changing = new Set(lanes.flatMap(({ location, from, to }) => [`${location} ${from}`, `${location} ${to}`]))
  const openSlots = new Set<string>([
    ...open.map(({ slotId }) => slotId),
    ...running.flatMap(({ members }) => members.flatMap(({ role, slotId }) => (role === 'treated' ? [slotId] : []))),
  ])
  const takenBack = new Set(
    trials
      .filter((trial) => wasTakenBack(trial, now))
      .flatMap(({ sku, members }) => members.flatMap((each) => (each.swap ? [`${each.location} ${sku}`] : []))),
  )
  const categoryOf = (sku: string) => sources.get(sku as SkuId)?.category
  const measured = measuredSwaps(trials)
  // A machine may not report a swap that a person made; its product is not proposed for another slot.
  const made = accepted.filter(({ status, changedAt }) => status === 'done' && now - changedAt < DECLINED_MS)
  const expected = new Set([...open, ...made].map(({ location, toSku }) => `${location} ${toSku}`))
  const declined = new Set(
    accepted.filter((swap) => isDeclined(swap, now)).map(({ slotId, toSku }) => `${slotId} ${toSku}`),
  )
  const mayPropose = (sku: string, location: string, slotId: string) => {
    const skuId = sku as SkuId
    const source = sources.get(skuId)
    return (
      source !== undefined &&
      !isPhasedOut(sku, location) &&
      !declined.has(`${slotId} ${sku}`) &&
      !expected.has(`${location} ${sku}`) &&
      !takenBack.has(`${location} ${sku}`) &&
      matchingNoGo(rules, { skuId, title: titles.get(skuId) ?? '' }, source) === undefined
    )
  }
  const machines = swapMachines(current, {
    categoryOf,
    isFixed: (slotId, location, sku) => openSlots.has(slotId) || changing.has(`${location} ${sku}`),
    trialsAt: (location) => running.filter((trial) => locationOf(trial) === location).length,
  })
  const untried = rules.newProducts
    ? await loadNewProducts(
        ctx,
        { held, machines, sources, titles, isPhasedOut, minimumMargin: rules.minimumMarginPercent },
        [
          ...open.map(({ toSku }) => toSku),
          ...made.map(({ toSku }) => toSku),
          ...accepted.filter((swap) => isDeclined(swap, now)).map(({ toSku }) => toSku),
          ...trials.filter((trial) => isOpenTrial(trial) || wasTakenBack(trial, now)).map(({ sku }) => sku),
        ],
      )
    : undefined
  const proposals = proposeSwaps(machines, mayPropose, (subject) => shareOf(measured, subject), untried)
  const machineName = (location: string) => current.input.locations.get(location as LocationId)?.name
  return { proposals, accepted, trials, categoryOf, current, titles, machineName }
}

interface KnownProducts {
  readonly held: ReadonlySet<SkuId>
  readonly machines: readonly SwapMachine[]
  /** Those of new products are added. */
  readonly sources: Map<SkuId, Source>
  readonly titles: Map<string, string>
  readonly isPhasedOut: (sku: string, location: string) => boolean
  readonly minimumMargin: number | undefined
}

/** Those of suppliers that no machine holds, with a price. `busy`: accepted, declined or taken back somewhere. */
async function loadNewProducts(
  ctx: Context,
  { held, machines, sources, titles, isPhasedOut, minimumMargin }: KnownProducts,
  busy: readonly SkuId[],
): Promise<NewProducts> {
  const isBusy = new Set<string>(busy)
  const found = (await findUnheld(ctx, held)).filter(
    ({ skuId, machineIds }) => !isBusy.has(skuId) && !machineIds.some((id) => isBusy.has(id) || isPhasedOut(id, '')),
  )
  const products = priceNewProducts(
    found.map(({ skuId, machineIds, category, priceFen, smallestOrder }) => ({
      sku: skuId,
      machineIds,
      category,
      costFen: priceFen,
      smallestOrder,
    })),
    machines.flatMap(({ slots }) => slots),
    (sku) => sources.get(sku as SkuId)?.priceFen,
    minimumMargin,
  )
  const priced = new Set(products.map(({ sku }) => sku))
  const chosen = found.filter(({ skuId }) => priced.has(skuId))
  const identities = await findIdentities(
    ctx.store.db,
    chosen.map(({ skuId }) => skuId),
  )
  for (const product of chosen)
    for (const id of [product.skuId, ...product.machineIds]) {
      sources.set(id, { ...product, aliases: identities.get(product.skuId) ?? [] })
      titles.set(id, titles.get(id) ?? product.title)
    }
  const measured = measuredPrices(await listTrials(ctx.store.db, 'price'))
  return { products, elasticityOf: (subject) => elasticityOf(measured, subject) }
}

/** The machine in which a product is on trial. */
export const locationOf = ({ members }: Pick<Trial, 'members'>): string | undefined =>
  members.find(({ role }) => role === 'treated')?.location

interface MachineFacts {
  readonly categoryOf: (sku: string) => string | undefined
  /** A slot that changes already stays as it is. */
  readonly isFixed: (slotId: string, location: string, sku: string) => boolean
  readonly trialsAt: (location: string) => number
}

/** The planned machines. */
function swapMachines({ input, plan }: CurrentPlan, { categoryOf, isFixed, trialsAt }: MachineFacts): SwapMachine[] {
  const held = Map.groupBy(input.slots.values(), ({ location }) => location)
  return plan.areas.flatMap(({ machines }) =>
    machines.flatMap(({ rated }): SwapMachine[] => {
      const { location } = rated.machine
      const known = input.locations.get(location as LocationId)
      if (!known) return []
      return [
        {
          location,
          namespace: known.namespace,
          venueType: known.profile.venueType,
          heldSkus: new Set((held.get(known.id) ?? []).map(({ skuId }) => skuId)),
          trials: trialsAt(location),
          slots: rated.slots.map(({ slot, rate, marginFen, observation }) => ({
            slotId: slot.slotId,
            sku: slot.sku,
            category: categoryOf(slot.sku),
            priceFen: slot.priceFen,
            rate,
            marginFen,
            units: observation.rateUnits,
            days: observation.rateDays,
            isFixed:
              slot.locked || slot.isInTransit || slot.isPhasedOut === true || isFixed(slot.slotId, location, slot.sku),
          })),
        },
      ]
    }),
  )
}
