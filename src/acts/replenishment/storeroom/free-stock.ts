/** What the store room can give: what is there, without what placed runs will take. */
import { localDay } from '../../../kernel/clock.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Queryable } from '../../../store/store.ts'
import type { Context } from '../../../context.ts'
import { findLinked } from '../../../route/skus/index.ts'
import { findProducts, listReserved, takeFromLots } from '../../../route/storeroom/index.ts'
import type { FromStoreroom, RunLine } from '../runs/run.ts'
import { type AllocatedLine, type FreeStock, NOTHING_FREE, allocate } from './allocate.ts'

type Deps = Pick<Context, 'clock' | 'config'>

/** For these machine products. What `exceptRun` has reserved counts as free. */
export async function loadFreeStock(
  { config }: Pick<Deps, 'config'>,
  db: Queryable,
  machineSkus: readonly SkuId[],
  exceptRun?: string,
): Promise<FreeStock> {
  if (!config.hasStoreroom || machineSkus.length === 0) return NOTHING_FREE
  const products = await findProducts(db)
  const there = [...products.values()].filter(({ units }) => units > 0)
  if (there.length === 0) return NOTHING_FREE
  const reserved = await listReserved(db, exceptRun)
  const lots = new Map(
    there.map(({ skuId, lots: own }) => [skuId, takeFromLots(own, reserved.get(skuId) ?? 0).left] as const),
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
export async function withStoreroom<Line extends AllocatedLine & Pick<RunLine, 'fromStoreroom'>>(
  ctx: Deps,
  db: Queryable,
  lines: readonly Line[],
  exceptRun?: string,
): Promise<readonly Line[]> {
  const free = await loadFreeStock(
    ctx,
    db,
    lines.map(({ skuId }) => skuId),
    exceptRun,
  )
  const given = allocate(lines, free, localDay(ctx.clock.now(), ctx.config.timeZone))
  return lines.map((line) => withGiven(line, given.get(line.n)))
}
