/**
 * Plans without a service: one state as JSON per line in, one plan per line out, by the same code the service runs.
 * For files, pipes and benchmarks. A line that cannot be read is answered with an error line; the others go on.
 */
import { MINUTE, parseRfc3339, rfc3339 } from '../../kernel/clock.ts'
import { openWeekdays } from './days.ts'
import { machinesOf, salesOf } from './from-ledger.ts'
import { leadTime } from './lead-time.ts'
import type { RunRecord } from './lead-time.ts'
import type { PlanEntry } from './machine-plan.ts'
import { paramsFrom, wireParams } from './params.ts'
import { planRoute } from './plan.ts'
import type { Plan } from './plan.ts'
import type { RouteState, Zone } from './state.ts'

interface WireLine {
  readonly slot_id: string
  readonly quantity: number
}

/** The state as it is written on a line. */
export interface WireState {
  readonly now: string
  readonly timezone?: string
  readonly timezone_offset_min?: number
  readonly params?: Readonly<Record<string, unknown>>
  readonly stated_lead_days: number
  readonly review_days?: number
  readonly ledger_from?: string | null
  readonly locations?: readonly {
    readonly id: string
    readonly timezone?: string
    readonly hours?: readonly { readonly day: string }[]
  }[]
  readonly slots: readonly {
    readonly slot_id: string
    readonly location: string
    readonly sku: string
    readonly price: number
    readonly cost?: number | null
    readonly stock: number
    readonly capacity?: number | null
    readonly locked?: boolean
    readonly first_seen?: string | null
    readonly box_of?: number
    readonly increment?: number
  }[]
  readonly ledger: readonly {
    readonly id?: string
    readonly ts: string | null
    readonly slot_id: string
    readonly status?: string
  }[]
  readonly runs?: readonly {
    readonly status: string
    readonly placed_at?: string | null
    readonly delivered_at?: string | null
    readonly lines: readonly WireLine[]
    readonly delivered?: readonly WireLine[]
  }[]
  readonly stock_log?: readonly { readonly slot_id: string; readonly ts: string; readonly stock: number }[]
}

const instant = (text: string | null | undefined): number | null =>
  typeof text === 'string' ? (parseRfc3339(text) ?? null) : null

const lines = (list: readonly WireLine[] = []) => list.map(({ slot_id, quantity }) => ({ slotId: slot_id, quantity }))

export function readState(wire: WireState): RouteState & { readonly undated: number } {
  const now = instant(wire.now)
  if (now === null) throw new RangeError('now must be an RFC 3339 time with an offset')
  const params = paramsFrom(wire.params ?? {})
  const runs: RunRecord[] = (wire.runs ?? []).map((run) => ({
    status: run.status,
    placedAt: instant(run.placed_at),
    deliveredAt: instant(run.delivered_at),
    lines: lines(run.lines),
    delivered: lines(run.delivered),
  }))
  const { sales, undated } = salesOf(
    wire.ledger.map(({ id, ts, slot_id, status = 'paid' }) => ({ id, slotId: slot_id, at: instant(ts), status })),
  )
  const zone: Zone =
    wire.timezone === undefined ? { offsetMin: wire.timezone_offset_min ?? 0 } : { timeZone: wire.timezone }
  const about = new Map((wire.locations ?? []).map((location) => [location.id, location]))
  const ledgerFrom = instant(wire.ledger_from)
  const machines = machinesOf({
    machines: [...new Set(wire.slots.map(({ location }) => location))].map((location) => {
      const { timezone, hours } = about.get(location) ?? {}
      return {
        location,
        zone: timezone === undefined ? zone : { timeZone: timezone },
        openWeekdays: openWeekdays(hours),
        ledgerFrom,
      }
    }),
    slots: wire.slots.map((slot) => ({
      slotId: slot.slot_id,
      location: slot.location,
      sku: slot.sku,
      priceFen: slot.price,
      costFen: slot.cost ?? undefined,
      stock: slot.stock,
      capacity: slot.capacity ?? null,
      locked: slot.locked ?? false,
      firstSeen: instant(slot.first_seen),
      boxOf: slot.box_of,
      increment: slot.increment,
    })),
    sales,
    runs,
    readings: (wire.stock_log ?? []).flatMap(({ slot_id, ts, stock }) => {
      const at = instant(ts)
      return at === null ? [] : [{ slotId: slot_id, at, stock }]
    }),
  })
  const reviewDays = Math.min(7, Math.max(1, Math.trunc(wire.review_days ?? 1)))
  return { now, params, leadTime: leadTime(runs, wire.stated_lead_days), reviewDays, machines, undated }
}

const at = (ms: number, zone: Zone): string =>
  'timeZone' in zone ? rfc3339(ms, zone.timeZone) : rfc3339(ms, fixedOffset(zone.offsetMin))

/** `+08:00`, which Temporal takes for a zone. */
function fixedOffset(minutes: number): string {
  const ms = Math.abs(minutes) * MINUTE
  return `${minutes < 0 ? '-' : '+'}${new Date(ms).toISOString().slice(11, 16)}`
}

export function writePlan(plan: Plan, state: RouteState & { readonly undated?: number }) {
  const zoneOf = new Map(state.machines.map(({ location, zone }) => [location, zone]))
  const entry = (entry: PlanEntry) => ({
    slot_id: entry.slotId,
    location: entry.location,
    stock: entry.stock,
    demand: {
      daily_rate: entry.demand.dailyRate,
      naive_daily_rate: entry.demand.naiveDailyRate,
      available_days: entry.demand.availableDays,
      empty_days: entry.demand.emptyDays,
      closed_days: entry.demand.closedDays,
      measured: entry.demand.measured,
    },
    days_of_cover: entry.daysOfCover,
    stockout_at: entry.stockoutAt === null ? null : at(entry.stockoutAt, zoneOf.get(entry.location)!),
    recommendation: entry.recommendation,
  })
  return {
    strategy_version: plan.strategyVersion,
    params: wireParams(plan.params),
    lead_time: plan.leadTime,
    plans: plan.plans.map(entry),
    orders: plan.plans.flatMap(({ slotId, recommendation: { action, quantity } }) =>
      action === 'order' ? [{ slot_id: slotId, quantity }] : [],
    ),
    forecasts: plan.plans.map(({ slotId, weekAhead }) => ({ slot_id: slotId, mean_7d: weekAhead })),
    ...(plan.truncated.length > 0
      ? { truncated: plan.truncated.map((t) => ({ location: t.location, window_days: t.windowDays })) }
      : {}),
    ...(state.undated ? { undated_lines: state.undated } : {}),
  }
}

export function planLine(line: string): string {
  try {
    const state = readState(JSON.parse(line) as WireState)
    return JSON.stringify(writePlan(planRoute(state), state))
  } catch (problem) {
    return JSON.stringify({ error: problem instanceof Error ? problem.message : 'unreadable state' })
  }
}

/** Reads lines until the input ends. Answers come in order, one per line; `write` may be awaited to hold back. */
export async function planLines(
  input: AsyncIterable<string | Uint8Array>,
  write: (text: string) => unknown,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of input) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    let end = rest.indexOf('\n')
    while (end >= 0) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 1)
      if (line.trim() !== '') await write(`${planLine(line)}\n`)
      end = rest.indexOf('\n')
    }
  }
  if (rest.trim() !== '') await write(`${planLine(rest)}\n`)
}
