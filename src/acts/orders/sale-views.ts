/** Sales as orders, with what the ledger does not contain: product names and the address of the machine. */
import type { Order } from '../../contract/shapes/order.ts'
import { skuIdOf } from '../../kernel/ids.ts'
import type { Context } from '../../context.ts'
import { addressOf, findLocations } from '../../route/locations/index.ts'
import type { SaleTransaction } from '../../route/sales/index.ts'
import { findMachineProducts } from '../../route/skus/index.ts'
import { saleView } from './sale-view.ts'

export async function loadSaleViews(
  { store, config }: Pick<Context, 'store' | 'config'>,
  sales: readonly SaleTransaction[],
): Promise<Order[]> {
  const ids = sales.flatMap(({ namespace, lines }) =>
    lines.flatMap(({ vendorSku }) => skuIdOf(namespace, vendorSku) ?? []),
  )
  const [products, machines] = await Promise.all([
    findMachineProducts(store.db, [...new Set(ids)]),
    findLocations(store.db, [...new Set(sales.map(({ locationId }) => locationId))]),
  ])
  const addresses = new Map(machines.map(({ id, profile }) => [id as string, addressOf(profile)]))
  const context = {
    timeZone: config.timeZone,
    currency: config.currency,
    publicUrl: config.publicUrl,
    titleOf: (id: (typeof ids)[number]) => products.get(id)?.title,
    addressOf: (location: string) => addresses.get(location),
  }
  return sales.map((sale) => saleView(sale, context))
}
