/** Good units that were taken out of a machine lie in the store room from then on. */
import type { ServiceRequest } from '../../../contract/shapes/service.ts'
import { SHELF_DAYS_MAX } from '../../../contract/limits.ts'
import type { Config } from '../../../config.ts'
import { DAY, localDay } from '../../../kernel/clock.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { error } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import type { Tx } from '../../../store/store.ts'
import { findLinked } from '../../skus/index.ts'
import { type Move, lockStoreroom, moveUnits, refuseNoStoreroom } from '../../storeroom/index.ts'
import { findSlot } from '../slot-records.ts'
import { listLoads, loadKnownShelfLives } from './records.ts'
import type { Service, ServicedSlot } from './service.ts'
import { vendorSkuIn } from './work.ts'

/** The supply product that each of these becomes: the only one that is linked, or the one that was named. */
export async function findReturnedSupplies(
  { hasStoreroom }: Pick<Config, 'hasStoreroom'>,
  tx: Tx,
  location: string,
  returned: NonNullable<ServiceRequest['returned']>,
): Promise<Outcome<readonly SkuId[]>> {
  if (returned.length === 0) return accept([])
  if (!hasStoreroom) return refuseNoStoreroom()
  const supplies: SkuId[] = []
  for (const [index, { slot_id, item }] of returned.entries()) {
    const path = `$.returned[${index}]`
    const slot = await findSlot(tx, location, vendorSkuIn(location, slot_id) ?? '')
    if (!slot) return refuseAll([error('invalid', `Machine ${location} has no such slot`, `${path}.slot_id`)])
    const linked = (await findLinked(tx, [slot.skuId], 'supply')).get(slot.skuId) ?? []
    const chosen = item === undefined ? linked : linked.filter((skuId) => skuId === item.id)
    if (chosen.length === 1) supplies.push(chosen[0]!)
    else if (item !== undefined)
      return refuseAll([error('invalid', `${item.id} is not linked to ${slot.title}`, `${path}.item.id`)])
    else if (linked.length === 0)
      return refuseAll([error('invalid', `${slot.title} is not linked to a product of a supplier`, `${path}.slot_id`)])
    else
      return refuseAll([
        error('missing', `Say which product it becomes: ${linked.join(', ')}`, `${path}.item`, { product: slot.title }),
      ])
  }
  return accept(supplies)
}

export async function bookReturned(tx: Tx, service: Service, now: number, timeZone: string): Promise<void> {
  const { id, slots } = service
  if (slots.every(({ returned = [] }) => returned.length === 0)) return
  const lives = await loadKnownShelfLives(tx)
  const moves: Move[] = []
  for (const slot of slots)
    for (const { quantity: units, supplySku: skuId } of slot.returned ?? [])
      moves.push({
        skuId,
        title: slot.title,
        kind: 'returned',
        units,
        lots: [{ bestBefore: await findLastDay(tx, service, slot, lives.get(skuId)?.days, timeZone), units }],
        reference: { type: 'service', id },
      })
  await lockStoreroom(tx)
  await moveUnits(tx, now, moves)
}

/** Until when the oldest unit of a slot keeps: who takes out some takes those in front. Null where nobody knows. */
async function findLastDay(
  tx: Tx,
  { location, at }: Service,
  { vendorSku, before: { stock } }: ServicedSlot,
  shelfDays: number | undefined,
  timeZone: string,
): Promise<string | null> {
  if (shelfDays === undefined || stock === null || stock <= 0) return null
  let younger = 0
  for (const load of await listLoads(tx, location, vendorSku, at - SHELF_DAYS_MAX * DAY)) {
    if (load.at >= at) continue
    younger += load.units
    if (younger >= stock) return localDay(load.at + shelfDays * DAY, timeZone)
  }
  return null
}
