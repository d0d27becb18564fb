/**
 * What each page of the console asks for, and the work of showing it on a phone, with a route of 500 machines:
 * `npm run bench -- console-pages`. Bytes are those of the answers as they are sent.
 */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { BEARER, TOKEN, type Subject, startService, table, verdict } from './harness.ts'
import { startSimulated } from './subjects/simulator.ts'

const MACHINES = 500
const HISTORY_DAYS = 3
/** An average phone is about this much slower than this machine. */
const SLOWDOWN = 4
const CPU_MS_MAX = 1000
/** All answers are there, and no more is asked for this long: the page has what it shows. */
const QUIET_MS = 1000

const CHROMIUM =
  process.env['CHROMIUM'] ??
  ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'].find((place) => existsSync(place))

async function send(url: string, method: 'PUT' | 'POST', path: string, body: unknown): Promise<void> {
  const headers = { ...BEARER, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/ucp/v1${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

interface Visited {
  readonly bytes: number
  readonly requests: number
  readonly cpuMs: number
  readonly largest: string
}

async function visit(browser: Browser, url: string, path: string): Promise<Visited> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' })
  try {
    const page = await context.newPage()
    const signedIn = await page.request.post(`${url}/signin`, { data: { token: TOKEN } })
    if (!signedIn.ok()) throw new Error(`signing in: ${signedIn.status()} ${await signedIn.text()}`)
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    // The work of the page itself: what others do on this machine meanwhile does not count.
    await session.send('Performance.enable', { timeDomain: 'threadTicks' })
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
    const names = new Map<string, string>()
    const answers: { name: string; bytes: number }[] = []
    const open = new Set<string>()
    let lastAt = performance.now()
    session.on('Network.requestWillBeSent', ({ requestId, request }) => {
      const { pathname, search } = new URL(request.url)
      if (!pathname.startsWith('/ucp/') || pathname.endsWith('/stream')) return
      names.set(requestId, pathname.replace('/ucp/v1', '') + search)
      open.add(requestId)
    })
    session.on('Network.loadingFailed', ({ requestId }) => void open.delete(requestId))
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      lastAt = performance.now()
      open.delete(requestId)
      const name = names.get(requestId)
      if (name !== undefined) answers.push({ name, bytes: encodedDataLength })
    })
    await page.goto(url + path)
    while (open.size > 0 || performance.now() - lastAt < QUIET_MS) await new Promise((done) => setTimeout(done, 100))
    const { metrics } = await session.send('Performance.getMetrics')
    const largest = answers.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3)
    return {
      bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0),
      requests: answers.length,
      cpuMs: (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000,
      largest: largest.map(({ name, bytes }) => `${name} ${kb(bytes)}`).join('  '),
    }
  } finally {
    await context.close()
  }
}

const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`

const KB_MAX: Readonly<Record<string, number>> = { '/': 60, '/machines/:id': 30 }

async function pagesOf(service: Subject, machine: string): Promise<Readonly<Record<string, string>>> {
  const answer = await fetch(`${service.url}/ucp/v1/replenishment/plan?location=${machine}`, { headers: BEARER })
  const { plans } = (await answer.json()) as { plans: { item: { id: string } }[] }
  const sku = encodeURIComponent(plans[0]?.item.id ?? '')
  const same = [
    '/',
    '/machines',
    '/plan',
    '/plan/run',
    '/prices',
    '/links',
    '/catalog',
    '/storeroom',
    '/runs',
    '/visits',
  ]
  const more = ['/orders', '/approvals', '/profit', '/earn', '/activity', '/setup/machines', '/setup/selections']
  return {
    ...Object.fromEntries([...same, ...more].map((path) => [path, path])),
    '/machines/:id': `/machines/${machine}`,
    '/prices?sku': `/prices?sku=${sku}`,
    '/skus/:id': `/skus/${sku}`,
    '/setup/counts?machine': `/setup/counts?machine=${machine}`,
    '/visits/:id': `/visits/${machine}`,
  }
}

export async function benchConsolePages(): Promise<void> {
  await import(new URL('../scripts/build-console.mjs', import.meta.url).href)
  const simulated = await startSimulated({ machines: MACHINES, historyDays: HISTORY_DAYS })
  const service = await startService({ upstreams: simulated.upstreams })
  const browser = await chromium.launch({
    ...(CHROMIUM ? { executablePath: CHROMIUM } : {}),
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  })
  try {
    for (const { id, name, profile } of simulated.roster)
      await send(service.url, 'PUT', `/locations/${id}`, { name, profile })
    await send(service.url, 'POST', '/locations/sync', {})
    const rows: string[][] = []
    const pages = await pagesOf(service, simulated.roster[7]?.id ?? '')
    // The first visit warms the service up.
    await visit(browser, service.url, '/')
    for (const [name, path] of Object.entries(pages)) {
      const { bytes, requests, cpuMs, largest } = await visit(browser, service.url, path)
      const limit = KB_MAX[name]
      const target = limit === undefined ? '' : verdict(bytes / 1000, limit, ' KB')
      rows.push([
        name,
        kb(bytes),
        target,
        String(requests),
        `${cpuMs.toFixed(0)} ms`,
        verdict(cpuMs, CPU_MS_MAX, ' ms'),
        largest,
      ])
    }
    table(
      `pages of the console, ${MACHINES} machines, CPU ÷ ${SLOWDOWN}`,
      ['page', 'asked for', 'limit', 'answers', 'work', 'limit', 'largest'],
      rows,
    )
  } finally {
    await browser.close()
    await service.stop()
    await simulated.stop()
  }
}
