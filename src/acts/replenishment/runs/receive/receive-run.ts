/**
 * POST /replenishment/runs/{id}/receive: books what was loaded at every stop that is still open, one service each,
 * and closes the run. Raises our stock until the next sync reads it.
 */
import type { ReceiveRequest } from '../../../../contract/shapes/run.ts'
import { currentCaller } from '../../../../kernel/caller.ts'
import type { ErrorMessage } from '../../../../kernel/message.ts'
import { type Outcome, accept, refuse, refuseAll } from '../../../../kernel/outcome.ts'
import type { Tx } from '../../../../store/store.ts'
import { recordEvent } from '../../../../record/events/index.ts'
import type { Context } from '../../../../context.ts'
import {
  type Service,
  applyToSimulatedMachines,
  bookService,
  findServiceOfWrite,
} from '../../../../route/locations/index.ts'
import { joinWork } from './receive-stop.ts'
import { appendRunEvent, incrementRunsVersion, findRun, getRun, updateRun, writeDelivered } from '../records.ts'
import { deliveredLines, loadReceiptMessages, deliveredUnits } from './receipt.ts'
import { type Run, type RunLine, MESSAGES_MAX, activeLines, matchDelivered } from '../run.ts'
import { type LoadedLines, bookReceipt, readArrivals } from '../../storeroom/book-receipt.ts'
import { receivedEvent, refuseUnknownRun } from '../texts.ts'
import { ALREADY_RECEIVED, NEXT, RECEIVE_REFUSALS } from '../transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'vendors' | 'config' | 'fillMachines'>

export interface ReceivedRun {
  readonly run: Run
  /** Lines of stops that were received before. */
  readonly messages: readonly ErrorMessage[]
  readonly services: readonly Service[]
  /** An earlier try of the same write booked them, and its answer was lost with the process. */
  readonly isRepeated?: boolean
}

export async function receiveRun(ctx: Deps, id: string, request: ReceiveRequest): Promise<Outcome<ReceivedRun>> {
  const received = await bookRun(ctx, id, request)
  if (received.ok && !received.value.isRepeated)
    for (const service of received.value.services) applyToSimulatedMachines(ctx, service)
  return received
}

/** Reads the run under the lock of its counter: of two receipts at once, the second finds what the first booked. */
const bookRun = (ctx: Deps, id: string, { delivered, came, note }: ReceiveRequest): Promise<Outcome<ReceivedRun>> =>
  ctx.store.transaction(async (tx) => {
    const now = ctx.clock.now()
    await incrementRunsVersion(tx)
    const run = await findRun(tx, id)
    if (!run) return refuseUnknownRun(id)
    const earlier = await findServicesOfThisWrite(tx, run)
    if (earlier.length > 0) {
      const then = matchDelivered(linesBefore(run, earlier), delivered)
      return accept({ run, messages: then.ok ? then.value.alreadyReceived : [], services: earlier, isRepeated: true })
    }
    const refusal = RECEIVE_REFUSALS[run.status]
    if (refusal) return refuse(refusal.code, refusal.content)
    const lines = matchDelivered(run.lines, delivered)
    if (!lines.ok) return lines
    const { deliveredByLine, alreadyReceived } = lines.value
    // Nothing new is reported, so the other stops are not closed with nothing either.
    if (deliveredByLine.size === 0) return refuseAll(alreadyReceived)
    const arrivals = await readArrivals(ctx, tx, run, came)
    if (!arrivals.ok) return arrivals

    const open = activeLines(run.lines).filter(({ deliveredAt }) => deliveredAt === undefined)
    const units = deliveredUnits(run.lines, deliveredByLine)
    const moved = await updateRun(tx, id, 'placed', {
      status: NEXT.placed.receive,
      deliveredAt: now,
      deliveredUnits: units,
      ...(note === undefined ? {} : { note }),
      body: { ...run, messages: await loadReceiptMessages(tx, run, deliveredByLine, now) },
    })
    if (!moved) return refuse('already_delivered', ALREADY_RECEIVED)
    const services: Service[] = []
    const loads: LoadedLines[] = []
    const linesAt = Map.groupBy(open, ({ location }) => location)
    // In the order of their ids: two receipts at once lock machines in the same order.
    for (const location of [...linesAt.keys()].toSorted()) {
      const own = linesAt.get(location) ?? []
      // A stop that the receipt leaves out was not visited.
      if (!own.some(({ n }) => deliveredByLine.has(n))) continue
      const slotWorks = joinWork(own, deliveredByLine, new Map())
      const service = await bookService(ctx, tx, {
        location,
        slotWorks,
        note: undefined,
        run: id,
        writeId: writeIdAt(location),
      })
      const delivered = new Map(own.flatMap(({ n }) => (deliveredByLine.has(n) ? [[n, deliveredByLine.get(n)!]] : [])))
      await writeDelivered(tx, id, own, delivered, service)
      services.push(service)
      loads.push({ service: service.id, lines: own, unitsByLine: delivered })
    }
    const short = await bookReceipt(ctx, tx, run, loads, arrivals.value)
    if (short.length > 0) {
      const messages = [...(await getRun(tx, id)).messages, ...short].slice(-MESSAGES_MAX)
      await updateRun(tx, id, NEXT.placed.receive, { body: { ...run, messages } })
    }
    const loaded = deliveredLines(deliveredByLine)
    if (loaded.length > 0) await appendRunEvent(tx, id, 'delivered', now, loaded)
    await recordEvent(ctx, tx, receivedEvent(run, units, note))
    return accept({ run: await getRun(tx, id), messages: alreadyReceived, services })
  })

/** One write books several services, and each has an id of its own. */
function writeIdAt(location: string): string | undefined {
  const writeId = currentCaller()?.writeId
  return writeId === undefined ? undefined : `${writeId} ${location}`
}

/** What an earlier try of this write booked. */
async function findServicesOfThisWrite(tx: Tx, { lines }: Run): Promise<readonly Service[]> {
  const services: Service[] = []
  for (const location of new Set(activeLines(lines).map((line) => line.location))) {
    const writeId = writeIdAt(location)
    const service = writeId === undefined ? undefined : await findServiceOfWrite(tx, writeId)
    if (service) services.push(service)
  }
  return services
}

/** The lines of a run as they were before these services received theirs. */
function linesBefore({ lines }: Run, services: readonly Service[]): readonly RunLine[] {
  const received = new Set(services.map(({ location }) => location))
  return lines.map(({ deliveredAt, ...line }) =>
    deliveredAt === undefined || received.has(line.location) ? line : { ...line, deliveredAt },
  )
}
