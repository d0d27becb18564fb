/**
 * One route, and every page of its console: wide and narrow, light and dark, in both languages and for every role. No
 * accessibility fault, no overflow, no error, nothing that the service refuses, and no forbidden action.
 */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sample } from '../support/sample.ts'
import { faults } from './axe.ts'
import { boxedProduct, BROWSER, NARROW, SHIPPING, startStagingConsole, WIDE } from './staging-console.ts'
import { settle } from './settle.ts'
import type { StagingConsole } from './staging-console.ts'
import { smallTargets } from './touch-targets.ts'

let staging: StagingConsole
let pages: readonly string[] = []
/** Those on which the actions of a role are counted. */
let pagesOfRoles: readonly string[] = []
beforeAll(async () => {
  staging = await startStagingConsole()
  const { api } = staging
  const location = (await api.searchLocations()).locations[0]?.id ?? ''
  const product = (await api.searchCatalog({ body: { filters: { namespace: 'acme-machine', location } } })).products[0]
  const box = await boxedProduct(api)
  const lines = (quantity: number) => [{ item: { id: box.id }, quantity, quantity_unit: { unit: 'BX' as const } }]
  const dear = await api.createCheckout({ body: { line_items: lines(30), fulfillment: SHIPPING } })
  const ready = await api.createCheckout({ body: { line_items: lines(1), fulfillment: SHIPPING } })
  const purchase = await api.createCheckout({ body: { line_items: lines(1) } })
  const placed = await api.createRun({ body: { locations: [location] } })
  for (const approval of Object.values(placed.actions ?? {}).flat())
    await api.resolveApproval({ params: { id: approval.id }, body: { approved: true } })
  await api.placeRun({ params: { id: placed.id } })
  const run = await api.createRun()
  const price = { amount: (product?.variants[0]?.price.amount ?? 0) + 500, currency: 'CNY' as const }
  await api.changePrices({
    params: { id: location },
    body: { prices: [{ item: { id: product?.id ?? '' }, price }], confirm: true },
  })
  for (const [amount, bag] of [
    [12_050, '17'],
    [9900, '18'],
  ] as const)
    await api.serviceMachine({ params: { id: location }, body: { cash: { amount, bag } } })
  await api.countStoreroom({
    params: { sku_id: box.id },
    body: { units: 500, reason: 'count', best_before: '2026-09-12', note: 'Found behind the door' },
  })
  const { id: bought } = await api.createCheckout({ body: { line_items: lines(2), fulfillment: SHIPPING } })
  await api.completeCheckout({ params: { id: bought }, body: { confirm: true } })
  const sale = (await api.listOrders({ query: { limit: 1 } })).orders[0]?.id ?? ''
  pages = [
    '/',
    '/approvals',
    '/approvals?show=decided',
    `/purchases/${purchase.id}`,
    '/basket',
    '/machines',
    `/machines/${location}`,
    '/setup/machines',
    '/setup/selections',
    '/setup/counts',
    '/plan',
    '/plan/run?show=all',
    '/machines?view=map',
    `/prices?sku=${encodeURIComponent(product?.id ?? '')}`,
    '/links',
    '/runs?show=all',
    `/runs/${run.id}`,
    '/catalog',
    '/catalog?side=machine',
    `/skus/${encodeURIComponent(product?.id ?? '')}?location=${location}`,
    '/orders',
    '/orders?kind=purchase',
    '/orders?kind=session',
    `/orders/${encodeURIComponent(sale)}`,
    '/visits',
    `/visits/${location}`,
    `/runs/${placed.id}`,
    `/runs/${placed.id}/pick-list`,
    '/profit',
    '/cash',
    '/storeroom',
    '/storeroom?show=all&q=none',
    '/storeroom?view=movements',
    `/purchases/${bought}`,
    '/forecasts',
    '/swaps',
    '/connections',
    '/guardrails',
    '/settings',
    '/activity',
    '/people',
  ]
  const approval = Object.values(dear.actions ?? {}).flat()[0]?.id ?? ''
  pagesOfRoles = [
    '/approvals',
    `/approvals/${approval}`,
    `/purchases/${ready.id}`,
    `/purchases/${purchase.id}`,
    '/visits',
    '/basket',
    '/machines',
    `/machines/${location}`,
    '/setup/machines',
    '/setup/selections',
    '/setup/counts',
    '/machines?view=map',
    '/plan',
    '/plan/run',
    '/prices',
    '/links',
    '/runs?show=all',
    `/runs/${run.id}`,
    '/storeroom',
    '/storeroom?view=movements',
    `/purchases/${bought}`,
    '/catalog',
    `/skus/${encodeURIComponent(product?.id ?? '')}?location=${location}`,
    `/skus/${encodeURIComponent(box.id)}`,
    '/orders',
    '/orders?kind=session',
    `/orders/${encodeURIComponent(sale)}`,
    '/profit',
    '/cash',
    '/forecasts',
    '/connections',
    '/guardrails',
    '/settings',
    '/activity',
    '/people',
    '/',
  ]
})
afterAll(() => staging.close())

/** Opens a page by its address, where nothing is known from an earlier one, and waits until nothing is loading. */
async function load(page: Page, path: string): Promise<void> {
  await page.goto(staging.url + path)
  await settle(page)
}

/** Within the console, as a link does: a whole reload for each page would take twice as long. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`{ const link = document.createElement('a'); link.href = ${JSON.stringify(path)}
    document.body.append(link); link.click(); link.remove() }`)
  await settle(page)
}

/** A violation of the content security policy is logged as an error too. */
function errorsOn(page: Page): readonly string[] {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return errors
}

/** Asks until it fits: after a change of size the page is laid out once more, on a busy machine a moment later. */
async function expectToFit(page: Page, path: string): Promise<void> {
  const width = page.viewportSize()?.width
  const overflows = () => page.evaluate('document.documentElement.scrollWidth > innerWidth')
  await expect.poll(async () => [path, width, await overflows()]).toEqual([path, width, false])
  if (width === NARROW.width) await expect.poll(async () => [path, await smallTargets(page)]).toEqual([path, []])
}

/** With the whole feed, at three places. */
async function faultsWhenScrolled(page: Page): Promise<readonly string[]> {
  await page.locator('.feed .linklike').click()
  const found: string[] = []
  for (const part of [0.3, 0.6, 1]) {
    await page.evaluate(`scrollTo(0, ${part} * document.documentElement.scrollHeight)
      for (const one of document.querySelectorAll('main *')) one.scrollTop = ${part} * (one.scrollHeight - one.clientHeight)`)
    found.push(...(await faults(page, ['target-size'])))
  }
  return found
}

/** Colours do not depend on the width, so axe checks each page at one of them, and in the other colour scheme at the other. */
const LOOKS = [
  { name: 'light, English', sizes: [WIDE, NARROW], colorScheme: 'light', locale: 'en-GB' },
  { name: 'dark, Chinese', sizes: [NARROW, WIDE], colorScheme: 'dark', locale: 'zh-CN' },
] as const

/** What somebody who only reads may press, beside heads that sort: paging, searching. Everything else is an action. */
const READS =
  /^(Close|View as|Download|Update|Show|Search|Slot|Action|Machine|Stock|Sold|Days|Runs out|Quantity|Order$|Item|Total)/

/** The enabled buttons that do something, without the names of products in them. */
async function actionsOn(page: Page): Promise<readonly string[]> {
  // What can be done with a slot is behind it.
  const slot = page.locator('.slot-tile').first()
  if ((await slot.count()) > 0) await slot.click()
  const found = await page
    .locator(
      'main button:enabled:visible:not(.row-open, .id-chip, .slot-tile, th .sort), main input[name]:enabled:visible:not([type=radio])',
    )
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label') ?? one.textContent ?? one.id))
  return found
    .filter((text) => !READS.test(text))
    .map((text) => text.replace(/^\d+(?: \/ \d+)? in stock: count .*/, 'Count'))
}

/** The page of each action; a page may offer it more than once. */
const OFFERED = {
  driver: ['Count', 'All full', 'Count a product'],
  viewer: [],
} as const

describe.runIf(BROWSER)('every page', () => {
  for (const [part, { name, sizes, ...look }] of LOOKS.entries())
    test(`${name}: axe finds nothing, nothing overflows, on phones every control has room for a thumb, no error is logged`, async () => {
      // Axe is injected, which the content security policy forbids.
      const page = await staging.signedIn('/', { ...look, viewport: sizes[0], bypassCSP: true })
      const errors = errorsOn(page)
      for (const [index, path] of sample('looks of a page', pages, part).entries()) {
        await visit(page, path)
        expect([path, await faults(page)]).toEqual([path, []])
        // Where the page is scrolled to, a link must not be cut off by what scrolls inside it.
        if (path === '/') expect(await faultsWhenScrolled(page)).toEqual([])
        await expectToFit(page, path)
        // The next page begins at this size.
        await page.setViewportSize(sizes[(index + 1) % 2] ?? WIDE)
        await settle(page)
        await expectToFit(page, path)
      }
      expect(errors).toEqual([])
    })

  test.each(sample('roles on all pages', ['driver', 'viewer', 'operator', 'owner'] as const))(
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
      // Not before: the sign-in page asks whether there is a session, and is told that there is none.
      const errors = errorsOn(page)
      const actions = new Set<string>()
      // An owner may see all: with the content security policy in force, and by its address, too.
      const seen = role === 'owner' ? new Set([...pagesOfRoles, ...pages]) : pagesOfRoles
      const isLoaded = (path: string) => role === 'owner' && pages.includes(path)
      for (const path of seen) {
        await (isLoaded(path) ? load : visit)(page, path)
        if (path === '/visits' && role === 'driver') await page.getByText(/^As of 10 Sept, (09|1\d):/).waitFor()
        for (const action of await actionsOn(page)) actions.add(action)
      }
      // With a reload, too: the service preloads what the first page needs.
      await page.goto(staging.url)
      await page.locator('#main h1').waitFor()
      expect(refused).toEqual([])
      expect(errors).toEqual([])
      if (role === 'driver' || role === 'viewer') expect([...actions]).toEqual(OFFERED[role])
      else expect([...actions].some((action) => action.startsWith('Approve'))).toBe(role === 'owner')
    },
    300_000,
  )

  test('every step from the address bar to a dialog and back works by keyboard', async () => {
    const page = await staging.signedIn('/')
    await page.reload()
    await page.getByRole('link', { name: 'Rules', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await page.getByRole('link', { name: 'Rules', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('H1')
    await page.getByRole('button', { name: 'Pull the emergency stop' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Pull the emergency stop')
  })

  test('language and appearance follow the browser, can be changed, and are kept', async () => {
    const page = await staging.signedIn('/', { locale: 'zh-CN', colorScheme: 'light' })
    await page.getByRole('heading', { level: 1, name: '今日' }).waitFor()
    expect(await page.locator('html').getAttribute('lang')).toBe('zh-CN')
    await page.getByRole('button', { name: /^账号/ }).click()
    await page.locator('.side select').first().selectOption('en')
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor')
    const light = await ground()
    await page.locator('.side select').nth(1).selectOption('dark')
    await expect.poll(ground).not.toBe(light)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
    expect(await ground()).not.toBe(light)
  })
})
