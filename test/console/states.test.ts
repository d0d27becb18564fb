/** Empty, filtered and partial states: what the pages say, and which next step they offer. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Page } from 'playwright-core'
import {
  BROWSER,
  NARROW,
  SHIPPING,
  boxedProduct,
  signOut,
  startStagingConsole,
  NO_MACHINES,
  NO_SLOTS,
} from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

/** Answers every list request with an empty list. */
const emptyEveryList = (page: Page) =>
  page.route('**/ucp/v1/**', async (route) => {
    // A page that is closed or left meanwhile needs no answer.
    const response = await route.fetch().catch(() => undefined)
    const body = (await response?.json().catch(() => undefined)) as Record<string, unknown> | undefined
    if (!response || !body) return route.abort().catch(() => {})
    for (const name of ['approvals', 'locations', 'plans', 'runs', 'orders', 'checkouts', 'unlinked_products'])
      if (body[name]) body[name] = []
    if (body['summary']) body['summary'] = NO_SLOTS
    // Machines of the overview, not of a holiday.
    if (body['setup']) body['machines'] = NO_MACHINES
    // With the headers of the service: pages take its time from them.
    return route.fulfill({ response, json: body })
  })

describe.runIf(BROWSER)('states', () => {
  test('a route without machines says so and offers the first step', async () => {
    const page = await staging.signedIn(undefined)
    await emptyEveryList(page)
    await page.goto(`${staging.url}/`)
    await page.getByText('No machines yet').waitFor()
    await page.getByText('Nothing needs your attention right now.').waitFor()
    await page.goto(`${staging.url}/plan`)
    await page.getByText('No slots to plan for yet').waitFor()
    expect(await page.getByRole('button', { name: 'Order now…' }).isDisabled()).toBe(true)
    await page.locator('.empty').getByRole('link', { name: 'Machines' }).click()
    await page.locator('.empty').getByRole('link', { name: 'Add machines' }).click()
    await page.getByRole('button', { name: 'Add one by hand' }).click()
    await page.getByRole('dialog').waitFor()
  })

  test('a list that its filters left empty offers to clear them', async () => {
    const page = await staging.signedIn(undefined)
    for (const path of ['/machines?q=zzzz', '/plan?q=zzzz&show=low', '/catalog?q=zzzz', '/orders?from=2030-01-01']) {
      await page.goto(staging.url + path)
      await page.getByRole('button', { name: 'Clear filters' }).click()
      await page.locator('.data tbody tr, .virtual-row').first().waitFor()
      expect(new URL(page.url()).search).toBe('')
    }
  })

  test('times are computed with the clock of the service, not the browser’s', async () => {
    const page = await staging.signedIn(undefined)
    await page.clock.setFixedTime('2031-01-01T00:00:00Z')
    await page.goto(`${staging.url}/machines`)
    await page.locator('.data tbody .badge.ok').first().waitFor()
    expect(await page.locator('.data tbody .badge.bad').count()).toBe(0)
  })

  test('Today lists empty slots, and says that nothing needs attention only when nothing does', async () => {
    const page = await staging.signedIn('/')
    const { plans } = await staging.api.getPlan()
    expect(plans.some(({ stock }) => stock === 0)).toBe(true)
    await page
      .getByText(/^Losing ¥/)
      .first()
      .waitFor()
    expect(await page.getByText('Nothing needs your attention right now.').count()).toBe(0)
  })

  test.each([
    ['runs', '/replenishment/runs', { runs: 'approved' }, 'Runs to order'],
    ['runs to receive', '/replenishment/runs', { runs: 'placed' }, 'Ordered, not received'],
    ['purchases', '/checkout-sessions', { checkouts: 'ready_for_complete' }, 'Purchases to order'],
    ['unclear purchases', '/checkout-sessions', { checkouts: 'complete_in_progress' }, 'Purchases without an answer'],
  ])('Today lists open %s', async (_, path, only, note) => {
    const page = await staging.signedIn(undefined)
    await emptyEveryList(page)
    const [[name, status]] = Object.entries(only) as [[string, string]]
    await page.route(`**/ucp/v1${path}?*`, async (route) => {
      const asked = new URL(route.request().url()).searchParams.get('status')
      const one = {
        id: 'one',
        currency: 'CNY',
        line_items: [],
        totals: [{ type: 'total', amount: 100 }],
        fulfillment: {},
      }
      await route.fulfill({ json: { ucp: {}, [name]: asked === status ? [one] : [] } })
    })
    await page.goto(`${staging.url}/`)
    await page.getByRole('region', { name: note }).waitFor()
    expect(await page.getByText('Nothing needs your attention right now.').count()).toBe(0)
  })

  test('a purchase handed to a person shows the page of the supplier and records the outcome', async () => {
    const { id: sku } = await boxedProduct(staging.api)
    const line = { item: { id: sku }, quantity: 1, quantity_unit: { unit: 'BX' as const } }
    const created = await staging.api.createCheckout({ body: { line_items: [line], fulfillment: SHIPPING } })
    const handedOff = {
      ...created,
      status: 'complete_in_progress',
      continue_url: 'https://shop.example.com/checkout/1',
      messages: [{ type: 'info', code: 'handoff', content: 'Nothing was bought yet' }],
      totals: [...created.totals, { type: 'tax', amount: 450 }],
    }
    const page = await staging.signedIn(undefined)
    const sent: unknown[] = []
    await page.route(`**/ucp/v1/checkout-sessions/${created.id}`, (route) => route.fulfill({ json: handedOff }))
    await page.route(`**/ucp/v1/checkout-sessions/${created.id}/outcome`, (route) => {
      sent.push(route.request().postDataJSON())
      return route.fulfill({ json: created })
    })
    await page.goto(`${staging.url}/purchases/${created.id}`)
    const link = page.getByRole('link', { name: 'Open the supplier’s page' })
    expect(await link.getAttribute('href')).toBe(handedOff.continue_url)
    await page.getByText('¥4.50').waitFor()
    await page.getByLabel('Supplier order number (optional)').fill('SO-1')
    await page.getByRole('button', { name: 'It was ordered' }).click()
    await page.getByText(`${created.id} recorded as ordered`).waitFor()
    expect(sent).toEqual([{ placed: true, label: 'SO-1' }])
  })

  test('the amount spent is counted by the clock of the service', async () => {
    const { id, boxFen } = await boxedProduct(staging.api)
    const created = await staging.api.createCheckout({
      body: {
        line_items: [{ item: { id }, quantity: 1, quantity_unit: { unit: 'BX' } }],
        fulfillment: SHIPPING,
      },
    })
    await staging.api.completeCheckout({ params: { id: created.id }, body: { confirm: true } })
    const page = await staging.signedIn(undefined)
    await page.clock.setFixedTime('2031-01-01T00:00:00Z')
    await page.goto(`${staging.url}/`)
    const figure = page.locator('.tile', { hasText: 'Spent in 30 days' }).locator('.tile-figure')
    const spent = figure.filter({ hasText: /¥[1-9]/ })
    await spent.waitFor()
    expect(Number((await spent.textContent())!.replaceAll(/[^\d]/g, ''))).toBeGreaterThanOrEqual(boxFen)
  })

  test('a run that is not ordered can be canceled on its page', async () => {
    const run = await staging.api.createRun()
    const page = await staging.signedIn(`/runs/${run.id}`)
    await page.getByRole('button', { name: 'Cancel this run' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel this run' }).click()
    await page.getByText('This run is closed').waitFor()
    // Nothing is left to order or to link.
    const outcomes = await page.locator('td[data-label=Status]').allTextContents()
    expect([outcomes.length, new Set(outcomes)]).toEqual([run.line_items.length, new Set(['Not ordered'])])
    expect(await page.getByText('No supplier – link').count()).toBe(0)
    expect((await staging.api.getRun({ params: { id: run.id } })).status).toBe('rejected')
  })

  test('a Chinese page shows approvals and messages of the service in Chinese', async () => {
    const page = await staging.signedIn(undefined, { locale: 'zh-CN' })
    const cny = (amount: number) => ({ amount, currency: 'CNY' })
    const approval = {
      id: 'dec-1',
      kind: 'restock_plan',
      at: '2026-09-10T09:00:00+08:00',
      summary: 'English summary',
      reasoning: 'English reasoning',
      code: 'spending_limit',
      params: { total: cny(80_320), limit: cny(50_000) },
      subject: { type: 'checkout', id: 'po_20260910_9' },
      status: 'pending',
      approved: null,
    }
    await page.route('**/ucp/v1/approvals?*', (route) => route.fulfill({ json: { ucp: {}, approvals: [approval] } }))
    await page.goto(`${staging.url}/approvals`)
    await page.getByRole('heading', { name: '采购单 po_20260910_9，金额 ¥803.20' }).waitFor()
    await page.getByText('¥803.20 超过单笔 ¥500.00 的上限，需要审批。').waitFor()
    expect(await page.getByText('English reasoning').isVisible()).toBe(false)
    await page.getByText('详情（英文）').click()
    await page.getByText('English reasoning').waitFor()

    const message = {
      type: 'error',
      code: 'kill_switch_engaged',
      content: 'English content',
      severity: 'unrecoverable',
    }
    const refused = { status: 409, json: { ucp: { status: 'error' }, messages: [message] } }
    await page.route('**/locations/*/prices', (route) => route.fulfill(refused))
    const [entry] = (await staging.api.getPlan()).plans
    await page.goto(`${staging.url}/prices?sku=${encodeURIComponent(entry?.item.id ?? '')}`)
    await page.getByLabel('金额').fill(String((entry?.price?.amount ?? 0) / 100 + 0.5))
    await page.getByRole('button', { name: '查看效果' }).click()
    await page.getByRole('button', { name: /^修改 \d+ 个价格/ }).click()
    await page.getByRole('cell', { name: '失败 采购和改价均已暂停。' }).first().waitFor()
    expect(await page.getByText('English content').count()).toBe(0)

    await page.route('**/ucp/v1/guardrails', (route) => route.fulfill(refused))
    await page.goto(`${staging.url}/guardrails`)
    await page.getByText('采购和改价均已暂停。').waitFor()
    expect(await page.getByText('English content').isVisible()).toBe(false)
  })

  test('an expired session says so on the sign-in page; a sign-out does not', async () => {
    const page = await staging.signedIn('/')
    await signOut(page)
    await page.locator('input[name=token]').waitFor()
    expect(await page.locator('.sign-in .lead').textContent()).toContain('Sign in to manage')
    const other = await staging.signedIn('/')
    // Away first: a request of the page between the two would end the session before the page is opened again.
    await other.goto('about:blank')
    await other.context().clearCookies()
    await other.goto(staging.url)
    await other.locator('input[name=token]').waitFor()
    expect(await other.locator('.sign-in .lead').textContent()).toContain('You were signed out')
    await page.context().close()
  })

  test('a catalog whose namespaces fail to load shows the failure, not a skeleton', async () => {
    const page = await staging.signedIn(undefined)
    await page.route('**/ucp/v1/namespaces', (route) => route.fulfill({ status: 502, json: {} }))
    await page.goto(`${staging.url}/catalog`)
    await page.getByRole('alert').waitFor()
    expect(await page.locator('.skeleton').count()).toBe(0)
  })

  test('a connection that fails shows why, and the rows that were left out with their reasons', async () => {
    const page = await staging.signedIn('/connections')
    // The vendors of staging were read at the start.
    await page.getByText('Working').first().waitFor()
    const at = new Date().toISOString()
    const connection = {
      namespace: 'bolt-machine',
      role: 'machine',
      capabilities: ['inventory', 'ledger'],
      state: 'failing',
      last_failure: { at, code: 'unauthorized', content: 'The token has expired' },
      refused_count: 51,
      refused_rows: [
        {
          source: 'inventory',
          location: 'M1',
          row: 28,
          id: 'G-7',
          problem: 'its price cannot be read',
          first_seen_at: at,
        },
      ],
    }
    await page.route('**/ucp/v1/connections', (route) => route.fulfill({ json: { connections: [connection] } }))
    await page.reload()
    const card = page.getByRole('region', { name: 'bolt-machine' })
    for (const words of [
      'Not working',
      'Password or key refused',
      'The token has expired',
      'read stock and prices, read sales',
      '51 rows left out',
    ])
      await card.getByText(words).waitFor()
    await card.getByText('Show rows and reasons').click()
    await card.getByRole('cell', { name: 'Machine M1' }).waitFor()
    await card.getByRole('cell', { name: 'its price cannot be read' }).waitFor()
    await card.getByRole('cell', { name: '28', exact: true }).waitFor()
    await card.getByText('The first 1 of 51.').waitFor()
    expect(await page.getByRole('main').getByRole('region').count()).toBe(1)
  })

  test('on a phone the next step of a purchase is visible without scrolling', async () => {
    const { id } = await boxedProduct(staging.api)
    const { id: purchase } = await staging.api.createCheckout({
      body: {
        line_items: [{ item: { id }, quantity: 1, quantity_unit: { unit: 'BX' as const } }],
        fulfillment: SHIPPING,
      },
    })
    const page = await staging.signedIn(`/purchases/${purchase}`, { viewport: NARROW })
    const button = page.locator('.side-column .button.primary')
    await button.waitFor()
    const box = await button.boundingBox()
    expect(box && box.y + box.height).toBeLessThan(NARROW.height - 60)
  })
})
