/** The store room: goods that are neither at a supplier nor in a machine. */
import type { HandlersOf } from '../../contract/handlers.ts'
import type { SkuId } from '../../kernel/ids.ts'
import { mapOutcome } from '../../kernel/outcome.ts'
import type { Context } from '../../context.ts'
import { countProduct } from './count-product.ts'
import { productView } from './view.ts'

export const storeroomHandlers = (ctx: Context): HandlersOf<'countStoreroom'> => ({
  countStoreroom: async ({ params, body }) =>
    mapOutcome(await countProduct(ctx, params.sku_id as SkuId, body), ({ product, reserved }) => ({
      body: productView(product, reserved, ctx.config),
    })),
})

// What other folders use.
export { type Lot, compareDates, costOfUnits, takeFromLots } from './book.ts'
export {
  type Move,
  type Movement,
  type Reference,
  type StoredProduct,
  findAverageCosts,
  findArrivedOrders,
  findProducts,
  findMoved,
  listMovements,
  listReserved,
  lockStoreroom,
  moveUnits,
  setReservations,
  undoMoves,
} from './records.ts'
export { expiresSoonWarning, refuseNoStoreroom, shortEvent, shortWarning } from './texts.ts'
export { productView } from './view.ts'
