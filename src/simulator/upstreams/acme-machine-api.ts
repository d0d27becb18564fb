/** The machine platform's cloud API over the world: prices in fen, amounts in yuan, and tokens that may expire any time. */
import { createHmac } from 'node:crypto'
import { type Clock, SECOND } from '../../kernel/clock.ts'
import { localText, parseLocal } from '../world/local-time.ts'
import { hash } from '../world/random.ts'
import { type Sale, type SaleStatus, payStatusAt, saleStatusAt } from '../world/sales.ts'
import { fieldsOf, isText, isWhole } from './parse.ts'
import type { Api, ApiRequest } from './api.ts'
import type { World } from '../world/world.ts'
import { yuanText } from './yuan.ts'

export interface MachineCredentials {
  readonly clientId: string
  readonly clientSecret: string
}

const TOKEN_SECONDS = 7200
const MAX_REMARK = 100
const MAX_ENTRIES = 500
const MAX_PRICE_FEN = 1_000_000

const STATUS_NAME: Record<SaleStatus, string> = {
  TRADE_SUCCESS: '交易成功',
  TRADE_SUCCESS_MANUAL: '交易成功',
  TRADE_PROCESSING: '交易处理中',
  TRADE_CLOSED: '交易关闭',
  TRADE_REFUND: '已退款',
}

const ok = (result: unknown) => ({ success: true, errCode: null, errMsg: null, result })
const fail = (errCode: string, errMsg: string) => ({ success: false, errCode, errMsg, result: null })
type Reply = ReturnType<typeof ok | typeof fail>
const badParameter = (text: string) => fail('PARAM_ERROR', text)

export function createMachineApi(
  world: World,
  credentials: MachineCredentials,
  clock: Clock,
  { defaultList = false }: { readonly defaultList?: boolean } = {},
): Api & { expireTokens(): void } {
  let generation = 0
  /** A token contains its expiry, so none has to be stored. */
  const tokenUntil = (seconds: number): string => {
    const sign = createHmac('sha256', credentials.clientSecret).update(`${generation} ${seconds}`).digest('hex')
    return `${seconds}.${sign.slice(0, 32)}`
  }
  const isValidToken = (token: unknown): boolean => {
    if (typeof token !== 'string') return false
    const until = Number.parseInt(token, 10)
    return token === tokenUntil(until) && until * SECOND > clock.now()
  }

  return {
    upstream: 'machine',
    routeOf,
    /** Invalidates all tokens issued so far. */
    expireTokens: () => void generation++,
    handle(request) {
      if (request.route === 'POST /api/token') {
        const { clientId, clientSecret } = fieldsOf(request.body)
        if (clientId !== credentials.clientId || clientSecret !== credentials.clientSecret)
          return fail('AUTH_FAILED', 'client id or secret is wrong')
        return ok({ token: tokenUntil(Math.floor(clock.now() / SECOND) + TOKEN_SECONDS), expireIn: TOKEN_SECONDS })
      }
      if (!isValidToken(request.headers['access-token'])) return fail('TOKEN_EXPIRED', 'token is not valid any more')
      const device = decodeURIComponent(request.path.split('/')[3] ?? '')
      switch (request.route) {
        case 'GET /api/devices/{deviceId}/goods':
          return ok(deviceProducts(world, device, defaultList || request.defaultList === true, request.headers.host))
        case 'GET /api/trades':
          return listSales(world, request.query)
        case 'POST /api/devices/{deviceId}/prices':
          return setPrices(world, device, request.body)
        default:
          return advise(world, device, request)
      }
    },
    failure: ({ code = 'SYSTEM_ERROR', text = '系统异常' }) => fail(String(code), text),
  }
}

function routeOf(method: string, path: string): string | undefined {
  if (method === 'POST' && path === '/api/token') return 'POST /api/token'
  if (method === 'GET' && path === '/api/trades') return 'GET /api/trades'
  const [, verb] = /^\/api\/devices\/[^/]+\/(goods|prices|restock-advice)$/.exec(path) ?? []
  if (verb === undefined || (verb === 'goods') !== (method === 'GET')) return undefined
  return method === 'GET' || method === 'POST' ? `${method} /api/devices/{deviceId}/${verb}` : undefined
}

function deviceProducts(world: World, device: string, defaultList: boolean, host: string | undefined) {
  const spec = world.machines.find(({ id }) => id === device) ?? (defaultList ? world.machines[0] : undefined)
  if (!spec) return []
  const lanes = world.lanes(spec.id) ?? []
  return lanes.map(({ product: { machine }, priceFen, stock }) => ({
    goodsCode: machine?.goodsCode,
    goodsName: machine?.goodsName,
    barCode: machine?.barCode,
    salePrice: priceFen,
    stock,
    pic: host === undefined ? '' : `http://${host}/pictures/${machine?.goodsCode}.png`,
  }))
}

function listSales(world: World, query: URLSearchParams): Reply {
  const pageNum = Number(query.get('pageNum') || 1)
  const pageSize = Number(query.get('pageSize') || 20)
  if (!Number.isInteger(pageNum) || pageNum < 1) return badParameter('pageNum must be 1 or more')
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > 100) return badParameter('pageSize must be 1 to 100')
  const fromMs = parseLocal(query.get('beginTime') || localText(world.startMs))
  const toMs = parseLocal(query.get('endTime') || localText(world.now()))
  if (fromMs === undefined || toMs === undefined) return badParameter('times must be yyyy-MM-dd HH:mm:ss')
  const tradeStatus = query.get('tradeStatus') || undefined
  if (tradeStatus !== undefined && tradeStatus !== 'SETTLED') return badParameter('tradeStatus must be SETTLED')
  const { total, records } = world.sales({
    fromMs,
    toMs,
    offset: (pageNum - 1) * pageSize,
    limit: pageSize,
    settledOnly: tradeStatus === 'SETTLED',
  })
  const now = world.now()
  return ok({
    pageNum,
    pages: Math.ceil(total / pageSize),
    total,
    records: records.map((sale) => tradeRecord(sale, now)),
  })
}

function tradeRecord(sale: Sale, now: number) {
  const status = saleStatusAt(sale, now)
  return {
    tradeNo: sale.tradeNo,
    tradeStatus: status,
    tradeStatusName: STATUS_NAME[status],
    deviceId: sale.machine.id,
    deviceName: sale.machine.name,
    amount: yuanText(
      sale.units.reduce((sum, unit) => sum + unit.priceFen, 0),
      sale.tradeNo,
    ),
    createTime: sale.timeLost ? (hash('time', sale.tradeNo) % 2 ? '' : '0000-00-00 00:00:00') : localText(sale.at),
    goods: sale.units.map((unit) => ({
      goodsCode: unit.product.machine?.goodsCode,
      price: unit.priceFen,
      cost: unit.costFen,
      payStatus: payStatusAt(sale, unit, now),
    })),
  }
}

function setPrices(world: World, device: string, body: unknown): Reply {
  if (!Array.isArray(body) || body.length > MAX_ENTRIES) return badParameter(`a list of at most ${MAX_ENTRIES} prices`)
  const prices: { goodsCode: string; salePrice: number }[] = []
  for (const entry of body.map(fieldsOf)) {
    const { goodsCode, salePrice } = entry
    if (!isText(goodsCode) || !isWhole(salePrice, 1, MAX_PRICE_FEN))
      return badParameter('a price needs goodsCode and a whole salePrice in fen')
    prices.push({ goodsCode, salePrice })
  }
  return ok({ count: world.setPrices(device, prices) })
}

function advise(world: World, device: string, request: ApiRequest): Reply {
  const { batchNo, items } = fieldsOf(request.body)
  if (!isText(batchNo)) return badParameter('batchNo is required')
  if (!Array.isArray(items) || items.length > MAX_ENTRIES) return badParameter(`at most ${MAX_ENTRIES} items`)
  const lines: { goodsCode: string; quantity: number }[] = []
  for (const { goodsCode, num, remark } of items.map(fieldsOf)) {
    if (!isText(goodsCode) || !isWhole(num, 1, 10_000))
      return badParameter('an item needs goodsCode and num of 1 or more')
    if (typeof remark === 'string' && Array.from(remark).length > MAX_REMARK)
      return badParameter(`remark must be at most ${MAX_REMARK} characters`)
    lines.push({ goodsCode, quantity: num })
  }
  return ok({ count: world.advise(device, batchNo, lines) })
}
