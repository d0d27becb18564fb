/** What a purchase brings into the store room: what its supplier confirmed, at what was paid for it. Pure. */
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import type { OrderDelivered } from '../../../contract/shapes/order.ts'
import { type Fen, fen } from '../../../kernel/fen.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import { type ErrorMessage, type NoteMessage, error } from '../../../kernel/message.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import type { Move } from '../../../route/storeroom/index.ts'
import { type Purchase, cancelledUnits, shortFenOf } from '../../orders/index.ts'
import { moreThanConfirmed } from './texts.ts'

export interface PurchasedLine {
  readonly skuId: SkuId
  readonly title: string
  /** Single units. */
  readonly units: number
  /** Single units in a case; 1 where it is not bought in cases of one size. */
  readonly contains: number
  /** For all of them, with their share of tax, delivery and fees. */
  readonly paidFen: Fen
}

/** By product: a product may stand in several lines, in singles and in boxes. */
export function confirmedProducts(purchase: Purchase): readonly PurchasedLine[] {
  const { lines, state, totalFen } = purchase
  const cancelled = cancelledUnits(purchase)
  const came = lines.map(({ id, item, quantity }) => ({
    item,
    quantity: state === 'cancelled' ? 0 : quantity - (cancelled.get(id) ?? 0),
  }))
  const paid = shareByValue(
    state === 'cancelled' ? 0 : totalFen - shortFenOf(purchase),
    came.map(({ item, quantity }) => item.price * quantity),
  )
  const products = new Map<SkuId, PurchasedLine>()
  came.forEach(({ item, quantity }, i) => {
    const skuId = item.id as SkuId
    const known = products.get(skuId)
    const contains = item.quantity_unit?.contains ?? 1
    products.set(skuId, {
      skuId,
      title: item.title,
      units: (known?.units ?? 0) + quantity * contains,
      contains: known === undefined || known.contains === contains ? contains : 1,
      paidFen: fen((known?.paidFen ?? 0) + paid[i]!),
    })
  })
  return [...products.values()]
}

/** Units by product as a person counted them; undefined: nobody did, so they came as confirmed. */
export type CameUnits = ReadonlyMap<SkuId, number> | undefined

/** What the caller counted of these products. `member` is where it stands in the request. */
export function readCame(
  confirmed: readonly Pick<PurchasedLine, 'skuId' | 'title' | 'units'>[],
  delivered: OrderDelivered | undefined,
  member: 'delivered' | 'came',
): Outcome<{ readonly came: CameUnits; readonly messages: readonly NoteMessage[] }> {
  if (delivered === undefined) return accept({ came: undefined, messages: [] })
  const came = new Map<SkuId, number>()
  const problems: ErrorMessage[] = []
  const messages: NoteMessage[] = []
  const products = new Map(confirmed.map((product) => [product.skuId, product]))
  for (const [index, { item, quantity }] of delivered.entries()) {
    const path = `$.${member}[${index}].item.id`
    const product = products.get(item.id as SkuId)
    if (!product) problems.push(error('invalid', 'This order has no such product', path))
    else if (came.has(product.skuId)) problems.push(error('invalid', 'This product is listed twice', path))
    else {
      came.set(product.skuId, quantity)
      if (quantity > product.units)
        messages.push(moreThanConfirmed({ title: product.title, units: quantity, ordered: product.units }, path))
    }
  }
  return problems.length > 0 ? refuseAll(problems.slice(0, PROBLEMS_MAX)) : accept({ came, messages })
}

/** The moves of what came. What is paid stays the same, so fewer units cost more each. Products left out count 0. */
export const arrivalMoves = (confirmed: readonly PurchasedLine[], came?: CameUnits): readonly Move[] =>
  confirmed.flatMap(({ skuId, title, units: confirmedUnits, paidFen }): Move[] => {
    const units = came === undefined ? confirmedUnits : (came.get(skuId) ?? 0)
    return units > 0 ? [{ skuId, title, kind: 'bought', units, paidFen }] : []
  })

/** Parts of a total in the proportion of these values, to the unit. */
function shareByValue(total: number, values: readonly number[]): readonly number[] {
  const sum = values.reduce((all, one) => all + one, 0)
  let valuesSoFar = 0
  let givenSoFar = 0
  return values.map((value) => {
    valuesSoFar += value
    const upTo = sum === 0 ? 0 : Math.round((total * valuesSoFar) / sum)
    const share = upTo - givenSoFar
    givenSoFar = upTo
    return share
  })
}
