/** Loading of Today: its data is requested once and early, and no figure waits for another. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, NARROW, startStagingConsole, TOKEN } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

test('the page preloads its first requests, for a signed-in browser only', async () => {
  const hints = async (path: string, headers: Record<string, string>) =>
    (await fetch(staging.url + path, { headers })).headers.get('link')
  const cookie = `service_auth=${TOKEN}`
  const link = (await hints('/', { cookie })) ?? ''
  const paths = [...link.matchAll(/<([^>]+)>; rel=preload; as=fetch/g)].map(([, path]) => path ?? '')
  expect(paths.length).toBeGreaterThan(0)
  for (const path of paths) expect((await fetch(staging.url + path, { headers: { cookie } })).status).toBe(200)
  expect(await hints('/', {})).toBeNull()
  expect(await hints('/plan', { cookie })).toBeNull()
})

describe.runIf(BROWSER)('Today', () => {
  test('requests everything once, including what was preloaded', async () => {
    const page = await staging.signedIn('/', { viewport: NARROW })
    // An event of the first sync would have the page read again what it names.
    await page.routeWebSocket(/./, () => {})
    const asked: string[] = []
    const sizes: Promise<{ readonly responseBodySize: number }>[] = []
    page.on('request', (request) => {
      // Requests of the page before the reload may still be sent.
      if (request.isNavigationRequest()) {
        asked.length = 0
        sizes.length = 0
      }
      const { pathname, search } = new URL(request.url())
      if (pathname.startsWith('/ucp/')) asked.push(pathname + search)
    })
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/ucp/')) sizes.push(request.sizes())
    })
    await page.reload()
    await page.locator('.chart-box').scrollIntoViewIfNeeded()
    await page.locator('.chart-box canvas').waitFor()
    expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted())
    expect(asked).toContain('/ucp/v1/replenishment/plan?only=summary')
    // Of the route only figures and the first rows: neither the plan nor the roster.
    expect(asked).not.toContain('/ucp/v1/replenishment/plan')
    expect(asked).not.toContain('/ucp/v1/locations/search')
    await page.waitForLoadState('networkidle')
    const bytes = (await Promise.all(sizes)).reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    expect(bytes).toBeGreaterThan(3000)
    expect(bytes).toBeLessThan(60_000)
  })

  test('no figure waits for another: with the plan held back the others are shown', async () => {
    const page = await staging.signedIn('/')
    let release = () => {}
    const held = new Promise<void>((done) => (release = done))
    await page.route('**/ucp/v1/replenishment/plan?only=summary', async (route) => {
      await held
      await route.continue()
    })
    await page.reload()
    const figures = page.locator('.tile:has(.icon) .tile-figure')
    for (const index of [0, 2, 3]) await expect.poll(() => figures.nth(index).textContent()).toMatch(/\d/)
    expect(await figures.nth(1).textContent()).not.toMatch(/\d/)
    release()
    await expect.poll(() => figures.nth(1).textContent()).toMatch(/\d/)
  })
})
