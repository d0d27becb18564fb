/** Discovery, catalog, SKUs and events beside a bare Fastify with the same answers; cost with size; memory over a long run. */
import { rps, shoot, sideBySide, startSubject, table, us } from './harness.ts'
import type { Shot } from './harness.ts'

const TOKEN = 'bench-token-0123456789'
const headers = { authorization: `Bearer ${TOKEN}` }
const SERVICE = new URL('./service.ts', import.meta.url)
const BARE = new URL('./bare.ts', import.meta.url)

const ids = Array.from({ length: 50 }, (_, i) => `acme-supply:SP${i * 7}`)
const SHOTS: Readonly<Record<string, Shot & { target?: number }>> = {
  discovery: { path: '/.well-known/ucp', target: 1.3 },
  'catalog search, 20 of 5,000': {
    method: 'POST',
    path: '/ucp/v1/catalog/search',
    body: { query: '农夫', pagination: { limit: 20 } },
    target: 1.6,
  },
  'catalog lookup of 50': { method: 'POST', path: '/ucp/v1/catalog/lookup', body: { ids } },
  'sku record': { path: '/ucp/v1/skus/acme-supply:SP7' },
  'event append (durable)': {
    method: 'POST',
    path: '/ucp/v1/events',
    body: { kind: 'note', summary: 'shelf checked', reasoning: 'weekly round' },
  },
}

export async function readSide({ amount = 3000, rounds = 5, long = 100_000 } = {}): Promise<void> {
  const ours = await startSubject(SERVICE, { goods: 5000 }, ['--expose-gc'])
  const routes = []
  for (const shot of Object.values(SHOTS)) {
    const answer = await fetch(ours.url + shot.path, {
      method: shot.method ?? 'GET',
      headers: { ...headers, 'content-type': 'application/json' },
      ...(shot.body === undefined ? {} : { body: JSON.stringify(shot.body) }),
    })
    if (!answer.ok) throw new Error(`${shot.path}: ${answer.status} ${await answer.text()}`)
    routes.push({ method: shot.method ?? 'GET', path: shot.path, answer: await answer.json(), status: answer.status })
  }
  const bare = await startSubject(BARE, routes)

  const rows: string[][] = []
  for (const [name, shot] of Object.entries(SHOTS)) {
    await shoot(ours, shot, amount / 3, headers)
    await shoot(bare, shot, amount / 3, headers)
    const result = await sideBySide(
      () => shoot(ours, shot, amount, headers),
      () => shoot(bare, shot, amount, headers),
      rounds,
    )
    const verdict =
      shot.target === undefined ? '' : result.ratio <= shot.target ? `≤ ${shot.target} ✓` : `≤ ${shot.target} ✗`
    rows.push([
      name,
      us(result.ours),
      us(result.other),
      result.ratio.toFixed(2),
      verdict,
      rps(result.ours),
      rps(result.other),
    ])
  }
  table(
    'CPU per request, ours beside a bare Fastify with the same answer',
    ['', 'ours', 'bare', 'ratio', 'target', 'ours/s', 'bare/s'],
    rows,
  )

  const search = SHOTS['catalog search, 20 of 5,000'] as Shot
  const memory = [await ours.memoryMb()]
  for (let i = 0; i < 4; i++) {
    await shoot(ours, search, long / 4, headers, 16)
    await ours.ask('forget')
    memory.push(await ours.memoryMb())
  }
  table(
    `resident memory over ${long} searches, MB (target: under 140 and flat)`,
    ['at 0 %', '25 %', '50 %', '75 %', '100 %'],
    [memory.map((mb) => mb.toFixed(0))],
  )
  await bare.stop()
  await ours.stop()

  const sizes: string[][] = []
  for (const goods of [500, 5000, 50_000]) {
    const subject = await startSubject(SERVICE, { goods })
    await shoot(subject, search, 300, headers)
    const warm = await shoot(subject, search, amount / 2, headers)
    const rare = await shoot(subject, { ...search, body: { query: 'nothing like it' } }, 200, headers)
    sizes.push([String(goods), us(warm), us(rare)])
    await subject.stop()
  }
  table('catalog search by number of goods', ['goods', 'page of 20', 'no match'], sizes)
}

if (import.meta.main) await readSide()
