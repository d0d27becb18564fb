/** Every page for every role: nothing that the service refuses is asked for, and no forbidden action is offered. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boxedProduct, BROWSER, SHIPPING, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
let pages: readonly string[] = []
beforeAll(async () => {
  staging = await startStagingConsole()
  const { api } = staging
  const location = (await api.searchLocations()).locations[0]?.id ?? ''
  const product = (await api.searchCatalog({ body: { filters: { namespace: 'acme-machine', location } } })).products[0]
  const box = await boxedProduct(api)
  const lines = (quantity: number) => [{ item: { id: box.id }, quantity, quantity_unit: { unit: 'BX' as const } }]
  const dear = await api.createCheckout({ body: { line_items: lines(30), fulfillment: SHIPPING } })
  const ready = await api.createCheckout({ body: { line_items: lines(1), fulfillment: SHIPPING } })
  const open = await api.createCheckout({ body: { line_items: lines(1) } })
  const run = await api.createRun()
  const approval = Object.values(dear.actions ?? {}).flat()[0]?.id ?? ''
  const sale = (await api.listOrders({ query: { limit: 1 } })).orders[0]?.id ?? ''
  pages = [
    '/approvals',
    `/approvals/${approval}`,
    `/purchases/${ready.id}`,
    `/purchases/${open.id}`,
    '/visits',
    '/basket',
    '/machines',
    `/machines/${location}`,
    '/machines?view=map',
    '/plan',
    '/plan/run',
    '/prices',
    '/links',
    '/runs?show=all',
    `/runs/${run.id}`,
    '/catalog',
    `/skus/${encodeURIComponent(product?.id ?? '')}?location=${location}`,
    `/skus/${encodeURIComponent(box.id)}`,
    '/orders',
    '/orders?kind=session',
    `/orders/${encodeURIComponent(sale)}`,
    '/forecasts',
    '/connections',
    '/guardrails',
    '/people',
    '/',
  ]
})
afterAll(() => staging.close())

/** Within the console, as a link does: a whole reload for each page would take twice as long. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`{ const link = document.createElement('a'); link.href = ${JSON.stringify(path)}
    document.body.append(link); link.click(); link.remove() }`)
  await page.locator('#main h1').waitFor()
  await expect.poll(() => page.locator('[aria-busy=true], .skeleton, .boot').count()).toBe(0)
}

/** What somebody who only reads may press: sorting, paging, searching. Everything else is an action. */
const READS =
  /^(View as|Download|Update|Show|Search|Slot|Action|Machine|Stock|Sold|Days|Runs out|Quantity|Order$|Item|Total)/

/** The enabled buttons that do something, without the names of products in them. */
async function actionsOn(page: Page): Promise<readonly string[]> {
  const found = await page
    .locator('main button:enabled:visible:not(.row-open), main input[name]:enabled:visible:not([type=radio])')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? one.id))
  return found
    .filter((text) => !READS.test(text))
    .map((text) => text.replace(/^\d+(?: \/ \d+)? in stock: count .*/, 'Count'))
}

/** The page of each action; a page may offer it more than once. */
const OFFERED = {
  driver: ['Count'],
  viewer: [],
} as const

describe.runIf(BROWSER)('5 every page of the console', () => {
  test.each(['driver', 'viewer', 'operator', 'owner'] as const)(
    'as %s: no request is refused, and no forbidden action is offered',
    async (role) => {
      const { key } = await staging.addKey(role)
      // Twelve hours behind the service, whose times are shown.
      const page = await staging.open('/', { timezoneId: 'America/New_York' })
      await page.locator('input[name=token]').fill(key)
      const refused: string[] = []
      page.on('response', (response) => {
        const { pathname } = new URL(page.url())
        if ([401, 403].includes(response.status())) refused.push(`${response.url()} on ${pathname}`)
      })
      await page.locator('form button[type=submit]').click()
      await page.locator('main.sign-in').waitFor({ state: 'detached' })
      const actions = new Set<string>()
      for (const path of pages) {
        await visit(page, path)
        if (path === '/visits' && role === 'driver') await page.getByText(/^As of 10 Sept, (09|1\d):/).waitFor()
        for (const action of await actionsOn(page)) actions.add(action)
      }
      // With a reload, too: the service preloads what the first page needs.
      await page.goto(staging.url)
      await page.locator('#main h1').waitFor()
      expect(refused).toEqual([])
      if (role === 'driver' || role === 'viewer') expect([...actions]).toEqual(OFFERED[role])
      else expect([...actions].some((action) => action.startsWith('Approve'))).toBe(role === 'owner')
      await page.context().close()
    },
    300_000,
  )
})
