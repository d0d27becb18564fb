/** Four weeks in the life of a random route, hour by hour: what it sold, what was read of it, what was brought. */
import type { State, WireRun, WireSlot } from '../../src/acts/replenishment/planner/states.test-support.ts'
import { DAY, HOUR, rfc3339 } from '../../src/kernel/clock.ts'
import { stream } from '../../src/simulator/world/random.ts'
import type { Random } from '../../src/simulator/world/random.ts'

/** A Wednesday morning. */
const NOW = Date.parse('2026-03-18T10:30:00+08:00')
/** Within what a plan with the shortest window below looks back on. */
const DAYS = 27
const START = NOW - DAYS * DAY
const at = (ms: number): string => rfc3339(ms, 'Asia/Shanghai')
const hourOf = (ms: number): number => Math.floor((ms + 8 * HOUR) / HOUR) % 24
const weekdayOf = (ms: number): number => new Date(ms + 8 * HOUR).getUTCDay()

interface Lane {
  readonly slotId: string
  readonly location: string
  readonly since: number
  readonly perHour: number
  readonly holds: number
  readonly closedOn: number | undefined
  stock: number
}

type Draft = { -readonly [K in 'ledger' | 'runs' | 'stock_log']: State[K][number][] }
type OpenRun = { readonly placed: number; readonly due: number; readonly lines: WireRun['lines'] }

export function randomRoute(seed: number): State {
  const random = stream('random route', seed)
  const machines = Array.from({ length: random.between(1, 4) }, (_, m) => lanesOf(`m${m}`, random))
  const draft: Draft = { ledger: [], runs: [], stock_log: [] }
  for (const lanes of machines) live(lanes, draft, random)
  return {
    now: at(NOW),
    timezone_offset_min: 480,
    stated_lead_days: 2,
    params: paramsOf(random),
    slots: machines.flat().map((lane) => slotOf(lane, random)),
    ...draft,
  }
}

function lanesOf(location: string, random: Random): Lane[] {
  const closedOn = random.happens(0.2) ? random.between(0, 6) : undefined
  return Array.from({ length: random.between(2, 10) }, (_, k) => {
    const holds = random.between(5, 24)
    return {
      slotId: `${location}-p${k}`,
      location,
      since: random.happens(0.8) ? START - random.between(1, 300) * DAY : NOW - random.between(1, DAYS - 1) * DAY,
      perHour: (0.1 + 4 * random.next() ** 2) / 14,
      holds,
      closedOn,
      stock: random.between(0, holds),
    }
  })
}

function live(lanes: readonly Lane[], { ledger, runs, stock_log }: Draft, random: Random): void {
  let open: OpenRun | undefined
  const read = ({ slotId, stock }: Lane, time: number) => stock_log.push({ slot_id: slotId, ts: at(time), stock })
  for (let time = START; time < NOW; time += HOUR) {
    if (open && time >= open.due) {
      runs.push(delivered(open, lanes, (lane) => read(lane, open!.due)))
      open = undefined
    }
    for (const lane of lanes) {
      if (time < lane.since) continue
      const before = lane.stock
      const awake = hourOf(time) >= 8 && hourOf(time) < 22 && weekdayOf(time) !== lane.closedOn
      if (awake && lane.stock > 0 && random.happens(lane.perHour)) {
        const sold = random.happens(0.95)
        ledger.push({
          slot_id: lane.slotId,
          ts: at(time + random.between(1, HOUR / 2)),
          status: sold ? 'paid' : 'refunded',
        })
        if (sold) lane.stock--
      }
      // Not recorded: units that were taken out or put in.
      if (random.happens(0.0005)) lane.stock = random.happens(0.5) ? 0 : lane.holds
      if (lane.stock !== before && random.happens(0.9)) read(lane, time + HOUR / 2 + 1)
    }
    if (!open && random.happens(1 / 120)) open = ordered(lanes, time, random)
  }
  if (open)
    runs.push({ status: 'placed', placed_at: at(open.placed), delivered_at: null, lines: open.lines, delivered: [] })
}

function ordered(lanes: readonly Lane[], time: number, random: Random): OpenRun | undefined {
  const lines = lanes
    .filter(({ stock, holds, since }) => since < time && stock < holds / 2)
    .map(({ slotId, stock, holds }) => ({ slot_id: slotId, quantity: holds - stock + random.between(-2, 3) }))
  return lines.length > 0 ? { placed: time, due: time + random.between(20, 90) * HOUR, lines } : undefined
}

function delivered({ placed, due, lines }: OpenRun, lanes: readonly Lane[], read: (lane: Lane) => void): WireRun {
  const bySlot = new Map(lanes.map((lane) => [lane.slotId, lane]))
  return {
    status: 'delivered',
    placed_at: at(placed),
    delivered_at: at(due),
    lines,
    delivered: lines.map(({ slot_id, quantity }) => {
      const lane = bySlot.get(slot_id)!
      const fitting = Math.min(quantity, lane.holds - lane.stock)
      lane.stock += fitting
      read(lane)
      return { slot_id, quantity: fitting }
    }),
  }
}

const slotOf = ({ slotId, location, since, holds, stock }: Lane, random: Random): WireSlot => ({
  slot_id: slotId,
  location,
  sku: slotId.split('-')[1]!,
  price: random.between(2, 15) * 100,
  stock,
  capacity: random.happens(0.6) ? holds : null,
  locked: random.happens(0.05),
  first_seen: at(since),
})

const paramsOf = (random: Random): State['params'] => ({
  window_days: random.pick([14, 21, 28]),
  cover_days: random.between(3, 10),
  safety_days: random.between(0, 3),
  min_order_qty: random.between(1, 4),
  visit_rule: random.pick(['cycle', 'cycle', 'share', 'share']),
  ...(random.happens(0.3) ? { visit_cost: random.between(5, 40) * 100 } : {}),
  ...(random.happens(0.2) ? { room_lead_share: 0.5 } : {}),
})
