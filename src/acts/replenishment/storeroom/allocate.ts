/**
 * Which units of the store room serve which lines of a run: the oldest date first, and nothing that a slot cannot sell before
 * its date. Pure.
 */
import type { SkuId } from '../../../kernel/ids.ts'
import { DAY } from '../../../kernel/clock.ts'
import { type Lot, compareDates } from '../../../route/storeroom/index.ts'
import type { FromStoreroom, RunLine } from '../runs/run.ts'

/** What nobody else will take. */
export interface FreeStock {
  /** Supply products that serve a machine product, by confirmed aliases. */
  readonly servedBy: ReadonlyMap<SkuId, readonly SkuId[]>
  readonly lots: ReadonlyMap<SkuId, readonly Lot[]>
}

export const NOTHING_FREE: FreeStock = { servedBy: new Map(), lots: new Map() }

export type AllocatedLine = Pick<RunLine, 'n' | 'skuId' | 'quantity' | 'plan'>

/** By the number of the line; lines that get nothing are absent. Earlier lines choose first. */
export function allocate(
  lines: readonly AllocatedLine[],
  { servedBy, lots }: FreeStock,
  today: string,
): ReadonlyMap<number, FromStoreroom> {
  const left = new Map<SkuId, { skuId: SkuId; bestBefore: string | null; units: number }[]>(
    [...lots].map(([skuId, own]) => [skuId, own.map((lot) => ({ skuId, ...lot }))]),
  )
  const given = new Map<number, FromStoreroom>()
  for (const line of lines) {
    const own: Record<SkuId, number> = {}
    let wanted = line.quantity
    const candidates = (servedBy.get(line.skuId) ?? [])
      .flatMap((skuId) => left.get(skuId) ?? [])
      .toSorted((a, b) => compareDates(a.bestBefore, b.bestBefore))
    for (const lot of candidates) {
      const units = Math.min(wanted, lot.units, sellableBefore(lot.bestBefore, line, line.quantity - wanted, today))
      if (units <= 0) continue
      own[lot.skuId] = (own[lot.skuId] ?? 0) + units
      lot.units -= units
      wanted -= units
    }
    if (wanted < line.quantity) given.set(line.n, own)
  }
  return given
}

/** How many more units the slot sells before the date, after its stock and what it was given. Undated units always fit. */
function sellableBefore(
  bestBefore: string | null,
  { plan }: AllocatedLine,
  alreadyGiven: number,
  today: string,
): number {
  if (bestBefore === null) return Infinity
  const days = daysBetween(today, bestBefore)
  if (days < 0) return 0
  return plan ? Math.max(0, Math.floor(plan.dailyRate * days - plan.stock - alreadyGiven)) : Infinity
}

const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY)

/** Units of dated lots that will not be sold before their dates at this rate, by date; the oldest are sold first. */
export function unsoldBeforeDate(
  lots: readonly Lot[],
  dailyRate: number,
  today: string,
): readonly { readonly date: string; readonly units: number }[] {
  let ahead = 0
  return lots
    .toSorted((a, b) => compareDates(a.bestBefore, b.bestBefore))
    .flatMap(({ bestBefore: date, units }) => {
      if (date === null) return []
      const sold = Math.max(0, Math.floor(dailyRate * Math.max(0, daysBetween(today, date)) - ahead))
      const unsold = Math.max(0, units - sold)
      // What expires is thrown away, so it delays nothing behind it.
      ahead += units - unsold
      return unsold > 0 ? [{ date, units: unsold }] : []
    })
}
