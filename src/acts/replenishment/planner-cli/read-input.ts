/** The JSON state of the planner CLI, and the planner's input built from it. */
import { Ajv } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'
import { DAY, isTimeZone, parseRfc3339 } from '../../../kernel/clock.ts'
import { openWeekdays } from '../planner/demand/calendar.ts'
import { machineInputs, salesBySlot } from '../planner/build-input.ts'
import { type RunRecord, leadTime } from '../planner/demand/lead-time.ts'
import { placeOf } from '../planner/trips/places.ts'
import { readPlanParams } from '../../../kernel/plan-params.ts'
import type { Reading, RouteInput, Zone } from '../planner/input.ts'

const optional = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const Lines = Type.Array(Type.Object({ slot_id: Type.String(), quantity: Type.Number({ minimum: 0 }) }))

const WireState = Type.Object({
  now: Type.String(),
  timezone: Type.Optional(Type.String()),
  timezone_offset_min: Type.Optional(Type.Integer({ minimum: -1440, maximum: 1440 })),
  params: Type.Optional(Type.Unknown()),
  stated_lead_days: Type.Number({ minimum: 0, maximum: 365 }),
  review_days: Type.Optional(Type.Number()),
  ledger_from: optional(Type.String()),
  ledger_days: optional(Type.Number({ minimum: 0 })),
  locations: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        timezone: Type.Optional(Type.String()),
        hours: Type.Optional(Type.Array(Type.Object({ day: Type.String() }))),
        area: Type.Optional(Type.String()),
        city: Type.Optional(Type.String()),
        address: Type.Optional(Type.String()),
        geo: Type.Optional(Type.Object({ latitude: Type.Number(), longitude: Type.Number() })),
      }),
    ),
  ),
  slots: Type.Array(
    Type.Object({
      slot_id: Type.String(),
      location: Type.String(),
      sku: Type.String(),
      price: Type.Number({ minimum: 0 }),
      cost: optional(Type.Number({ minimum: 0 })),
      stock: Type.Union([Type.Integer(), Type.Null()]),
      capacity: optional(Type.Integer({ minimum: 0 })),
      /** After a count far above anything seen before: the most to count on. */
      plausible_max: Type.Optional(Type.Integer({ minimum: 1 })),
      locked: Type.Optional(Type.Boolean()),
      first_seen: optional(Type.String()),
      recorded_from: optional(Type.String()),
      neighbour_level: optional(Type.Integer({ minimum: 0 })),
      shelf_days: Type.Optional(Type.Integer({ minimum: 1 })),
      box_of: Type.Optional(Type.Integer({ minimum: 1 })),
      increment: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  ledger: Type.Array(
    Type.Object({
      id: Type.Optional(Type.String()),
      ts: optional(Type.String()),
      slot_id: Type.String(),
      status: Type.Optional(Type.String()),
    }),
  ),
  runs: Type.Optional(
    Type.Array(
      Type.Object({
        status: Type.String(),
        placed_at: optional(Type.String()),
        delivered_at: optional(Type.String()),
        lines: Lines,
        delivered: Type.Optional(Lines),
      }),
    ),
  ),
  stock_log: Type.Optional(
    Type.Array(
      Type.Object({
        slot_id: Type.String(),
        ts: Type.String(),
        stock: Type.Number(),
        /** The level that a receipt left, which nobody read. */
        receipt: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
})
type WireState = Static<typeof WireState>

const isWireState = new Ajv().compile<WireState>(WireState)

export interface ReadState extends RouteInput {
  /** Paid lines without a valid time: they belong to no day. */
  readonly undated: number
}

/** Throws an error with the first problem when the state is invalid. */
export function readState(wire: unknown): ReadState {
  if (!isWireState(wire)) {
    const [problem] = isWireState.errors ?? []
    throw new TypeError(`state${problem?.instancePath ?? ''}: ${problem?.message ?? 'invalid'}`)
  }
  const params = readPlanParams(wire.params ?? {})
  if (!params.ok) throw new RangeError(`plan parameter ${params.problems[0]}`)
  const now = parseInstant(wire.now)
  if (now === null) throw new TypeError('state/now: must be an RFC 3339 time with an offset')
  const runs = wire.runs?.map(toRunRecord) ?? []
  const { sales, undated } = salesBySlot(
    wire.ledger.map(({ id, ts, slot_id, status = 'paid' }) => ({ id, slotId: slot_id, at: parseInstant(ts), status })),
  )
  const readings = readingsBySlot(wire.stock_log ?? [])
  const machines = machineInputs({
    machines: toMachineRecords(wire, now),
    slots: wire.slots.map(toSlotRecord),
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

const parseInstant = (text: string | null | undefined): number | null =>
  typeof text === 'string' ? (parseRfc3339(text) ?? null) : null

function readingsBySlot(log: NonNullable<WireState['stock_log']>): Map<string, Reading[]> {
  const readings = log.flatMap(({ slot_id, ts, stock, receipt }) => {
    const at = parseInstant(ts)
    return at === null ? [] : [{ slotId: slot_id, at, stock, ...(receipt ? { isReceipt: true } : {}) }]
  })
  return Map.groupBy(readings, ({ slotId }) => slotId)
}

const toLines = (list: Static<typeof Lines> = []) => list.map(({ slot_id: slotId, quantity }) => ({ slotId, quantity }))

const toRunRecord = (run: NonNullable<WireState['runs']>[number]): RunRecord => ({
  status: run.status,
  placedAt: parseInstant(run.placed_at),
  deliveredAt: parseInstant(run.delivered_at),
  lines: toLines(run.lines),
  delivered: toLines(run.delivered),
})

const toSlotRecord = (slot: WireState['slots'][number]) => ({
  slotId: slot.slot_id,
  location: slot.location,
  sku: slot.sku,
  priceFen: slot.price,
  costFen: slot.cost ?? undefined,
  stock: slot.stock,
  capacity: slot.capacity ?? null,
  plausibleMax: slot.plausible_max,
  locked: slot.locked ?? false,
  firstSeenAt: parseInstant(slot.first_seen),
  recordedFrom: parseInstant(slot.recorded_from) ?? undefined,
  neighbourLevel: slot.neighbour_level ?? undefined,
  shelfDays: slot.shelf_days,
  boxOf: slot.box_of,
  increment: slot.increment,
})

/** One machine per location that a slot names. The state's zone applies where a location has none. */
function toMachineRecords(wire: WireState, now: number) {
  const defaultZone = zoneOf(wire.timezone) ?? { offsetMin: wire.timezone_offset_min ?? 0 }
  const locations = new Map((wire.locations ?? []).map((location) => [location.id, location]))
  return [...new Set(wire.slots.map(({ location }) => location))].map((location) => {
    const known = locations.get(location)
    return {
      location,
      zone: zoneOf(known?.timezone) ?? defaultZone,
      place: known && placeOf(location, known),
      openWeekdays: openWeekdays(known?.hours),
      ledgerFrom: parseInstant(wire.ledger_from),
      historyFrom: typeof wire.ledger_days === 'number' ? now - wire.ledger_days * DAY : undefined,
    }
  })
}

function zoneOf(timeZone: string | undefined): Zone | undefined {
  if (timeZone === undefined) return undefined
  if (!isTimeZone(timeZone))
    throw new TypeError(`state/timezone: unknown zone ${JSON.stringify(timeZone.slice(0, 64))}`)
  return { timeZone }
}
