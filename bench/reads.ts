/** What reads cost: beside a bare server, over MCP, and by the size of the catalog. */
import {
  type Shot,
  type Subject,
  rps,
  shoot,
  sideBySide,
  table,
  us,
  verdict,
  BEARER,
  startBare,
  startService,
  median,
} from './harness.ts'

/** Different searches, so that cached results do not help. */
const WORDS = [
  '农夫',
  '可口',
  '乐事',
  '康师傅',
  '统一',
  '旺旺',
  '伊利',
  '蒙牛',
  '饮料',
  '550',
  '水',
  '茶',
  '奶',
  '薯片',
  '',
]
const RANGES = [undefined, { min: 50, max: 500 }, { max: 300 }, { min: 100 }, { min: 110, max: 130 }]
const CATEGORIES = [undefined, ['饮料'], ['零食'], ['饮料', '零食']]

/** 15 words × 5 price ranges × 4 categories × 40 tails. */
export function queryOf(i: number): { readonly query: string; readonly filters: object } {
  const pick = <T>(list: readonly T[], n: number) => list[n % list.length] as T
  const word = pick(WORDS, i)
  const price = pick(RANGES, Math.floor(i / WORDS.length))
  const categories = pick(CATEGORIES, Math.floor(i / (WORDS.length * RANGES.length)))
  const tail = Math.floor(i / (WORDS.length * RANGES.length * CATEGORIES.length)) % 40
  return {
    query: tail === 0 ? word : `${word}${word === '' ? '' : ' 饮料 '}${tail}`,
    filters: { ...(price && { price }), ...(categories && { categories }) },
  }
}

/** Discovery, catalog, SKUs and events beside a bare Fastify with the same answers. */
const PRODUCTS = 5000
const WARM_UP = 20_000
const idOf = (i: number) => `acme-supply:SP${i % PRODUCTS}`
const batch = (i: number) => ({ ids: Array.from({ length: 50 }, (_, k) => idOf(i * 50 + k * 7)) })
const SEARCH = { method: 'POST', path: '/ucp/v1/catalog/search' } as const

/** The bare server answers all requests with the first response of ours. */
const SHOTS: Readonly<Record<string, Shot & { readonly target?: number }>> = {
  discovery: { path: '/.well-known/ucp', target: 1.3 },
  'search, 20 of 5,000, asked again': {
    ...SEARCH,
    body: { query: '农夫', pagination: { limit: 20 } },
    target: 1.6,
  },
  'search, never asked before': { ...SEARCH, bodies: (i) => ({ ...queryOf(i), pagination: { limit: 20 } }) },
  'lookup of 50': { method: 'POST', path: '/ucp/v1/catalog/lookup', bodies: batch },
  'sku record': { path: '/ucp/v1/skus/acme-supply:SP7' },
  'event append (durable)': {
    method: 'POST',
    path: '/ucp/v1/events',
    body: { kind: 'note', summary: 'shelf checked', reasoning: 'weekly round' },
  },
}

/** One bare server per shot, as two of them share a path. */
async function bareFor(ours: Subject, shot: Shot): Promise<Subject> {
  const method = shot.method ?? 'GET'
  const body = shot.bodies ? shot.bodies(0) : shot.body
  const answer = await fetch(ours.url + shot.path, {
    method,
    headers: { ...BEARER, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${shot.path}: ${answer.status} ${await answer.text()}`)
  return startBare({ method, path: shot.path, answer: await answer.json(), status: answer.status })
}

export async function readSide({ amount = 1200, rounds = 21 } = {}): Promise<void> {
  const ours = await startService({ products: PRODUCTS })
  const rows: string[][] = []
  for (const [name, shot] of Object.entries(SHOTS)) {
    const bare = await bareFor(ours, shot)
    // A server that runs for weeks is compared when both are warm.
    await shoot(ours, shot, WARM_UP, BEARER)
    await shoot(bare, shot, WARM_UP, BEARER)
    const {
      ours: mine,
      other,
      ratio,
    } = await sideBySide(
      () => shoot(ours, shot, amount, BEARER),
      () => shoot(bare, shot, amount, BEARER),
      rounds,
    )
    const target = shot.target === undefined ? '' : verdict(ratio, shot.target)
    rows.push([name, us(mine), us(other), ratio.toFixed(2), target, rps(mine), rps(other)])
    await bare.stop()
  }
  await ours.stop()
  table(
    'CPU per request, ours beside a bare Fastify with the same answer',
    ['', 'ours', 'bare', 'ratio', 'target', 'ours/s', 'bare/s'],
    rows,
  )
}

/** A tool call beside the same call over REST, and the list of tools. */
const TOOLS_WARM_UP = 10_000
/** CPU of `tools/call` by that of the REST call with the same answer. */
const RATIO_MAX = 1.3
const SESSIONS = '/ucp/v1/checkout-sessions'
const DESTINATION = { street_address: '上海市浦东新区张江路 88 号', first_name: '王', phone_number: '13800000000' }
const BASKET = {
  line_items: [1, 2, 3].map((n) => ({ item: { id: `acme-supply:SP${n}` }, quantity: n })),
  fulfillment: { methods: [{ type: 'shipping', destinations: [DESTINATION] }] },
}

const message = (method: string, params: object): Shot => ({
  method: 'POST',
  path: '/ucp/mcp',
  body: { jsonrpc: '2.0', id: 1, method, params },
})

export async function mcp({ amount = 1200, rounds = 21 } = {}): Promise<void> {
  const service = await startService({ products: 100 })
  const created = await fetch(service.url + SESSIONS, {
    method: 'POST',
    headers: { ...BEARER, 'content-type': 'application/json' },
    body: JSON.stringify(BASKET),
  })
  const { id } = (await created.json()) as { id: string }
  const rest: Shot = { path: `${SESSIONS}/${id}` }
  const call = message('tools/call', { name: 'get_checkout', arguments: { id } })
  const list = message('tools/list', {})
  for (const shot of [rest, call]) await shoot(service, shot, TOOLS_WARM_UP, BEARER)
  const { ours, other, ratio } = await sideBySide(
    () => shoot(service, call, amount, BEARER),
    () => shoot(service, rest, amount, BEARER),
    rounds,
  )
  const listed = await shoot(service, list, amount, BEARER)
  table(
    'MCP beside REST',
    ['request', 'CPU', 'per second', 'CPU by REST'],
    [
      ['GET checkout session', us(other), rps(other), ''],
      ['tools/call get_checkout', us(ours), rps(ours), `${ratio.toFixed(2)} ${verdict(ratio, RATIO_MAX)}`],
      ['tools/list, 50 KB', us(listed), rps(listed), ''],
    ],
  )
  await service.stop()
}

/** The cost of a search by catalog size. */
const SEARCHES: Readonly<Record<string, Shot>> = {
  'the same page again': { ...SEARCH, body: { query: '农夫', pagination: { limit: 20 } } },
  'a search never asked': { ...SEARCH, bodies: (i) => ({ ...queryOf(i), pagination: { limit: 20 } }) },
  'no match, never asked': { ...SEARCH, bodies: (i) => ({ query: `nothing like ${i}` }) },
}

export async function catalogSize({ amount = 600, rounds = 3 } = {}): Promise<void> {
  const rows: string[][] = []
  for (const products of [500, 5000, 50_000]) {
    const subject = await startService({ products })
    const cells: string[] = []
    for (const shot of Object.values(SEARCHES)) {
      await shoot(subject, shot, amount, BEARER)
      const cpu: number[] = []
      for (let i = 0; i < rounds; i++) cpu.push((await shoot(subject, shot, amount, BEARER)).cpuUs)
      cells.push(`${median(cpu).toFixed(0)} µs`)
    }
    rows.push([products.toLocaleString('en'), ...cells])
    await subject.stop()
  }
  table('CPU of a catalog search by number of products', ['products', ...Object.keys(SEARCHES)], rows)
}
