/** Runs, their lines and events, and the forecasts that are scored later. */
import { BY_COLUMNS } from '../caller-columns.ts'
import { int, nullable, reference, table, text, textOf } from '../table.ts'

export const REPLENISHMENT_TABLES = {
  replenishment_run: table(
    {
      id: text,
      created_at: int,
      status: textOf<
        'blocked' | 'nothing_to_do' | 'pending_approval' | 'approved' | 'rejected' | 'placed' | 'delivered'
      >(),
      placed_at: nullable(int),
      delivered_at: nullable(int),
      /** `simulated`, or the namespaces that were asked. */
      supplier: nullable(text),
      /** The owner's decision, or the one the rules took when it was placed. */
      decision: nullable(text),
      strategy_version: text,
      line_count: int,
      /** Units that really came; null until delivered. A run that brought nothing says nothing about lead time. */
      delivered_units: nullable(int),
      note: nullable(text),
      /** JSON: what a placement is about to ask of which supplier. On disk before anybody is asked. */
      placement_intent: nullable(text),
      /** JSON: the machines to visit, and the messages for callers. */
      body: text,
      ...BY_COLUMNS,
    },
    {
      key: ['id'],
      indexes: {
        newest: ['created_at', 'id'],
        status: ['status', 'created_at', 'id'],
      },
    },
  ),

  /** What was planned never changes; `source`, `checkout` and `removed` are set by placing, `delivered` by receiving. */
  run_line: table(
    {
      run: reference('replenishment_run'),
      n: int,
      location: text,
      vendor_sku: text,
      slot_id: text,
      sku_id: text,
      title: text,
      quantity: int,
      /** Fen for one. */
      cost_fen: int,
      cost_estimated: int,
      source: nullable(text),
      /** The session that buys it, where a real supplier does. */
      checkout: nullable(text),
      /** Why it was not ordered, or `canceled` when its purchase ended without it; null while it is to be, or was. */
      removed: nullable(textOf<'unresolved_sku' | 'item_unavailable' | 'hard_no_go' | 'already_placed' | 'canceled'>()),
      /** JSON: units that the store room gives, by supply product; null: none. Set by creating and placing. */
      from_storeroom: nullable(text),
      /** Units to buy where that is less than the store room leaves open, such as when the purchase ended; null: all. */
      bought: nullable(int),
      /** As counted; null while in transit and for lines nobody counted. */
      delivered: nullable(int),
      /** When its stop was received; null while in transit. */
      delivered_at: nullable(int),
      /** The service that received it; null before services were recorded. */
      service: nullable(text),
      /** When that was booked: later than `delivered_at` for a visit entered without a network. */
      booked_at: nullable(int),
      /** What the plan said of the slot when the run was made; null in runs from before. */
      stock: nullable(int),
      rate_hundredths: nullable(int),
      /** Null, too, where no stock-out was expected. */
      cover_tenths: nullable(int),
    },
    {
      key: ['run', 'n'],
      indexes: {
        by_location: { on: ['location', 'checkout'], where: 'checkout is not null' },
        /** A plan asks machine by machine what the few runs of the last weeks hold for it. */
        by_machine: ['run', 'location'],
        checkout: { on: ['checkout'], where: 'checkout is not null' },
      },
    },
  ),

  /** Appended, never written again. Which lines an event is about follows from its type, unless it names them. */
  run_event: table(
    {
      run: reference('replenishment_run'),
      n: int,
      type: textOf<'planned' | 'approved' | 'canceled' | 'ordered' | 'delivered' | 'delivery_undone'>(),
      occurred_at: int,
      /** JSON, of receipts: the numbers of their lines, each with its quantity. */
      lines: nullable(text),
      ...BY_COLUMNS,
    },
    { key: ['run', 'n'] },
  ),

  /** Rates in ten-thousandths, as a plan states them, so that both databases keep them exactly. */
  forecast: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      /** Local day of the machine. */
      day: text,
      made_at: int,
      daily_rate_e4: int,
      naive_rate_e4: int,
      measured: int,
    },
    { key: ['location', 'vendor_sku', 'day'], indexes: { by_day: ['day'] } },
  ),

  /** A product that was accepted for a slot: one row per slot and product; at most one of a slot is pending or approved. */
  slot_swap: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      slot_id: text,
      from_sku: text,
      /** Of a product that no machine held: the supplier's, until a machine reports it. */
      to_sku: text,
      to_title: text,
      /** Of a product that no machine held: the price it gets. */
      price_fen: nullable(int),
      /** The owner's decision about it. */
      decision: text,
      /** `done`: the machine holds the product. `canceled`: it will not be changed. */
      status: textOf<'pending' | 'approved' | 'rejected' | 'done' | 'canceled'>(),
      /** Expected margin more per week, in minor units. */
      weekly_gain_fen: int,
      at: int,
      /** When its status last changed. */
      changed_at: int,
    },
    { key: ['location', 'vendor_sku', 'to_sku'], indexes: { by_decision: ['decision'] } },
  ),

  /** The last accepted change of a lane: a product of the machine takes it over from another. */
  lane_change: table(
    {
      location: reference('location', 'cascade'),
      lane: text,
      /** Units that fit. */
      capacity: int,
      from_sku: text,
      to_sku: text,
      /** `accepted`: the next visit changes the lane. `done`: it did. `canceled`: it will not. */
      status: textOf<'accepted' | 'done' | 'canceled'>(),
      /** Expected margin more per week, in minor units. */
      weekly_gain_fen: int,
      /** When its status last changed. */
      changed_at: int,
    },
    { key: ['location', 'lane'] },
  ),
}
