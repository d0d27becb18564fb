/**
 * What must happen without a request: an approved change is carried out, and one that broke off on the way is taken up
 * again. Approved changes are safe to repeat, for they set prices the owner named, and only while they still fit. An
 * unapproved one is never sent a second time: its caller got no answer and may have asked for something else since.
 */
import { MINUTE } from '../../kernel/clock.ts'
import { ZERO } from '../../kernel/fen.ts'
import { accept, refuse } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import { recordEvent } from '../events/records.ts'
import type { Floor } from '../floor.ts'
import { findLocation } from '../locations/records.ts'
import type { Applied } from './apply.ts'
import { against, stands, stillFits } from './change.ts'
import { claim } from './change-prices.ts'
import { execute, setAside, tellBasis } from './execute.ts'
import { atMachine, pricingVendor, reach } from './machine.ts'
import { dueChanges, findChange, moveChange } from './records.ts'
import type { PriceChange } from './records.ts'
import { asSummary, tellLines } from './wording.ts'

const BITE = 50
const LOOK_AGAIN_MS = 5 * MINUTE

/** While nobody asks, a price that moved at all may be one the owner set meanwhile: then it is left to a resend. */
const UNASKED: Tolerance = { priceCapPerItem: ZERO }

type Tolerance = Parameters<typeof stillFits>[0]

/** Undefined when there is nothing left to do: somebody else was quicker. */
export async function takeUp(
  floor: Floor,
  seen: PriceChange,
  tolerance?: Tolerance,
): Promise<Outcome<Applied | undefined>> {
  return atMachine(floor, seen.location, async () => {
    const change = await findChange(floor.store.db, seen.seq)
    if (!change || (change.status !== 'approved' && change.status !== 'executing')) return accept(undefined)
    const outcome =
      change.decision === undefined ? await lookBack(floor, change) : await carryOut(floor, change, tolerance)
    if (!outcome.ok && change.decision !== undefined) await setAside(floor, change, outcome.refusal)
    return outcome
  })
}

async function carryOut(
  floor: Floor,
  change: PriceChange,
  tolerance: Tolerance | undefined,
): Promise<Outcome<Applied | undefined>> {
  const machine = await findLocation(floor.store.db, change.location)
  if (machine?.namespace !== change.namespace) return refuse('not_found', 'the machine is no longer registered')
  const vendor = pricingVendor(floor, change.namespace)
  if (!vendor.ok) return vendor
  const reached = await reach(floor, change.location, vendor.value)
  if (!reached.ok) return reached
  const lines = against(change.lines, reached.value.slots)
  if (!lines.ok) return lines
  if (!stillFits(tolerance ?? reached.value.rules, change.lines, lines.value))
    return refuse(
      'approval_required',
      'the prices on the machine moved since the owner was asked; the request must be sent again',
    )
  const claimed = await claim(floor, change)
  return accept(claimed && (await execute(floor, vendor.value, claimed, lines.value, tellBasis(claimed))))
}

/** Tells which of the prices stand, and sends none. */
async function lookBack(floor: Floor, change: PriceChange): Promise<Outcome<undefined>> {
  const vendor = floor.vendors.machine(change.namespace)
  const live = vendor.ok ? await vendor.value.inventory(change.location, { live: true }) : undefined
  if (!live?.ok) {
    // The machine stays silent: looking is cheap and the record must not stay open unseen, so it is asked again later.
    await moveChange(floor.store.db, change.seq, ['executing'], {
      status: 'executing',
      dueAt: floor.clock.now() + LOOK_AGAIN_MS,
    })
    return accept(undefined)
  }
  const standing = change.lines.filter((line) => stands(line, live.value))
  const whole = standing.length === change.lines.length
  await floor.store.transaction(async (tx) => {
    if (!(await moveChange(tx, change.seq, ['executing'], { status: whole ? 'done' : 'failed' }))) return
    await recordEvent(floor, tx, {
      kind: 'price_change',
      summary: asSummary(
        `Price change on ${change.location} was interrupted; ${standing.length} of ${change.lines.length} prices stand as asked`,
      ),
      reasoning: `Read back from the machine. Asked for: ${tellLines(change.lines)}.`,
      location: change.location,
    })
  })
  return accept(undefined)
}

/** The job: everything due, one after the other; one that fails hinders no other. */
export async function takeUpDue(floor: Floor): Promise<void> {
  for (const change of await dueChanges(floor.store.db, floor.clock.now(), BITE)) {
    try {
      await takeUp(floor, change, UNASKED)
    } catch (failure) {
      floor.log.error({ err: failure, price_change: change.seq }, 'a price change could not be taken up')
    }
  }
}
