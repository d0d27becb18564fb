/** Adds the next step to the first rows of a report, from what they sold, their slots, the rules and the proposed swaps. */
import type { Reply } from '../../../contract/handlers.ts'
import type { ProfitQuery, ProfitRow, ProfitStep } from '../../../contract/shapes/money/sales.ts'
import { addDays, DAY, startOfDay } from '../../../kernel/clock.ts'
import { type LocationId, type SkuId, slotIdOf, vendorSkuOf } from '../../../kernel/ids.ts'
import { yieldToEventLoop } from '../../../lib/concurrency.ts'
import { listAppliedPricesSince } from '../../../acts/pricing/index.ts'
import { loadSwaps } from '../../../acts/replenishment/index.ts'
import { type Rules, readStoredRules } from '../../../rules/guardrails/index.ts'
import { type StoredSlot, listSlots, listSlotsWith } from '../../../route/locations/index.ts'
import type { Context } from '../../../context.ts'
import { type FigureTable, noFigures } from '../figures.ts'
import { type Route, type Selection, loadFigures, loadRoute } from '../load-figures.ts'
import { type Period, dayNumber } from '../period.ts'
import { type NextStep, type StepSlot, type StepSubject, type StepSwap, nextStep } from './next-step.ts'

const ROWS_MAX = 20
/** Fewer days say too little about what a slot sells. */
const DAYS_MIN = 28
const NEW_MS = 14 * DAY
/** A product in more slots than these is judged by them. */
const SLOTS_MAX = 2000

type Body = Reply<'getProfit'>['body']

/** `only`: steps for the machine as a whole; those for its products are proposed elsewhere. */
export async function addSteps(
  ctx: Context,
  { by }: Pick<ProfitQuery, 'by'>,
  body: Body,
  only?: 'machine',
): Promise<Body> {
  const known = await loadKnown(ctx, body.period, only === 'machine')
  const rows: ProfitRow[] = []
  for (const [i, row] of body.rows.entries()) {
    const id = row.key.location ?? row.key.item?.id
    if (i < ROWS_MAX && id !== undefined && !isNew(ctx, known.route, row)) {
      const subject = await loadSubject(ctx, known, by === 'product' ? 'product' : 'location', id)
      // A product that no machine holds any more has sold, but nothing is left to do about it.
      const isHeld = subject.kind === 'machine' || subject.slots.length > 0
      rows.push(isHeld ? { ...row, next_step: stepView(nextStep(subject)) } : row)
    } else rows.push(row)
    await yieldToEventLoop()
  }
  return { ...body, rows }
}

/** Of a machine as a whole, over the days of a period. */
export async function loadMachine(ctx: Context, location: LocationId, { from, to }: Days): Promise<StepSubject> {
  const days = dayNumber(to) - dayNumber(from) + 1
  const known = { route: await loadRoute(ctx), period: { from, to, days }, rules: undefined, swaps: [] }
  return loadSubject(ctx, known, 'location', location)
}

/** What has just been set up has sold nothing yet, and that says nothing about it. */
const isNew = ({ clock }: Context, { roster }: Route, { key, units }: ProfitRow): boolean =>
  units === 0 && (roster.get(key.location ?? '')?.registeredAt ?? 0) > clock.now() - NEW_MS

type Days = Pick<Period, 'from' | 'to'>

interface Known {
  readonly route: Route
  readonly period: Period
  readonly rules: Rules | undefined
  readonly swaps: readonly StepSwap[]
}

async function loadKnown(ctx: Context, { from, to }: Days, isWhole: boolean): Promise<Known> {
  const days = Math.max(DAYS_MIN, dayNumber(to) - dayNumber(from) + 1)
  const rules = isWhole ? undefined : ctx.readRules(await readStoredRules(ctx.store.db)).rules
  return {
    route: await loadRoute(ctx),
    period: { from: addDays(to, 1 - days), to, days },
    rules,
    swaps: rules ? await listProposals(ctx, rules) : [],
  }
}

async function listProposals(ctx: Context, rules: Rules): Promise<readonly StepSwap[]> {
  const { proposals, titles } = await loadSwaps(ctx, rules)
  const itemOf = ({ sku }: { readonly sku: string }) => ({ id: sku, title: titles.get(sku) ?? sku })
  return proposals.map(({ slotId, location, out, in: better, weeklyGainFen }) => ({
    slotId,
    location,
    out: itemOf(out),
    in: itemOf(better),
    weeklyGain: weeklyGainFen,
  }))
}

async function loadSubject(
  ctx: Context,
  { route, period, rules, swaps }: Known,
  by: 'location' | 'product',
  id: string,
): Promise<StepSubject> {
  const only: Pick<Selection, 'location' | 'product'> =
    by === 'location' ? { location: id as LocationId } : { product: id as SkuId }
  const sold = await loadFigures(ctx, route, { by: 'slot', ...only }, period)
  const whole = await loadFigures(ctx, route, { by, ...only }, period)
  const slots = await loadSlots(ctx, only)
  const pricedAt = await listPriced(ctx, slots, startOfDay(period.from, ctx.config.timeZone))
  const { priceCapPerItem, priceDriftPerWeek = Infinity } = rules ?? {}
  return {
    kind: by === 'location' ? 'machine' : 'product',
    days: period.days,
    figures: whole.rows.get(id) ?? noFigures(),
    slots: slots.map((slot) => stepSlot(slot, sold, pricedAt)),
    swaps: swaps.filter(({ location, out }) => (by === 'location' ? location === id : out.id === id)),
    priceRiseMax: priceCapPerItem === undefined ? undefined : Math.min(priceCapPerItem, priceDriftPerWeek),
  }
}

async function loadSlots(
  { store }: Context,
  { location, product }: Pick<Selection, 'location' | 'product'>,
): Promise<readonly StoredSlot[]> {
  if (location !== undefined) return listSlots(store.db, [location])
  if (product === undefined) return []
  const holding = await listSlotsWith(store.db, [product], SLOTS_MAX)
  const slots = await listSlots(store.db, [...new Set(holding.map((each) => each.location))])
  return slots.filter(({ skuId }) => skuId === product)
}

/** Slots whose price changed since. */
async function listPriced(
  { store }: Context,
  slots: readonly StoredSlot[],
  since: number,
): Promise<ReadonlySet<string>> {
  const priced = new Set<string>()
  for (const location of new Set(slots.map((slot) => slot.location)))
    for (const { lines } of await listAppliedPricesSince(store.db, location, since))
      for (const { skuId } of lines) priced.add(slotIdOf(location, vendorSkuOf(skuId)))
  return priced
}

function stepSlot(slot: StoredSlot, sold: FigureTable, pricedAt: ReadonlySet<string>): StepSlot {
  const { location, slotId, skuId, title, price, capacity, par, locked } = slot
  const { units, revenue, cost, knownRevenue, losses } = sold.rows.get(`${location} ${skuId}`) ?? noFigures()
  // Lanes of different prices are a price of their own choice.
  const isOnePrice = (slot.lanes ?? []).every((lane) => lane.priceFen === price)
  return {
    location,
    slotId,
    skuId,
    title,
    units,
    revenue,
    cost,
    knownRevenue,
    losses,
    price: isOnePrice && !locked ? price : null,
    capacity,
    par,
    wasPricedLately: pricedAt.has(slotId),
  }
}

const slotView = ({ location, slotId, skuId, title }: StepSlot) => ({
  location,
  slot_id: slotId,
  item: { id: skuId, title },
})

function stepView(next: NextStep): ProfitStep {
  const common = { step: next.step, gain_per_week: Math.round(next.gainPerWeek) }
  switch (next.step) {
    case 'raise_price':
      return {
        ...common,
        slots: next.prices.map(({ slot, from, to }) => ({ ...slotView(slot), price: from, new_price: to })),
      }
    case 'less_stock':
      return { ...common, slots: next.pars.map(({ slot, par }) => ({ ...slotView(slot), par })) }
    case 'swap':
      return {
        ...common,
        slots: next.swaps.map(({ location, slotId, out, in: better }) => ({
          location,
          slot_id: slotId,
          item: out,
          in: better,
        })),
      }
    case 'fewer_visits':
      return { ...common, visit_every_days: next.everyDays }
    case 'renegotiate':
      return { ...common, bearable_per_week: Math.round(next.bearable) }
    case 'none':
      return { ...common, because: next.because }
    case 'remove':
      return common
  }
}
