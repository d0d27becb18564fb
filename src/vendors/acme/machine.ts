/**
 * Acme Machine Cloud, the reference machine platform: a token that may expire at any time, prices in fen but trade
 * amounts in yuan, Shanghai local times. None of its field names leave this file and the ledger reader beside it.
 */
import { fen } from '../../kernel/fen.ts'
import { count } from '../../kernel/text.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { readLedgerPage } from './machine-ledger.ts'
import type { AdapterOptions, Closable } from '../adapter-options.ts'
import { fail, succeed } from '../result.ts'
import { type UpstreamRequest, upstreamClient } from '../upstream/client.ts'
import type { Result, FailureReason, SendPermit } from '../contract.ts'
import type { MachineSlot, MachineVendor } from '../machine-vendor.ts'
import { mergeLanes } from '../merge-lanes.ts'
import { firstCharacters } from '../upstream/sanitize-text.ts'
import { retryRead } from '../upstream/retry.ts'
import { type ReadRows, readTolerantly } from '../upstream/rows.ts'
import {
  type Fields,
  list,
  UnreadableReply,
  optionalText,
  object,
  stock,
  text,
  vendorCode,
  webUrl,
  int,
} from '../upstream/read-json.ts'
import { type Grant, tokenCache } from '../upstream/token-cache.ts'
import { SHANGHAI, toWallTime } from '../upstream/wall-time.ts'

const LONGEST_REMARK = 100
const LARGEST_PAGE = 100
const TOKEN_EXPIRED = 'TOKEN_EXPIRED'

/** Every code the platform documents. Any other code says nothing about what happened. */
const REASONS: Readonly<Record<string, FailureReason>> = {
  [TOKEN_EXPIRED]: 'unauthorized',
  AUTH_FAILED: 'unauthorized',
  PARAM_ERROR: 'rejected',
  DEVICE_OFFLINE: 'rejected',
  LIMITED: 'limited',
  SYSTEM_ERROR: 'unknown',
}

export interface AcmeMachineOptions extends AdapterOptions {
  readonly clientId: string
  readonly clientSecret: string
}

type WithoutHeaders<R> = R extends unknown ? Omit<R, 'headers'> : never
type Sending = WithoutHeaders<UpstreamRequest>

export function acmeMachine(options: AcmeMachineOptions): MachineVendor & Closable {
  const { clientId, clientSecret } = options
  const upstream = upstreamClient({ ...options, secrets: () => [clientSecret, clientId, tokens.heldToken() ?? ''] })
  const pacing = { ...options, withinMs: options.timeoutMs }

  const tokens = tokenCache(options.clock, () => {
    const body = { clientId, clientSecret }
    // Getting a token changes nothing at the platform, so it needs no permit.
    const request = { operation: 'token', method: 'POST', path: '/api/token', body, permit: undefined } as const
    return upstream.call({ ...request, headers: () => ({}) }, (json) => readEnvelope(json, readGrant))
  })

  /** If the token has expired, sends once more with a new one: the platform refused before it acted. */
  async function send<T>(request: Sending, read: (result: unknown) => T): Promise<Result<T>> {
    const sendWith = (token: string) =>
      upstream.call({ ...request, headers: () => ({ 'access-token': token }) }, (json) => readEnvelope(json, read))

    const token = await tokens.getToken()
    if (!token.ok) return token
    const result = await sendWith(token.value)
    if (result.ok || result.raw !== TOKEN_EXPIRED) return result
    tokens.discard(token.value)
    const renewed = await tokens.getToken()
    return renewed.ok ? sendWith(renewed.value) : renewed
  }

  const get = <T>(operation: string, path: string, read: (result: unknown) => T): Promise<Result<T>> =>
    retryRead(() => send({ operation, method: 'GET', path }, read), pacing)

  /** Getting the token is retried like a read; the write itself is sent once. */
  async function post(operation: string, path: string, body: unknown, most: number, permit: SendPermit) {
    const token = await retryRead(() => tokens.getToken(), pacing)
    if (!token.ok) return token
    return send({ operation, method: 'POST', path, body, permit }, (result) => readCount(result, most))
  }

  const devicePath = (locationId: string) => `/api/devices/${encodeURIComponent(locationId)}`

  return {
    role: 'machine',

    async inventory(locationId) {
      const read = await get('inventory', `${devicePath(locationId)}/goods`, (result) =>
        readSlots(result, options.notice),
      )
      return read.ok ? succeed(read.value.rows, read.value.unreadable) : read
    },

    async ledger({ fromMs, toMs, page = 1, size = LARGEST_PAGE, settledOnly = false }) {
      const query = new URLSearchParams({
        beginTime: toWallTime(fromMs, SHANGHAI),
        // The platform takes whole seconds: round outwards, so that no sale of the window is lost.
        endTime: toWallTime(Math.ceil(toMs / 1000) * 1000, SHANGHAI),
        pageNum: String(page),
        pageSize: String(Math.min(size, LARGEST_PAGE)),
        ...(settledOnly && { tradeStatus: 'SETTLED' }),
      })
      const read = await get('ledger', `/api/trades?${query.toString()}`, (result) =>
        readLedgerPage(result, settledOnly, options.notice),
      )
      return read.ok ? succeed(read.value.page, read.value.unreadable) : read
    },

    updatePrices(locationId, prices, permit) {
      const body = prices.map(({ vendorSku, priceFen }) => ({ goodsCode: vendorSku, salePrice: priceFen }))
      return post('update_prices', `${devicePath(locationId)}/prices`, body, prices.length, permit)
    },

    restockRecommend(locationId, ref, lines, permit) {
      const items = lines.map(({ vendorSku, quantity, reason }) => ({
        goodsCode: vendorSku,
        num: quantity,
        remark: firstCharacters(reason, LONGEST_REMARK),
      }))
      return post(
        'restock_advice',
        `${devicePath(locationId)}/restock-advice`,
        { batchNo: ref, items },
        lines.length,
        permit,
      )
    },

    close: () => upstream.close(),
  }
}

function readEnvelope<T>(json: unknown, read: (result: unknown) => T): Result<T> {
  const reply = object(json, 'reply')
  if (reply['success'] === true) return succeed(read(reply['result']))
  if (reply['success'] !== false) throw new UnreadableReply('success is not a boolean')
  const code = text(reply, 'errCode')
  return fail(REASONS[code] ?? 'unknown', optionalText(reply, 'errMsg') ?? `The platform answered with ${code}`, {
    raw: code,
  })
}

function readGrant(result: unknown): Grant {
  const grant = object(result, 'result')
  const token = text(grant, 'token')
  if (!/^[\x21-\x7e]+$/.test(token)) throw new UnreadableReply('token cannot be carried in a header')
  return { token, lifetimeSeconds: int(grant, 'expireIn', 1) }
}

/** How many were changed. More than were sent cannot be right. */
function readCount(result: unknown, most: number): { readonly count: number } {
  const count = int(object(result, 'result'), 'count')
  if (count > most) throw new UnreadableReply(`count is above the ${most} that were sent`)
  return { count }
}

const SLOT_FIELD_NAMES = { goodsCode: 'product code', goodsName: 'title', salePrice: 'price', stock: 'stock' }

const readLane = (goods: Fields) => ({
  /** Undefined when the code cannot be part of a SKU id. */
  vendorSku: vendorCode(goods, 'goodsCode'),
  title: text(goods, 'goodsName'),
  priceFen: fen(int(goods, 'salePrice')),
  stock: stock(goods, 'stock'),
  ...omitUndefined({ barcode: optionalText(goods, 'barCode'), imageUrl: webUrl(goods, 'pic') }),
})

/**
 * A product code is one slot of ours: rows with the same product are its lanes, each with its own price. A slot
 * with an unreadable lane is left out as a whole: the other lanes alone do not give its stock.
 */
function readSlots(result: unknown, notice: AdapterOptions['notice']): ReadRows<MachineSlot> {
  const reader = { kind: 'slot', id: 'goodsCode', fieldNames: SLOT_FIELD_NAMES, read: readLane } as const
  const { rows, unreadable } = readTolerantly(list(result, 'result'), reader)
  const unreadableSkus = new Set(unreadable.map(({ id }) => id))
  const slots: MachineSlot[] = []
  let leftOut = 0
  for (const { vendorSku, ...lane } of rows) {
    if (vendorSku === undefined) leftOut += 1
    else if (!unreadableSkus.has(vendorSku)) slots.push({ vendorSku, ...lane })
  }
  if (leftOut > 0) notice?.(`${count(leftOut, 'slot')} left out: the code cannot be part of a SKU id`)
  return { rows: mergeLanes(slots), unreadable }
}
