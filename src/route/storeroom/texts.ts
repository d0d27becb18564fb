/** The sentences about the store room: refusals, messages and events. */
import type { OwnEvent } from '../../record/events/index.ts'
import type { StoreroomReason } from '../../contract/shapes/storeroom.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { type NoteMessage, error, warning } from '../../kernel/message.ts'
import { refuse, refuseAll } from '../../kernel/outcome.ts'
import { count, groupThousands, withId } from '../../kernel/text.ts'

export const refuseNoStoreroom = () => refuse('not_enabled', 'This deployment keeps no store room (STOREROOM=off)')

export const refuseUnknownProduct = (skuId: SkuId) => refuse('not_found', `No supplier lists "${skuId}"`)

export const refuseOtherCount = (title: string, expected: number, units: number) =>
  refuseAll([
    error(
      'conflict',
      `${title}: ${count(units, 'unit')} are in the store room, not ${groupThousands(String(expected))}. Nothing was changed`,
      '$.expected_units',
      { product: title, expected, units },
    ),
  ])

const WORDS: Readonly<Record<StoreroomReason, string>> = {
  count: 'counted',
  damaged: 'damaged',
  expired: 'expired',
  lost: 'lost',
  returned: 'returned',
  other: 'other reason',
}

export function countedEvent(
  product: { readonly skuId: SkuId; readonly title: string },
  units: number,
  difference: number,
  reason: StoreroomReason,
  note: string | undefined,
): OwnEvent {
  const signed = `${difference > 0 ? '+' : ''}${difference}`
  return {
    kind: 'replenishment',
    code: 'storeroom_counted',
    params: {
      product: product.title,
      units,
      ...(difference === 0 ? {} : { difference: signed, reason: WORDS[reason] }),
    },
    summary: `Store room: ${withId(product.title, product.skuId)}, ${count(units, 'unit')} (${difference === 0 ? 'as expected' : `${signed}, ${WORDS[reason]}`})`,
    reasoning: note ?? 'Counted by hand.',
  }
}

/** More was loaded than the book had: people count, and books err. */
export const shortWarning = (product: string, units: number, service: string): NoteMessage =>
  warning('storeroom_short', `${product}: ${units} more loaded than the store room had by its book`, undefined, {
    product,
    units,
    service,
  })

export const shortEvent = (product: string, units: number): OwnEvent => ({
  kind: 'replenishment',
  code: 'storeroom_short',
  params: { product, units },
  summary: `Store room: ${count(units, 'unit')} of ${product} more loaded than its book had`,
  reasoning: 'They were there, so they are booked as counted first. A count of the product finds out why.',
})

export const expiresSoonWarning = (
  { skuId, title }: { readonly skuId: SkuId; readonly title: string },
  units: number,
  date: string,
): NoteMessage =>
  warning('expires_soon', `${title}: ${count(units, 'unit')} will not be sold before ${date}`, undefined, {
    sku_id: skuId,
    product: title,
    units,
    date,
  })
