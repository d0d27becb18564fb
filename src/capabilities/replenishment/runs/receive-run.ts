/** POST /replenishment/runs/{id}/receive (3.2): what was really loaded. Our stock rises at once; the next sync reads it. */
import type { CheckoutStatus } from '../../../contract/checkout.ts'
import type { ReceiveRequest } from '../../../contract/replenishment.ts'
import { warning } from '../../../kernel/message.ts'
import type { NoteMessage } from '../../../kernel/message.ts'
import { accept, refuse } from '../../../kernel/outcome.ts'
import type { Outcome } from '../../../kernel/outcome.ts'
import { recordEvent } from '../../events/index.ts'
import type { Context } from '../../context.ts'
import { raiseStock } from '../../locations/index.ts'
import type { Receipt } from '../../locations/index.ts'
import { appendRunEvent, countRunChange, findRun, moveRun, writeDelivered } from './records.ts'
import { countDelivered, linePath, MESSAGES_MAX, activeLines } from './run.ts'
import type { Run, RunLine } from './run.ts'
import { sessionStatuses } from './sessions.ts'
import { NEXT, NOT_TO_RECEIVE } from './transitions.ts'
import { asReasoning } from './texts.ts'

type Needs = Pick<Context, 'store' | 'clock' | 'fillMachines'>

export async function receiveRun(ctx: Needs, id: string, request: ReceiveRequest): Promise<Outcome<Run>> {
  const run = await findRun(ctx.store.db, id)
  if (!run) return refuse('not_found', 'there is no such run')
  const no = NOT_TO_RECEIVE[run.status]
  if (no) return refuse(no.code, no.content)
  const counted = countDelivered(run.lines, request.delivered)
  if (!counted.ok) return counted
  const sessions = await sessionStatuses(ctx.store.db, [run], ctx.clock.now())
  const warnings = [...surplus(run.lines, counted.value), ...unbought(run, sessions)]
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

/** A count is a count: more than was ordered is booked, and said. */
const surplus = (lines: readonly RunLine[], counted: ReadonlyMap<number, number>): NoteMessage[] =>
  activeLines(lines).flatMap((line) => {
    const received = counted.get(line.n) ?? 0
    if (received <= line.quantity) return []
    const text = `${line.slotId}: ${received} received, ${line.quantity} ordered`
    return [warning('more_than_ordered', text, `${linePath(line)}.quantity`)]
  })

/** Products that came before any purchase was completed were bought elsewhere, or the count belongs to another run. */
function unbought({ checkouts }: Run, sessions: ReadonlyMap<string, CheckoutStatus>): NoteMessage[] {
  if (checkouts.length === 0 || checkouts.some(({ id }) => sessions.get(id) === 'completed')) return []
  return [warning('purchase_not_completed', 'received before any purchase of this run was completed', '$.checkouts')]
}

interface Received {
  readonly counted: ReadonlyMap<number, number>
  readonly receipts: readonly Receipt[]
  readonly warnings: readonly NoteMessage[]
  readonly note: string | undefined
}

function book(ctx: Needs, run: Run, { counted, receipts, warnings, note }: Received): Promise<Outcome<Run>> {
  const now = ctx.clock.now()
  const units = [...counted.values()].reduce((sum, quantity) => sum + quantity, 0)
  return ctx.store.transaction(async (tx) => {
    await countRunChange(tx)
    const moved = await moveRun(tx, run.id, 'placed', {
      status: NEXT.placed.receive,
      deliveredAt: now,
      deliveredUnits: units,
      ...(note === undefined ? {} : { note }),
      body: { ...run, messages: [...run.messages, ...warnings].slice(-MESSAGES_MAX) },
    })
    if (!moved) return refuse('already_delivered', 'this run was received already')
    await writeDelivered(tx, run.id, counted)
    await raiseStock(tx, receipts, now)
    if (units > 0) await appendRunEvent(tx, run.id, 'delivered', now)
    const ordered = activeLines(run.lines).reduce((sum, { quantity }) => sum + quantity, 0)
    const [stop, ...others] = run.stops
    await recordEvent(ctx, tx, {
      kind: 'replenishment',
      summary: `${run.id} delivered: ${units} of ${ordered} units`,
      reasoning: asReasoning(note ?? 'As counted at the machines; stock is raised until the next sync reads it.'),
      ...(stop && others.length === 0 ? { location: stop.location } : {}),
    })
    const received = await findRun(tx, run.id)
    if (!received) throw new Error(`${run.id} vanished inside its own transaction`)
    return accept(received)
  })
}
