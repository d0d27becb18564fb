/**
 * POST /locations/{id}/service/{service_id}/undo: undoes a service of the last ten minutes. Where it received the stop of
 * a run, the stop is open again, and so is the run.
 */
import type { Message } from '../../../../kernel/message.ts'
import type { Outcome } from '../../../../kernel/outcome.ts'
import type { Tx } from '../../../../store/store.ts'
import type { Context } from '../../../../context.ts'
import { type Service, applyToSimulatedMachines, undoService } from '../../../../route/locations/index.ts'
import { appendRunEvent, clearDelivered, incrementRunsVersion, findRun, updateRun } from '../records.ts'
import { deliveredLines } from './receipt.ts'
import type { Run, RunLine } from '../run.ts'
import { undoReceipt } from '../../storeroom/book-receipt.ts'
import { takeFromOpenLines } from '../../storeroom/moved-units.ts'
import { purchaseNotCompleted } from '../texts.ts'
import { NEXT } from '../transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config' | 'fillMachines'>

export async function undoServiceAndReopenStop(ctx: Deps, location: string, id: string): Promise<Outcome<Service>> {
  const undone = await ctx.store.transaction(async (tx) => {
    // The counter before the machine, as a receipt locks them.
    await incrementRunsVersion(tx)
    const outcome = await undoService(ctx, tx, location, id)
    if (outcome.ok && outcome.value.run !== undefined) await reopenStop(ctx, tx, outcome.value.run, id)
    if (outcome.ok) await takeFromOpenLines(tx, outcome.value)
    if (outcome.ok) await undoReceipt(ctx, tx, id, outcome.value.run)
    return outcome
  })
  if (undone.ok) applyToSimulatedMachines(ctx, undone.value, -1)
  return undone
}

async function reopenStop(ctx: Deps, tx: Tx, id: string, service: string): Promise<void> {
  const run = await findRun(tx, id)
  if (!run) return
  const own = run.lines.filter((line) => line.service === service)
  const lines = deliveredLines(new Map(own.map(({ n, delivered = 0 }) => [n, delivered])))
  await clearDelivered(tx, id, service)
  const body = { ...run, messages: removeReceiptMessages(run, own) }
  if (run.status === 'delivered')
    await updateRun(tx, id, 'delivered', { status: NEXT.delivered.undo, deliveredAt: null, deliveredUnits: null, body })
  else await updateRun(tx, id, run.status, { body })
  if (lines.length > 0) await appendRunEvent(tx, id, 'delivery_undone', ctx.clock.now(), lines)
}

/** The messages of a run without those that the receipt of these lines caused. */
function removeReceiptMessages({ messages, lines }: Run, own: readonly RunLine[]): readonly Message[] {
  const slots = new Set<unknown>(own.map(({ slotId }) => slotId))
  const isReceived = lines.some(({ deliveredAt, service }) => deliveredAt !== undefined && service !== own[0]?.service)
  return messages.filter(({ code, params }) => {
    if (code === 'more_than_ordered') return !slots.has(params?.['slot'])
    if (code === 'storeroom_short') return params?.['service'] !== own[0]?.service
    return isReceived || code !== purchaseNotCompleted.code
  })
}
