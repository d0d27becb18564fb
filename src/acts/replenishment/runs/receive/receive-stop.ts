/**
 * POST /replenishment/runs/{id}/visits/{location}/receive: books one machine of a run, in any order of machines. The last
 * stop closes the run.
 */
import type { StopReceiveRequest } from '../../../../contract/shapes/service.ts'
import { currentCaller } from '../../../../kernel/caller.ts'
import { type Outcome, accept, refuse } from '../../../../kernel/outcome.ts'
import type { Tx } from '../../../../store/store.ts'
import { recordEvent } from '../../../../record/events/index.ts'
import type { Context } from '../../../../context.ts'
import {
  applyToSimulatedMachines,
  bookService,
  findServiceOfWrite,
  readRequestedWork,
} from '../../../../route/locations/index.ts'
import type { Service, SlotWork } from '../../../../route/locations/index.ts'
import { endChange } from '../../layouts/end-lane-change.ts'
import { finishSwapAt } from '../../swaps/end-swap.ts'
import { listOpenStops } from '../slot-run-records.ts'
import { appendRunEvent, incrementRunsVersion, findRun, getRun, updateRun, writeDelivered } from '../records.ts'
import { deliveredLines, loadReceiptMessages, deliveredUnits } from './receipt.ts'
import { type Run, type RunLine, MESSAGES_MAX, activeLines, matchDelivered, missingUnits } from '../run.ts'
import { type Arrivals, bookReceipt, readArrivals } from '../../storeroom/book-receipt.ts'
import { giveToOpenLines } from '../../storeroom/moved-units.ts'
import { receivedEvent, refuseUnknownRun, refuseUnknownStop, stopReceivedEvent } from '../texts.ts'
import { NEXT, RECEIVE_REFUSALS, STOP_ALREADY_RECEIVED } from '../transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'fillMachines' | 'onCheckpoint'>

export async function receiveStop(
  ctx: Deps,
  id: string,
  location: string,
  request: StopReceiveRequest,
): Promise<Outcome<ReceivedStop>> {
  const received = await bookStop(ctx, id, location, request)
  if (!received.ok || received.value.isRepeated) return received
  ctx.onCheckpoint?.('stop_booked')
  applyToSimulatedMachines(ctx, received.value.service)
  return received
}

export interface ReceivedStop {
  readonly run: Run
  readonly service: Service
  /** An earlier try of the same write booked it, and its answer was lost with the process. */
  readonly isRepeated?: boolean
}

/** Reads the run under the lock of its counter: of two receipts at once, the second finds what the first booked. */
const bookStop = (ctx: Deps, id: string, location: string, body: StopReceiveRequest): Promise<Outcome<ReceivedStop>> =>
  ctx.store.transaction(async (tx) => {
    await incrementRunsVersion(tx)
    const run = await findRun(tx, id)
    if (!run) return refuseUnknownRun(id)
    const writeId = currentCaller()?.writeId
    const earlier = writeId === undefined ? undefined : await findServiceOfWrite(tx, writeId)
    if (earlier) return accept({ service: earlier, run, isRepeated: true })
    const own = activeLines(run.lines).filter((line) => line.location === location)
    const refusal = RECEIVE_REFUSALS[run.status]
    if (refusal) return refuse(refusal.code, refusal.content)
    if (own.length === 0) return refuseUnknownStop(id, location)
    if (own.some(({ deliveredAt }) => deliveredAt !== undefined))
      return refuse('already_delivered', STOP_ALREADY_RECEIVED)
    const lines = matchDelivered(own, body.delivered)
    if (!lines.ok) return lines
    const loaded = new Map(body.delivered.map(({ slot_id, quantity }) => [slot_id, quantity]))
    const removedAndCounted = await readRequestedWork(ctx, tx, location, body, loaded)
    if (!removedAndCounted.ok) return removedAndCounted
    const arrivals = await readArrivals(ctx, tx, run, body.came)
    if (!arrivals.ok) return arrivals
    const { deliveredByLine } = lines.value
    const { bySlot, at: stated } = removedAndCounted.value
    const slotWorks = joinWork(own, deliveredByLine, bySlot)
    // A phone whose clock is behind must not receive a run before it was ordered.
    const at = stated === undefined ? undefined : Math.max(stated, run.placedAt ?? 0)
    const service = await bookService(ctx, tx, {
      location,
      slotWorks,
      cash: body.cash,
      note: body.note,
      run: id,
      at,
      writeId,
    })
    await giveToOpenLines(tx, service)
    // A lane that was ended meanwhile stays as it ended: what was loaded counts all the same.
    for (const lane of new Set(body.lanes_changed))
      if (!(await endChange(ctx, tx, { location, lane }, 'done', 'The driver changed it.')))
        await finishSwapAt(ctx, tx, location, lane)
    const booked = await bookLines(ctx, tx, { run, location, own, deliveredByLine, service, arrivals: arrivals.value })
    ctx.onCheckpoint?.('stop_written')
    return accept({ service, run: booked })
  })

/** What was loaded beside what was taken out and counted, slot by slot. */
export function joinWork(
  own: readonly RunLine[],
  deliveredByLine: ReadonlyMap<number, number>,
  removedAndCounted: ReadonlyMap<string, SlotWork>,
): SlotWork[] {
  const slotWorks = new Map(removedAndCounted)
  for (const line of own) {
    const { n, vendorSku } = line
    // What nothing brought says nothing about what fits.
    const ordered = line.quantity - missingUnits(line)
    const quantity = deliveredByLine.get(n) ?? 0
    if (quantity > 0)
      slotWorks.set(vendorSku, { vendorSku, ...slotWorks.get(vendorSku), loaded: { quantity, ordered } })
  }
  return [...slotWorks.values()]
}

interface StopLines {
  readonly run: Run
  readonly location: string
  readonly own: readonly RunLine[]
  readonly deliveredByLine: ReadonlyMap<number, number>
  readonly service: Service
  readonly arrivals: Arrivals
}

async function bookLines(
  ctx: Deps,
  tx: Tx,
  { run, location, own, deliveredByLine, service, arrivals }: StopLines,
): Promise<Run> {
  const { at, note } = service
  await writeDelivered(tx, run.id, own, deliveredByLine, service)
  const loads = [{ service: service.id, lines: own, unitsByLine: deliveredByLine }]
  const short = await bookReceipt(ctx, tx, run, loads, arrivals)
  const loaded = deliveredLines(deliveredByLine)
  if (loaded.length > 0) await appendRunEvent(tx, run.id, 'delivered', at, loaded)
  const stop = run.stops.find((each) => each.location === location)
  const units = loaded.reduce((total, { quantity }) => total + quantity, 0)
  await recordEvent(
    ctx,
    tx,
    stopReceivedEvent(run, stop ?? { location: own[0]!.location, name: location }, units, note),
  )
  const isLast = (await listOpenStops(tx, run.id)).length === 0
  const total = deliveredUnits(run.lines, deliveredByLine)
  await updateRun(tx, run.id, 'placed', {
    ...(isLast ? { status: NEXT.placed.receive, deliveredAt: lastReceipt(run, at), deliveredUnits: total } : {}),
    body: {
      ...run,
      messages: [...(await loadReceiptMessages(tx, run, deliveredByLine, service.bookedAt)), ...short].slice(
        -MESSAGES_MAX,
      ),
    },
  })
  if (isLast) await recordEvent(ctx, tx, receivedEvent(run, total, undefined))
  return getRun(tx, run.id)
}

/** A stop that is booked last may have been made before others. */
const lastReceipt = ({ lines }: Run, at: number): number =>
  Math.max(at, ...lines.map(({ deliveredAt = at }) => deliveredAt))
