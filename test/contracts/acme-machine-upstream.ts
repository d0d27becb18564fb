/** Acme Machine Cloud as its documentation describes it, with tokens that tests can expire, over a scripted upstream. */
import { object, objects, text, int } from '../../src/vendors/upstream/read-json.ts'
import { scriptedUpstream } from './scripted-upstream.ts'
import type { Received, ScriptedUpstream } from './scripted-upstream.ts'

export const CLIENT_ID = 'client-id-1'
export const CLIENT_SECRET = 'client-secret-never-shown'

export const rawTrade = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  tradeNo: 'T202609100801020001',
  tradeStatus: 'TRADE_SUCCESS_MANUAL',
  tradeStatusName: '交易成功',
  deviceId: 'M1001',
  deviceName: '一号楼大厅',
  amount: '5.00',
  createTime: '2026-09-10 08:01:02',
  goods: [
    { goodsCode: 'G-0001', price: 250, cost: 120, payStatus: 1 },
    { goodsCode: 'G-0001', price: 250, cost: 250, payStatus: 3 },
  ],
  ...over,
})

export const rawSlot = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  goodsCode: 'G-0001',
  goodsName: '农夫山泉 饮用天然水 550ml',
  barCode: '6921168509256',
  salePrice: 250,
  stock: 7,
  pic: 'https://img.example/g1.jpg',
  ...over,
})

export interface Advised {
  readonly goodsCode: string
  readonly num: number
  readonly remark: string
}

export interface AcmeMachineUpstream extends ScriptedUpstream {
  readonly slots: Map<string, Record<string, unknown>[]>
  trades: Record<string, unknown>[]
  readonly advice: Map<string, readonly Advised[]>
  readonly tokensGiven: string[]
  expireIn: number
  /** The token in use dies now, before its time. */
  killToken(): void
}

const success = (result: unknown) => ({ success: true, errCode: null, errMsg: null, result })
const failure = (errCode: string, errMsg: string) => ({ success: false, errCode, errMsg, result: null })

export async function acmeMachineUpstream(): Promise<AcmeMachineUpstream> {
  const slots = new Map([['M1001', [rawSlot(), rawSlot({ goodsCode: 'G-0002', goodsName: '薯片', salePrice: 500 })]]])
  const advice = new Map<string, readonly Advised[]>()
  const tokensGiven: string[] = []
  let valid: string | undefined
  const world = {
    slots,
    advice,
    tokensGiven,
    trades: [rawTrade()],
    expireIn: 7200,
    killToken: () => (valid = undefined),
  }

  function giveToken(body: string) {
    const { clientId, clientSecret } = object(JSON.parse(body), 'body')
    if (clientId !== CLIENT_ID || clientSecret !== CLIENT_SECRET) return failure('AUTH_FAILED', `no ${CLIENT_SECRET}`)
    valid = `token-${tokensGiven.length + 1}`
    tokensGiven.push(valid)
    return success({ token: valid, expireIn: world.expireIn })
  }

  function listTrades(query: URLSearchParams) {
    const [pageNum, pageSize] = [Number(query.get('pageNum')), Number(query.get('pageSize'))]
    if (!(pageNum >= 1 && pageSize >= 1 && pageSize <= 100)) return failure('PARAM_ERROR', 'bad page')
    const [begin, end] = [query.get('beginTime') ?? '', query.get('endTime') ?? '']
    const hits = world.trades.filter((trade) => {
      const at = String(trade['createTime'])
      const settled = String(trade['tradeStatus']).startsWith('TRADE_SUCCESS')
      return (!at.startsWith('2') || (at >= begin && at <= end)) && (query.get('tradeStatus') !== 'SETTLED' || settled)
    })
    const records = hits.slice((pageNum - 1) * pageSize, pageNum * pageSize)
    return success({ pageNum, pages: Math.ceil(hits.length / pageSize), total: hits.length, records })
  }

  function changePrices(device: string, body: string) {
    let count = 0
    for (const change of objects(JSON.parse(body), 'body')) {
      for (const slot of slots.get(device) ?? []) {
        if (slot['goodsCode'] !== text(change, 'goodsCode')) continue
        slot['salePrice'] = int(change, 'salePrice')
        count += 1
      }
    }
    return success({ count })
  }

  function takeAdvice(device: string, body: string) {
    const sent = object(JSON.parse(body), 'body')
    const items = objects(sent['items'], 'items').map((item) => ({
      goodsCode: text(item, 'goodsCode'),
      num: int(item, 'num', 1),
      remark: text(item, 'remark'),
    }))
    if (items.some(({ remark }) => Array.from(remark).length > 100)) return failure('PARAM_ERROR', 'remark')
    advice.set(`${device}/${text(sent, 'batchNo')}`, items)
    return success({ count: items.length })
  }

  const upstream = await scriptedUpstream((request: Received) => {
    const url = new URL(request.path, 'http://upstream')
    if (url.pathname === '/api/token') return giveToken(request.body)
    if (!valid || request.headers['access-token'] !== valid) return failure('TOKEN_EXPIRED', 'token expired')
    if (url.pathname === '/api/trades') return listTrades(url.searchParams)
    const [, device = '', what] = /^\/api\/devices\/([^/]+)\/([a-z-]+)$/.exec(url.pathname) ?? []
    const id = decodeURIComponent(device)
    // A device that does not exist answers success with an empty list.
    if (request.method === 'GET' && what === 'goods') return success(slots.get(id) ?? [])
    if (request.method === 'POST' && what === 'prices') return changePrices(id, request.body)
    if (request.method === 'POST' && what === 'restock-advice') return takeAdvice(id, request.body)
    return failure('PARAM_ERROR', 'no such operation')
  })
  return Object.assign(world, upstream)
}
