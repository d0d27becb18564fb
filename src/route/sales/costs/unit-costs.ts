/**
 * What one unit of a machine's product cost: the moving average of what was paid for a linked supply product, else the
 * ledger's cost, else the price in the supplier's catalog as it was last read, else a share of the retail price.
 */
import { ESTIMATED_COST_SHARE } from '../../../kernel/plan-params.ts'
import type { Fen } from '../../../kernel/fen.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Context } from '../../../context.ts'
import { findLinked, recallPrices } from '../../skus/index.ts'
import { findAverageCosts } from '../../storeroom/index.ts'
import { findNewestCosts } from '../records.ts'

/** Ten-thousandths of a minor unit, as the store room counts. */
export const COST_SCALE = 10_000

export interface UnitCost {
  readonly costE4: number
  readonly isEstimated: boolean
}

export interface KnownCost {
  /** What was really paid; it goes before the ledger's cost of a sale. */
  readonly paidE4?: number | undefined
  /** Where a sale states no cost of its own. */
  readonly otherwiseE4?: number | undefined
}

export type KnownCosts = ReadonlyMap<SkuId, KnownCost>

/** Asks no supplier, so that it may be called in a transaction. */
export async function loadKnownCosts(
  { vendors }: Pick<Context, 'vendors'>,
  db: Queryable,
  ids: readonly SkuId[],
): Promise<KnownCosts> {
  const wanted = [...new Set(ids)]
  if (wanted.length === 0) return new Map()
  const supplyIds = await findLinked(db, wanted, 'supply')
  const averages = await findAverageCosts(db, [...supplyIds.values()].flat())
  const ledger = await findNewestCosts(db, wanted)
  const prices = await recallPrices({ vendors }, db, wanted)
  return new Map(
    wanted.map((id) => {
      const paid = (supplyIds.get(id) ?? []).flatMap((supplyId) => averages.get(supplyId) ?? [])[0]
      return [id, { paidE4: scaled(paid), otherwiseE4: scaled(ledger.get(id) ?? prices.get(id)) }]
    }),
  )
}

const scaled = (cost: number | undefined): number | undefined =>
  cost === undefined ? undefined : Math.round(cost * COST_SCALE)

/** Of one unit at this price; `ledgerFen` is what the ledger states about this sale. */
export function unitCostOf(
  { paidE4, otherwiseE4 }: KnownCost,
  { priceFen, ledgerFen }: { readonly priceFen: number; readonly ledgerFen?: Fen | null },
): UnitCost {
  const costE4 = paidE4 ?? scaled(knownLedgerCost(priceFen, ledgerFen)) ?? otherwiseE4
  return costE4 === undefined
    ? { costE4: Math.round(priceFen * ESTIMATED_COST_SHARE * COST_SCALE), isEstimated: true }
    : { costE4, isEstimated: false }
}

/** A cost that equals the price is unknown, and so is a cost of 0. */
const knownLedgerCost = (priceFen: number, ledgerFen: Fen | null | undefined): Fen | undefined =>
  ledgerFen === null || ledgerFen === undefined || ledgerFen <= 0 || ledgerFen === priceFen ? undefined : ledgerFen
