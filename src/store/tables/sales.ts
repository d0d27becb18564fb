/** The mirrored sales ledger of the machine platform, and what is computed from it. */
import { int, nullable, reference, table, text, withDefault } from '../table.ts'

/** What became of the revenue of a day, in whole minor units, so that any sum of days and slots is exact. */
const EARNED = {
  cost: int,
  /** Revenue of the units whose cost is not an estimate. */
  known_revenue: int,
  commission: int,
}

export const SALES_TABLES = {
  /** The ledger is the account's, not a machine's: it outlives the roster, so it refers to no location. */
  sale_transaction: table(
    {
      namespace: text,
      order_no: text,
      location: text,
      location_name: nullable(text),
      status: text,
      status_label: nullable(text),
      settled: int,
      total_fen: int,
      /** 0 when the platform's time cannot be read: such sales are listed last. */
      created_at: int,
      created_at_raw: text,
      /** JSON, each line with the instant since which it is known in its status. */
      lines: text,
      first_seen_at: int,
      changed_at: int,
      /** 1 until the event of this status was written. */
      to_announce: int,
    },
    {
      key: ['order_no', 'namespace'],
      indexes: {
        by_location: ['location', 'created_at', 'order_no', 'namespace'],
        by_time: ['created_at', 'order_no', 'namespace'],
        settled_by_location: { on: ['location', 'created_at', 'order_no', 'namespace'], where: 'settled = 1' },
        settled_by_time: { on: ['created_at', 'order_no', 'namespace'], where: 'settled = 1' },
        to_announce: { on: ['created_at'], where: 'to_announce = 1' },
      },
    },
  ),

  /** Paid lines with a readable time: all that counts in statistics. */
  sale_line: table(
    {
      namespace: text,
      order_no: text,
      line: int,
      location: text,
      vendor_sku: text,
      at: int,
      /** Local day in the zone of the machine. */
      day: text,
      price_fen: int,
      /** As the ledger states it. */
      cost_fen: nullable(int),
      /** What the unit cost by what was known when the sale was stored, in ten-thousandths of a minor unit. */
      unit_cost_e4: int,
      /** 1: nobody knew, so it is a share of the price. */
      cost_estimated: int,
    },
    {
      key: ['order_no', 'namespace', 'line'],
      indexes: {
        /** The newest known cost of a machine's product is one look into this index. */
        by_cost: { on: ['namespace', 'vendor_sku', 'at'], where: 'cost_fen > 0 and cost_fen <> price_fen' },
        by_slot: ['location', 'vendor_sku', 'day', 'at', 'price_fen'],
        by_estimate: { on: ['namespace', 'vendor_sku', 'location'], where: 'cost_estimated = 1' },
      },
    },
  ),

  /** By namespace, because two platforms may use the same machine id. */
  sales_daily: table(
    {
      namespace: text,
      location: text,
      vendor_sku: text,
      day: text,
      units: int,
      revenue: int,
      /** The day's last sale: where emptiness may begin. */
      last_at: int,
      ...EARNED,
    },
    {
      key: ['location', 'namespace', 'vendor_sku', 'day'],
      isClustered: true,
      indexes: { by_product: ['namespace', 'vendor_sku', 'day'] },
    },
  ),

  /** Sums of `sales_daily` by machine and by product: a quarter of a long route would be a million rows. */
  machine_sales_daily: table(
    { namespace: text, location: text, day: text, units: int, revenue: int, ...EARNED },
    // In this order a sum over the days of each machine needs no sorting.
    { key: ['location', 'namespace', 'day'], isClustered: true, indexes: { by_day: ['day'] } },
  ),
  product_sales_daily: table(
    { namespace: text, vendor_sku: text, day: text, units: int, revenue: int, ...EARNED },
    {
      key: ['day', 'vendor_sku', 'namespace'],
      isClustered: true,
      indexes: { by_product: ['namespace', 'vendor_sku', 'day'] },
    },
  ),

  /** Refunded lines with a readable time, on the day of their sale. They are few, so nothing adds them up. */
  refund_line: table(
    {
      namespace: text,
      order_no: text,
      line: int,
      location: text,
      vendor_sku: text,
      at: int,
      day: text,
      price_fen: int,
    },
    {
      key: ['order_no', 'namespace', 'line'],
      indexes: { by_day: ['day', 'location', 'namespace', 'vendor_sku', 'price_fen'], by_machine: ['location', 'day'] },
    },
  ),

  /** What is paid for the place of a machine, from a day on until the next row. Kept when the machine is removed. */
  machine_terms: table(
    {
      namespace: text,
      location: text,
      from_day: text,
      /** Of the revenue, in hundredths of a percent; null: none. */
      commission_e2: nullable(int),
      rent_fen: nullable(int),
    },
    { key: ['namespace', 'location', 'from_day'] },
  ),

  /**
   * The sales of a slot in one block of 32 days, counted from 1970, joined into one text: their milliseconds since the block
   * began, in order. A plan reads weeks of every slot, and a row per sale would cost it more than the planning.
   */
  slot_sales: table(
    {
      namespace: text,
      location: text,
      vendor_sku: text,
      block: int,
      sold: text,
    },
    { key: ['location', 'namespace', 'vendor_sku', 'block'] },
  ),

  /** What a plan reads of the stock log of a slot and block: `ms:stock`, with an `r` for a receipt. The first may be from before. */
  slot_levels: table(
    {
      location: reference('location', 'cascade'),
      vendor_sku: text,
      block: int,
      levels: text,
    },
    { key: ['location', 'vendor_sku', 'block'] },
  ),

  /** Which sales of a platform's ledger are copied here: those from `covered_from` to `covered_to`, except the gap. */
  ledger_mirror: table(
    {
      namespace: text,
      covered_from: int,
      covered_to: int,
      gap_from: nullable(int),
      gap_to: nullable(int),
      /** Copied sales are read again from new to old, to find late refunds. This is how far back that has come. */
      swept_to: nullable(int),
      /** The copied sales that are still to be read again; a long stretch takes several readings. */
      recheck_from: nullable(int),
      recheck_to: nullable(int),
      /** When a reading last went far back over copied sales, which it does once an hour. */
      deep_read_at: nullable(int),
      /** Older sales were there before the copy began: no event is written for them. */
      announce_from: int,
      read_at: int,
      /** Every writer adds 1 first: on PostgreSQL this locks the row between instances. */
      writes: int,
      /** Goes up by 1 when the platform reports a change of sales older than the last ones. */
      changes: withDefault(int, 0),
      /** Sales from this time on may have changed; null once they were read again. */
      changed_from: nullable(int),
    },
    { key: ['namespace'] },
  ),

  /** What is special about the sales of one machine of a ledger; most machines have no row. */
  ledger_machine: table(
    {
      namespace: text,
      location: text,
      /** IANA name of the zone in which its days are counted; null: the deployment's. */
      time_zone: nullable(text),
      /** Sales before this instant are not known; null: all are. */
      complete_from: nullable(int),
      /** Later sales are not known yet; null: the platform lists a sale when it happens. */
      complete_to: nullable(int),
    },
    { key: ['namespace', 'location'] },
  ),
}
