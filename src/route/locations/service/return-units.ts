/** Good units that were taken out of a machine lie in the store room from then on. */
import type { ServiceRequest } from '../../../contract/shapes/service.ts'
import type { Config } from '../../../config.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { error } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import type { Tx } from '../../../store/store.ts'
import { findLinked } from '../../skus/index.ts'
import { lockStoreroom, moveUnits, refuseNoStoreroom } from '../../storeroom/index.ts'
import { findSlot } from '../slot-records.ts'
import type { Service } from './service.ts'
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

export async function bookReturned(tx: Tx, { id, slots }: Service, now: number): Promise<void> {
  const moves = slots.flatMap(({ title, returned = [] }) =>
    returned.map(({ quantity, supplySku }) => ({
      skuId: supplySku,
      title,
      kind: 'returned' as const,
      units: quantity,
      reference: { type: 'service' as const, id },
    })),
  )
  if (moves.length === 0) return
  await lockStoreroom(tx)
  await moveUnits(tx, now, moves)
}
