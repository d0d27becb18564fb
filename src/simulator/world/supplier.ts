/**
 * The wholesaler: stock that orders reduce and that is refilled daily, a credit limit, and orders that progress by
 * themselves. The times of an order are drawn from its number, so its status is a function of the order and the time.
 */
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts'
import type { SimulatedProduct } from './products.ts'
import { dayNumber, localText } from './local-time.ts'
import { drawGamma, stream } from './random.ts'

export const SITES = [
  { siteId: 'S01', siteName: '浦东自提仓', siteAddr: '上海市浦东新区川沙路 1200 号' },
  { siteId: 'S02', siteName: '余杭自提仓', siteAddr: '杭州市余杭区良睦路 700 号' },
]

/** Regions without delivery. */
const OUT_OF_RANGE = ['新疆', '西藏', '海外', '香港', '澳门', '台湾']

export interface OrderItem {
  readonly goodsNo: string
  readonly num: number
  readonly unitType: 'PACK' | 'EACH'
}

export interface OrderRequest {
  readonly outOrderNo: string
  readonly items: readonly OrderItem[]
  readonly to: { readonly address: string } | { readonly siteId: string }
}

export type OrderStatus = 10 | 20 | 30 | 40 | 90

export type SupplierOrder = ReturnType<typeof newOrder>

export type Placement =
  | { readonly ok: true; readonly order: SupplierOrder; readonly isRepeated: boolean }
  | { readonly ok: false; readonly code: 40001 | 40400 | 60001 | 60002 | 60003 | 60004; readonly text: string }

export const STATUS_TEXT: Record<OrderStatus, string> = {
  10: '已下单',
  20: '拣货中',
  30: '配送中',
  40: '已送达',
  90: '已取消',
}

/** About two weeks of orders for a dozen machines. */
const DEFAULT_CREDIT_FEN = 5_000_000

export function createSupplier(
  seed: number,
  products: readonly SimulatedProduct[],
  creditLimitFen: number = DEFAULT_CREDIT_FEN,
) {
  const byNo = new Map(products.map((product) => [product.supply.goodsNo, product]))
  /** Products that were ordered; all others have their initial stock. */
  const taken = new Map<string, { units: number; day: number }>()
  const orders = new Map<string, SupplierOrder>()
  const perDay = new Map<number, number>()

  /** Each morning a quarter of the initial stock is refilled. */
  const stockOf = (goodsNo: string, at: number): number => {
    const product = byNo.get(goodsNo)
    const missing = taken.get(goodsNo)
    if (!product || !missing) return product?.supply.stockNum ?? 0
    const mornings = Math.max(0, dayNumber(at) - missing.day)
    return product.supply.stockNum - Math.max(0, missing.units - Math.ceil(product.supply.stockNum / 4) * mornings)
  }

  const take = (goodsNo: string, at: number, units: number) => {
    const full = byNo.get(goodsNo)?.supply.stockNum ?? 0
    taken.set(goodsNo, { units: full - stockOf(goodsNo, at) + units, day: dayNumber(at) })
  }

  /** Open orders and the credit they use; checked only when one of them must have arrived. */
  const underWay = new Set<SupplierOrder>()
  let boundFen = 0
  let nextArrival = Infinity

  const owedFen = (at: number): number => {
    if (at < nextArrival) return boundFen
    nextArrival = Infinity
    for (const order of underWay) {
      if (orderStatusAt(order, at) >= 40) release(order)
      else nextArrival = Math.min(nextArrival, order.arrivedAt)
    }
    return boundFen
  }

  const release = (order: SupplierOrder) => {
    if (underWay.delete(order)) boundFen -= order.totalFen
  }

  return {
    stockOf,
    place(at: number, request: OrderRequest): Placement {
      const first = orders.get(request.outOrderNo)
      if (first) return { ok: true, order: first, isRepeated: true }
      const lines = priceOf(request.items, byNo)
      if ('code' in lines) return { ok: false, ...lines }
      if (!isReachable(request.to)) return { ok: false, code: 60004, text: '配送地址或自提点超出服务范围' }
      for (const [goodsNo, units] of lines.units)
        if (stockOf(goodsNo, at) < units) return { ok: false, code: 60002, text: `商品 ${goodsNo} 库存不足` }
      if (owedFen(at) + lines.totalFen > creditLimitFen) return { ok: false, code: 60003, text: '账户信用额度不足' }

      for (const [goodsNo, units] of lines.units) take(goodsNo, at, units)
      const order = newOrder(seed, request, at, lines.totalFen, nextOrderNo(perDay, at))
      orders.set(request.outOrderNo, order)
      underWay.add(order)
      boundFen += order.totalFen
      nextArrival = Math.min(nextArrival, order.arrivedAt)
      return { ok: true, order, isRepeated: false }
    },
    find: (outOrderNo: string) => orders.get(outOrderNo),
    /** Cancels on the supplier's side; false when the order is unknown, delivered or already cancelled. */
    cancel(at: number, outOrderNo: string): boolean {
      const order = orders.get(outOrderNo)
      if (!order || orderStatusAt(order, at) >= 40) return false
      order.cancelledAt = at
      release(order)
      const lines = priceOf(order.items, byNo)
      if (!('code' in lines)) for (const [goodsNo, units] of lines.units) take(goodsNo, at, -units)
      return true
    },
    orders: (): readonly SupplierOrder[] => [...orders.values()],
  }
}

export function orderStatusAt(order: SupplierOrder, now: number): OrderStatus {
  if (order.cancelledAt !== null && now >= order.cancelledAt) return 90
  return now >= order.arrivedAt ? 40 : now >= order.sentAt ? 30 : now >= order.pickingAt ? 20 : 10
}

/** The carrier's entries so far, oldest first. */
export function logisticsAt(
  order: SupplierOrder,
  now: number,
): readonly { readonly time: string; readonly text: string }[] {
  const pickup = 'siteId' in order.to
  const steps: readonly (readonly [at: number, text: string])[] = [
    [order.pickingAt, '仓库已接单，正在拣货'],
    [order.sentAt, pickup ? '已出库，发往自提点' : '已出库'],
    [order.sentAt + (order.arrivedAt - order.sentAt) / 2, pickup ? '运输中' : '已到达本地配送站，派送中'],
    [order.arrivedAt, pickup ? '已到自提点，请凭单提货' : '已签收'],
  ]
  const end = order.cancelledAt ?? Infinity
  const shown = steps.filter(([at]) => at <= now && at < end)
  if (end <= now) shown.push([end, '订单已取消'])
  return shown.map(([at, text]) => ({ time: localText(at), text }))
}

type Priced = { readonly totalFen: number; readonly units: ReadonlyMap<string, number> }
type Fault = { readonly code: 40001 | 40400 | 60001; readonly text: string }

function priceOf(items: readonly OrderItem[], byNo: ReadonlyMap<string, SimulatedProduct>): Priced | Fault {
  const units = new Map<string, number>()
  let totalFen = 0
  for (const { goodsNo, num, unitType } of items) {
    const listing = byNo.get(goodsNo)?.supply
    if (!listing) return { code: 40400, text: `商品 ${goodsNo} 不存在` }
    if (!listing.onShelf) return { code: 60001, text: `商品 ${goodsNo} 已下架` }
    if (unitType === 'PACK' && listing.packNum === 1) return { code: 40001, text: `商品 ${goodsNo} 不按箱销售` }
    const pack = unitType === 'PACK'
    units.set(goodsNo, (units.get(goodsNo) ?? 0) + num * (pack ? listing.packNum : 1))
    totalFen +=
      num * (pack ? listing.packPriceFen : (listing.unitPriceFen ?? Math.round(listing.packPriceFen / listing.packNum)))
  }
  return { totalFen, units }
}

const isReachable = (to: OrderRequest['to']): boolean =>
  'siteId' in to
    ? to.siteId === '' || SITES.some((site) => site.siteId === to.siteId)
    : !OUT_OF_RANGE.some((name) => to.address.includes(name))

/** Delivery takes two days on average, seldom less than one, sometimes five. */
function newOrder(seed: number, request: OrderRequest, at: number, totalFen: number, orderNo: string) {
  // By the supplier's own number: ours is random, and the same seed shall give the same days.
  const random = stream(seed, 'order', orderNo)
  const pickingAt = at + random.between(20, 180) * MINUTE
  const sentAt = pickingAt + random.between(3, 12) * HOUR
  const transit = (0.25 + 1.25 * drawGamma(random, 3)) * DAY
  return {
    ...request,
    orderNo,
    placedAt: at,
    totalFen,
    /** When it is picked, sent and delivered. */
    pickingAt,
    sentAt,
    arrivedAt: Math.round(sentAt + transit),
    cancelledAt: null as number | null,
  }
}

function nextOrderNo(perDay: Map<number, number>, at: number): string {
  const day = dayNumber(at)
  const seq = (perDay.get(day) ?? 0) + 1
  perDay.set(day, seq)
  return `AS${localText(at).slice(0, 10).replaceAll('-', '')}${String(seq).padStart(5, '0')}`
}
