/** Size, loading time and responsiveness of the console in Chromium, with the real service: `npm run bench:console`. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { serve } from '../src/main.ts'

const TOKEN = 'console-bench-token-0123456789'
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const PORT = process.env['PORT'] ?? '18180'
const URL_BASE = `http://127.0.0.1:${PORT}`
const ROUNDS = 7
const BUDGET_GZIP_BYTES = 120_000
const SLOTS = 5000
/** An average phone is about this much slower than this machine. */
const PHONE_SLOWDOWN = 4

await import(new URL('../scripts/build-console.mjs', import.meta.url).href)
const folder = mkdtempSync(join(tmpdir(), 'vendops-bench-console-'))
const read = readConfig(
  {
    PORT,
    PUBLIC_URL: URL_BASE,
    DATABASE_URL: `sqlite:${folder}/vendops.db`,
    OPERATOR_TOKEN: TOKEN,
    LOG_LEVEL: 'silent',
    // No rate limits: a benchmark exceeds them.
    RATE_LIMIT_PER_MINUTE: '0',
    VENDOPS_CLOCK: '2026-09-10T09:00:00+08:00',
  },
  existsSync,
)
if (!read.ok) throw new Error(read.problems.join('; '))
const service = await serve(read.config, [])

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
const row = (name: string, value: string, note = '') => console.log(`${name.padEnd(46)} ${value.padStart(12)}  ${note}`)
const ms = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)} ms`
const kb = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`

/** Everything the first page loads from the console, gzipped. */
async function firstPageBytes(page: Page): Promise<number> {
  const paths = new Set<string>(['/'])
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/assets/')) paths.add(pathname)
  })
  await page.goto(URL_BASE)
  await page.locator('.chart-box').scrollIntoViewIfNeeded()
  await page.locator('.chart-box canvas').waitFor()
  let sum = 0
  for (const path of paths) {
    const answer = await fetch(URL_BASE + path, { headers: { 'accept-encoding': 'identity' } })
    const plain = Buffer.from(await answer.arrayBuffer())
    const { gzipSync } = await import('node:zlib')
    sum += gzipSync(plain, { level: 9 }).length
  }
  return sum
}

/** What a browser keeps after a sign-in: the cookie, and who it was. The measured browsers start with this and an empty cache. */
type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>

async function signIn(browser: Browser): Promise<SignedIn> {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(URL_BASE)
  await page.locator('input[name=token]').fill(TOKEN)
  await page.locator('form button[type=submit]').click()
  await page.locator('.tile-figure', { hasText: /\d/ }).first().waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

const OBSERVE = `
  window.shift = 0
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value }).observe({ type: 'layout-shift', buffered: true })
  window.figure = new Promise((painted) => {
    new MutationObserver((_, observer) => {
      if (![...document.querySelectorAll('.tile-figure')].some((figure) => /\\d/.test(figure.textContent))) return
      observer.disconnect()
      requestAnimationFrame(() => setTimeout(() => painted(performance.now())))
    }).observe(document, { childList: true, subtree: true, characterData: true })
  })
  window.slowest = 0
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.slowest = Math.max(window.slowest, entry.duration) }).observe({ type: 'event', buffered: true, durationThreshold: 16 })
`

interface Load {
  readonly paint: number
  readonly useful: number
  /** Time of the first painted figure, measured by the page; `useful` is measured here, from before the address was opened. */
  readonly figure: number
  readonly shift: number
}

async function load(browser: Browser, signedIn: SignedIn, slowdown: number, width: number): Promise<Load> {
  const context = await browser.newContext({ viewport: { width, height: 844 }, storageState: signedIn })
  const page = await context.newPage()
  await page.addInitScript(OBSERVE)
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const start = performance.now()
  await page.goto(URL_BASE)
  // Not with a locator: its script of 300 KB would run in the slowed page before the figure, about 100 ms of its time.
  const painted = await session.send('Runtime.evaluate', {
    expression: 'window.figure',
    awaitPromise: true,
    returnByValue: true,
  })
  const useful = performance.now() - start
  const figure = Number(painted.result.value)
  await page.locator('.chart-box').scrollIntoViewIfNeeded()
  await page.locator('.chart-box canvas').waitFor()
  await page.waitForTimeout(600)
  const paint = await page.evaluate<number>("performance.getEntriesByName('first-contentful-paint')[0].startTime")
  const shift = await page.evaluate<number>('window.shift')
  await context.close()
  return { paint, useful, figure, shift }
}

/** The plan with 5,000 slots: typing, sorting and scrolling, timed by the browser. */
async function interaction(
  browser: Browser,
  signedIn: SignedIn,
  slowdown: number,
): Promise<{ slowest: number; work: number }> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, storageState: signedIn })
  const page = await context.newPage()
  await page.addInitScript(OBSERVE)
  await page.route('**/ucp/v1/replenishment/plan', async (route) => {
    const answer = await route.fetch()
    const plan = (await answer.json()) as { plans: { slot_id: string }[] }
    const many = Array.from({ length: SLOTS }, (_, n) => {
      const entry = plan.plans[n % plan.plans.length]
      return { ...entry, slot_id: `${entry?.slot_id}-${n}` }
    })
    await route.fulfill({ json: { ...plan, plans: many } })
  })
  const session = await context.newCDPSession(page)
  await page.goto(`${URL_BASE}/plan`)
  await page.locator('.virtual-row').first().waitFor()
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.locator('input[type=search]').pressSequentially('50', { delay: 120 })
  await page.locator('input[type=search]').fill('')
  for (const name of ['Stock', 'Days left', 'Slot']) await page.getByRole('button', { name, exact: true }).click()
  await page.locator('.row-open').first().click()
  await page.keyboard.press('Escape')
  // Main-thread work per frame: on a shared machine without a graphics card the frame rate says little.
  await session.send('Performance.enable')
  const busy = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  const before = await busy()
  const frames = await page.evaluate<number>(`new Promise((done) => {
    let frames = 0, y = 0
    const start = performance.now()
    const step = () => { frames += 1; scrollTo(0, (y += 60)); performance.now() - start < 2000 ? requestAnimationFrame(step) : done(frames) }
    requestAnimationFrame(step)
  })`)
  const work = (((await busy()) - before) / frames) * 1000
  const slowest = await page.evaluate<number>('window.slowest')
  await context.close()
  return { slowest, work }
}

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})
try {
  const signedIn = await signIn(browser)
  const context = await browser.newContext({ storageState: signedIn })
  const bytes = await firstPageBytes(await context.newPage())
  row('first page, everything, gzipped', kb(bytes), `budget ${kb(BUDGET_GZIP_BYTES)}`)
  if (bytes > BUDGET_GZIP_BYTES) process.exitCode = 1
  for (const [name, slowdown, width] of [
    ['laptop', 1, 1440],
    ['phone, CPU ÷ 4', PHONE_SLOWDOWN, 390],
  ] as const) {
    const loads: Load[] = []
    for (let round = 0; round < ROUNDS; round++) loads.push(await load(browser, signedIn, slowdown, width))
    row(
      `first contentful paint, ${name}`,
      ms(median(loads.map(({ paint }) => paint))),
      `median of ${ROUNDS}, empty cache`,
    )
    const figures = loads.map(({ figure }) => figure)
    row(
      `first figure painted, ${name}`,
      ms(median(figures)),
      `as the page itself saw it; ${ms(Math.min(...figures))} to ${ms(Math.max(...figures))}`,
    )
    row(`figures shown, ${name}`, ms(median(loads.map(({ useful }) => useful))), 'as seen from outside')
    row(
      `layout shift on load, ${name}`,
      Math.max(...loads.map(({ shift }) => shift)).toFixed(4),
      'worst; good is below 0.1',
    )
  }
  for (const [name, slowdown] of [
    ['laptop', 1],
    ['laptop, CPU ÷ 4', PHONE_SLOWDOWN],
  ] as const) {
    const { slowest, work } = await interaction(browser, signedIn, slowdown)
    row(`slowest interaction, 5,000 slots, ${name}`, ms(slowest), 'typing, sorting, opening; good is below 200 ms')
    row(`scrolling 5,000 slots, ${name}`, ms(work), 'main thread per frame of 60 px; smooth is below 16')
  }
} finally {
  await browser.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
