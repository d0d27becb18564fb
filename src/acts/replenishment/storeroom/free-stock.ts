/** What the store room can give: what is there, without what placed runs will take. */
import { DAY, localDay } from '../../../kernel/clock.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Context } from '../../../context.ts'
import { findLinked } from '../../../route/skus/index.ts'
import { findProducts, listReserved, takeFromLots } from '../../../route/storeroom/index.ts'
import { listAskedLines } from '../runs/records.ts'
import { type FromStoreroom, type RunLine, reservedUnits } from '../runs/run.ts'
import { type AllocatedLine, type FreeStock, NOTHING_FREE, allocate } from './allocate.ts'

type Deps = Pick<Context, 'clock' | 'config'>

/** For these machine products. What `exceptRun` has reserved counts as free, and what is `claimed` does not. */
export async function loadFreeStock(
  { config }: Pick<Deps, 'config'>,
  db: Queryable,
  machineSkus: readonly SkuId[],
  exceptRun?: string,
  claimed: ReadonlyMap<SkuId, number> = new Map(),
): Promise<FreeStock> {
  if (!config.hasStoreroom || machineSkus.length === 0) return NOTHING_FREE
  const products = await findProducts(db)
  const there = [...products.values()].filter(({ units }) => units > 0)
  if (there.length === 0) return NOTHING_FREE
  const reserved = await listReserved(db, exceptRun)
  const lots = new Map(
    there.map(({ skuId, lots: own }) => {
      const promised = (reserved.get(skuId) ?? 0) + (claimed.get(skuId) ?? 0)
      return [skuId, takeFromLots(own, promised).left] as const
    }),
  )
  return { servedBy: await findLinked(db, machineSkus, 'supply'), lots }
}

/** Instead of what it was given before. */
export function withGiven<Line extends Pick<RunLine, 'fromStoreroom'>>(
  line: Line,
  fromStoreroom: FromStoreroom | undefined,
): Line {
  const { fromStoreroom: before, ...rest } = line
  if (before === undefined && fromStoreroom === undefined) return line
  return { ...rest, ...(fromStoreroom && { fromStoreroom }) } as Line
}

/** The lines with what the store room gives each. */
export async function withStoreroom<Line extends AllocatedLine & Pick<RunLine, 'slotId' | 'fromStoreroom'>>(
  ctx: Deps,
  db: Queryable,
  lines: readonly Line[],
  run?: string,
): Promise<readonly Line[]> {
  const free = await loadFreeStock(
    ctx,
    db,
    lines.map(({ skuId }) => skuId),
    run,
    run === undefined ? await loadClaims(ctx, db, lines) : undefined,
  )
  const given = allocate(lines, free, localDay(ctx.clock.now(), ctx.config.timeZone))
  return lines.map((line) => withGiven(line, given.get(line.n)))
}

/** A run that nobody placed for this long claims nothing. */
const CLAIM_MS = 3 * DAY

/**
 * What the owner was asked about earlier, for other slots. A new run does not count on it, so that the owner is asked about
 * enough money for both; only placing promises units, to the run that is placed first.
 */
async function loadClaims(
  { clock, config }: Deps,
  db: Queryable,
  lines: readonly Pick<RunLine, 'slotId'>[],
): Promise<ReadonlyMap<SkuId, number>> {
  if (!config.hasStoreroom) return new Map()
  const own = new Set(lines.map(({ slotId }) => slotId))
  const asked = await listAskedLines(db, clock.now() - CLAIM_MS)
  return reservedUnits(asked.filter(({ slotId }) => !own.has(slotId)))
}
