/**
 * A merchant that speaks UCP, over a scripted upstream: each version, over REST or MCP. It is strict: what a request must
 * carry it checks, and with the official schemas at hand it checks every request and every reply of its own against them.
 * What it finds is in `violations`.
 */
import { createHash } from 'node:crypto'
import { isFields, list, object, text, int } from '../../src/vendors/upstream/read-json.ts'
import type { Fields } from '../../src/vendors/upstream/read-json.ts'
import type { OfficialValidator } from '../support/official.ts'
import { scriptedUpstream, StatusReply } from './scripted-upstream.ts'
import type { Received, ScriptedUpstream } from './scripted-upstream.ts'

export const UCP_TOKEN = 'ucp-token-never-shown'
export const UCP_CARD = 'card-token-never-shown'
export const UCP_VERSIONS = ['2026-01-11', '2026-04-08', '2026-08-25'] as const

export type UcpVersion = (typeof UCP_VERSIONS)[number]

export interface UcpMerchantOptions {
  readonly version?: UcpVersion
  readonly transport?: 'rest' | 'mcp'
  readonly currency?: string
  readonly official?: OfficialValidator | undefined
}

interface Session {
  readonly id: string
  status: string
  lines: { readonly id: string; readonly item: Fields; readonly quantity: number }[]
  destination: Fields | undefined
  option: string | undefined
  order: { readonly id: string; readonly permalink_url: string } | undefined
  messages: Fields[]
}

export interface UcpOrder {
  readonly id: string
  readonly session: string
  readonly total: number
  readonly lines: { readonly item: string; readonly unit: string | undefined; readonly quantity: number }[]
  readonly destination: Fields | undefined
  /** By line. */
  readonly fulfilled: number[]
  readonly removed: number[]
}

export interface UcpMerchant extends ScriptedUpstream {
  products: Record<string, unknown>[]
  /** Per order. */
  delivery: number
  fee: number
  /** Percent of the goods. */
  taxRate: number
  /** Ids that are sold out. */
  readonly soldOut: Set<string>
  /** Complete answers `requires_escalation`: a person has to pay. */
  escalates: boolean
  /** Complete declines the payment with 402. */
  declinesPayment: boolean
  /** A session stays `incomplete`, without a message, until it is completed. */
  isNeverReady: boolean
  /** Complete answers `complete_in_progress`, and the session is completed by the next read. */
  isSlow: boolean
  /** Lists `fulfillment` in its profile. */
  takesAddress: boolean
  lookupMax: number
  pageSize: number
  readonly sessions: Map<string, Session>
  readonly orders: readonly UcpOrder[]
  readonly violations: readonly string[]
  /** Requests that could buy. */
  completions(): number
  /** What a person does on the page of the merchant. */
  payOnPage(sessionId: string): void
}

export const ucpProduct = (id: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  title: `product ${id}`,
  description: { plain: 'still water' },
  price_range: { min: { amount: 120, currency: 'USD' }, max: { amount: 120, currency: 'USD' } },
  variants: [
    {
      id,
      title: `product ${id}`,
      description: { plain: 'still water' },
      price: { amount: 120, currency: 'USD' },
      availability: { available: true, status: 'in_stock' },
      ...more,
    },
  ],
})

const UUID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const OPTIONS = { std: 0, express: 1000 } as const
const SHOP = 'https://shop.example'

export async function ucpMerchant(options: UcpMerchantOptions = {}): Promise<UcpMerchant> {
  const { version = '2026-08-25', transport = 'rest', currency = 'USD', official } = options
  const isFirst = version < '2026-04-08'
  const sessions = new Map<string, Session>()
  const orders: UcpOrder[] = []
  const violations: string[] = []
  const replies = new Map<string, { readonly hash: string; readonly reply: StatusReply }>()
  let completions = 0
  const world = {
    products: [ucpProduct('water')],
    delivery: 500,
    fee: 0,
    taxRate: 10,
    soldOut: new Set<string>(),
    escalates: false,
    declinesPayment: false,
    isNeverReady: false,
    isSlow: false,
    takesAddress: true,
    lookupMax: 50,
    pageSize: 100,
  }

  /** Requests of the first version have members that today's schemas do not know, so only their own rules hold for them. */
  function check(type: string, document: unknown, about: string): void {
    if (!official || isFirst) return
    const verdict = official.validate(type, document)
    if (!verdict.conforms)
      violations.push(
        `${about}: ${verdict.errors.map(({ path, message }) => `${path} ${message}`).join('; ')} ${verdict.lint
          .filter(({ level }) => level === 'error')
          .map(({ rule, path }) => `${path} ${rule}`)
          .join('; ')}`,
      )
  }
  const demand = (holds: boolean, what: string): void => {
    if (!holds) violations.push(what)
  }

  const capability = (...names: string[]) =>
    isFirst ? names.map((name) => ({ name, version })) : Object.fromEntries(names.map((name) => [name, [{ version }]]))
  const HANDLERS = { 'com.example.card': [{ id: 'card', version, available_instruments: [{ type: 'card' }] }] }
  const ucp = (...names: string[]) => ({ version, status: 'success', capabilities: capability(...names) })
  const errorReply = (code: string, content: string, severity = 'unrecoverable') =>
    isFirst && transport === 'rest'
      ? { detail: content }
      : {
          ucp: { version, status: 'error', capabilities: {} },
          messages: [{ type: 'error', code, content, severity }],
        }
  const refuse = (status: number, code: string, content: string) => new StatusReply(status, errorReply(code, content))

  function profile(): unknown {
    const names = [
      'checkout',
      ...(world.takesAddress ? ['fulfillment'] : []),
      'order',
      ...(isFirst ? [] : ['catalog.search', 'catalog.lookup']),
    ]
    const full = names.map((name) => `dev.ucp.shopping.${name}`)
    const schema = (name: string) => `https://ucp.dev/${version}/schemas/shopping/${name.replace('.', '_')}.json`
    if (isFirst)
      return {
        ucp: {
          version,
          services: {
            'dev.ucp.shopping': { version, [transport]: { schema: 'x', endpoint: 'http://localhost:3000/ucp/v1' } },
          },
          capabilities: full.map((name) => ({ name, version })),
        },
        payment: { handlers: [{ id: 'card', name: 'com.example.card', version }] },
      }
    const document = {
      ucp: {
        version,
        services: {
          'dev.ucp.shopping': [
            {
              version,
              transport,
              endpoint: `${SHOP}/ucp/v1`,
              spec: `https://ucp.dev/${version}/specification/overview`,
              schema: `https://ucp.dev/${version}/services/shopping/${transport === 'rest' ? 'rest.openapi' : 'mcp.openrpc'}.json`,
            },
          ],
        },
        capabilities: Object.fromEntries(
          names.map((name, i) => [
            full[i],
            [
              {
                version,
                schema: schema(name),
                spec: `https://ucp.dev/${version}/specification/${name}`,
                ...(name === 'fulfillment' && { extends: 'dev.ucp.shopping.checkout' }),
              },
            ],
          ]),
        ),
        payment_handlers: HANDLERS,
      },
      keys: [],
    }
    check('profile', document, 'profile')
    return document
  }

  const variants = () => world.products.flatMap((product) => list(product['variants'], 'variants').filter(isFields))
  const priceOf = (item: Fields): number => {
    const found = variants().find(({ id }) => id === item['id'])
    const { quantity_unit: asked } = item
    const code = isFields(asked) ? asked['unit'] : undefined
    const units = Array.isArray(found?.['sale_units']) ? found['sale_units'].filter(isFields) : []
    const priced = units.find((unit) => unit['unit'] === code) ?? found
    return int(object(priced?.['price'], 'price'), 'amount')
  }

  function totalsOf({ lines, destination, option }: Session) {
    const subtotal = lines.reduce((sum, { item, quantity }) => sum + priceOf(item) * quantity, 0)
    const tax = Math.round((subtotal * world.taxRate) / 100)
    const fulfillment = destination && option ? world.delivery + OPTIONS[option as keyof typeof OPTIONS] : 0
    return [
      { type: 'subtotal', amount: subtotal },
      { type: 'fulfillment', amount: fulfillment },
      ...(world.fee > 0 ? [{ type: 'fee', amount: world.fee, display_text: 'Deposit' }] : []),
      { type: 'tax', amount: tax },
      { type: 'total', amount: subtotal + fulfillment + world.fee + tax },
    ]
  }
  const totalOf = (session: Session): number => totalsOf(session).find(({ type }) => type === 'total')?.amount ?? 0

  function view(session: Session): Fields {
    const { id, status, lines, destination, option, order, messages } = session
    const ids = lines.map((line) => line.id)
    const totals = (amount: number) => [
      { type: 'subtotal', amount },
      { type: 'total', amount },
    ]
    const isOpen = status !== 'completed' && status !== 'canceled'
    const body = {
      ucp: {
        ...ucp('dev.ucp.shopping.checkout', 'dev.ucp.shopping.fulfillment'),
        ...(!isFirst && { payment_handlers: HANDLERS }),
      },
      id,
      status,
      currency,
      line_items: lines.map(({ id: lineId, item, quantity }) => ({
        id: lineId,
        item: { ...item, title: `product ${String(item['id'])}`, price: priceOf(item) },
        quantity,
        totals: totals(priceOf(item) * quantity),
      })),
      totals: totalsOf(session),
      links: [],
      ...(isFirst && { payment: { handlers: [], instruments: [] } }),
      ...(messages.length > 0 && { messages }),
      ...(isOpen && !isFirst && { continue_url: `${SHOP}/continue/${id}` }),
      ...(order && { order }),
      ...(destination && {
        fulfillment: {
          methods: [
            {
              id: 'method_1',
              type: 'shipping',
              line_item_ids: ids,
              destinations: [{ ...destination, id: 'merchant_dest', ...(!isFirst && { type: 'shipping_address' }) }],
              selected_destination_id: 'merchant_dest',
              groups: [
                {
                  id: 'group_1',
                  line_item_ids: ids,
                  options: Object.entries(OPTIONS).map(([optionId, extra]) => ({
                    id: optionId,
                    title: optionId,
                    ...(isFirst
                      ? { total: world.delivery + extra }
                      : { totals: [{ type: 'total', amount: world.delivery + extra }] }),
                  })),
                  selected_option_id: option ?? null,
                },
              ],
            },
          ],
        },
      }),
    }
    check('checkout', body, `session ${status}`)
    return body
  }

  /** Reads what a caller wants, and says what is wrong with it. */
  function apply(session: Session, body: Fields): StatusReply | undefined {
    const lines = list(body['line_items'], 'line_items').map((line) => object(line, 'line'))
    for (const line of lines) {
      const item = object(line['item'], 'item')
      if (!variants().some(({ id }) => id === item['id'])) return refuse(400, 'item_unavailable', 'Product not found')
      if (world.soldOut.has(text(item, 'id'))) return refuse(400, 'out_of_stock', 'Insufficient stock')
    }
    session.lines = lines.map((line, i) => {
      const { id, quantity_unit: unit } = object(line['item'], 'item')
      return {
        id: typeof line['id'] === 'string' ? line['id'] : `line_${i + 1}`,
        item: { id, ...(unit !== undefined && { quantity_unit: unit }) },
        quantity: int(line, 'quantity', 1),
      }
    })
    const { fulfillment } = body
    const [method] = isFields(fulfillment) ? list(fulfillment['methods'], 'methods').filter(isFields) : []
    if (method) {
      const { selected_destination_id: selected } = method
      const sent = Array.isArray(method['destinations']) ? method['destinations'].filter(isFields) : []
      const chosen = sent.find(({ id }) => id === selected)
      if (chosen) {
        const { id: _, type: _type, ...address } = chosen
        session.destination = address
      }
      const [group] = Array.isArray(method['groups']) ? method['groups'].filter(isFields) : []
      const option = group?.['selected_option_id']
      if (typeof option === 'string') session.option = option
    }
    session.messages = []
    session.status = session.destination && session.option ? 'ready_for_complete' : 'incomplete'
    if (isFirst && session.destination === undefined) session.status = 'ready_for_complete'
    if (world.isNeverReady) session.status = 'incomplete'
    return undefined
  }

  function create(body: Fields): StatusReply {
    check('checkout.create', body, 'create')
    if (isFirst) demand(body['currency'] === currency && isFields(body['payment']), 'create: currency and payment')
    else demand(!('currency' in body) && !('payment' in body), 'create: members of the first version')
    const session: Session = {
      id: `chk_${sessions.size + 1}`,
      status: 'incomplete',
      lines: [],
      destination: undefined,
      option: undefined,
      order: undefined,
      messages: [],
    }
    const refused = apply(session, body)
    if (refused) return refused
    sessions.set(session.id, session)
    return new StatusReply(201, view(session))
  }

  function update(session: Session, body: Fields): StatusReply {
    check('checkout.update', body, 'update')
    if (isFirst) demand(body['id'] === session.id && body['currency'] === currency, 'update: id and currency')
    if (session.status === 'completed' || session.status === 'canceled')
      return refuse(409, 'not_editable', `Session is ${session.status}`)
    return apply(session, body) ?? new StatusReply(200, view(session))
  }

  function buy(session: Session): void {
    session.status = 'completed'
    session.messages = []
    session.order = { id: `ord_${orders.length + 1}`, permalink_url: `${SHOP}/orders/${orders.length + 1}` }
    orders.push({
      id: session.order.id,
      session: session.id,
      total: totalOf(session),
      lines: session.lines.map(({ item, quantity }) => ({
        item: text(item, 'id'),
        unit: isFields(item['quantity_unit']) ? text(item['quantity_unit'], 'unit') : undefined,
        quantity,
      })),
      destination: session.destination,
      fulfilled: session.lines.map(() => 0),
      removed: session.lines.map(() => 0),
    })
  }

  function complete(session: Session, body: Fields): StatusReply {
    check('checkout.complete', body, 'complete')
    const instrument = isFirst
      ? body['payment_data']
      : list(object(body['payment'], 'payment')['instruments'], 'instruments')[0]
    const paid = object(instrument, 'instrument')
    const credential = object(paid['credential'], 'credential')
    demand(paid['handler_id'] === 'card' && credential['token'] === UCP_CARD, 'complete: handler and credential')
    if (session.status === 'completed') return refuse(409, 'not_editable', 'Session is completed')
    if (session.status === 'canceled') return refuse(409, 'not_editable', 'Session is canceled')
    if (session.status === 'incomplete' && !(world.isNeverReady && session.destination && session.option)) {
      session.messages = [missing('$.fulfillment')]
      return new StatusReply(200, view(session))
    }
    if (world.declinesPayment) return refuse(402, 'payment_declined', `The card ${UCP_CARD} was declined`)
    if (session.lines.some(({ item }) => world.soldOut.has(text(item, 'id')))) {
      session.messages = [
        { type: 'error', code: 'out_of_stock', content: 'Sold out meanwhile', severity: 'recoverable' },
      ]
      return new StatusReply(200, view(session))
    }
    if (world.escalates) {
      session.status = 'requires_escalation'
      session.messages = [
        {
          type: 'error',
          code: 'requires_sign_in',
          content: 'A person has to pay',
          severity: 'requires_buyer_input',
        },
      ]
      return new StatusReply(200, { ...view(session), continue_url: `${SHOP}/continue/${session.id}` })
    }
    if (world.isSlow) session.status = 'complete_in_progress'
    else buy(session)
    return new StatusReply(200, view(session))
  }

  const missing = (path: string): Fields => ({
    type: 'error',
    code: 'missing',
    content: 'A destination is missing',
    severity: 'recoverable',
    path,
  })

  function cancel(session: Session): StatusReply {
    if (session.status === 'completed' || session.status === 'canceled')
      return refuse(409, 'not_editable', `Session is ${session.status}`)
    session.status = 'canceled'
    session.messages = []
    return new StatusReply(200, view(session))
  }

  function getSession(session: Session): StatusReply {
    const reply = new StatusReply(200, view(session))
    if (session.status === 'complete_in_progress') buy(session)
    return reply
  }

  function getOrder(id: string): StatusReply {
    const order = orders.find((each) => each.id === id)
    const session = order && sessions.get(order.session)
    if (!order || !session) return refuse(404, 'not_found', 'No such order')
    const body = {
      ucp: ucp('dev.ucp.shopping.order'),
      id,
      checkout_id: order.session,
      permalink_url: `${SHOP}/orders/${id}`,
      currency,
      line_items: session.lines.map(({ id: lineId, item, quantity }, i) => {
        const total = quantity - (order.removed[i] ?? 0)
        const fulfilled = order.fulfilled[i] ?? 0
        const amount = priceOf(item) * total
        return {
          id: lineId,
          item: { ...item, title: `product ${String(item['id'])}`, price: priceOf(item) },
          quantity: { original: quantity, total, fulfilled },
          totals: [
            { type: 'subtotal', amount },
            { type: 'total', amount },
          ],
          status: total === 0 ? 'removed' : fulfilled >= total ? 'fulfilled' : fulfilled > 0 ? 'partial' : 'processing',
        }
      }),
      fulfillment: {
        expectations: [],
        events: order.fulfilled.some((n) => n > 0)
          ? [
              {
                id: 'event_1',
                occurred_at: '2026-09-11T09:12:00Z',
                type: 'shipped',
                line_items: [{ id: session.lines[0]?.id ?? '', quantity: 1 }],
                carrier: 'Parcel',
                tracking_number: 'T1',
                tracking_url: 'https://parcel.example/T1',
                description: 'Left the warehouse',
              },
            ]
          : [],
      },
      totals: totalsOf(session),
    }
    check('order', body, 'order')
    return new StatusReply(200, body)
  }

  /** Tests of unreadable rows break the schemas on purpose. */
  const isSpoiled = () => variants().some(({ price }) => !isFields(price) || typeof price['amount'] !== 'number')

  function search(body: Fields): StatusReply {
    check('catalog.search.request', body, 'search')
    const pagination = isFields(body['pagination']) ? body['pagination'] : {}
    const from = Number(pagination['cursor'] ?? 0)
    const query = typeof body['query'] === 'string' ? body['query'].toLowerCase() : ''
    const found = world.products.filter(({ title }) => String(title).toLowerCase().includes(query))
    const to = from + Math.min(world.pageSize, Number(pagination['limit'] ?? 10))
    const hasMore = to < found.length
    const reply = {
      ucp: ucp('dev.ucp.shopping.catalog.search'),
      products: found.slice(from, to),
      pagination: { has_next_page: hasMore, ...(hasMore && { cursor: String(to) }) },
    }
    if (!isSpoiled()) check('catalog.search', reply, 'search reply')
    return new StatusReply(200, reply)
  }

  function lookup(body: Fields): StatusReply {
    check('catalog.lookup.request', body, 'lookup')
    const ids = list(body['ids'], 'ids')
    if (ids.length > world.lookupMax) return refuse(400, 'request_too_large', `No more than ${world.lookupMax} ids`)
    const found = world.products.filter(({ id }) => ids.includes(id))
    const reply = {
      ucp: ucp('dev.ucp.shopping.catalog.lookup'),
      products: found.map((product) => ({
        ...product,
        variants: list(product['variants'], 'variants').map((variant) => ({
          ...object(variant, 'variant'),
          inputs: [{ id: product['id'], match: 'exact' }],
        })),
      })),
    }
    if (!isSpoiled()) check('catalog.lookup', reply, 'lookup reply')
    return new StatusReply(200, reply)
  }

  interface Call {
    readonly operation: string
    readonly id: string
    readonly body: Fields
    readonly key: string | undefined
  }

  function act({ operation, id, body }: Call): StatusReply {
    if (operation === 'search') return isFirst ? refuse(404, 'not_found', 'Not Found') : search(body)
    if (operation === 'lookup') return isFirst ? refuse(404, 'not_found', 'Not Found') : lookup(body)
    if (operation === 'create') return create(body)
    if (operation === 'order') return getOrder(id)
    const session = sessions.get(id)
    if (!session) return refuse(404, 'not_found', 'No such session')
    if (operation === 'get') return getSession(session)
    if (operation === 'update') return update(session, body)
    if (operation === 'complete') return complete(session, body)
    return cancel(session)
  }

  /** The first reply to a key is the reply to it, for the same body. */
  function once(call: Call): StatusReply {
    const isWrite = ['create', 'update', 'complete', 'cancel'].includes(call.operation)
    if (!isWrite) return act(call)
    const needsKey = transport === 'rest' || call.operation === 'complete' || call.operation === 'cancel'
    demand(UUID.test(call.key ?? '') || (!needsKey && call.key === undefined), `${call.operation}: idempotency key`)
    const scope = `${call.operation} ${call.id} ${call.key}`
    const hash = createHash('sha256').update(JSON.stringify(call.body)).digest('hex')
    const known = replies.get(scope)
    if (known && known.hash !== hash) return refuse(409, 'idempotency_mismatch', 'Key was used for another request')
    if (known) return known.reply
    const reply = act(call)
    replies.set(scope, { hash, reply })
    return reply
  }

  const ROUTES: readonly (readonly [string, RegExp, string])[] = [
    ['POST', /^\/catalog\/search$/, 'search'],
    ['POST', /^\/catalog\/lookup$/, 'lookup'],
    ['POST', /^\/checkout-sessions$/, 'create'],
    ['GET', /^\/checkout-sessions\/([^/]+)$/, 'get'],
    ['PUT', /^\/checkout-sessions\/([^/]+)$/, 'update'],
    ['POST', /^\/checkout-sessions\/([^/]+)\/complete$/, 'complete'],
    ['POST', /^\/checkout-sessions\/([^/]+)\/cancel$/, 'cancel'],
    ['GET', /^\/orders\/([^/]+)$/, 'order'],
  ]

  const isAuthorized = ({ headers }: Received) => headers.authorization === `Bearer ${UCP_TOKEN}`

  function answerRest(request: Received, path: string): StatusReply {
    demand(UUID.test(String(request.headers['request-id'])), 'a request id')
    const route = ROUTES.find(([method, pattern]) => method === request.method && pattern.test(path))
    if (!route) return new StatusReply(404, { detail: 'Not Found' })
    const [, pattern, operation] = route
    const key = request.headers['idempotency-key']
    return once({
      operation,
      id: decodeURIComponent(pattern.exec(path)?.[1] ?? ''),
      body: request.body === '' ? {} : object(JSON.parse(request.body), 'body'),
      key: typeof key === 'string' ? key : undefined,
    })
  }

  const TOOLS: Readonly<Record<string, string>> = {
    search_catalog: 'search',
    lookup_catalog: 'lookup',
    create_checkout: 'create',
    get_checkout: 'get',
    update_checkout: 'update',
    complete_checkout: 'complete',
    cancel_checkout: 'cancel',
    get_order: 'order',
  }

  function answerMcp(request: Received): unknown {
    const rpc = object(JSON.parse(request.body), 'request')
    check('mcp.request', rpc, 'MCP request')
    const params = object(rpc['params'], 'params')
    const args = object(params['arguments'], 'arguments')
    const meta = object(args['meta'], 'meta')
    demand(isFields(meta['ucp-agent']) && typeof meta['ucp-agent']['profile'] === 'string', 'MCP: our profile')
    const body = args['checkout'] ?? args['catalog'] ?? {}
    demand(!isFields(args['checkout']) || isFirst || !('id' in args['checkout']), 'MCP: no id inside checkout')
    const key = meta['idempotency-key']
    const { json } = once({
      operation: TOOLS[text(params, 'name')] ?? 'none',
      id: typeof args['id'] === 'string' ? args['id'] : '',
      body: object(body, 'body'),
      key: typeof key === 'string' ? key : undefined,
    })
    const reply = {
      jsonrpc: '2.0',
      id: rpc['id'],
      result: { structuredContent: json, content: [{ type: 'text', text: JSON.stringify(json) }] },
    }
    check('mcp.response', reply, 'MCP response')
    return reply
  }

  const upstream = await scriptedUpstream((request) => {
    if (request.path === '/.well-known/ucp') return profile()
    const [, path] = /^\/ucp\/v1(.*)$/.exec(request.path) ?? []
    if (path === undefined) return new StatusReply(404, { detail: 'Not Found' })
    const agent = /^profile="(https?:\/\/[^"]+)";version="([\d-]+)"$/.exec(String(request.headers['ucp-agent']))
    demand(agent !== null && (agent[2] ?? '') <= version, 'UCP-Agent with a version that is not newer')
    if (!isAuthorized(request)) return refuse(401, 'unauthorized', `bad token ${UCP_TOKEN}`)
    if (completesOrder(request)) completions += 1
    return transport === 'mcp' ? answerMcp(request) : answerRest(request, path)
  })

  return Object.assign(world, upstream, {
    sessions,
    orders,
    violations,
    completions: () => completions,
    payOnPage(sessionId: string) {
      const session = sessions.get(sessionId)
      if (session && session.status !== 'completed' && session.status !== 'canceled') buy(session)
    },
  })
}

/** Requests that could buy, over either transport. */
export const completesOrder = ({ path, body }: Received): boolean =>
  path.endsWith('/complete') || body.includes('"complete_checkout"')

/** Requests that only prepare: sessions that are opened or changed, and the profile. */
export const preparesSession = ({ method, path, body }: Received): boolean =>
  path === '/.well-known/ucp' ||
  path.endsWith('/cancel') ||
  body.includes('"cancel_checkout"') ||
  body.includes('"create_checkout"') ||
  body.includes('"update_checkout"') ||
  (method !== 'GET' && /\/checkout-sessions(\/[^/]+)?$/.test(path))
