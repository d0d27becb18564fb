/** The supplier's open API over the world, with its own names and habits: HTTP 200 for nearly everything. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import type { SimulatedProduct } from '../world/products.ts'
import { localText, parseLocal } from '../world/local-time.ts'
import { isFields } from '../../lib/objects.ts'
import { fieldsOf, isText, isWhole } from './parse.ts'
import { type OrderItem, type OrderRequest, logisticsAt, orderStatusAt, SITES, STATUS_TEXT } from '../world/supplier.ts'
import type { Api, ApiRequest } from './api.ts'
import type { World } from '../world/world.ts'
import { yuanText } from './yuan.ts'

export interface SupplyCredentials {
  readonly appKey: string
  readonly appSecret: string
}

const ROUTES = ['GET /open/goods', 'GET /open/sites', 'POST /open/orders', 'GET /open/orders/{outOrderNo}']
const MAX_SKEW = 300 * SECOND
const MAX_ITEMS = 200

const ok = (data: unknown) => fail(0, 'success', data)
const fail = (code: number, msg: string, data: unknown = null) => ({ code, msg, data })
type Reply = ReturnType<typeof fail>

export const createSupplyApi = (world: World, credentials: SupplyCredentials, clock: Clock): Api => ({
  upstream: 'supply',
  routeOf(method, path) {
    const route = `${method} ${path.replace(/^\/open\/orders\/[^/]+$/, '/open/orders/{outOrderNo}')}`
    return ROUTES.find((known) => known === route)
  },
  handle(request) {
    if (!isSigned(request, credentials, clock.now())) return fail(40101, 'invalid app key, sign or timestamp')
    switch (request.route) {
      case 'GET /open/goods':
        return listProducts(world, request.query)
      case 'GET /open/sites':
        return ok(SITES)
      case 'POST /open/orders':
        return placeOrder(world, request.body)
      default:
        return readOrder(world, decodeURIComponent(request.path.slice('/open/orders/'.length)))
    }
  },
  failure: ({ code = 50000, text = '系统异常', retryAfter }) =>
    fail(Number(code), text, retryAfter === undefined ? null : { retryAfter }),
})

/** The text that a request's signature covers. */
export const signedText = (method: string, pathWithQuery: string, timestamp: string, body: string): string =>
  `${method}\n${pathWithQuery}\n${timestamp}\n${body}`

function isSigned(request: ApiRequest, { appKey, appSecret }: SupplyCredentials, now: number): boolean {
  const { 'x-app-key': key, 'x-timestamp': timestamp, 'x-sign': sign } = request.headers
  if (key !== appKey || typeof timestamp !== 'string' || typeof sign !== 'string') return false
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(Number(timestamp) * SECOND - now) > MAX_SKEW) return false
  const body = request.method === 'GET' ? '' : request.rawBody
  const expected = createHmac('sha256', appSecret).update(signedText(request.method, request.url, timestamp, body))
  const digest = Buffer.from(expected.digest('hex'))
  const given = Buffer.from(sign)
  return digest.length === given.length && timingSafeEqual(digest, given)
}

function listProducts(world: World, query: URLSearchParams): Reply {
  const pageNo = Number(query.get('pageNo') || 1)
  const pageSize = Number(query.get('pageSize') || 20)
  if (!Number.isInteger(pageNo) || pageNo < 1) return fail(40001, 'pageNo must be 1 or more')
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100) return fail(40001, 'pageSize must be 1 to 100')
  const found = findByKeyword(world.products, query.get('keyword') ?? '')
  const list = found.slice((pageNo - 1) * pageSize, pageNo * pageSize).map((product) => productRow(world, product))
  return ok({ total: found.length, pageNo, pageSize, list })
}

/** As documented: one word of the keyword in brand or name is enough. */
function findByKeyword(products: readonly SimulatedProduct[], keyword: string): readonly SimulatedProduct[] {
  const words = keyword.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return products
  return products.filter(({ supply: { brandName, goodsName } }) => {
    const text = `${brandName}${goodsName}`.toLowerCase()
    return words.some((word) => text.includes(word))
  })
}

const productRow = (world: World, { supply: listing, categoryName }: SimulatedProduct) => ({
  goodsNo: listing.goodsNo,
  brandName: listing.brandName,
  goodsName: listing.goodsName,
  spec: listing.spec,
  cateName: categoryName,
  imgUrl: listing.imgUrl,
  packNum: listing.packNum,
  packPrice: yuanText(listing.packPriceFen, listing.goodsNo),
  unitPrice: listing.unitPriceFen === null ? null : yuanText(listing.unitPriceFen, `${listing.goodsNo} each`),
  stockNum: world.supplier.stockOf(listing.goodsNo, world.now()),
  barCode: listing.barCode,
  status: listing.onShelf ? 1 : 0,
})

function placeOrder(world: World, body: unknown): Reply {
  const request = parseOrder(body)
  if (typeof request === 'string') return fail(40001, request)
  const placement = world.placeOrder(request)
  if (!placement.ok) return fail(placement.code, placement.text)
  return ok({ orderNo: placement.order.orderNo, outOrderNo: request.outOrderNo })
}

/** The order, or the problem with it. */
function parseOrder(body: unknown): OrderRequest | string {
  if (!isFields(body)) return 'body must be a JSON object'
  const { outOrderNo, deliverType, consignee, mobile, address, pickupTime, siteId, items } = body
  if (!isText(outOrderNo) || outOrderNo.length > 64) return 'outOrderNo is required, at most 64 characters'
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_ITEMS) return `items must be 1 to ${MAX_ITEMS}`
  if (!items.every(isItem)) return 'an item needs goodsNo, num of 1 or more and unitType PACK or EACH'
  const lines = items.map(({ goodsNo, num, unitType }: OrderItem) => ({ goodsNo, num, unitType }))
  if (deliverType === 1) {
    if (!isText(consignee) || !isText(mobile) || !isText(address)) return 'consignee, mobile and address are required'
    return { outOrderNo, items: lines, to: { address } }
  }
  if (deliverType !== 2) return 'deliverType must be 1 or 2'
  if (!isText(pickupTime) || parseLocal(pickupTime) === undefined) return 'pickupTime must be yyyy-MM-dd HH:mm:ss'
  return { outOrderNo, items: lines, to: { siteId: isText(siteId) ? siteId : '' } }
}

function isItem(value: unknown): value is OrderItem {
  const { goodsNo, num, unitType } = fieldsOf(value)
  return isText(goodsNo) && isWhole(num, 1, 100_000) && (unitType === 'PACK' || unitType === 'EACH')
}

function readOrder(world: World, outOrderNo: string): Reply {
  const order = world.supplier.find(outOrderNo)
  if (!order) return fail(40400, 'no such order')
  const status = orderStatusAt(order, world.now())
  return ok({
    orderNo: order.orderNo,
    outOrderNo,
    status,
    statusDesc: STATUS_TEXT[status],
    createTime: localText(order.placedAt),
    logistics: logisticsAt(order, world.now()),
  })
}
