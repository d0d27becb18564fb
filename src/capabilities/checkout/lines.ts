/** From what a caller wants to lines with today's titles and prices (4.4 rules 1 to 3). Pure. */
import type { UnitCode } from '../../contract/catalog.ts'
import type { LineItemRequest } from '../../contract/checkout.ts'
import { PROBLEMS_MAX } from '../../contract/limits.ts'
import { namespaceOf, parseSkuId, roleOf, vendorSkuOf } from '../../kernel/ids.ts'
import type { Namespace, SkuId } from '../../kernel/ids.ts'
import { error } from '../../kernel/message.ts'
import type { ErrorMessage } from '../../kernel/message.ts'
import { accept, refuseAll } from '../../kernel/outcome.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { SupplyCatalog, SupplyProduct } from '../../vendors/contract.ts'
import { unitPrice } from '../skus/index.ts'
import type { Line } from './session.ts'
import { isTotalExact } from './totals.ts'

export interface RequestedLine {
  readonly id: string
  readonly skuId: SkuId
  readonly unit: UnitCode
  readonly quantity: number
}

/** What is wrong with the lines by themselves, before anyone is asked; all of it at once. */
export function readLines(requested: readonly LineItemRequest[]): Outcome<{
  readonly vendor: Namespace
  readonly wanted: readonly RequestedLine[]
}> {
  const problems: ErrorMessage[] = []
  const ids = assignLineIds(requested, problems)
  const wanted: RequestedLine[] = []
  let vendor: Namespace | undefined
  requested.forEach(({ item, quantity, quantity_unit: onLine }, index) => {
    const path = `$.line_items[${index}]`
    const skuId = parseSkuId(item.id)
    if (!skuId) return void problems.push(error('invalid', 'this is not a sku_id', `${path}.item.id`))
    const inItem = item.quantity_unit
    if (onLine && inItem && onLine.unit !== inItem.unit)
      problems.push(error('invalid', 'the line and its item name different units', `${path}.quantity_unit`))
    const namespace = namespaceOf(skuId)
    if (roleOf(namespace) === 'machine') {
      const hint = 'is a machine id; resolve it through /skus/resolve to a supplier first'
      problems.push(error('namespace_mismatch', `${skuId} ${hint}`, `${path}.item.id`))
    } else if (vendor === undefined) vendor = namespace
    else if (vendor !== namespace)
      problems.push(error('namespace_mismatch', `an order goes to one supplier, here ${vendor}`, `${path}.item.id`))
    wanted.push({ id: ids[index] ?? '', skuId, unit: (onLine ?? inItem)?.unit ?? 'EA', quantity })
  })
  if (problems.length > 0 || vendor === undefined) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  return accept({ vendor, wanted })
}

/** The caller's own ids where given; the others get the first free number. */
function assignLineIds(requested: readonly LineItemRequest[], problems: ErrorMessage[]): readonly string[] {
  const taken = new Set<string>()
  requested.forEach(({ id }, index) => {
    if (id === undefined) return
    if (taken.has(id) || id === '*')
      problems.push(error('invalid', 'another line has this id', `$.line_items[${index}].id`))
    taken.add(id)
  })
  let n = 0
  return requested.map(({ id }) => {
    if (id !== undefined) return id
    do n++
    while (taken.has(`li_${n}`))
    return `li_${n}`
  })
}

export interface PricedLines {
  readonly lines: readonly Line[]
  /** Lines that cannot be had. */
  readonly unavailable: readonly ErrorMessage[]
}

export type ProductsBySku = ReadonlyMap<string, SupplyProduct>

/** Snapshots asked once, then their goods by sku. */
const indexed = new WeakMap<SupplyCatalog, ProductsBySku | 'once'>()

/**
 * The goods that are wanted, at least. A snapshot that several ask is worth an index; one read live for a single order
 * is gone through faster than it is indexed.
 */
export function productsFor(catalog: SupplyCatalog, wanted: readonly { readonly skuId: SkuId }[]): ProductsBySku {
  const known = indexed.get(catalog)
  if (known === undefined) {
    indexed.set(catalog, 'once')
    const skus = new Set(wanted.map(({ skuId }) => vendorSkuOf(skuId)))
    return indexBySku(catalog.products.filter(({ vendorSku }) => skus.has(vendorSku)))
  }
  if (known !== 'once') return known
  const all = indexBySku(catalog.products)
  indexed.set(catalog, all)
  return all
}

const indexBySku = (products: readonly SupplyProduct[]): ProductsBySku =>
  new Map(products.map((product) => [product.vendorSku, product]))

/** Lines of a request: what is not on the shelf is left out and told; a unit it is not sold in is the caller's mistake. */
export function priceRequested(wanted: readonly RequestedLine[], products: ProductsBySku): Outcome<PricedLines> {
  const problems: ErrorMessage[] = []
  const unavailable: ErrorMessage[] = []
  const lines = wanted.flatMap((want, index) => {
    const path = `$.line_items[${index}]`
    const product = products.get(vendorSkuOf(want.skuId))
    if (!product?.onShelf) {
      // The line is not in the answer, so the path can only name the list it is missing from.
      unavailable.push(error('item_unavailable', `${want.skuId} is not for sale`, '$.line_items'))
      return []
    }
    const line = priceLine(want, product)
    if (line) return [line]
    problems.push(error('invalid', `${want.skuId} is not sold in unit ${want.unit}`, `${path}.quantity_unit`))
    return []
  })
  if (problems.length === 0 && !isTotalExact(lines))
    problems.push(error('invalid', 'the sum of this order is beyond any price', '$.line_items'))
  if (problems.length > 0) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  return accept({ lines, unavailable })
}

/** Lines a session already has: none is left out behind the owner's back; what cannot be had any more blocks. */
export function repriceLines(held: readonly Line[], products: ProductsBySku): PricedLines {
  const unavailable: ErrorMessage[] = []
  const lines = held.map((line, index) => {
    const product = products.get(vendorSkuOf(line.skuId))
    const again = product?.onShelf ? priceLine(line, product) : undefined
    if (again) return again
    unavailable.push(error('item_unavailable', `${line.skuId} is no longer for sale`, `$.line_items[${index}]`))
    return line
  })
  return { lines, unavailable }
}

function priceLine({ id, skuId, unit, quantity }: RequestedLine, product: SupplyProduct): Line | undefined {
  const found = unitPrice(product, unit)
  if (!found) return undefined
  const { contains } = found.quantityUnit
  return {
    id,
    skuId,
    title: product.title,
    unit,
    ...(contains === undefined ? {} : { contains }),
    quantity,
    priceFen: found.priceFen,
    priceDerived: found.derived,
    ...(product.imageUrl === undefined ? {} : { imageUrl: product.imageUrl }),
  }
}
