/** Compares the totals of a day with the ledger. They are counted with every sale, so a difference is a fault of ours. */
import { addDays, DAY, localDay, startOfDay } from '../../kernel/clock.ts'
import { yieldToEventLoop } from '../../lib/concurrency.ts'
import { recordEvent } from '../../record/events/index.ts'
import type { Context } from '../../context.ts'
import { listDayTotals, listSalesBetween } from './check-records.ts'
import { loadLedgerMachines } from './ledger-machine-records.ts'
import { paidLines } from './sale-transaction.ts'
import { salesDayDiffers } from './texts.ts'

type Deps = Pick<Context, 'store' | 'clock' | 'config' | 'log'>

/** How far back a day is chosen. */
const DAYS_BACK = 90

/** By `namespace location vendor_sku`, or shorter for a machine or a product. */
type Totals = Map<string, { units: number; revenue: number }>

export async function checkRandomDay(ctx: Deps, random: () => number = Math.random): Promise<void> {
  const today = localDay(ctx.clock.now(), ctx.config.timeZone)
  await checkDay(ctx, addDays(today, -Math.floor(random() * DAYS_BACK)))
}

export async function checkDay(ctx: Deps, day: string): Promise<void> {
  const first = await findDifferences(ctx, day)
  // A sale that was stored between the two reads is no difference.
  if (first.length === 0) return
  const differences = new Set(await findDifferences(ctx, day))
  const lasting = first.filter((key) => differences.has(key))
  if (lasting.length === 0) return
  ctx.log.error({ day, differences: lasting.slice(0, 20) }, 'Daily totals differ from the ledger')
  await ctx.store.transaction((tx) => recordEvent(ctx, tx, salesDayDiffers(day, lasting.length)))
}

async function findDifferences(ctx: Deps, day: string): Promise<string[]> {
  const { bySlot, byMachine, byProduct } = await listDayTotals(ctx.store.db, day)
  const ledger = await countLedger(ctx, day)
  const slots = totalsOf(bySlot, ({ namespace, location, vendor_sku }) => `${namespace} ${location} ${vendor_sku}`)
  return [
    ...differing(ledger, slots),
    ...differing(
      totalsOf(bySlot, ({ namespace, location }) => `${namespace} ${location}`),
      totalsOf(byMachine, ({ namespace, location }) => `${namespace} ${location}`),
    ),
    ...differing(
      totalsOf(bySlot, ({ namespace, vendor_sku }) => `${namespace} ${vendor_sku}`),
      totalsOf(byProduct, ({ namespace, vendor_sku }) => `${namespace} ${vendor_sku}`),
    ),
  ]
}

function totalsOf<Row extends { readonly units: number; readonly revenue: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Totals {
  const totals: Totals = new Map()
  for (const row of rows) add(totals, keyOf(row), row.units, row.revenue)
  return totals
}

function add(totals: Totals, key: string, units: number, revenue: number): void {
  const known = totals.get(key) ?? { units: 0, revenue: 0 }
  known.units += units
  known.revenue += revenue
  totals.set(key, known)
}

const differing = (expected: Totals, found: Totals): string[] =>
  [...new Set([...expected.keys(), ...found.keys()])].filter((key) => {
    const [a, b] = [expected.get(key), found.get(key)]
    return (a?.units ?? 0) !== (b?.units ?? 0) || (a?.revenue ?? 0) !== (b?.revenue ?? 0)
  })

async function countLedger({ store, config }: Deps, day: string): Promise<Totals> {
  const machines = await loadLedgerMachines(store.db)
  const totals: Totals = new Map()
  // A day of the earliest zone begins 14 hours before that of UTC, one of the latest ends 12 hours after.
  const window = { from: startOfDay(day, 'UTC') - DAY, to: startOfDay(day, 'UTC') + 2 * DAY }
  for await (const rows of listSalesBetween(store.db, window)) {
    for (const row of rows) {
      const zone = machines({ namespace: row.namespace, id: row.location }).timeZone ?? config.timeZone
      if (localDay(row.created_at, zone) !== day) continue
      for (const { sold } of paidLines(row))
        add(totals, `${row.namespace} ${row.location} ${sold.vendorSku}`, 1, sold.priceFen)
    }
    await yieldToEventLoop()
  }
  return totals
}
