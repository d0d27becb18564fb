/** Sign-in in a browser: the cookie cannot be planted, forged across sites, framed or read. */
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, startStagingConsole, TOKEN } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
/** A site on another origin that tries to use the operator's session. */
let foreign: Server
let foreignUrl = ''
beforeAll(async () => {
  staging = await startStagingConsole()
  foreign = createServer((request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(
      request.url === '/frame'
        ? `<iframe src="${staging.url}/" id="framed"></iframe>`
        : `<form method="post" enctype="text/plain" action="${staging.url}/ucp/v1/guardrails/stop"><input name='{"reason":"' value='"}'></form>`,
    )
  })
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve))
  const address = foreign.address()
  // Under another host name, so that it is another site to the browser and SameSite matters.
  foreignUrl = `http://localhost:${typeof address === 'object' && address ? address.port : 0}`
})
afterAll(async () => {
  foreign.close()
  foreign.closeAllConnections()
  await staging.close()
})

const cookie = (value: string) => ({ cookie: `service_auth=${value}` })
const stopped = async () => (await staging.api.getGuardrails()).emergency_stop.engaged

describe('the session', () => {
  test('a cookie planted before sign-in grants nothing, and signing in replaces it', async () => {
    const planted = 'planted-by-someone-else'
    expect((await fetch(`${staging.url}/ucp/v1/events`, { headers: cookie(planted) })).status).toBe(401)
    const answer = await fetch(`${staging.url}/signin`, {
      method: 'POST',
      headers: { ...cookie(planted), 'content-type': 'application/json', origin: staging.url },
      body: JSON.stringify({ token: TOKEN }),
    })
    expect(answer.headers.get('set-cookie')).toMatch(/^service_auth=/)
    expect(answer.headers.get('set-cookie')).not.toContain(planted)
    expect((await fetch(`${staging.url}/ucp/v1/events`, { headers: cookie(planted) })).status).toBe(401)
  })

  test('the cookie is hidden from scripts, same-site and expires after twelve hours', async () => {
    const answer = await fetch(`${staging.url}/signin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: TOKEN }),
    })
    const set = answer.headers.get('set-cookie') ?? ''
    for (const part of ['HttpOnly', 'SameSite=Strict', 'Path=/', 'Max-Age=43200']) expect(set).toContain(part)
  })

  test.each([{ origin: 'http://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])(
    'a write with the cookie and %o is refused',
    async (from) => {
      const answer = await fetch(`${staging.url}/ucp/v1/guardrails/stop`, {
        method: 'POST',
        headers: { ...cookie(TOKEN), 'content-type': 'application/json', ...(from as Record<string, string>) },
        body: JSON.stringify({ reason: 'forged' }),
      })
      expect(answer.status).toBe(403)
      expect(await stopped()).toBe(false)
    },
  )

  test('signing in from another site is refused', async () => {
    const answer = await fetch(`${staging.url}/signin`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://evil.example' },
      body: JSON.stringify({ token: TOKEN }),
    })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
  })
})

describe.runIf(BROWSER)('the session in a browser', () => {
  test('a form on another site cannot use the session', async () => {
    const page = await staging.signedIn('/')
    await page.goto(foreignUrl)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.url().endsWith('/guardrails/stop')),
      page.evaluate('document.forms[0].submit()'),
    ])
    expect([401, 403]).toContain(answer.status())
    expect(await stopped()).toBe(false)
  })

  test('no other site can show the console in a frame', async () => {
    const page = await staging.signedIn('/')
    const refused: string[] = []
    page.on('console', (message) => refused.push(message.text()))
    await page.goto(`${foreignUrl}/frame`)
    await expect.poll(() => refused.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/i)
    const frame = page.frames().find((one) => one !== page.mainFrame())
    expect(
      await frame
        ?.locator('body')
        .innerText()
        .catch(() => ''),
    ).not.toContain('vendops')
  })

  test('a token in the URL does not sign in', async () => {
    const page = await staging.open(`/?token=${TOKEN}&service_auth=${TOKEN}`)
    await page.locator('input[name=token]').waitFor()
    expect(await page.locator('input[name=token]').inputValue()).toBe('')
  })
})
