/** Reads requested lines and prices them by the supplier's catalog. */
import type { UnitCode } from '../../../contract/shapes/catalog.ts'
import type { LineItemRequest } from '../../../contract/shapes/checkout.ts'
import { PROBLEMS_MAX } from '../../../contract/limits.ts'
import { type Namespace, type SkuId, namespaceOf, parseSkuId, roleOf, vendorSkuOf } from '../../../kernel/ids.ts'
import { type ErrorMessage, error } from '../../../kernel/message.ts'
import { INVALID_SKU_ID } from '../../../kernel/text.ts'
import { type Outcome, accept, refuseAll } from '../../../kernel/outcome.ts'
import type { SupplyCatalog, SupplyProduct } from '../../../vendors/supply-vendor.ts'
import { isOrderable, unitPrice } from '../../../route/skus/index.ts'
import type { Line } from '../session.ts'
import { TEXTS } from '../texts.ts'
import { isTotalExact } from './totals.ts'

declare module '../../../context.ts' {
  interface Context {
    readonly productIndex: ProductIndex
  }
}

export interface RequestedLine {
  readonly id: string
  readonly skuId: SkuId
  readonly unit: UnitCode
  readonly quantity: number
}

/** Reports every mistake in the lines that can be found without the catalog. */
export function readLines(requested: readonly LineItemRequest[]): Outcome<{
  readonly vendor: Namespace
  readonly lines: readonly RequestedLine[]
}> {
  const problems: ErrorMessage[] = []
  const ids = assignLineIds(requested, problems)
  const lines: RequestedLine[] = []
  let vendor: Namespace | undefined
  requested.forEach(({ item, quantity, quantity_unit: lineUnit }, index) => {
    const path = `$.line_items[${index}]`
    const skuId = parseSkuId(item.id)
    if (!skuId) return void problems.push(error('invalid', INVALID_SKU_ID, `${path}.item.id`))
    const itemUnit = item.quantity_unit
    if (lineUnit && itemUnit && lineUnit.unit !== itemUnit.unit)
      problems.push(error('invalid', TEXTS.differentUnits, `${path}.quantity_unit`))
    const namespace = namespaceOf(skuId)
    if (roleOf(namespace) === 'machine') {
      problems.push(error('namespace_mismatch', TEXTS.machineProduct(skuId), `${path}.item.id`, { sku: skuId }))
    } else if (vendor === undefined) vendor = namespace
    else if (vendor !== namespace)
      problems.push(error('namespace_mismatch', TEXTS.oneSupplier(vendor), `${path}.item.id`, { vendor }))
    lines.push({ id: ids[index] ?? '', skuId, unit: (lineUnit ?? itemUnit)?.unit ?? 'EA', quantity })
  })
  if (problems.length > 0 || vendor === undefined) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  return accept({ vendor, lines })
}

/** The caller's own ids where given; the other lines get the first free number. */
function assignLineIds(requested: readonly LineItemRequest[], problems: ErrorMessage[]): readonly string[] {
  const taken = new Set<string>()
  requested.forEach(({ id }, index) => {
    if (id === undefined) return
    const text = id === '*' ? TEXTS.reservedLineId : taken.has(id) ? TEXTS.duplicateLineId : undefined
    if (text !== undefined) problems.push(error('invalid', text, `$.line_items[${index}].id`))
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
  /** One message for each line that cannot be bought. */
  readonly unavailable: readonly ErrorMessage[]
}

export type ProductsBySku = ReadonlyMap<string, SupplyProduct>

/** At least the products with these ids. */
export type ProductIndex = (catalog: SupplyCatalog, skuIds: readonly SkuId[]) => ProductsBySku

/**
 * A catalog that is used a second time gets an index of all its products. One that was read live for a single order is
 * searched faster than it is indexed; one with very many products would take too long to index while others wait.
 */
const INDEXED_MAX = 20_000

export function productIndex(): ProductIndex {
  const indexes = new WeakMap<SupplyCatalog, ProductsBySku | 'used once'>()
  return (catalog, skuIds) => {
    const known = indexes.get(catalog)
    if (known === undefined || catalog.products.length > INDEXED_MAX) {
      indexes.set(catalog, 'used once')
      const skus = new Set(skuIds.map(vendorSkuOf))
      return indexBySku(catalog.products.filter(({ vendorSku }) => skus.has(vendorSku)))
    }
    if (known !== 'used once') return known
    const index = indexBySku(catalog.products)
    indexes.set(catalog, index)
    return index
  }
}

const indexBySku = (products: readonly SupplyProduct[]): ProductsBySku =>
  new Map(products.map((product) => [product.vendorSku, product]))

/** Leaves out lines whose product is not for sale, with a message; a unit it is not sold in is the caller's mistake. */
export function priceRequested(requested: readonly RequestedLine[], products: ProductsBySku): Outcome<PricedLines> {
  const problems: ErrorMessage[] = []
  const unavailable: ErrorMessage[] = []
  const lines = requested.flatMap((request, index) => {
    const { skuId, unit } = request
    const product = products.get(vendorSkuOf(skuId))
    if (!product?.isForSale) {
      // The line is not in the answer, so the path can only name the list.
      unavailable.push(error('item_unavailable', TEXTS.notForSale(skuId), '$.line_items', { sku: skuId }))
      return []
    }
    const line = priceLine(request, product)
    if (!line) {
      const path = `$.line_items[${index}].quantity_unit`
      problems.push(error('invalid', TEXTS.unitNotSold(product.title, unit), path, { product: product.title, unit }))
      return []
    }
    problems.push(...quantityProblems(line, index))
    return [line]
  })
  if (problems.length === 0 && !isTotalExact(lines))
    problems.push(error('invalid', TEXTS.totalTooLarge, '$.line_items'))
  if (problems.length > 0) return refuseAll(problems.slice(0, PROBLEMS_MAX))
  return accept({ lines, unavailable })
}

/** Keeps every line that a session has; one that can no longer be bought keeps its price and gets a message. */
export function repriceLines(current: readonly Line[], products: ProductsBySku): PricedLines {
  const unavailable: ErrorMessage[] = []
  const lines = current.map((line, index) => {
    const { skuId, title } = line
    const product = products.get(vendorSkuOf(skuId))
    const repriced = product?.isForSale ? priceLine(line, product) : undefined
    if (repriced) {
      unavailable.push(...quantityProblems(repriced, index))
      return repriced
    }
    const path = `$.line_items[${index}]`
    unavailable.push(error('item_unavailable', TEXTS.noLongerForSale(title), path, { product: title, sku: skuId }))
    return line
  })
  return { lines, unavailable }
}

/** The supplier takes this product only in certain quantities. */
function quantityProblems(line: Line, index: number): readonly ErrorMessage[] {
  const { title, quantity, increment = 1, minimum = 1 } = line
  if (isOrderable(quantity, { increment, minimum })) return []
  const params = { product: title, increment, minimum }
  return [error('invalid', TEXTS.quantityNotSold(params), `$.line_items[${index}].quantity`, params)]
}

function priceLine({ id, skuId, unit, quantity }: RequestedLine, product: SupplyProduct): Line | undefined {
  const found = unitPrice(product, unit)
  if (!found) return undefined
  const { contains, increment = 1, minimum = 1 } = found.quantityUnit
  return {
    id,
    skuId,
    title: product.title,
    unit,
    ...(contains === undefined ? {} : { contains }),
    ...(increment > 1 && { increment }),
    ...(minimum > 1 && { minimum }),
    quantity,
    priceFen: found.priceFen,
    priceDerived: found.derived,
    ...(product.imageUrl === undefined ? {} : { imageUrl: product.imageUrl }),
  }
}
