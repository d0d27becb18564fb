/** The costs of stored sale lines, a slot at a time. */
import { sql } from 'kysely'
import type { Queryable, Tx } from '../../../store/store.ts'
import type { KnownCost } from './unit-costs.ts'

export interface SlotOfSales {
  readonly namespace: string
  readonly location: string
  readonly vendorSku: string
}

export const listSellingSlots = (db: Queryable): Promise<SlotOfSales[]> =>
  db
    .selectFrom('sale_line')
    .select(['namespace', 'location', 'vendor_sku as vendorSku'])
    .distinct()
    .orderBy('namespace')
    .orderBy('location')
    .orderBy('vendor_sku')
    .execute()

/** As `unitCostOf` says it, in one statement; a known cost stays where none is known now. Returns the number of lines. */
export async function setLineCosts(
  tx: Tx,
  { namespace, location, vendorSku }: SlotOfSales,
  { paidE4, otherwiseE4 }: KnownCost,
  estimateE4PerFen: number,
): Promise<number> {
  const isLedgerCost = sql`cost_fen is not null and cost_fen > 0 and cost_fen <> price_fen`
  const bigint = (value: number) => sql`cast(${Math.round(value)} as bigint)`
  // A supplier that cannot be read now must not turn what was known into an estimate.
  const otherwise =
    otherwiseE4 === undefined
      ? sql`case when cost_estimated = 0 then unit_cost_e4 else price_fen * ${bigint(estimateE4PerFen)} end`
      : bigint(otherwiseE4)
  const costs =
    paidE4 !== undefined
      ? { cost: bigint(paidE4), estimated: sql`0` }
      : {
          cost: sql`case when ${isLedgerCost} then cost_fen * 10000 else ${otherwise} end`,
          estimated: otherwiseE4 === undefined ? sql`case when ${isLedgerCost} then 0 else cost_estimated end` : sql`0`,
        }
  const { numAffectedRows } =
    await sql`update sale_line set unit_cost_e4 = ${costs.cost}, cost_estimated = ${costs.estimated}
    where location = ${location} and vendor_sku = ${vendorSku} and namespace = ${namespace}`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
