/**
 * Finds orders that the supplier has under our numbers without an attempt on record: what restoring a backup lost. The
 * supplier has no list, so numbers are asked about one by one: every `po_<day>_<seq>` of the last days without an attempt
 * or purchase on record, up to the last one assigned and on until 500 in a row are unused. A number that a caller chose
 * is found while its session is on record, or where the adapter keeps a journal of what it sent (ADR 36). Of a supplier that
 * cannot be asked no order can be found.
 */
import { addDays, localDay, startOfDay } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { SupplyVendor } from '../../vendors/supply-vendor.ts'
import {
  type LostOrder,
  listAttempts,
  readOrderStatus,
  readLastOrderNumber,
  listUnattemptedSessions,
} from '../checkout/index.ts'
import type { Context } from '../context.ts'
import { mapConcurrent, chunk } from '../../lib/concurrency.ts'
import { findPurchases } from '../orders/index.ts'
import type { Problem } from './audit.ts'

type Deps = Pick<Context, 'store' | 'vendors' | 'clock' | 'config'>

export interface LostOrders {
  readonly orders: readonly LostOrder[]
  readonly problems: readonly Problem[]
}

/** Sessions that were never bought have numbers, too, so this many in a row have to be unused. */
const UNUSED_IN_A_ROW = 500
/** Numbers of one day that one run asks about; the rest is reported as not asked. */
const NUMBERS_MAX = 10_000
const SESSIONS_MAX = 20_000
/** A supplier that fails this often is not asked about the other numbers of the day. */
const FAILURES_MAX = 20
const NUMBERS_AT_ONCE = 40
const CONCURRENCY = 8

export async function findLostOrders(ctx: Deps, days: number): Promise<LostOrders> {
  const orders: LostOrder[] = []
  const problems: Problem[] = []
  for (const { namespace, role, status } of ctx.vendors.registrations) {
    if (role !== 'supply' || status !== 'live' || !ctx.vendors.supports(namespace, 'orderStatus')) continue
    const supply = ctx.vendors.supply(namespace)
    if (!supply.ok) continue
    for (let back = 0; back < days; back++) {
      const day = addDays(localDay(ctx.clock.now(), ctx.config.timeZone), -back)
      const asked = await askDay(ctx, namespace, supply.value, day)
      orders.push(...asked.orders)
      problems.push(...asked.problems)
    }
    const journaled = await askJournaled(ctx, namespace, supply.value, days)
    orders.push(...journaled.orders.filter(({ checkout }) => !orders.some((found) => found.checkout === checkout)))
    problems.push(...journaled.problems)
  }
  return { orders, problems: [...orders.map(describeLost), ...problems] }
}

/** Of suppliers that only our own journal can be asked about, numbers that callers chose are known as well. */
async function askJournaled(ctx: Deps, vendor: Namespace, supply: SupplyVendor, days: number): Promise<LostOrders> {
  const { timeZone } = ctx.config
  const firstDay = addDays(localDay(ctx.clock.now(), timeZone), 1 - days)
  const found: Asked[] = []
  for (const numbers of chunk(supply.journaledRefs?.(startOfDay(firstDay, timeZone)) ?? [], NUMBERS_AT_ONCE))
    found.push(await askAbout(ctx, vendor, supply, numbers))
  return { orders: found.flatMap(({ orders }) => orders), problems: found.flatMap(({ problems }) => problems) }
}

const describeLost = ({ checkout, vendor, status }: LostOrder): Problem => ({
  code: 'supplier_has_lost_order',
  checkout,
  text: `${vendor} has order ${status.externalRef} under this number, but no attempt is on record`,
})

async function askDay(ctx: Deps, vendor: Namespace, supply: SupplyVendor, day: string): Promise<LostOrders> {
  const { db } = ctx.store
  const { timeZone } = ctx.config
  const orders: LostOrder[] = []
  const problems: Problem[] = []
  let asked = 0
  const ask = async (numbers: readonly string[]): Promise<ReadonlySet<string>> => {
    const answer = await askAbout(ctx, vendor, supply, numbers)
    orders.push(...answer.orders)
    problems.push(...answer.problems)
    asked += answer.asked
    return answer.used
  }
  const reasonToStop = (): string | undefined => {
    if (problems.length >= FAILURES_MAX) return 'the supplier failed too often'
    return asked >= NUMBERS_MAX ? `one run asks about ${NUMBERS_MAX} numbers a day` : undefined
  }
  const stopAt = (checkout: string, why: string): void => {
    const text = `This number and the later ones of ${day} were not asked about: ${why}`
    problems.push({ code: 'supplier_not_asked', checkout, text })
  }

  const compact = day.replaceAll('-', '')
  const prefix = `po_${compact}_`
  let last = await readLastOrderNumber(db, compact)
  let next = 1
  while (next <= last + UNUSED_IN_A_ROW) {
    const why = reasonToStop()
    if (why !== undefined) {
      stopAt(`${prefix}${next}`, why)
      break
    }
    const count = Math.min(NUMBERS_AT_ONCE, last + UNUSED_IN_A_ROW - next + 1)
    const used = await ask(Array.from({ length: count }, (_, n) => `${prefix}${next + n}`))
    for (let n = next; n < next + count; n++) if (n > last && used.has(`${prefix}${n}`)) last = n
    next += count
  }

  const [from, until] = [startOfDay(day, timeZone), startOfDay(addDays(day, 1), timeZone)]
  const sessions = await listUnattemptedSessions(db, vendor, { from, until }, SESSIONS_MAX)
  const chosen = sessions.filter((id) => !(id.startsWith(prefix) && Number(id.slice(prefix.length)) < next))
  for (const numbers of chunk(chosen, NUMBERS_AT_ONCE)) {
    if (problems.length >= FAILURES_MAX) {
      stopAt(numbers[0] ?? prefix, 'the supplier failed too often')
      break
    }
    await ask(numbers)
  }
  const oldest = sessions.at(-1)
  if (oldest !== undefined && sessions.length === SESSIONS_MAX)
    stopAt(oldest, `one run reads ${SESSIONS_MAX} sessions a day, newest first`)
  return { orders, problems }
}

interface Asked extends LostOrders {
  /** On record, or at the supplier. */
  readonly used: ReadonlySet<string>
  readonly asked: number
}

/** Asks about those of the numbers that have neither attempt nor purchase on record. */
async function askAbout(
  ctx: Deps,
  vendor: Namespace,
  supply: SupplyVendor,
  numbers: readonly string[],
): Promise<Asked> {
  const explained = await findAttemptedOrPurchased(ctx, numbers)
  const unexplained = numbers.filter((number) => !explained.has(number))
  const answers = await mapConcurrent(CONCURRENCY, unexplained, (number) => readOrderStatus(supply, number))
  const there: LostOrder[] = []
  const problems: Problem[] = []
  answers.forEach((status, index) => {
    const checkout = unexplained[index] ?? ''
    if (status.ok) there.push({ checkout, vendor, status: status.value })
    else if (status.reason !== 'absent') problems.push({ code: 'supplier_not_asked', checkout, text: status.message })
  })
  const found = there.map(({ checkout }) => checkout)
  // The service may have bought since: an attempt is on record before its order is sent.
  const since = await findAttemptedOrPurchased(ctx, found)
  return {
    orders: there.filter(({ checkout }) => !since.has(checkout)),
    problems,
    used: new Set([...explained, ...found]),
    asked: unexplained.length,
  }
}

async function findAttemptedOrPurchased({ store }: Deps, numbers: readonly string[]): Promise<ReadonlySet<string>> {
  const attempts = await listAttempts(store.db, numbers)
  const purchases = await findPurchases(store.db, numbers)
  return new Set([...attempts.map(({ checkout }) => checkout), ...purchases.map(({ id }) => id)])
}
