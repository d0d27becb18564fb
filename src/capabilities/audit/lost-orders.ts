/**
 * Orders the supplier has under numbers of ours that no attempt on record explains: what a restore from a backup lost.
 * The supplier lists nothing, so numbers are asked about one by one: `po_<day>_<seq>` of the last days, those of sessions
 * without an attempt and those after the last one handed out. A number that a caller chose itself is found only while
 * its session is on record.
 */
import { addDays, localDay, startOfDay } from '../../kernel/clock.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { SupplyOrderStatus, SupplyVendor } from '../../vendors/contract.ts'
import { orderStatus } from '../checkout/recover.ts'
import { lastOfDay, neverAttempted } from '../checkout/records.ts'
import type { Floor } from '../floor.ts'
import { atMost } from '../locations/at-most.ts'
import { findPurchases } from '../orders/purchase-records.ts'
import type { Problem } from './audit.ts'

type Needs = Pick<Floor, 'store' | 'vendors' | 'clock' | 'config'>

export interface LostOrder {
  readonly checkout: string
  readonly vendor: Namespace
  readonly status: SupplyOrderStatus
}

export interface LostOrders {
  readonly orders: readonly LostOrder[]
  readonly problems: readonly Problem[]
}

/** Sessions that were never bought leave gaps, so this many numbers in a row have to be free. */
const GAP = 50
/** Numbers of one day that are asked about beyond the last one handed out. */
const BEYOND_MAX = 2000
const CONCURRENCY = 8

export async function findLostOrders(floor: Needs, days: number): Promise<LostOrders> {
  const orders: LostOrder[] = []
  const problems: Problem[] = []
  for (const { namespace, role, status } of floor.vendors.registrations) {
    if (role !== 'supply' || status !== 'live') continue
    const supply = floor.vendors.supply(namespace)
    if (!supply.ok) continue
    for (let back = 0; back < days; back++) {
      const day = addDays(localDay(floor.clock.now(), floor.config.timeZone), -back)
      const asked = await askDay(floor, namespace, supply.value, day)
      orders.push(...asked.orders)
      problems.push(...asked.problems)
    }
  }
  return { orders, problems: [...orders.map(describeLost), ...problems] }
}

const describeLost = ({ checkout, vendor, status }: LostOrder): Problem => ({
  code: 'supplier_has_lost_order',
  checkout,
  text: `${vendor} has ${status.externalRef} under this number, and no attempt of ours is on record`,
})

async function askDay(floor: Needs, vendor: Namespace, supply: SupplyVendor, day: string): Promise<LostOrders> {
  const { db } = floor.store
  const orders: LostOrder[] = []
  const problems: Problem[] = []
  /** True when at least one of them is taken. */
  const askAll = async (numbers: readonly string[]): Promise<boolean> => {
    const booked = new Set((await findPurchases(db, numbers)).map(({ id }) => id))
    const answers = await atMost(CONCURRENCY, numbers, (number) => orderStatus(supply, number))
    let taken = false
    answers.forEach((status, index) => {
      const checkout = numbers[index] ?? ''
      taken ||= status.ok
      if (status.ok && !booked.has(checkout)) orders.push({ checkout, vendor, status: status.value })
      if (!status.ok && status.reason !== 'absent')
        problems.push({ code: 'supplier_not_asked', checkout, text: status.text })
    })
    return taken
  }
  const { timeZone } = floor.config
  const [from, until] = [startOfDay(day, timeZone), startOfDay(addDays(day, 1), timeZone)]
  await askAll(await neverAttempted(db, vendor, { from, until }, BEYOND_MAX))
  const compact = day.replaceAll('-', '')
  const last = await lastOfDay(db, compact)
  for (let first = last + 1; first <= last + BEYOND_MAX; first += GAP) {
    const numbers = Array.from({ length: GAP }, (_, n) => `po_${compact}_${first + n}`)
    // A supplier that cannot be asked is not asked about thousands of numbers.
    if (!(await askAll(numbers)) || problems.length > 0) break
  }
  return { orders, problems }
}
