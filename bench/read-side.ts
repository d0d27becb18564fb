/** Discovery, catalog, SKUs and events beside a bare Fastify with the same answers. */
import { rps, shoot, sideBySide, table, us, verdict } from './harness.ts'
import type { Shot, Subject } from './harness.ts'
import { queryOf } from './queries.ts'
import { BEARER, startBare, startService } from './subject.ts'

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

if (import.meta.main) await readSide()
