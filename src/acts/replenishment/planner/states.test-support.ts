/** Random routes as they come on the wire, for properties that must hold whatever a route looks like. */
import fc from 'fast-check'
import { DAY, HOUR, MINUTE } from '../../../kernel/clock.ts'

export interface WireSlot {
  readonly slot_id: string
  readonly location: string
  readonly sku: string
  readonly price: number
  readonly stock: number
  readonly capacity: number | null
  readonly locked: boolean
  readonly first_seen: string
}
export interface WireRun {
  readonly status: string
  readonly placed_at: string
  readonly delivered_at: string | null
  readonly lines: readonly { readonly slot_id: string; readonly quantity: number }[]
  readonly delivered: readonly { readonly slot_id: string; readonly quantity: number }[]
}
export interface State {
  readonly now: string
  readonly timezone_offset_min: number
  readonly stated_lead_days: number
  readonly params: Readonly<Record<string, unknown>>
  readonly slots: readonly WireSlot[]
  readonly ledger: readonly { readonly ts: string; readonly slot_id: string; readonly status: string }[]
  readonly runs: readonly WireRun[]
  readonly stock_log: readonly { readonly slot_id: string; readonly ts: string; readonly stock: number }[]
}

/** A Wednesday, in the middle of a local day. */
export const NOW = Date.parse('2026-03-18T10:30:00+08:00')
const OFFSET = 8 * HOUR
/** Written out rather than asked of the zone: thousands of states hold a million times. */
export const at = (ms: number): string => `${new Date(ms + OFFSET).toISOString().slice(0, -1)}+08:00`
/** Days since 1970-01-01 on the local calendar. */
export const localDayNumber = (ms: number): number => Math.floor((ms + OFFSET) / DAY)

const slot = fc.record({
  sku: fc.integer({ min: 0, max: 4 }),
  price: fc.integer({ min: 0, max: 1500 }),
  stock: fc.integer({ min: -1, max: 14 }),
  capacity: fc.constantFrom(null, 0, 6, 8, 10, 12, 20, 40),
  locked: fc.boolean().chain((locked) => (locked ? fc.boolean() : fc.constant(false))),
  ageDays: fc.constantFrom(0, 1, 5, 20, 40, 200),
  minutesAgo: fc.array(fc.nat(30 * 24 * 60), { maxLength: 40 }),
  status: fc.constantFrom('paid', 'paid', 'paid', 'refunded', 'unpaid', 'cancelled'),
  readings: fc.array(fc.record({ hoursAgo: fc.nat(500), stock: fc.constantFrom(0, 0, 1, 7, 12) }), { maxLength: 6 }),
})

const run = fc.record({
  placedDaysAgo: fc.integer({ min: 0, max: 40 }),
  hours: fc.integer({ min: 0, max: 96 }),
  placed: fc.boolean().chain((placed) => (placed ? fc.boolean() : fc.constant(false))),
  lines: fc.array(fc.record({ slot: fc.nat(20), quantity: fc.integer({ min: 1, max: 12 }), missing: fc.nat(3) }), {
    minLength: 1,
    maxLength: 4,
  }),
})

const params = fc.record(
  {
    window_days: fc.constantFrom(7, 14, 21, 28),
    cover_days: fc.integer({ min: 1, max: 14 }),
    safety_days: fc.integer({ min: 0, max: 4 }),
    min_order_qty: fc.integer({ min: 1, max: 6 }),
    max_order_qty: fc.integer({ min: 6, max: 60 }),
    visit_rule: fc.constantFrom('cycle', 'share'),
    cover_rule: fc.constantFrom('rhythm', 'days'),
    room_lead_share: fc.constantFrom(0, 0.5, 1),
    top_up: fc.boolean(),
    one_visit_at_a_time: fc.boolean(),
    small_machine_slots: fc.constantFrom(0, 5),
    missed_share: fc.constantFrom(0.4, 0.6, 1),
  },
  { requiredKeys: [] },
)

export const states: fc.Arbitrary<State> = fc
  .record({
    machines: fc.array(fc.array(slot, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 }),
    runs: fc.array(run, { maxLength: 8 }),
    params,
  })
  .map(({ machines, runs, params }) => {
    const all = machines.flatMap((slots, m) =>
      slots.map((s, k) => ({ ...s, location: `m${m}`, slotId: `m${m}-k${k}` })),
    )
    const linesOf = (lines: readonly { slot: number; quantity: number; missing: number }[]) => {
      const bySlot = new Map(lines.map((line) => [all[line.slot % all.length]!.slotId, line]))
      return [...bySlot].map(([slot_id, { quantity, missing }]) => ({ slot_id, quantity, missing }))
    }
    return {
      now: at(NOW),
      timezone_offset_min: 480,
      stated_lead_days: 2,
      params,
      slots: all.map(({ slotId, location, sku, price, stock, capacity, locked, ageDays }) => ({
        slot_id: slotId,
        location,
        sku: `p${sku}`,
        price,
        stock,
        capacity,
        locked,
        first_seen: at(NOW - ageDays * DAY - 3 * HOUR),
      })),
      ledger: all.flatMap(({ slotId, minutesAgo, status }) =>
        minutesAgo.map((m, i) => ({
          ts: at(NOW - m * MINUTE),
          slot_id: slotId,
          status: i % 5 === 4 ? status : 'paid',
        })),
      ),
      runs: runs.map(({ placedDaysAgo, hours, placed, lines }) => {
        const placedAt = NOW - placedDaysAgo * DAY - 97 * HOUR
        const bySlot = linesOf(lines)
        const ordered = bySlot.map(({ slot_id, quantity }) => ({ slot_id, quantity }))
        return placed
          ? { status: 'placed', placed_at: at(placedAt), delivered_at: null, lines: ordered, delivered: [] }
          : {
              status: 'delivered',
              placed_at: at(placedAt),
              delivered_at: at(placedAt + hours * HOUR),
              lines: ordered,
              delivered: bySlot.map(({ slot_id, quantity, missing }) => ({
                slot_id,
                quantity: Math.max(0, quantity - missing),
              })),
            }
      }),
      stock_log: all.flatMap(({ slotId, readings }) =>
        readings.map(({ hoursAgo, stock }) => ({ slot_id: slotId, ts: at(NOW - hoursAgo * HOUR), stock })),
      ),
    }
  })
