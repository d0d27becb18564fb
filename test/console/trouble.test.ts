/** Failures: every page keeps its heading and shows what went wrong. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PlanEntry, ReplenishmentPlan } from '../../src/contract/shapes/replenishment.ts'
import { BROWSER, signIn, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

const refusal = (code: string, content: string) => ({
  ucp: { version: '2026-08-25', status: 'error' },
  messages: [{ type: 'error', code, content, severity: 'unrecoverable' }],
})

const answerWith = (page: Page, path: string, status: number, body: unknown) =>
  page.route(`**/ucp/v1${path}`, (route) =>
    route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) }),
  )

const PATHS = [
  '/',
  '/approvals',
  '/machines',
  '/plan',
  '/runs',
  '/catalog',
  '/orders',
  '/forecasts',
  '/connections',
  '/guardrails',
]

describe.runIf(BROWSER)('trouble', () => {
  test('7 an unreachable upstream is shown with the service’s text, and a retry recovers', async () => {
    const page = await staging.signedIn(undefined)
    await answerWith(page, '/orders?**', 502, refusal('upstream_unreachable', 'connect ECONNREFUSED ledger.example'))
    await page.goto(`${staging.url}/orders`)
    const alert = page.getByRole('alert')
    await alert.getByText('No response from the supplier or platform').waitFor()
    await alert.getByText('connect ECONNREFUSED ledger.example').waitFor()
    await page.unroute('**/ucp/v1/orders?**')
    // News may make the page read again before the button is pressed.
    const retried = alert.getByRole('button', { name: 'Try again' }).click()
    retried.catch(() => undefined)
    await Promise.race([retried, page.getByRole('table').waitFor()])
    await page.getByRole('table').waitFor()
    expect(await alert.count()).toBe(0)
  })

  test('9.6 a write keeps its Idempotency-Key while its outcome is unclear, and not after a clear answer', async () => {
    const page = await staging.signedIn('/runs')
    const later = { 'retry-after': '3600' }
    const answers = [
      // The client sends twice what gets no answer.
      'lost',
      'lost',
      { status: 429, headers: later, json: refusal('rate_limited', 'wait an hour') },
      { status: 409, headers: later, json: refusal('idempotency_in_progress', 'not finished yet') },
      { status: 400, json: refusal('invalid', 'refused for good') },
    ] as const
    const keys: (string | undefined)[] = []
    await page.route('**/ucp/v1/replenishment/runs', (route) => {
      const answer = answers[keys.push(route.request().headers()['idempotency-key']) - 1]
      if (answer === undefined) return route.continue()
      return answer === 'lost' ? route.abort('connectionreset') : route.fulfill(answer)
    })
    await page.getByRole('button', { name: 'Order now…' }).click()
    const create = page.getByRole('dialog').locator('button[type=submit]:enabled')
    for (const said of ['Check your connection', 'wait an hour', 'not finished yet', 'refused for good']) {
      await create.click()
      await page.getByRole('alert').getByText(said).waitFor()
    }
    await create.click()
    await page.waitForURL(/runs\/run-/)
    expect([new Set(keys.slice(0, 5)).size, new Set(keys).size, keys.length]).toEqual([1, 2, 6])
  })

  test('when every operation fails, every page still shows its heading and the message', async () => {
    const page = await staging.signedIn('/')
    await answerWith(page, '/**', 500, refusal('internal', 'something went wrong on our side'))
    for (const path of PATHS) {
      await page.goto(staging.url + path)
      await page.locator('main h1').waitFor()
      await page.getByText('something went wrong on our side').first().waitFor()
      expect(await page.locator('main h1').isVisible()).toBe(true)
    }
  })

  test('the same holds in a browser that does not know yet whether it is signed in', async () => {
    const page = await staging.signedIn('/')
    await answerWith(page, '/**', 503, refusal('service_unavailable', 'come back in a moment'))
    await page.evaluate('localStorage.clear()')
    await page.goto(staging.url)
    await page.getByText('come back in a moment').first().waitFor()
    expect(await page.locator('main h1').isVisible()).toBe(true)
  })

  test('7 unreadable rules are reported, and the emergency stop can still be pulled', async () => {
    const page = await staging.signedIn(undefined)
    await answerWith(page, '/guardrails', 503, refusal('guard_unverifiable', 'service text'))
    await page.goto(`${staging.url}/guardrails`)
    await page.getByText('Purchases and price changes are blocked until the rules file can be read.').waitFor()
    expect(await page.getByRole('button', { name: 'Pull the emergency stop' }).isEnabled()).toBe(true)
    for (const path of ['/plan', '/plan/run', '/runs']) {
      await page.goto(staging.url + path)
      const reason = page.locator('#create-blocked')
      await reason.getByText('Purchases and price changes are blocked until the rules file can be read.').waitFor()
      const create = page.getByRole('button', { name: /^(Order now…|Create run)$/ })
      expect([await create.isDisabled(), await create.getAttribute('aria-describedby')]).toEqual([
        true,
        'create-blocked',
      ])
    }
  })

  test('while the service fails, the figures of Today say so, also while it is asked again', async () => {
    const page = await staging.signedIn('/guardrails')
    let isSilent = false
    let unanswered = 0
    await page.route('**/ucp/v1/approvals?*', (route) => {
      if (!isSilent) return route.fulfill({ status: 500, json: refusal('internal', 'service text') })
      unanswered += 1
      return undefined
    })
    await page.goto(`${staging.url}/`)
    const tile = page.locator('.tile', { hasText: 'Approvals pending' })
    await tile.getByText('Not available right now').waitFor()
    isSilent = true
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => unanswered).toBeGreaterThan(0)
    expect(await tile.locator('.tile-figure').textContent()).toBe('–')
    expect(await page.getByRole('alert').count()).toBe(1)
  })

  test('5 an expired session leads to the sign-in page and back to the same page', async () => {
    const page = await staging.signedIn('/machines?q=a')
    // A request in flight would be refused and lead to the sign-in page before the link is clicked.
    await page.waitForLoadState('networkidle')
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Forecast accuracy' }).first().click()
    await page.locator('input[name=token]').waitFor()
    expect(page.url()).toBe(`${staging.url}/forecasts`)
    await signIn(page)
    await page.getByRole('heading', { level: 1, name: 'Forecast accuracy' }).waitFor()
  })

  test('a 401 caused by an upstream does not sign the operator out', async () => {
    const page = await staging.signedIn(undefined)
    await answerWith(page, '/orders?**', 401, refusal('unauthorized', 'the platform refused our credentials'))
    await page.goto(`${staging.url}/orders`)
    await page.getByText('the platform refused our credentials').waitFor()
    expect(await page.locator('input[name=token]').count()).toBe(0)
  })

  test('offline: a banner says so, the data stays, and the page reconnects by itself', async () => {
    const page = await staging.signedIn('/machines')
    await page.getByRole('table').waitFor()
    await page.context().setOffline(true)
    await page.getByText('The service can’t be reached.').waitFor()
    expect(await page.getByRole('table').isVisible()).toBe(true)
    await page.context().setOffline(false)
    await page.getByText('The service can’t be reached.').waitFor({ state: 'detached' })
  })

  test('an unknown purchase shows an error, not an empty page', async () => {
    const page = await staging.signedIn('/purchases/po_20200101_1')
    await page.getByRole('alert').getByText('Not found', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Order now…' }).count()).toBe(0)
  })
})

describe.runIf(BROWSER)('large plans', () => {
  const SLOTS = 5000
  const entry = (n: number): PlanEntry => ({
    slot_id: `M${n % 100}-${n}`,
    location: `M${n % 100}`,
    item: { id: `acme-machine:${n}`, title: `Product ${String(n).padStart(4, '0')}` },
    stock: n % 17,
    capacity: 20,
    demand: {
      daily_rate: (n % 31) / 10,
      naive_daily_rate: (n % 29) / 10,
      available_days: 21,
      empty_days: n % 5,
      closed_days: 0,
      measured: true,
    },
    days_of_cover: n % 31 === 0 ? null : (n % 17) / ((n % 31) / 10),
    stockout_at: null,
    recommendation: n % 3 === 0 ? { action: 'order', quantity: (n % 9) + 3 } : { action: 'none' },
  })

  test('a plan of 5,000 slots draws only the visible rows, scrolls, sorts and filters', async () => {
    const page = await staging.signedIn(undefined)
    const plan = {
      ucp: { version: '2026-08-25', status: 'success' },
      strategy_version: 'test',
      params: { window_days: 21, cover_days: 7, safety_days: 2, min_order_qty: 3, max_order_qty: 40 },
      lead_time: { days: 2, source: 'stated', samples: 0 },
      plans: Array.from({ length: SLOTS }, (_, n) => entry(n)),
    } satisfies ReplenishmentPlan
    await answerWith(page, '/replenishment/plan', 200, plan)
    await page.goto(`${staging.url}/plan`)
    const table = page.getByRole('table')
    await table.waitFor()
    expect(await table.getAttribute('aria-rowcount')).toBe(String(SLOTS + 100 + 1))
    const rowCount = () => page.locator('.virtual-row').count()
    expect(await rowCount()).toBeLessThan(80)

    await page.getByRole('button', { name: 'Slot', exact: true }).click()
    await page.getByText('Product 0000').waitFor()
    await page.getByRole('button', { name: /^Slot/ }).first().click()
    await page.getByText('Product 4999').waitFor()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByText('Product 0000').waitFor()
    expect(await rowCount()).toBeLessThan(80)
    await page.evaluate('scrollTo(0, 0)')
    await page.getByLabel('Search slots').fill('Product 0123')
    await expect.poll(rowCount).toBe(1)
    expect(page.url()).toContain('q=Product+0123')
  })
})
