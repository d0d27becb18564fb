/** POST /replenishment/runs/{id}/receive (3.2): books what was loaded. Raises our stock until the next sync reads it. */
import type { CheckoutStatus } from '../../../contract/checkout.ts'
import type { ReceiveRequest } from '../../../contract/replenishment.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { accept, refuse } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import { raiseStock } from '../../locations/index.ts'
import type { Receipt } from '../../locations/index.ts'
import { appendRunEvent, countRunChange, findRun, getRun, updateRun, writeDelivered } from './records.ts'
import { activeLines, countDelivered, MESSAGES_MAX } from './run.ts'
import type { Run, RunLine } from './run.ts'
import { sessionStatuses } from './sessions.ts'
import { moreThanOrdered, purchaseNotCompleted, receivedEvent, runNotFound } from './texts.ts'
import { ALREADY_RECEIVED, NEXT, RECEIVE_REFUSALS } from './transitions.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'fillMachines'>

export async function receiveRun(ctx: Deps, id: string, request: ReceiveRequest): Promise<Outcome<Run>> {
  const run = await findRun(ctx.store.db, id)
  if (!run) return runNotFound(id)
  const refusal = RECEIVE_REFUSALS[run.status]
  if (refusal) return refuse(refusal.code, refusal.content)
  const counted = countDelivered(run.lines, request.delivered)
  if (!counted.ok) return counted
  const sessions = await sessionStatuses(ctx.store.db, [run], ctx.clock.now())
  const warnings = [...surplusWarnings(run.lines, counted.value), ...purchaseWarnings(run, sessions)]
  const receipts = receiptsOf(run.lines, counted.value)
  const booked = await book(ctx, run, { counted: counted.value, receipts, warnings, note: request.note })
  if (booked.ok) ctx.fillMachines?.(receipts)
  return booked
}

const receiptsOf = (lines: readonly RunLine[], counted: ReadonlyMap<number, number>): Receipt[] =>
  lines.flatMap(({ n, location, vendorSku, quantity: ordered }) => {
    const quantity = counted.get(n) ?? 0
    return quantity > 0 ? [{ location, vendorSku, quantity, ordered }] : []
  })

/** More than was ordered is booked as counted, with a warning. */
const surplusWarnings = (lines: readonly RunLine[], counted: ReadonlyMap<number, number>): NoteMessage[] =>
  activeLines(lines).flatMap((line) => {
    const received = counted.get(line.n) ?? 0
    return received > line.quantity ? [moreThanOrdered(line, received)] : []
  })

/** Products that arrive before any purchase was completed were bought elsewhere, or belong to another run. */
function purchaseWarnings({ checkouts }: Run, sessions: ReadonlyMap<string, CheckoutStatus>): NoteMessage[] {
  if (checkouts.length === 0 || checkouts.some(({ id }) => sessions.get(id) === 'completed')) return []
  return [purchaseNotCompleted]
}

interface Receiving {
  readonly counted: ReadonlyMap<number, number>
  readonly receipts: readonly Receipt[]
  readonly warnings: readonly NoteMessage[]
  readonly note: string | undefined
}

function book(ctx: Deps, run: Run, { counted, receipts, warnings, note }: Receiving): Promise<Outcome<Run>> {
  const now = ctx.clock.now()
  const units = [...counted.values()].reduce((total, quantity) => total + quantity, 0)
  return ctx.store.transaction(async (tx) => {
    await countRunChange(tx)
    const moved = await updateRun(tx, run.id, 'placed', {
      status: NEXT.placed.receive,
      deliveredAt: now,
      deliveredUnits: units,
      ...(note === undefined ? {} : { note }),
      body: { ...run, messages: [...run.messages, ...warnings].slice(-MESSAGES_MAX) },
    })
    if (!moved) return refuse('already_delivered', ALREADY_RECEIVED)
    await writeDelivered(tx, run.id, counted)
    await raiseStock(tx, receipts, now)
    if (units > 0) await appendRunEvent(tx, run.id, 'delivered', now)
    await recordEvent(ctx, tx, receivedEvent(run, units, note))
    return accept(await getRun(tx, run.id))
  })
}
