/** The pick list of a run: what goes into the van, and from the van into each machine. Pure. */
import type { PickLine, PickList, PickProduct, PickStop } from '../../../../contract/shapes/pick-list.ts'
import { addDays, localDay, rfc3339 } from '../../../../kernel/clock.ts'
import type { SkuId } from '../../../../kernel/ids.ts'
import { compareText } from '../../../../kernel/text.ts'
import { type StoredSlot, laneNameOf } from '../../../../route/locations/index.ts'
import type { ShelfLife, SupplyDetails } from '../../../../route/skus/index.ts'
import { splitUnits } from '../../planner/trips/split.ts'
import { type Run, type RunLine, lineUnits, missingUnits, storeroomUnits, unitsToBuy } from '../run.ts'

/** What a slot is expected to sell until the visit after this one, and how many units fit in. */
export interface SlotOutlook {
  readonly demand: number
  readonly room: number
}

export interface PickFacts {
  /** By slot id. */
  readonly slots: ReadonlyMap<string, StoredSlot>
  readonly details: ReadonlyMap<SkuId, SupplyDetails>
  /** Units that the purchases of the run bring, by supplier product; undefined: nothing is ordered from a supplier. */
  readonly purchased: ReadonlyMap<SkuId, number> | undefined
  /** Of these, units in purchases that were completed. */
  readonly completed?: ReadonlyMap<SkuId, number> | undefined
  /** By slot id; undefined: the quantities stay as planned. */
  readonly outlook: ReadonlyMap<string, SlotOutlook> | undefined
  /** Products that are not ordered any more, of the route or of one machine. */
  readonly isPhasedOut: (skuId: string, location: string) => boolean
  /** Spare units stay there instead of going into the van. */
  readonly hasStoreroom: boolean
  readonly timeZone: string
  /** By product: how long it may stay in a machine. */
  readonly shelfLives: ReadonlyMap<SkuId, ShelfLife>
  readonly now: number
  /** Of open stops: lanes to give to another product. */
  readonly laneChanges: readonly LaneChangeToMake[]
  /** Of open stops: units to take out for another machine. */
  readonly moves: readonly MoveToMake[]
}

type LaneChangeToMake = { readonly location: string } & NonNullable<PickStop['lane_changes']>[number]

type MoveToMake = { readonly location: string } & NonNullable<PickStop['moves']>[number]

type PickListBody = Omit<PickList, 'ucp'>

/** Machine products with the same supplier product are the same product. */
const productKey = ({ source, skuId }: RunLine): SkuId => source ?? skuId

/** `lines`: those that were delivered, or may still be. */
export function pickList(run: Run, lines: readonly RunLine[], facts: PickFacts): PickListBody {
  const bought = boughtUnits(lines, facts.purchased)
  const quantities = new Map<number, number>()
  const products = [...Map.groupBy(lines, productKey)].map(([key, own]): PickProduct => {
    const { unitsByLine, spare } = spreadUnits(own, bought.get(key) ?? 0, facts)
    for (const [n, quantity] of unitsByLine) quantities.set(n, quantity)
    const days = facts.shelfLives.get(own[0]!.skuId)?.days
    const brought = facts.completed ?? facts.purchased
    const purchased = brought ? (brought.get(key) ?? 0) : own.reduce((sum, line) => sum + unitsToBuy(line), 0)
    const { hasStoreroom } = facts
    const counts = { bought: purchased, spare, hasStoreroom, ...(days === undefined ? {} : { days }) }
    return productView(key, own, unitsByLine, counts, facts.details.get(key))
  })
  return {
    run: run.id,
    status: run.status,
    refreshed: facts.outlook !== undefined,
    units: products.reduce((total, { units }) => total + units, 0),
    products: products.toSorted(byCategory),
    stops: stopViews(run, lines, quantities, facts),
  }
}

/** Units of each product: what the store room gives, and what its purchases contain or, without a supplier, the lines need. */
function boughtUnits(lines: readonly RunLine[], purchased: PickFacts['purchased']): ReadonlyMap<SkuId, number> {
  const units = new Map<SkuId, number>()
  for (const line of lines) {
    const key = productKey(line)
    const given = purchased ? storeroomUnits(line) : lineUnits(line)
    units.set(key, (units.get(key) ?? purchased?.get(key) ?? 0) + given)
  }
  return units
}

/** Stops that were received have what they got; what is left goes to the others. */
function spreadUnits(lines: readonly RunLine[], bought: number, { slots, outlook, isPhasedOut }: PickFacts) {
  /** By line number: what goes, or went, into its slot. */
  const unitsByLine = new Map<number, number>()
  const open: RunLine[] = []
  for (const line of lines)
    if (line.deliveredAt === undefined) open.push(line)
    else unitsByLine.set(line.n, line.delivered ?? 0)
  let left = Math.max(0, bought - [...unitsByLine.values()].reduce((sum, units) => sum + units, 0))
  const give = (line: RunLine, units: number) => {
    unitsByLine.set(line.n, units)
    left -= units
  }
  // Without a known stock nothing better than the plan is known.
  const isEnding = ({ skuId, location }: RunLine) => isPhasedOut(skuId, location)
  // A machine that phases the product out gets none while another one wants it.
  const isWantedElsewhere = open.some((line) => !isEnding(line))
  const getsNothing = (line: RunLine) => {
    const slot = slots.get(line.slotId)
    return outlook !== undefined && (!slot || slot.locked || (isWantedElsewhere && isEnding(line)))
  }
  const isSplit = (line: RunLine) => outlook?.has(line.slotId) === true && !getsNothing(line)
  for (const line of open)
    if (!isSplit(line)) give(line, getsNothing(line) ? 0 : Math.min(line.quantity - missingUnits(line), left))
  const chosen = open.filter(isSplit)
  const { quantities } = splitUnits(
    left,
    chosen.map((line) => ({
      slotId: line.slotId,
      level: slots.get(line.slotId)?.stock ?? 0,
      marginFen: Math.max(0, (slots.get(line.slotId)?.price ?? 0) - line.costFen),
      planned: line.quantity,
      ...outlook!.get(line.slotId)!,
    })),
  )
  chosen.forEach((line, i) => give(line, quantities[i]!))
  return { unitsByLine, spare: left }
}

interface ProductCounts extends Pick<PickFacts, 'hasStoreroom'> {
  readonly bought: number
  readonly spare: number
  readonly days?: number
}

function productView(
  key: SkuId,
  lines: readonly RunLine[],
  unitsByLine: ReadonlyMap<number, number>,
  { bought, spare, hasStoreroom, days }: ProductCounts,
  { category, boxOf }: SupplyDetails = {},
): PickProduct {
  const [first] = lines
  const open = lines.filter(({ deliveredAt, n }) => deliveredAt === undefined && (unitsByLine.get(n) ?? 0) > 0)
  const loaded = open.reduce((sum, { n }) => sum + unitsByLine.get(n)!, 0)
  const units = loaded + (hasStoreroom ? 0 : spare)
  const fromStoreroom = Math.min(
    units,
    open.reduce((sum, line) => sum + storeroomUnits(line), 0),
  )
  const boxes = boxOf === undefined ? 0 : Math.floor(units / boxOf)
  return {
    item: { id: first!.skuId, title: first!.title },
    ...(first!.source === undefined ? {} : { source: key }),
    ...(category === undefined ? {} : { category }),
    bought,
    units,
    from_storeroom: fromStoreroom,
    from_delivery: units - fromStoreroom,
    ...(boxOf === undefined ? {} : { boxes: { count: boxes, contains: boxOf } }),
    singles: units - boxes * (boxOf ?? 0),
    ...(days === undefined ? {} : { shelf_days: days }),
    spare,
    locations: [...new Set(open.map(({ location }) => location))],
  }
}

/** By category, products without one last, then by title. */
const byCategory = (a: PickProduct, b: PickProduct): number =>
  compareText(a.category ?? '\uFFFF', b.category ?? '\uFFFF') ||
  compareText(a.item.title, b.item.title) ||
  compareText(a.item.id, b.item.id)

function stopViews(
  { stops }: Run,
  lines: readonly RunLine[],
  quantities: ReadonlyMap<number, number>,
  facts: PickFacts,
): PickStop[] {
  const { slots, timeZone } = facts
  const linesAt = Map.groupBy(lines, ({ location }) => location)
  return stops.flatMap(({ location, name, address }, i): PickStop[] => {
    const own = linesAt.get(location)
    if (!own) return []
    const { deliveredAt } = own[0]!
    const views = own
      .map((line) => ({ line, slot: slots.get(line.slotId) }))
      .toSorted((a, b) => bySlot(a.slot, b.slot) || compareText(a.line.slotId, b.line.slotId))
      .map(({ line, slot }) => lineView(line, slot, quantities.get(line.n) ?? 0, facts))
    return [
      {
        sequence: i + 1,
        location,
        name,
        ...(Object.keys(address).length === 0 ? {} : { address }),
        ...(deliveredAt === undefined
          ? { status: 'open' }
          : { status: 'received', received_at: rfc3339(deliveredAt, timeZone) }),
        units: views.reduce((sum, { quantity }) => sum + quantity, 0),
        ...(deliveredAt === undefined
          ? { ...laneChangesView(location, facts), ...movesView(location, own, facts) }
          : {}),
        lines: views,
      },
    ]
  })
}

function laneChangesView(location: string, { laneChanges }: PickFacts): Pick<PickStop, 'lane_changes'> {
  const own = laneChanges.filter((change) => change.location === location)
  return own.length === 0 ? {} : { lane_changes: own.map(({ location: _location, ...change }) => change) }
}

/** Nothing is taken out of a slot that the run fills. */
function movesView(location: string, lines: readonly RunLine[], { moves }: PickFacts): Pick<PickStop, 'moves'> {
  const filled = new Set<string>(lines.map(({ slotId }) => slotId))
  const own = moves.filter((move) => move.location === location && !filled.has(move.slot_id))
  return own.length === 0 ? {} : { moves: own.map(({ location: _location, ...move }) => move) }
}

/** The machine's own order: by stated position, then by the platform's name of the lane. */
function bySlot(a: StoredSlot | undefined, b: StoredSlot | undefined): number {
  const [p, q] = [a?.position, b?.position]
  if (p && q) return compareText(p.row, q.row) || p.column - q.column
  if (p || q) return p ? -1 : 1
  const laneOf = (slot: StoredSlot | undefined) => (slot && laneNameOf(slot)) ?? ''
  return laneOf(a).localeCompare(laneOf(b), 'en', { numeric: true })
}

function lineView(
  line: RunLine,
  slot: StoredSlot | undefined,
  quantity: number,
  { timeZone, shelfLives, now }: PickFacts,
): PickLine {
  const days = shelfLives.get(line.skuId)?.days
  const { stock = null, capacity = null } = slot ?? {}
  const isOpen = line.deliveredAt === undefined
  const lane = slot && laneNameOf(slot)
  return {
    slot_id: line.slotId,
    item: { id: line.skuId, title: line.title },
    ...(slot?.position ? { position: slot.position } : {}),
    ...(lane === undefined ? {} : { lane }),
    quantity,
    planned: line.quantity,
    expected_stock: stock,
    fill_to: stock === null ? null : Math.min(capacity ?? Infinity, stock + (isOpen ? quantity : 0)),
    capacity,
    ...(slot ? { last_read_at: rfc3339(slot.updatedAt, timeZone) } : {}),
    ...(days === undefined ? {} : { pull_if_older_than: addDays(localDay(now, timeZone), -days) }),
  }
}
