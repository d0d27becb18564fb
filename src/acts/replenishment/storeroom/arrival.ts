/** What a purchase brings into the store room: what its supplier confirmed, at what was paid for it. Pure. */
import { type Fen, fen } from '../../../kernel/fen.ts'
import type { SkuId } from '../../../kernel/ids.ts'
import type { Move } from '../../../route/storeroom/index.ts'
import { type Purchase, cancelledUnits, shortFenOf } from '../../orders/index.ts'

export interface PurchasedLine {
  readonly skuId: SkuId
  readonly title: string
  /** Single units. */
  readonly units: number
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
    products.set(skuId, {
      skuId,
      title: item.title,
      units: (known?.units ?? 0) + quantity * (item.quantity_unit?.contains ?? 1),
      paidFen: fen((known?.paidFen ?? 0) + paid[i]!),
    })
  })
  return [...products.values()]
}

/** The moves of a purchase that came as confirmed. */
export function arrivalOf(purchase: Purchase) {
  const reference = { type: 'order' as const, id: purchase.id }
  const moves = confirmedProducts(purchase).flatMap(({ skuId, title, units, paidFen }): Move[] =>
    units > 0 ? [{ skuId, title, kind: 'bought', units, paidFen, reference }] : [],
  )
  return { reference, moves }
}

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
