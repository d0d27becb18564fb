/** How the service serves the console: one page at every path, immutable assets, a strict policy. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../src/console/lib/routes.ts'
import { CONSOLE_PATHS } from '../../src/http/console.ts'
import { startStagingConsole, TOKEN } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

const get = (path: string, headers: Record<string, string> = {}) => fetch(staging.url + path, { headers })
const assetsOf = (html: string) => [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')

test('the service serves exactly the paths of the console', () => {
  expect(Object.keys(ROUTES).toSorted()).toEqual([...CONSOLE_PATHS].toSorted())
})

test('every path of the console answers with the same page, without token or data', async () => {
  const bodies = await Promise.all(
    CONSOLE_PATHS.map(async (path) => {
      const answer = await get(path.replace(/:\w+/, 'acme-supply%3A1'))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      return answer.text()
    }),
  )
  expect(new Set(bodies).size).toBe(1)
})

test('a browser at an unknown address gets the console, which says so; programs get the envelope', async () => {
  const browser = await get('/nowhere', { accept: 'text/html,application/xhtml+xml' })
  expect([browser.status, browser.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
  expect(await browser.text()).toBe(await (await get('/')).text())
  expect(browser.headers.get('content-security-policy')).toContain("default-src 'none'")
  const unchanged = { accept: 'text/html', 'if-none-match': browser.headers.get('etag') ?? '' }
  expect((await get('/nowhere', unchanged)).status).not.toBe(200)
  expect((await get('/nowhere')).status).toBe(401)
  expect((await get('/ucp/v1/nowhere', { accept: 'text/html' })).status).toBe(401)
  const known = await get('/nowhere', { authorization: `Bearer ${TOKEN}` })
  expect([known.status, await known.text()]).toEqual([404, expect.stringContaining('"not_found"')])
  expect((await fetch(`${staging.url}/nowhere`, { method: 'POST', headers: { accept: 'text/html' } })).status).toBe(401)
})

test('the page allows no inline script, no other host and no frame around it', async () => {
  const answer = await get('/')
  const policy = answer.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("form-action 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|\*/)
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
  const html = await answer.text()
  expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  for (const [, url] of html.matchAll(/(?:src|href)="([^"]+)"/g)) expect(url).toMatch(/^\/(?!\/)/)
})

test('assets are immutable, the page is revalidated', async () => {
  const page = await get('/')
  expect(page.headers.get('cache-control')).toBe('no-cache')
  const unchanged = await get('/', { 'if-none-match': page.headers.get('etag') ?? '' })
  expect(unchanged.status).toBe(304)
  for (const path of assetsOf(await page.text())) {
    const asset = await get(path)
    expect(asset.status).toBe(200)
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  }
})

test('assets compressed at build time are sent to clients that accept them', async () => {
  const script = assetsOf(await (await get('/')).text()).find((path) => path.endsWith('.js')) ?? ''
  const sent = async (accepted: string) => {
    const answer = await get(script, { 'accept-encoding': accepted })
    expect(answer.headers.get('vary')).toBe('accept-encoding')
    return [answer.headers.get('content-encoding'), answer.headers.get('etag'), await answer.text()] as const
  }
  const [br, gzip, plain] = [await sent('gzip, br'), await sent('gzip;q=1.0, br;q=0'), await sent('identity')]
  expect([br[0], gzip[0], plain[0]]).toEqual(['br', 'gzip', null])
  expect(new Set([br[1], gzip[1], plain[1]]).size).toBe(3)
  expect(br[2]).toBe(plain[2])
  expect(gzip[2]).toBe(plain[2])
})

test('4 an unknown path is answered in the envelope, and an unknown asset is not answered with the page', async () => {
  const authorization = `Bearer ${TOKEN}`
  for (const path of ['/ucp/v1/nothing', '/nothing', '/assets/nothing.js', '/purchases', '/runs/a/b']) {
    const answer = await get(path, { authorization })
    expect([path, answer.status]).toEqual([path, 404])
    expect(await answer.json()).toMatchObject({ ucp: { status: 'error' }, messages: [{ code: 'not_found' }] })
  }
  const wrong = await fetch(`${staging.url}/ucp/v1/guardrails`, { method: 'POST', headers: { authorization } })
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT'])
})

test('the console can be installed: manifest, icons and worker have fixed names and are revalidated', async () => {
  const html = await (await get('/')).text()
  const manifest = await get(/<link rel="manifest" href="([^"]+)"/.exec(html)?.[1] ?? '')
  expect(manifest.headers.get('content-type')).toBe('application/manifest+json')
  const { icons, scope, start_url } = (await manifest.json()) as {
    readonly icons: readonly { readonly src: string }[]
    readonly scope: string
    readonly start_url: string
  }
  expect([scope, start_url]).toEqual(['/', '/'])
  for (const path of [...icons.map(({ src }) => src), '/icon-180.png', '/service-worker.js']) {
    const answer = await get(path)
    expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([path, 200, 'no-cache'])
  }
})

test('the worker stores every asset of this build and no answer of the service', async () => {
  const worker = await (await get('/service-worker.js')).text()
  const page = await (await get('/')).text()
  for (const path of assetsOf(page)) expect(worker).toContain(path)
  expect(worker).not.toContain('__SHELL__')
  for (const [, path] of worker.matchAll(/"(\/assets\/[^"]+)"/g)) expect((await get(path ?? '')).status).toBe(200)
})
