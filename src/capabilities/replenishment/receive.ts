/** POST /replenishment/runs/{id}/receive (3.2): what was really loaded. Our stock rises at once; the next sync reads it. */
import type { ReceiveRequest } from '../../contract/replenishment.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { recordEvent } from '../events/records.ts'
import type { Floor } from '../floor.ts'
import { receiveGoods } from '../locations/receive.ts'
import { appendRunEvent, countRunChange, findRun, moveRun, writeDelivered } from './records.ts'
import { countDelivered, standing } from './run.ts'
import type { Run } from './run.ts'
import { NEXT, NOT_TO_RECEIVE } from './transitions.ts'
import { asReasoning } from './wording.ts'

type Needs = Pick<Floor, 'store' | 'clock'>

export async function receiveRun(floor: Needs, id: string, request: ReceiveRequest): Promise<Outcome<Run>> {
  const run = await findRun(floor.store.db, id)
  if (!run) return refuse('not_found', 'there is no such run')
  const no = NOT_TO_RECEIVE[run.status]
  if (no) return refuse(no.code, no.content)
  const counted = countDelivered(run.lines, request.delivered)
  if (!counted.ok) return counted
  return book(floor, run, counted.value, request.note)
}

function book(
  floor: Needs,
  run: Run,
  counted: ReadonlyMap<number, number>,
  note: string | undefined,
): Promise<Outcome<Run>> {
  const now = floor.clock.now()
  const units = [...counted.values()].reduce((sum, quantity) => sum + quantity, 0)
  const receipts = run.lines.flatMap(({ n, location, vendorSku, quantity: ordered }) => {
    const quantity = counted.get(n) ?? 0
    return quantity > 0 ? [{ location, vendorSku, quantity, ordered }] : []
  })
  return floor.store.transaction(async (tx) => {
    await countRunChange(tx)
    const moved = await moveRun(tx, run.id, 'placed', {
      status: NEXT.placed.receive,
      deliveredAt: now,
      deliveredUnits: units,
      ...(note === undefined ? {} : { note }),
    })
    if (!moved) return refuse('already_delivered', 'this run was received already')
    await writeDelivered(tx, run.id, counted)
    await receiveGoods(tx, receipts, now)
    if (units > 0) await appendRunEvent(tx, run.id, 'delivered', now)
    const ordered = standing(run.lines).reduce((sum, { quantity }) => sum + quantity, 0)
    const [stop, ...others] = run.stops
    await recordEvent(floor, tx, {
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
