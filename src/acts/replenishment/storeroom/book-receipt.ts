/**
 * What a receipt means for the store room, in its transaction: what the suppliers confirmed has come in, what was loaded has
 * gone out, the rest stays. The stops of the run that are still open keep what they will get.
 */
import type { OrderDelivered } from '../../../contract/shapes/order.ts'
import type { Tx } from '../../../store/store.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { times } from '../../../kernel/fen.ts'
import type { Context } from '../../../context.ts'
import { recordEvent } from '../../../record/events/index.ts'
import {
  type Move,
  type Reference,
  findMoved,
  findProducts,
  lockStoreroom,
  moveUnits,
  refuseNoStoreroom,
  setReservations,
  shortEvent,
  shortWarning,
  undoMoves,
} from '../../../route/storeroom/index.ts'
import { findPurchases, markReceived } from '../../orders/index.ts'
import { withConfirmedUnits } from '../runs/purchases/confirmed-lines.ts'
import { getRun } from '../runs/records.ts'
import {
  type Run,
  type RunLine,
  activeLines,
  lineUnits,
  storeroomUnits,
  unitsToBuy,
  reservedUnits,
} from '../runs/run.ts'
import { type PurchasedLine, arrivalMoves, confirmedProducts, readCame } from './arrival.ts'
import { arrivedEvent } from './texts.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config'>

/** What one service loaded into the slots of these lines. */
export interface LoadedLines {
  readonly service: string
  readonly lines: readonly RunLine[]
  readonly unitsByLine: ReadonlyMap<number, number>
}

/** What has not come into the store room yet, and comes with this receipt. */
export interface Arrivals {
  readonly bookings: readonly {
    readonly reference: Reference & { readonly type: 'order' | 'run' }
    readonly confirmed: readonly PurchasedLine[]
    readonly moves: readonly Move[]
  }[]
  readonly messages: readonly NoteMessage[]
}

/** Before anything is booked. `run` as it was before this receipt; `came` is what a person counted. */
export async function readArrivals(
  { config }: Pick<Deps, 'config'>,
  tx: Tx,
  run: Run,
  came: OrderDelivered | undefined,
): Promise<Outcome<Arrivals>> {
  if (!config.hasStoreroom) return came === undefined ? accept({ bookings: [], messages: [] }) : refuseNoStoreroom()
  const arrivals = await findArrivals(tx, run)
  const booked = await findMoved(
    tx,
    'bought',
    arrivals.map(({ reference }) => reference),
  )
  const open = arrivals.filter(({ reference, cameNot }) => !cameNot && !booked.has(reference.id))
  if (came !== undefined && open.length === 0 && arrivals.length > 0)
    return refuse('already_received', 'What came was booked with an earlier stop', '$.came')
  const read = readCame(
    open.flatMap(({ confirmed }) => confirmed),
    came,
    'came',
  )
  if (!read.ok) return read
  const bookings = open.map((each) => ({ ...each, moves: arrivalMoves(each.confirmed, read.value.came) }))
  return accept({ bookings, messages: read.value.messages })
}

/** `run` as it was before this receipt. Returns what is remarkable about it. */
export async function bookReceipt(
  ctx: Deps,
  tx: Tx,
  run: Run,
  loads: readonly LoadedLines[],
  { bookings, messages }: Arrivals,
): Promise<readonly NoteMessage[]> {
  if (!ctx.config.hasStoreroom) return []
  await lockStoreroom(tx)
  for (const { reference, confirmed, moves } of bookings) {
    if (!confirmed.some(({ units }) => units > 0)) continue
    // Without a movement nothing else would keep the next receipt from booking it as confirmed.
    if (moves.length === 0 && reference.type === 'order') await markReceived(tx, reference.id, ctx.clock.now())
    await moveUnits(
      tx,
      ctx.clock.now(),
      moves.map((move) => ({ ...move, reference })),
    )
    await recordEvent(ctx, tx, arrivedEvent(reference, confirmed, moves))
  }
  const warnings: NoteMessage[] = [...messages]
  for (const load of loads) warnings.push(...(await bookLoads(ctx, tx, load)))
  await reserveOpenStops(tx, await getRun(tx, run.id))
  return warnings
}

/** What the purchases of a run bring: none that was not completed. */
async function findArrivals(tx: Tx, run: Run) {
  if (run.checkouts.length > 0) {
    const ids = run.checkouts.map(({ id }) => id)
    return (await findPurchases(tx, ids)).map((purchase) => ({
      reference: { type: 'order' as const, id: purchase.id },
      confirmed: confirmedProducts(purchase),
      cameNot: purchase.receivedAt !== undefined,
    }))
  }
  if (run.supplier !== 'simulated') return []
  const bySource = Map.groupBy(
    activeLines(run.lines).filter((line) => line.source !== undefined),
    ({ source }) => source!,
  )
  const confirmed = [...bySource].map(([skuId, lines]): PurchasedLine => {
    const needed = lines.reduce((sum, line) => sum + unitsToBuy(line), 0)
    const units = needed === 0 ? 0 : (run.roundedTo?.[skuId] ?? needed)
    const { title, costFen } = lines[0]!
    return { skuId, title, units, contains: 1, paidFen: times(costFen, units) }
  })
  return [{ reference: { type: 'run' as const, id: run.id }, confirmed, cameNot: false }]
}

/**
 * What was promised to a line goes first, then what was bought for it. More than the book has was there all the same: it is
 * booked as counted first.
 */
async function bookLoads(
  ctx: Deps,
  tx: Tx,
  { service, lines, unitsByLine }: LoadedLines,
): Promise<readonly NoteMessage[]> {
  const reference = { type: 'service' as const, id: service }
  const loaded = lines.filter(({ n }) => (unitsByLine.get(n) ?? 0) > 0)
  const skuIds = loaded.flatMap(suppliesOf)
  const products = await findProducts(tx, skuIds)
  const there = new Map(skuIds.map((skuId) => [skuId, products.get(skuId)?.units ?? 0]))
  const out = new Map<SkuId, number>()
  const missing = new Map<SkuId, number>()
  const titles = new Map<SkuId, string>()
  const take = (skuId: SkuId, most: number): number => {
    const units = Math.min(most, there.get(skuId) ?? 0)
    there.set(skuId, (there.get(skuId) ?? 0) - units)
    out.set(skuId, (out.get(skuId) ?? 0) + units)
    return units
  }
  for (const line of loaded) {
    const supplies = suppliesOf(line)
    if (supplies.length === 0) continue
    let left = unitsByLine.get(line.n) ?? 0
    for (const [skuId, units] of Object.entries(line.fromStoreroom ?? {}) as [SkuId, number][])
      left -= take(skuId, Math.min(left, units))
    const last = line.source ?? supplies[0]!
    left -= take(last, left)
    titles.set(last, products.get(last)?.title ?? line.title)
    if (left === 0) continue
    missing.set(last, (missing.get(last) ?? 0) + left)
    out.set(last, (out.get(last) ?? 0) + left)
  }
  const titleOf = (skuId: SkuId) => products.get(skuId)?.title ?? titles.get(skuId) ?? skuId
  const move =
    (kind: Move['kind'], sign: 1 | -1) =>
    ([skuId, units]: readonly [SkuId, number]): Move => ({
      skuId,
      title: titleOf(skuId),
      kind,
      units: sign * units,
      reference,
    })
  await moveUnits(tx, ctx.clock.now(), [
    ...[...missing].map(move('counted', 1)),
    ...[...out].filter(([, units]) => units > 0).map(move('loaded', -1)),
  ])
  for (const [skuId, units] of missing) await recordEvent(ctx, tx, shortEvent(titleOf(skuId), units))
  return [...missing].map(([skuId, units]) => shortWarning(titleOf(skuId), units, service))
}

/** The supply products that a line is filled with. */
const suppliesOf = ({ fromStoreroom = {}, source }: RunLine): SkuId[] => [
  ...(Object.keys(fromStoreroom) as SkuId[]),
  ...(source === undefined ? [] : [source]),
]

/** What lies in the store room for stops that are still open, of the delivery, too, once it came. */
export async function reserveOpenStops(tx: Tx, run: Run): Promise<void> {
  const reserved = new Map(run.status === 'placed' ? reservedUnits(run.lines) : [])
  if (run.status === 'placed') {
    const [confirmed = run] = await withConfirmedUnits(tx, [run])
    const arrived = await findMoved(tx, 'bought', referencesOf(run))
    for (const line of activeLines(confirmed.lines))
      if (line.deliveredAt === undefined && line.source !== undefined && arrived.has(line.checkout ?? run.id))
        reserved.set(line.source, (reserved.get(line.source) ?? 0) + lineUnits(line) - storeroomUnits(line))
  }
  await setReservations(tx, run.id, reserved)
}

const referencesOf = ({ id, checkouts }: Pick<Run, 'id' | 'checkouts'>) => [
  { type: 'run' as const, id },
  ...checkouts.map((checkout) => ({ type: 'order' as const, id: checkout.id })),
]

/** After a service was undone: what it moved goes back. With the last receipt of a run its delivery goes back, too. */
export async function undoReceipt(ctx: Deps, tx: Tx, service: string, runId: string | undefined): Promise<void> {
  if (!ctx.config.hasStoreroom) return
  await lockStoreroom(tx)
  await undoMoves(tx, ctx.clock.now(), [{ type: 'service', id: service }])
  if (runId === undefined) return
  const run = await getRun(tx, runId)
  if (!run.lines.some(({ deliveredAt }) => deliveredAt !== undefined)) {
    const purchases = await findPurchases(
      tx,
      run.checkouts.map(({ id }) => id),
    )
    const moved = await findMoved(tx, 'bought', referencesOf(run))
    // What was received before any machine was filled has come all the same.
    const apart = new Set(purchases.flatMap(({ id, receivedAt }) => (receivedAt && moved.has(id) ? id : [])))
    const references = referencesOf(run).filter(({ id }) => !apart.has(id))
    await undoMoves(tx, ctx.clock.now(), references)
    for (const { id } of purchases) if (!moved.has(id)) await markReceived(tx, id, null)
  }
  await reserveOpenStops(tx, run)
}
