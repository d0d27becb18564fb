/**
 * Learns from the states of a route how long the goods of each slot keep, as the service learns it from units that a driver
 * takes out: stock that is gone and was not sold had expired.
 */
import { expiredAgeDays } from '../../src/route/locations/service/expired-age.ts'

interface State {
  readonly now: string
  readonly slots: { readonly slot_id: string; readonly stock: number; shelf_days?: number }[]
  readonly ledger: readonly { readonly slot_id: string; readonly ts: string }[]
  readonly stock_log: readonly { readonly slot_id: string; readonly ts: string; readonly stock: number }[]
}

interface Known {
  at: number
  stock: number
  /** The latest first. */
  readonly loads: { at: number; units: number }[]
}

/** Call it with each state in order; it enters what is known by then. */
export function shelfLifeLearner(): (state: State) => void {
  const known = new Map<string, Known>()
  const learned = new Map<string, number>()
  return ({ now, slots, ledger, stock_log: log }) => {
    const sales = Map.groupBy(ledger, ({ slot_id }) => slot_id)
    const readings = Map.groupBy(log, ({ slot_id }) => slot_id)
    for (const slot of slots) {
      const { slot_id: id, stock } = slot
      const one = known.getOrInsertComputed(id, () => ({ at: -Infinity, stock: 0, loads: [] }))
      const sold = (sales.get(id) ?? []).map(({ ts }) => Date.parse(ts))
      for (const reading of readings.get(id) ?? []) {
        const at = Date.parse(reading.ts)
        if (at <= one.at) continue
        const between = sold.filter((each) => each > one.at && each <= at).length
        const units = reading.stock - one.stock + between
        if (units > 0) one.loads.unshift({ at, units })
        Object.assign(one, { at, stock: reading.stock })
      }
      const expired = one.stock - stock
      const at = Date.parse(now)
      const age = expired > 0 ? expiredAgeDays(one.stock, expired, one.loads, at) : undefined
      if (age !== undefined) learned.set(id, Math.min(age, learned.get(id) ?? Infinity))
      if (expired > 0) Object.assign(one, { at, stock })
      const days = learned.get(id)
      if (days !== undefined) slot.shelf_days = days
    }
  }
}
