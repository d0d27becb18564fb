/** What became of a line of a run. Pure. */
import type { PickList } from '../../../contract/shapes/pick-list.ts'
import type { ReplenishmentRun, RunLineItem } from '../../../contract/shapes/run.ts'
import type { Tone } from '../../lib/text/tone.ts'

type LineOutcome =
  | 'not_ordered'
  | 'in_storeroom'
  | 'to_order'
  | 'ordered'
  | 'received'
  | 'partly_received'
  | 'not_received'

export const OUTCOME_TONE: Readonly<Record<LineOutcome, Tone>> = {
  not_ordered: 'calm',
  in_storeroom: 'info',
  to_order: 'warn',
  ordered: 'info',
  received: 'ok',
  partly_received: 'warn',
  not_received: 'warn',
}

type Purchase = NonNullable<ReplenishmentRun['checkouts']>[number]

/** Purchases of a placed run that a person still has to confirm: until then the supplier has no order. */
export const openPurchases = ({
  status,
  checkouts = [],
}: Pick<ReplenishmentRun, 'status' | 'checkouts'>): readonly Purchase[] =>
  status === 'placed'
    ? checkouts.filter((each) => each.status === 'incomplete' || each.status === 'ready_for_complete')
    : []

/** Linking a product still changes what is ordered. */
export const isBeforeOrder = ({ status }: Pick<ReplenishmentRun, 'status'>): boolean =>
  status === 'pending_approval' || status === 'approved'

/** A real supplier delivers none of them. */
export const linesWithoutSupplier = ({ line_items }: Pick<ReplenishmentRun, 'line_items'>): readonly RunLineItem[] =>
  line_items.filter(({ source, status }) => source === undefined && status !== 'removed')

const isStored = ({ from_storeroom: units = 0, quantity }: Pick<RunLineItem, 'from_storeroom' | 'quantity'>): boolean =>
  units > 0 && units >= quantity.total

/** The store room gives everything, so nothing is bought. */
export function isFromStoreroom({
  line_items,
  checkouts = [],
}: Pick<ReplenishmentRun, 'line_items' | 'checkouts'>): boolean {
  const active = line_items.filter(({ status }) => status !== 'removed')
  return checkouts.length === 0 && active.length > 0 && active.every(isStored)
}

/** Units of a run that the store room gives. */
export const unitsFromStoreroom = ({ line_items }: Pick<ReplenishmentRun, 'line_items'>): number =>
  line_items.reduce((sum, { from_storeroom: units = 0, status }) => sum + (status === 'removed' ? 0 : units), 0)

type Lines = Pick<ReplenishmentRun, 'line_items'> & Partial<Pick<ReplenishmentRun, 'status'>>

/** Left out of the receipt of its run: it was ordered and paid, and nothing of it was loaded. */
const isLeftOut = (
  { status: run }: Partial<Pick<ReplenishmentRun, 'status'>>,
  { status, totals = [] }: Pick<RunLineItem, 'status'> & Partial<Pick<RunLineItem, 'totals'>>,
): boolean => run === 'delivered' && status === 'removed' && totals.some(({ amount }) => amount > 0)

/** Units that suppliers bring for each line. A line that was left out of the receipt says it only by what was paid for it. */
const suppliedLines = (run: Lines) =>
  run.line_items.flatMap((line) => {
    const { quantity, from_storeroom: stored = 0, item, source } = line
    if (isLeftOut(run, line)) {
      const paid = line.totals.find(({ type }) => type === 'total')?.amount ?? 0
      return item.price > 0 ? [{ item, source, units: Math.round(paid / item.price) }] : []
    }
    return line.status === 'removed' ? [] : [{ item, source, units: quantity.total - stored }]
  })

/** The supplier products of which more is ordered than the lines need. */
export function roundedProducts(run: Lines) {
  return [...Map.groupBy(suppliedLines(run), ({ source }) => source?.sku_id)].flatMap(([sku, lines]) => {
    const [first] = lines
    const ordered = first?.source?.ordered
    if (sku === undefined || first === undefined || ordered === undefined) return []
    return [{ product: first.item.title, sku, needed: lines.reduce((sum, { units }) => sum + units, 0), ordered }]
  })
}

/** Units that the machines need of suppliers, and units that are bought for it: more where suppliers sell whole cases. */
export function supplyOf(run: Lines): { readonly needed: number; readonly bought: number } {
  const extra = roundedProducts(run).reduce((sum, { needed, ordered }) => sum + ordered - needed, 0)
  const needed = suppliedLines(run).reduce((sum, { units }) => sum + units, 0)
  return { needed, bought: needed + extra }
}

/** What a run brings to a slot: of which product of a supplier, and how many of it the store room gives. */
export interface Load {
  readonly slot: string
  readonly source?: string | undefined
  readonly stored?: number | undefined
  readonly units: number
}

export type Came = readonly { readonly item: { readonly id: string }; readonly quantity: number }[]

export const loadOf = ({
  slot_id: slot,
  source,
  from_storeroom: stored,
  quantity,
}: Pick<RunLineItem, 'slot_id' | 'source' | 'from_storeroom' | 'quantity'>): Load => ({
  slot,
  source: source?.sku_id,
  stored,
  units: quantity.total,
})

/**
 * By slot: what a person is asked to confirm as loaded. What the run brings, unless less came: then the first slots get it.
 * `came` is undefined where everything came.
 */
export function loadsOf(loads: readonly Load[], came: Came | undefined): ReadonlyMap<string, number> {
  const left = new Map(came?.map(({ item, quantity }) => [item.id, quantity]))
  return new Map(
    loads.map(({ slot, source, stored = 0, units }) => {
      const there = source === undefined ? undefined : left.get(source)
      if (source === undefined || there === undefined) return [slot, units]
      const given = Math.min(there, Math.max(0, units - stored))
      left.set(source, there - given)
      return [slot, Math.min(units, stored) + given]
    }),
  )
}

/** What is left of a delivery after these slots got theirs. */
export function leftOf(came: Came, loads: readonly Load[]): Came {
  const taken = new Map<string, number>()
  for (const { source = '', stored = 0, units } of loads)
    taken.set(source, (taken.get(source) ?? 0) + Math.max(0, units - stored))
  return came.map(({ item, quantity }) => ({ item, quantity: Math.max(0, quantity - (taken.get(item.id) ?? 0)) }))
}

export interface Overfull {
  readonly slot: string
  readonly title: string
  readonly loaded: number
  readonly fits: number
  readonly stock: number
  readonly capacity: number
}

/** Loaded beyond the room that the book knows: either fewer went in, or fewer were there. Only a person can tell. */
export function overfullSlots(
  list: Pick<PickList, 'stops'> | undefined,
  loadedOf: (slot: string) => number,
): readonly Overfull[] {
  return (list?.stops ?? []).flatMap(({ status, lines }) =>
    lines.flatMap(({ slot_id: slot, item, expected_stock: stock, capacity }) => {
      if (status === 'received' || stock === null || capacity === null) return []
      const fits = Math.max(0, capacity - stock)
      const loaded = loadedOf(slot)
      return loaded > fits ? [{ slot, title: item.title, loaded, fits, stock, capacity }] : []
    }),
  )
}

/** A product that was taken out of its purchase is not ordered: the pick list counts what the purchases contain now. */
export function withoutUnbought(run: ReplenishmentRun, list: Pick<PickList, 'products'> | undefined): ReplenishmentRun {
  const unbought = new Set(
    // Units of a purchase that is not completed yet are to be loaded, but not bought.
    list?.products.flatMap(({ bought, units, source }) => (bought === 0 && units === 0 && source) || []),
  )
  const isUnbought = ({ source, quantity }: RunLineItem) =>
    source !== undefined && unbought.has(source.sku_id) && quantity.fulfilled === 0
  const line_items = run.line_items.map((line) => (isUnbought(line) ? { ...line, status: 'removed' as const } : line))
  return { ...run, line_items }
}

/** Undefined before the run is ordered or closed. A canceled purchase leaves its lines in the run. */
export function lineOutcome(
  run: Pick<ReplenishmentRun, 'status' | 'checkouts' | 'visits'>,
  line: Pick<RunLineItem, 'status' | 'source' | 'location' | 'quantity' | 'from_storeroom'> &
    Partial<Pick<RunLineItem, 'totals'>>,
): LineOutcome | undefined {
  const { status, source, location, quantity } = line
  if (isBeforeOrder(run)) return undefined
  if (isLeftOut(run, line)) return 'not_received'
  if (run.status === 'rejected' || status === 'removed') return 'not_ordered'
  if (status === 'fulfilled') return 'received'
  if (quantity.fulfilled > 0) return 'partly_received'
  const isReceived = run.visits?.find((visit) => visit.location === location)?.status === 'received'
  if (isStored(line)) return run.status === 'delivered' || isReceived ? 'not_received' : 'in_storeroom'
  const purchases = (run.checkouts ?? []).filter(({ vendor }) => source?.sku_id.startsWith(`${vendor}:`))
  if (purchases.length > 0 && purchases.every((purchase) => purchase.status === 'canceled')) return 'not_ordered'
  if (run.status === 'delivered' || isReceived) return 'not_received'
  const isOrdered = purchases.length === 0 || purchases.some((purchase) => purchase.status === 'completed')
  return isOrdered ? 'ordered' : 'to_order'
}
