/** The sentences about what comes into the store room. */
import type { OwnEvent } from '../../../record/events/index.ts'
import { type NoteMessage, warning } from '../../../kernel/message.ts'
import { count } from '../../../kernel/text.ts'

const sumOf = (lines: readonly { readonly units: number }[]): number => lines.reduce((sum, { units }) => sum + units, 0)

/** `confirmed`: as the supplier confirmed them; `moves`: as they came. */
export function arrivedEvent(
  { type, id }: { readonly type: 'order' | 'run'; readonly id: string },
  confirmed: readonly { readonly units: number }[],
  moves: readonly { readonly units: number }[],
): OwnEvent {
  const [units, ordered] = [sumOf(moves), sumOf(confirmed)]
  const isCounted = units !== ordered
  const products = moves.length
  return {
    kind: 'replenishment',
    code: 'storeroom_received',
    params: {
      ...(type === 'order' ? { purchase: id } : { run: id }),
      units,
      products,
      ...(isCounted && { ordered }),
    },
    summary: `${id}: ${count(units, 'unit')} of ${count(products, 'product')} came into the store room${isCounted ? `, ${ordered} were confirmed` : ''}`,
    reasoning: `${isCounted ? 'Received as a person counted it' : 'Received as the supplier confirmed'}. What is loaded into machines goes out again.`,
  }
}

export const moreThanConfirmed = (
  { title, units, ordered }: { readonly title: string; readonly units: number; readonly ordered: number },
  path: string,
): NoteMessage =>
  warning('more_than_ordered', `${title}: ${units} received, ${ordered} confirmed`, path, {
    product: title,
    quantity: units,
    ordered,
  })
