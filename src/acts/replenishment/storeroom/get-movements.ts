/** GET /storeroom/movements. */
import { PAGE_DEFAULT, PAGE_MAX } from '../../../contract/limits.ts'
import type { StoreroomMovements, StoreroomMovementsQuery } from '../../../contract/shapes/storeroom.ts'
import { addDays, rfc3339, startOfDay } from '../../../kernel/clock.ts'
import { type Outcome, accept, refuse } from '../../../kernel/outcome.ts'
import { encodeCursor, pageOf, parseCursor } from '../../../lib/pages.ts'
import type { Context } from '../../../context.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { findStopsOfServices } from '../../../route/locations/index.ts'
import { type Movement, listMovements, refuseNoStoreroom } from '../../../route/storeroom/index.ts'

export async function getMovements(
  { store, config }: Pick<Context, 'store' | 'config'>,
  { sku_id: skuId, from, to, limit: wanted = PAGE_DEFAULT, cursor }: StoreroomMovementsQuery,
): Promise<Outcome<Omit<StoreroomMovements, 'ucp'>>> {
  if (!config.hasStoreroom) return refuseNoStoreroom()
  if (from !== undefined && to !== undefined && from > to)
    return refuse('invalid', 'from must not be after to', '$.from')
  const position = parseCursor(cursor, '$.cursor', 'number')
  if (!position.ok) return position
  const limit = Math.min(wanted, PAGE_MAX)
  const found = await listMovements(store.db, {
    skuId: skuId as SkuId | undefined,
    from: from === undefined ? undefined : startOfDay(from, config.timeZone),
    to: to === undefined ? undefined : startOfDay(addDays(to, 1), config.timeZone),
    before: position.value?.[0],
    limit: limit + 1,
  })
  const { entries, pagination } = pageOf(found, limit, ({ seq }) => encodeCursor(seq))
  const stops = await findStopsOfServices(
    store.db,
    entries.flatMap(({ reference }) => (reference?.type === 'service' ? [reference.id] : [])),
  )
  return accept({
    movements: entries.map(({ at, skuId: id, title, units, kind, reference, reason, note, by }) => ({
      at: rfc3339(at, config.timeZone),
      item: { id, title },
      units,
      kind,
      reference: reference === undefined ? null : referenceView(reference, stops),
      ...(reason !== undefined && { reason }),
      ...(note === undefined ? {} : { note }),
      by: by ?? null,
    })),
    pagination,
  })
}

const referenceView = (
  reference: NonNullable<Movement['reference']>,
  stops: Awaited<ReturnType<typeof findStopsOfServices>>,
) => {
  const stop = reference.type === 'service' ? stops.get(reference.id) : undefined
  return {
    ...reference,
    ...(stop && { location: stop.location }),
    ...(typeof stop?.run === 'string' && { run: stop.run }),
  }
}
