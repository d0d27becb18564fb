/**
 * At the start the numbers that this host knows to be sent are compared with the counters of the database, which a restore
 * sets back. Without this, every number would be assigned again and refused one by one when it is used.
 */
import type { Context } from '../../../context.ts'
import { parseAssignedNumber, raiseCounter, readLastOrderNumber } from '../../../store/order-numbers.ts'
import { TEXTS } from '../texts.ts'

/** Callers choose numbers of our form, too. One so far above the others is not taken for one of the counter. */
const GAP_MAX = 500

export async function raiseOrderNumbers(
  ctx: Pick<Context, 'store' | 'vendors' | 'log' | 'sentNumbers'>,
): Promise<void> {
  const { store, log } = ctx
  const byDay = Map.groupBy(
    [...listKnownNumbers(ctx)].flatMap((number) => parseAssignedNumber(number) ?? []),
    ({ day }) => day,
  )
  for (const [day, numbers] of byDay) {
    const before = await readLastOrderNumber(store.db, day)
    const last = lastInReach(
      before,
      numbers.map(({ seq }) => seq),
    )
    if (last <= before) continue
    await store.transaction((tx) => raiseCounter(tx, `po_${day}_${last}`))
    log.warn(
      { day, last_on_record: before, last_sent: last },
      'orders were sent that this database does not know: an older one was restored. Run "vendops audit --repair"',
    )
  }
}

function listKnownNumbers(ctx: Pick<Context, 'vendors' | 'sentNumbers' | 'log'>): ReadonlySet<string> {
  const { vendors } = ctx
  const journaled = vendors.registrations.flatMap(({ namespace, role, status }) => {
    const supply = role === 'supply' && status === 'live' ? vendors.supply(namespace) : undefined
    return supply?.ok ? (supply.value.journaledRefs?.(0) ?? []) : []
  })
  return new Set([...listSent(ctx), ...journaled])
}

/** Without them the service starts all the same: it can be read and stopped, and it assigns and uses no number. */
function listSent({ sentNumbers, log }: Pick<Context, 'sentNumbers' | 'log'>): Iterable<string> {
  try {
    return sentNumbers.list()
  } catch (err) {
    log.error({ err }, TEXTS.numbersUnreadable)
    return []
  }
}

/** The highest number that follows the last one on record without a gap of more than GAP_MAX. */
function lastInReach(last: number, numbers: readonly number[]): number {
  let reached = last
  for (const number of numbers.toSorted((a, b) => a - b))
    if (number > reached && number - reached <= GAP_MAX) reached = number
  return reached
}
