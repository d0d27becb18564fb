/** Acme Supply as its documentation describes it, checking every signature, over a scripted upstream. */
import { createHmac } from 'node:crypto'
import type { Clock } from '../../src/kernel/clock.ts'
import { object, text } from '../../src/vendors/upstream/read-json.ts'
import { scriptedUpstream } from './scripted-upstream.ts'
import type { Received, ScriptedUpstream } from './scripted-upstream.ts'

export const APP_KEY = 'app-key-1'
export const APP_SECRET = 'app-secret-never-shown'

export interface RawGoods extends Record<string, unknown> {
  goodsNo: string
}

export const rawGoods = (over: Partial<RawGoods> = {}): RawGoods => ({
  goodsNo: 'SP1001',
  brandName: '农夫山泉',
  goodsName: '饮用天然水 550ml',
  spec: '550ml*24',
  cateName: '水',
  imgUrl: 'https://img.example/sp1001.jpg',
  packNum: 24,
  packPrice: '28.80',
  unitPrice: null,
  stockNum: 1200,
  barCode: '6921168509256',
  status: 1,
  ...over,
})

export interface AcmeSupplyUpstream extends ScriptedUpstream {
  goods: RawGoods[]
  sites: Record<string, unknown>[]
  readonly orders: Map<string, Record<string, unknown>>
  /** Called before each request is answered: a listing may change between two pages. */
  before?: (request: Received) => void
}

const reply = (code: number, msg: string, data: unknown = null) => ({ code, msg, data })

export async function acmeSupplyUpstream(clock: Clock): Promise<AcmeSupplyUpstream> {
  const orders = new Map<string, Record<string, unknown>>()
  const world: Pick<AcmeSupplyUpstream, 'goods' | 'sites' | 'orders'> & Partial<Pick<AcmeSupplyUpstream, 'before'>> = {
    goods: [rawGoods()],
    sites: [{ siteId: 'S01', siteName: '浦东自提仓', siteAddr: '上海市浦东新区' }],
    orders,
  }

  function signedWell({ method, path, headers, body }: Received): boolean {
    const stamp = String(headers['x-timestamp'])
    const sign = createHmac('sha256', APP_SECRET).update(`${method}\n${path}\n${stamp}\n${body}`).digest('hex')
    const skew = Math.abs(Number(stamp) - clock.now() / 1000)
    return headers['x-app-key'] === APP_KEY && headers['x-sign'] === sign && skew <= 300
  }

  function listGoods(query: URLSearchParams) {
    const pageNo = Number(query.get('pageNo'))
    const pageSize = Number(query.get('pageSize'))
    if (!(pageSize >= 1 && pageSize <= 100 && pageNo >= 1)) return reply(40001, 'bad page')
    const keyword = query.get('keyword') ?? ''
    const hits = world.goods.filter((g) => `${String(g['brandName'])}${String(g['goodsName'])}`.includes(keyword))
    const list = hits.slice((pageNo - 1) * pageSize, pageNo * pageSize)
    return reply(0, 'ok', { total: hits.length, pageNo, pageSize, list })
  }

  function placeOrder(body: string) {
    const sent = object(JSON.parse(body), 'body')
    const outOrderNo = text(sent, 'outOrderNo')
    if (!orders.has(outOrderNo)) orders.set(outOrderNo, { ...sent, orderNo: `AS${1000 + orders.size}`, status: 10 })
    return reply(0, 'ok', { orderNo: orders.get(outOrderNo)?.['orderNo'], outOrderNo })
  }

  function orderJson(outOrderNo: string) {
    const order = orders.get(outOrderNo)
    if (!order) return reply(40400, '订单不存在')
    const { orderNo, status } = order
    const logistics = [{ time: '2026-09-11 09:12:00', text: '已出库' }]
    const statusDesc = order['statusDesc'] ?? '已下单'
    return reply(0, 'ok', { orderNo, outOrderNo, status, statusDesc, createTime: '2026-09-10 14:03:22', logistics })
  }

  const upstream = await scriptedUpstream((request) => {
    world.before?.(request)
    if (!signedWell(request)) return reply(40101, `bad sign for ${APP_SECRET}`)
    const url = new URL(request.path, 'http://upstream')
    if (request.method === 'GET' && url.pathname === '/open/goods') return listGoods(url.searchParams)
    if (request.method === 'GET' && url.pathname === '/open/sites') return reply(0, 'ok', world.sites)
    if (request.method === 'POST' && url.pathname === '/open/orders') return placeOrder(request.body)
    const [, ref] = /^\/open\/orders\/([^/]+)$/.exec(url.pathname) ?? []
    return request.method === 'GET' && ref ? orderJson(decodeURIComponent(ref)) : reply(40001, 'no such operation')
  })
  return Object.assign(world, upstream)
}
