/** The sentences about what comes into the store room. */
import type { OwnEvent } from '../../../record/events/index.ts'
import { type NoteMessage, warning } from '../../../kernel/message.ts'
import { count } from '../../../kernel/text.ts'

export const arrivedEvent = (
  { type, id }: { readonly type: 'order' | 'run'; readonly id: string },
  units: number,
  products: number,
): OwnEvent => ({
  kind: 'replenishment',
  code: 'storeroom_received',
  params: type === 'order' ? { purchase: id, units, products } : { run: id, units, products },
  summary: `${id}: ${count(units, 'unit')} of ${count(products, 'product')} came into the store room`,
  reasoning: 'Received as the supplier confirmed. What is loaded into machines goes out again.',
})

export const moreThanConfirmed = (
  { title, units, ordered }: { readonly title: string; readonly units: number; readonly ordered: number },
  path: string,
): NoteMessage =>
  warning('more_than_ordered', `${title}: ${units} received, ${ordered} confirmed`, path, {
    product: title,
    quantity: units,
    ordered,
  })
