/** A state as it is written on one line of JSON, and the way from there to what the planner looks at. */
import { Type } from 'typebox'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { isTimeZone, parseRfc3339 } from '../../../kernel/clock.ts'
import { openWeekdays } from '../planner/calendar.ts'
import { machinesOf, salesOf } from '../planner/build-input.ts'
import { leadTime } from '../planner/lead-time.ts'
import type { RunRecord } from '../planner/lead-time.ts'
import { readPlanParams } from '../../../kernel/plan-params.ts'
import type { Reading, RouteInput, Zone } from '../planner/input.ts'

const maybe = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Lines = Type.Array(Type.Object({ slot_id: Type.String(), quantity: Type.Number({ minimum: 0 }) }))

const WireState = Type.Object({
  now: Type.String(),
  timezone: Type.Optional(Type.String()),
  timezone_offset_min: Type.Optional(Type.Integer({ minimum: -1440, maximum: 1440 })),
  params: Type.Optional(Type.Unknown()),
  stated_lead_days: Type.Number({ minimum: 0, maximum: 365 }),
  review_days: Type.Optional(Type.Number()),
  ledger_from: maybe(Type.String()),
  locations: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        timezone: Type.Optional(Type.String()),
        hours: Type.Optional(Type.Array(Type.Object({ day: Type.String() }))),
      }),
    ),
  ),
  slots: Type.Array(
    Type.Object({
      slot_id: Type.String(),
      location: Type.String(),
      sku: Type.String(),
      price: Type.Number({ minimum: 0 }),
      cost: maybe(Type.Number({ minimum: 0 })),
      stock: Type.Integer(),
      capacity: maybe(Type.Integer({ minimum: 0 })),
      locked: Type.Optional(Type.Boolean()),
      first_seen: maybe(Type.String()),
      recorded_from: maybe(Type.String()),
      neighbour_level: maybe(Type.Integer({ minimum: 0 })),
      box_of: Type.Optional(Type.Integer({ minimum: 1 })),
      increment: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  ledger: Type.Array(
    Type.Object({
      id: Type.Optional(Type.String()),
      ts: maybe(Type.String()),
      slot_id: Type.String(),
      status: Type.Optional(Type.String()),
    }),
  ),
  runs: Type.Optional(
    Type.Array(
      Type.Object({
        status: Type.String(),
        placed_at: maybe(Type.String()),
        delivered_at: maybe(Type.String()),
        lines: Lines,
        delivered: Type.Optional(Lines),
      }),
    ),
  ),
  stock_log: Type.Optional(
    Type.Array(Type.Object({ slot_id: Type.String(), ts: Type.String(), stock: Type.Number() })),
  ),
})
type WireState = Static<typeof WireState>

const readable = Compile(WireState)

export interface ReadState extends RouteInput {
  /** Paid lines without a readable time: they could be placed on no day. */
  readonly undated: number
}

/** Throws with one sentence when the state cannot be read. */
export function readState(wire: unknown): ReadState {
  if (!readable.Check(wire)) {
    const [problem] = readable.Errors(wire)
    throw new TypeError(`state${problem?.instancePath ?? ''}: ${problem?.message ?? 'unreadable'}`)
  }
  const params = readPlanParams(wire.params ?? {})
  if (!params.ok) throw new RangeError(`plan parameter ${params.problems[0]}`)
  const now = instant(wire.now)
  if (now === null) throw new TypeError('state/now: must be an RFC 3339 time with an offset')
  const runs = wire.runs?.map(runRecord) ?? []
  const { sales, undated } = salesOf(
    wire.ledger.map(({ id, ts, slot_id, status = 'paid' }) => ({ id, slotId: slot_id, at: instant(ts), status })),
  )
  const readings = readingsOf(wire.stock_log ?? [])
  const machines = machinesOf({
    machines: machineRecords(wire),
    slots: wire.slots.map(slotRecord),
    sales,
    runs,
    readings: (slotId) => readings.get(slotId),
  })
  return {
    now,
    params: params.params,
    leadTime: leadTime(runs, wire.stated_lead_days, now),
    reviewDays: Math.min(7, Math.max(1, Math.trunc(wire.review_days ?? 1))),
    machines,
    undated,
  }
}

const instant = (text: string | null | undefined): number | null =>
  typeof text === 'string' ? (parseRfc3339(text) ?? null) : null

function readingsOf(log: NonNullable<WireState['stock_log']>): Map<string, Reading[]> {
  const readings = new Map<string, Reading[]>()
  for (const { slot_id, ts, stock } of log) {
    const at = instant(ts)
    if (at === null) continue
    const own = readings.get(slot_id)
    if (own) own.push({ at, stock })
    else readings.set(slot_id, [{ at, stock }])
  }
  return readings
}

const lines = (list: Static<typeof Lines> = []) => list.map(({ slot_id, quantity }) => ({ slotId: slot_id, quantity }))

const runRecord = (run: NonNullable<WireState['runs']>[number]): RunRecord => ({
  status: run.status,
  placedAt: instant(run.placed_at),
  deliveredAt: instant(run.delivered_at),
  lines: lines(run.lines),
  delivered: lines(run.delivered),
})

const slotRecord = (slot: WireState['slots'][number]) => ({
  slotId: slot.slot_id,
  location: slot.location,
  sku: slot.sku,
  priceFen: slot.price,
  costFen: slot.cost ?? undefined,
  stock: slot.stock,
  capacity: slot.capacity ?? null,
  locked: slot.locked ?? false,
  firstSeen: instant(slot.first_seen),
  recordedFrom: instant(slot.recorded_from) ?? undefined,
  neighbourLevel: slot.neighbour_level ?? undefined,
  boxOf: slot.box_of,
  increment: slot.increment,
})

/** One machine per location any slot names; a location without a zone of its own takes the state's. */
function machineRecords(wire: WireState) {
  const general = zoneOf(wire.timezone) ?? { offsetMin: wire.timezone_offset_min ?? 0 }
  const about = new Map((wire.locations ?? []).map((location) => [location.id, location]))
  return [...new Set(wire.slots.map(({ location }) => location))].map((location) => {
    const known = about.get(location)
    return {
      location,
      zone: zoneOf(known?.timezone) ?? general,
      openWeekdays: openWeekdays(known?.hours),
      ledgerFrom: instant(wire.ledger_from),
    }
  })
}

function zoneOf(timeZone: string | undefined): Zone | undefined {
  if (timeZone === undefined) return undefined
  if (!isTimeZone(timeZone)) throw new TypeError(`state/timezone: no zone ${JSON.stringify(timeZone.slice(0, 64))}`)
  return { timeZone }
}
