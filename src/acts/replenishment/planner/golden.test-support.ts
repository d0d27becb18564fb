/** The worked cases: the input in words short enough to check by hand, and the state those words stand for. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DAY, HOUR, MINUTE, rfc3339 } from '../../../kernel/clock.ts'

interface Span {
  readonly slot_id: string
  readonly from_days_ago: number
  readonly until_days_ago: number
}
export interface Case {
  readonly title: string
  readonly because: string
  readonly stated_lead_days?: number
  readonly slots: readonly { readonly slot_id: string; readonly stock: number; readonly seen_days_ago?: number }[]
  readonly sales?: readonly (Span & { per_day: number; weekdays?: readonly number[]; status?: string })[]
  readonly runs?: readonly {
    readonly placed_days_ago: number
    readonly took_hours?: number
    readonly ordered: Readonly<Record<string, number>>
    readonly delivered?: Readonly<Record<string, number>>
  }[]
  readonly readings?: readonly (Span & { readonly stock: number })[]
  readonly expected: Omit<Planned, 'orders'>
}

/** Every case is planned on a Thursday at six in the morning, Tokyo time. */
const ZONE = 'Asia/Tokyo'
const MIDNIGHT = Date.parse('2026-06-11T00:00:00+09:00')
const NOW = MIDNIGHT + 6 * HOUR
const at = (ms: number) => rfc3339(ms, ZONE)

const daysOf = ({ from_days_ago, until_days_ago }: Span) =>
  Array.from({ length: from_days_ago - until_days_ago + 1 }, (_, i) => MIDNIGHT - (until_days_ago + i) * DAY)

const weekday = (ms: number) => (new Date(ms + 9 * HOUR).getUTCDay() + 6) % 7

const lines = (quantities: Readonly<Record<string, number>> = {}) =>
  Object.entries(quantities).map(([slot_id, quantity]) => ({ slot_id, quantity }))

export function stateOf({ slots, sales = [], runs = [], readings = [], stated_lead_days = 3 }: Case) {
  return {
    now: at(NOW),
    timezone_offset_min: 540,
    stated_lead_days,
    slots: slots.map(({ seen_days_ago = 90, ...slot }) => ({
      location: slot.slot_id.split('-')[0]!,
      sku: slot.slot_id.split('-')[1]!,
      price: 400,
      first_seen: at(MIDNIGHT - seen_days_ago * DAY + 15 * HOUR),
      ...slot,
    })),
    ledger: sales.flatMap(({ slot_id, per_day, weekdays, status = 'paid', ...span }) =>
      daysOf({ slot_id, ...span })
        .filter((day) => weekdays?.includes(weekday(day)) ?? true)
        .flatMap((day) =>
          Array.from({ length: per_day }, (_, k) => ({ ts: at(day + 11 * HOUR + k * 40 * MINUTE), slot_id, status })),
        ),
    ),
    runs: runs.map(({ placed_days_ago, took_hours, ordered, delivered = ordered }) => {
      const placed = NOW - placed_days_ago * DAY
      return took_hours === undefined
        ? { status: 'placed', placed_at: at(placed), lines: lines(ordered) }
        : {
            status: 'delivered',
            placed_at: at(placed),
            delivered_at: at(placed + took_hours * HOUR),
            lines: lines(ordered),
            delivered: lines(delivered),
          }
    }),
    stock_log: readings.flatMap(({ stock, ...span }) =>
      daysOf(span).map((day) => ({ slot_id: span.slot_id, ts: at(day + 4 * HOUR), stock })),
    ),
  }
}

export interface Planned {
  readonly lead_time: unknown
  readonly plans: readonly { readonly slot_id: string; readonly stockout_at: string | null }[]
  readonly orders: readonly unknown[]
}

const FOLDER = join(import.meta.dirname, 'golden')

/** By file name without its ending: `01-steady-seller`. */
export const goldenCases: ReadonlyMap<string, Case> = new Map(
  readdirSync(FOLDER)
    .toSorted()
    .map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Case]),
)
