/**
 * Finds orders that a supplier has under our numbers without an attempt at it on record: what restoring a backup lost. An
 * attempt at another supplier explains nothing: then the number was used twice. The
 * supplier has no list, so numbers are asked about one by one: every `po_<day>_<seq>` of the last days without an attempt
 * or purchase of this supplier on record, up to the last one assigned and on until 500 in a row are unused. A number that a caller chose
 * is found while its session is on record, or where the adapter keeps a journal of what it sent (ADR 36). Of a supplier that
 * cannot be asked no order can be found.
 */
import { addDays, localDay, startOfDay } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { SupplyVendor } from '../../vendors/supply-vendor.ts'
import {
  type LostOrder,
  NumbersUnreadable,
  findSessions,
  listAttempts,
  listUnattemptedSessions,
  sentNumbers,
} from '../../acts/checkout/index.ts'
import { readLastOrderNumber } from '../../store/order-numbers.ts'
import type { Context } from '../../context.ts'
import { mapConcurrent, chunk } from '../../lib/concurrency.ts'
import { findPurchases } from '../../acts/orders/index.ts'
import type { Problem } from './audit.ts'

type Deps = Pick<Context, 'store' | 'vendors' | 'clock' | 'config'>

export interface LostOrders {
  readonly orders: readonly FoundOrder[]
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
const BATCH_SIZE = 200
const CONCURRENCY = 8

export async function findLostOrders(ctx: Deps, days: number): Promise<LostOrders> {
  const orders: FoundOrder[] = []
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
    orders.push(
      ...journaled.orders.filter(
        ({ checkout }) => !orders.some((found) => found.checkout === checkout && found.vendor === namespace),
      ),
    )
    problems.push(...journaled.problems)
  }
  return { orders, problems: [...orders.map(describeLost), ...problems] }
}

/**
 * Numbers that callers chose are known as well, from what this host recorded outside the database: the journals of suppliers
 * that cannot be asked by our number, and the numbers of all orders, of which those that nobody has on record are asked about.
 */
async function askJournaled(ctx: Deps, vendor: Namespace, supply: SupplyVendor, days: number): Promise<LostOrders> {
  const { timeZone } = ctx.config
  const firstDay = addDays(localDay(ctx.clock.now(), timeZone), 1 - days)
  const journaled = supply.journaledRefs?.(startOfDay(firstDay, timeZone)) ?? []
  const unrecorded: string[] = []
  const sent = listSent(ctx, vendor)
  for (const numbers of chunk(sent.numbers, BATCH_SIZE)) {
    const recorded = await findRecordedSuppliers(ctx, numbers)
    unrecorded.push(...numbers.filter((number) => !recorded.has(number)))
  }
  const found: Asked[] = []
  for (const numbers of chunk([...new Set([...journaled, ...unrecorded])], NUMBERS_AT_ONCE))
    found.push(await askAbout(ctx, vendor, supply, numbers))
  return {
    orders: found.flatMap(({ orders }) => orders),
    problems: [...sent.problems, ...found.flatMap(({ problems }) => problems)],
  }
}

function listSent(
  { store }: Deps,
  vendor: Namespace,
): { readonly numbers: readonly string[]; readonly problems: readonly Problem[] } {
  try {
    return { numbers: [...sentNumbers(store.sidecarPrefix).list()], problems: [] }
  } catch (failure) {
    if (!(failure instanceof NumbersUnreadable)) throw failure
    const text = `${vendor} was not asked about the numbers of the orders sent from this host: ${failure.message}`
    return { numbers: [], problems: [{ code: 'supplier_not_asked', checkout: 'every number', text }] }
  }
}

interface FoundOrder extends LostOrder {
  /** The supplier of the order that is on record under this number. */
  readonly recordedFor?: string
}

const describeLost = ({ checkout, vendor, status, recordedFor }: FoundOrder): Problem =>
  recordedFor === undefined
    ? {
        code: 'supplier_has_lost_order',
        checkout,
        text: `${vendor} has order ${status.externalRef} under this number, but no attempt is on record`,
      }
    : {
        code: 'number_used_twice',
        checkout,
        text: `${vendor} has order ${status.externalRef} under this number, which is an order to ${recordedFor} on record. Settle the order with ${vendor}`,
      }

async function askDay(ctx: Deps, vendor: Namespace, supply: SupplyVendor, day: string): Promise<LostOrders> {
  const { db } = ctx.store
  const { timeZone } = ctx.config
  const orders: FoundOrder[] = []
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

/** Asks about those of the numbers that have neither an attempt at this supplier nor a purchase from it on record. */
async function askAbout(
  ctx: Deps,
  vendor: Namespace,
  supply: SupplyVendor,
  numbers: readonly string[],
): Promise<Asked> {
  const recorded = await findRecordedSuppliers(ctx, numbers)
  const unexplained = numbers.filter((number) => !recorded.get(number)?.has(vendor))
  const answers = await mapConcurrent(CONCURRENCY, unexplained, (number) => supply.orderStatus(number))
  const there: LostOrder[] = []
  const problems: Problem[] = []
  answers.forEach((status, index) => {
    const checkout = unexplained[index] ?? ''
    if (status.ok) there.push({ checkout, vendor, status: status.value })
    else if (status.reason !== 'absent') problems.push({ code: 'supplier_not_asked', checkout, text: status.message })
  })
  const found = there.map(({ checkout }) => checkout)
  // The service may have bought since: an attempt is on record before its order is sent.
  const since = await findRecordedSuppliers(ctx, found)
  return {
    orders: there
      .filter(({ checkout }) => !since.get(checkout)?.has(vendor))
      .map((order): FoundOrder => {
        const [recordedFor] = since.get(order.checkout) ?? []
        return recordedFor === undefined ? order : { ...order, recordedFor }
      }),
    problems,
    used: new Set([...recorded.keys(), ...found]),
    asked: unexplained.length,
  }
}

/** The suppliers that an order of a number was sent to, as far as it is on record. */
async function findRecordedSuppliers(
  { store }: Deps,
  numbers: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const suppliers = new Map<string, Set<string>>()
  const add = (number: string, supplier: string) =>
    suppliers.set(number, (suppliers.get(number) ?? new Set()).add(supplier))
  const attempts = await listAttempts(store.db, numbers)
  // Attempts of early versions do not name it.
  const unnamed = attempts.filter(({ supplier }) => supplier === undefined).map(({ checkout }) => checkout)
  for (const { id, vendor } of await findSessions(store.db, unnamed)) add(id, vendor)
  for (const { checkout, supplier } of attempts) if (supplier !== undefined) add(checkout, supplier)
  for (const { id, vendor } of await findPurchases(store.db, numbers)) add(id, vendor)
  return suppliers
}
