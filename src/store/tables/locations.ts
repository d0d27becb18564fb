/** Machines, their slots, locks, stock readings and services, and rows of the platform that could not be read. */
import { BY_COLUMNS } from '../caller-columns.ts'
import { int, nullable, reference, table, text, textOf } from '../table.ts'

export const LOCATIONS_TABLES = {
  /** Public holidays for which somebody said which machines are closed; that is in their calendars. */
  holiday_answer: table({ day: text, answered_at: int, ...BY_COLUMNS }, { key: ['day'] }),

  location: table(
    {
      id: text,
      name: text,
      /** The machine platform it belongs to. */
      namespace: text,
      /** MachineProfile as JSON. */
      profile: text,
      /** What the platform calls the site, as the ledger last named it. */
      venue_name: nullable(text),
      registered_at: int,
      updated_at: int,
      last_synced_at: nullable(int),
      /** 0 or 1 as the platform reported; null until the machine was asked once. */
      online: nullable(int),
      /** Why the last reading failed; null when it did not. */
      sync_problem: nullable(text),
      /** 1 from registration until the first reading was tried. */
      awaits_first_sync: int,
      /** The time zone that the platform states for the machine; null when it states none. */
      platform_time_zone: nullable(text),
      /** MachineHealth as JSON, and when it was read; null when the platform reports none. */
      health: nullable(text),
      health_at: nullable(int),
      /** Coordinates as JSON, and the area of its trips, as the operator stated them. */
      geo: nullable(text),
      area: nullable(text),
      /** Opening hours as JSON; null: unknown. */
      hours: nullable(text),
      /** CalendarEntry[] as JSON; null: nothing is stated. */
      calendar: nullable(text),
    },
    { key: ['id'] },
  ),

  slot: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      slot_id: text,
      sku_id: text,
      title: text,
      barcode: nullable(text),
      price: int,
      /** When a price change of ours last reached the slot; null: never. */
      price_set_at: nullable(int),
      /** As the platform reported it, or as we booked it since. Null: the level follows from `slot_book`. */
      stock: nullable(int),
      /** Reported by the platform, counted on site or inferred from observed history, never a default. */
      capacity: nullable(int),
      capacity_source: nullable(textOf<'told' | 'counted' | 'inferred'>()),
      /** MachineLane[] as JSON; null when the platform names no lanes. */
      lanes: nullable(text),
      image_url: nullable(text),
      first_seen_at: int,
      updated_at: int,
      /** When the platform or a person counted `stock`. Null: before this was stored, as old as `updated_at`. */
      counted_at: nullable(int),
      /** What the platform said at the last reading, also where a booking of ours is `stock`. Null: nothing. */
      reported_stock: nullable(int),
      /** The first reading that said so. */
      reported_at: nullable(int),
      /** The receipt, removal or count of ours that the stock shows, until a reading replaces it. */
      booking: nullable(textOf<'receipt' | 'removal' | 'count'>()),
      booked_at: nullable(int),
      /** The reading up to which all falls are explained: at first the last one before the booking. */
      base_stock: nullable(int),
      base_at: nullable(int),
      /** After a count that was doubted and confirmed: the most that a plan counts on. Null: what was counted. */
      plausible_max: nullable(int),
    },
    {
      key: ['location', 'vendor_sku'],
      indexes: {
        by_id: ['slot_id'],
        by_sku: ['sku_id'],
      },
    },
  ),

  /** Apart from the slots, because a sync replaces those wholesale and a lock stays. */
  slot_lock: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      locked_at: int,
    },
    { key: ['location', 'vendor_sku'] },
  ),

  /** What an operator states about a slot, apart from the slots for the same reason. Null: not stated. */
  slot_setting: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      capacity: nullable(int),
      par: nullable(int),
      position_row: nullable(text),
      position_column: nullable(int),
      /** 1: the product keeps at least one lane, whatever a layout would gain. */
      pinned: nullable(int),
      updated_at: int,
    },
    { key: ['location', 'vendor_sku'] },
  ),

  /**
   * Our own book of a slot, apart from the slots because a sync replaces those wholesale: its last count, and the receipts
   * and removals since. With the sales since, it gives the level where the platform reports none.
   */
  slot_book: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      at: int,
      /** A count sets the level, a receipt adds to it, a removal takes from it. */
      kind: textOf<'count' | 'receipt' | 'removal'>(),
      units: int,
    },
    { key: ['location', 'vendor_sku', 'at', 'kind'] },
  ),

  /** Change points of stock: a sync forgets the level before, so we keep our own. */
  stock_log: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      at: int,
      stock: int,
      /** Read from the machine, or booked by us when units were received or counted, also where a reading lowered that. */
      source: textOf<'sync' | 'receipt' | 'count'>(),
    },
    { key: ['location', 'vendor_sku', 'at'], indexes: { at: ['at'] } },
  ),

  /** What a person did at a machine at one time. Kept when the machine is removed, as its events are. */
  service: table(
    {
      id: text,
      location: text,
      /** The run whose stop was received. */
      run: nullable(text),
      /** When it was done. */
      at: int,
      /** When it was reported to us: later than `at` for a visit entered without a network. */
      booked_at: int,
      note: nullable(text),
      /** JSON: what was loaded, taken out and counted, and how each slot was before. */
      body: text,
      /** Minor units that were collected; null: none. */
      cash_amount: nullable(int),
      cash_bag: nullable(text),
      undone_at: nullable(int),
      /** 1: somebody was there to load, count or collect, so it counts as a visit. */
      is_visit: int,
      /** Of the request with an Idempotency-Key that booked it, outside a run. */
      write_id: nullable(text),
      ...BY_COLUMNS,
    },
    {
      key: ['id'],
      indexes: {
        by_machine: ['location', 'at'],
        collected: { on: ['location', 'at', 'id'], where: 'cash_amount is not null' },
        visits: { on: ['at', 'location'], where: 'is_visit = 1 and undone_at is null' },
        write_id: { unique: true, on: ['write_id'] },
      },
    },
  ),

  /** A fault that somebody reported, or a photo. */
  machine_report: table(
    {
      id: text,
      location: reference('location', 'cascade'),
      /** The visit that it belongs to. */
      service: nullable(text),
      /** Null: only a photo. */
      fault: nullable(text),
      at: int,
      booked_at: int,
      fixed_at: nullable(int),
      fixed_by: nullable(text),
      ...BY_COLUMNS,
      /** Base64; null: there is none, or it was removed after its time. */
      photo: nullable(text),
    },
    {
      key: ['id'],
      indexes: {
        by_machine: ['location', 'at'],
        open: { on: ['at'], where: 'fault is not null and fixed_at is null' },
        photos: { on: ['booked_at'], where: 'photo is not null' },
      },
    },
  ),

  /** Until when the cash counters of a machine are known; a machine without a row has none. */
  cash_meter: table(
    { location: reference('location', 'cascade'), known_from: int, known_until: int },
    { key: ['location'] },
  ),

  /** Coins and notes that a machine took, as its platform counts them. */
  cash_reading: table(
    {
      location: reference('location', 'cascade'),
      at: int,
      /** Minor units since the reading before; null: that cannot be told. */
      amount: nullable(int),
    },
    { key: ['location', 'at'] },
  ),

  /** Units that a service took out as expired or damaged, at their cost of then. Removed when the service is undone. */
  service_loss: table(
    {
      service: text,
      location: text,
      vendor_sku: text,
      sku_id: text,
      at: int,
      units: int,
      cost_fen: int,
      /** Days in the machine of the youngest unit that had expired; null: none had, or nobody knows. */
      expired_age_days: nullable(int),
    },
    { key: ['service', 'vendor_sku'], indexes: { by_time: ['at'] } },
  ),

  /** A row of an upstream that its adapter could not read, until it can be read or is gone. */
  unreadable_row: table(
    {
      namespace: text,
      /** `catalog`, `ledger`, or `inventory` with the machine's id. */
      source: text,
      /** The vendor's code of the row, or a description where it has none that can be read. */
      id: text,
      problem: text,
      first_seen_at: int,
    },
    { key: ['namespace', 'source', 'id'] },
  ),
}
