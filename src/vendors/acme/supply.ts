/**
 * Acme Supply, the reference supplier: signed requests, yuan strings, Shanghai local times, HTTP 200 for most failures.
 * None of its field names leave this file and the two beside it that read its products and codes.
 */
import { createHmac } from 'node:crypto'
import { SECOND } from '../../kernel/clock.ts'
import { count } from '../../kernel/text.ts'
import { omitUndefined } from '../../lib/objects.ts'
import { readEnvelope } from './supply-codes.ts'
import { type CatalogEntry, readCatalogPage, readSites, entryReuser } from './supply-products.ts'
import type { AdapterOptions, Closable } from '../adapter-options.ts'
import { fail, succeed } from '../result.ts'
import { type UpstreamRequest, upstreamClient } from '../upstream/client.ts'
import type { Result } from '../contract.ts'
import type {
  LogisticsStep,
  SupplyFulfillment,
  SupplyLine,
  SupplyOrderStatus,
  SupplyState,
  SupplyVendor,
} from '../supply-vendor.ts'
import { readAllPages } from '../upstream/paging.ts'
import { retryRead } from '../upstream/retry.ts'
import { TOO_MANY_UNREADABLE, hasTooManyUnreadable } from '../upstream/rows.ts'
import {
  type Fields,
  isFields,
  UnreadableReply,
  optionalText,
  object,
  text,
  webUrl,
  int,
} from '../upstream/read-json.ts'
import { fromWallTime, SHANGHAI, toWallTime } from '../upstream/wall-time.ts'

const PAGE_SIZE = 100

/** Any other number counts as ordered; its number and text are kept. */
const STATES: Readonly<Record<number, SupplyState>> = {
  10: 'ordered',
  20: 'ordered',
  30: 'ordered',
  40: 'arrived',
  90: 'cancelled',
}

export interface AcmeSupplyOptions extends AdapterOptions {
  readonly appKey: string
  readonly appSecret: string
}

export function acmeSupply(options: AcmeSupplyOptions): SupplyVendor & Closable {
  const { appKey, appSecret, clock } = options
  const upstream = upstreamClient({ ...options, secrets: () => [appSecret, appKey] })
  const pacing = { ...options, withinMs: options.timeoutMs }

  const signedHeaders: UpstreamRequest['headers'] = ({ method, pathWithQuery, body }) => {
    const timestamp = String(Math.floor(clock.now() / SECOND))
    const message = [method, pathWithQuery, timestamp, body].join('\n')
    return {
      'x-app-key': appKey,
      'x-timestamp': timestamp,
      'x-sign': createHmac('sha256', appSecret).update(message).digest('hex'),
    }
  }

  const get = <T>(operation: string, path: string, read: (json: unknown) => Result<T>): Promise<Result<T>> =>
    retryRead(() => upstream.call({ operation, method: 'GET', path, headers: signedHeaders }, read), pacing)

  const reuseEntries = entryReuser()

  function readCatalog(keyword: string | undefined): Promise<Result<readonly CatalogEntry[]>> {
    const readPage = (page: number) => {
      const query = `${keyword ? `keyword=${encodeURIComponent(keyword)}&` : ''}pageNo=${page}&pageSize=${PAGE_SIZE}`
      return get('goods', `/open/goods?${query}`, (json) =>
        readEnvelope(json, 'rejected', (data) => reuseEntries(readCatalogPage(data))),
      )
    }
    return readAllPages(readPage, (entry) => entry.code)
  }

  return {
    role: 'supply',

    async catalog(query = {}) {
      const [listed, sites] = await Promise.all([
        readCatalog(query.keyword),
        get('sites', '/open/sites', (json) => readEnvelope(json, 'rejected', readSites)),
      ])
      if (!listed.ok) return listed
      if (!sites.ok) return sites
      const products = listed.value.flatMap((entry) => ('product' in entry ? [entry.product] : []))
      const unreadableProducts = listed.value.flatMap((entry) => ('unreadable' in entry ? [entry.unreadable] : []))
      const unreadable = [...unreadableProducts, ...sites.value.unreadable]
      // Counted together: there are few sites, and one unreadable site must not block every purchase.
      const total = listed.value.length + sites.value.rows.length + sites.value.unreadable.length
      if (hasTooManyUnreadable(unreadable.length, total))
        return fail('unknown', 'The supplier sent a reply that does not match its documentation', {
          raw: `${TOO_MANY_UNREADABLE}: ${unreadable.length} of ${total}, first ${unreadable[0]?.detail}`,
        })
      const leftOut = listed.value.length - products.length - unreadableProducts.length
      if (leftOut > 0) options.notice?.(`${count(leftOut, 'product')} left out: the code cannot be part of a SKU id`)
      return succeed({ products, sites: sites.value.rows }, unreadable)
    },

    // Never repeated here: after a lost reply the order may exist, and the caller asks orderStatus next.
    createOrder({ ref, lines, fulfillment }, permit) {
      const body = { outOrderNo: ref, ...fulfillmentFields(fulfillment), items: lines.map(toItem) }
      const call = { operation: 'create_order', method: 'POST', path: '/open/orders' } as const
      // 40400 is about products here: the supplier declined.
      return upstream.call({ ...call, body, headers: signedHeaders, permit }, (json) =>
        readEnvelope(json, 'rejected', (data) => ({ externalRef: orderNumber(object(data, 'data'), ref) })),
      )
    },

    orderStatus(ref) {
      const path = `/open/orders/${encodeURIComponent(ref)}`
      return get('order_status', path, (json) => readEnvelope(json, 'absent', (data) => readStatus(data, ref)))
    },

    close: () => upstream.close(),
  }
}

const toItem = ({ vendorSku, quantity, unit }: SupplyLine) => ({
  goodsNo: vendorSku,
  num: quantity,
  unitType: unit === 'pack' ? 'PACK' : 'EACH',
})

const fulfillmentFields = (fulfillment: SupplyFulfillment) =>
  fulfillment.method === 'shipping'
    ? {
        deliverType: 1,
        consignee: fulfillment.contactName,
        mobile: fulfillment.contactPhone,
        address: fulfillment.address,
      }
    : {
        deliverType: 2,
        pickupTime: toWallTime(fulfillment.pickupAt, SHANGHAI),
        ...(fulfillment.siteId !== undefined && { siteId: fulfillment.siteId }),
      }

/** The supplier's number of our order. Success without one, or for another order, is unreadable. */
function orderNumber(data: Fields, ref: string): string {
  const echoed = data['outOrderNo']
  if (echoed !== undefined && echoed !== ref) throw new UnreadableReply('outOrderNo is not the reference that was sent')
  return text(data, 'orderNo')
}

function readStatus(data: unknown, ref: string): SupplyOrderStatus {
  const fields = object(data, 'data')
  const rawStatus = int(fields, 'status', Number.MIN_SAFE_INTEGER)
  return {
    externalRef: orderNumber(fields, ref),
    state: STATES[rawStatus] ?? 'ordered',
    description: optionalText(fields, 'statusDesc') ?? `status ${rawStatus}`,
    rawStatus,
    createdAt: fromWallTime(fields['createTime'], SHANGHAI),
    logistics: readLogistics(fields['logistics']),
  }
}

/**
 * Field names seen in practice; only time and text are documented. Callers get the whole object, so a name that is missing
 * here loses nothing.
 */
const CARRIER = ['carrier', 'carrierName', 'company', 'expressCompany', 'logisticsCompany']
const TRACKING_NUMBER = ['trackingNo', 'trackingNumber', 'expressNo', 'waybillNo', 'logisticsNo']
const TRACKING_URL = ['trackingUrl', 'url']

/** Unreadable logistics count as none: they must not make the state of the order unknown. */
const readLogistics = (value: unknown): LogisticsStep[] =>
  Array.isArray(value) ? value.filter(isFields).map(readStep) : []

function readStep(step: Fields): LogisticsStep {
  const firstOf = (names: readonly string[], read: typeof optionalText) =>
    names.map((name) => read(step, name)).find((found) => found !== undefined)
  return omitUndefined({
    at: fromWallTime(step['time'], SHANGHAI),
    text: optionalText(step, 'text') ?? '',
    carrier: firstOf(CARRIER, optionalText),
    trackingNumber: firstOf(TRACKING_NUMBER, optionalText),
    trackingUrl: firstOf(TRACKING_URL, webUrl),
    received: step,
  })
}
