/** Every page, wide and narrow, light and dark, in both languages: no accessibility fault, no overflow, no error. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faults } from './axe.ts'
import { boxedProduct, BROWSER, NARROW, SHIPPING, startStagingConsole, WIDE } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'
import { smallTargets } from './touch-targets.ts'

let staging: StagingConsole
let pages: readonly string[] = []
beforeAll(async () => {
  staging = await startStagingConsole()
  const { api } = staging
  const location = (await api.searchLocations()).locations[0]?.id ?? ''
  const product = (await api.searchCatalog({ body: { filters: { namespace: 'acme-machine', location } } })).products[0]
  const box = await boxedProduct(api)
  const lines = (quantity: number) => [{ item: { id: box.id }, quantity, quantity_unit: { unit: 'BX' as const } }]
  await api.createCheckout({ body: { line_items: lines(30), fulfillment: SHIPPING } })
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
  const sale = (await api.listOrders({ query: { limit: 1 } })).orders[0]?.id ?? ''
  pages = [
    '/',
    '/approvals',
    '/approvals?show=decided',
    `/purchases/${purchase.id}`,
    '/basket',
    '/machines',
    `/machines/${location}`,
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
    '/forecasts',
    '/swaps',
    '/connections',
    '/guardrails',
    '/people',
  ]
})
afterAll(() => staging.close())

/** Opens a page and waits until its heading is there and nothing is loading. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(staging.url + path)
  await page.locator('main h1').waitFor()
  await expect.poll(() => page.locator('[aria-busy=true], .skeleton').count()).toBe(0)
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

/** Colours do not depend on the width, so axe checks each colour scheme once. */
const LOOKS = [
  { name: 'wide, light, English', checked: true, viewport: WIDE, colorScheme: 'light', locale: 'en-GB' },
  { name: 'narrow, dark, Chinese', checked: true, viewport: NARROW, colorScheme: 'dark', locale: 'zh-CN' },
  { name: 'narrow, light, English', checked: false, viewport: NARROW, colorScheme: 'light', locale: 'en-GB' },
  { name: 'wide, dark, Chinese', checked: false, viewport: WIDE, colorScheme: 'dark', locale: 'zh-CN' },
] as const

describe.runIf(BROWSER)('every page', () => {
  for (const { name, checked, ...look } of LOOKS)
    test(`${name}: ${checked ? 'axe finds nothing, ' : ''}nothing overflows, on phones every control has room for a thumb, no error is logged`, async () => {
      // Axe is injected, which the content security policy forbids. Without reduced motion it would check colours
      // in the middle of a transition.
      const page = await staging.signedIn('/', { ...look, bypassCSP: checked, reducedMotion: 'reduce' })
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text())
      })
      for (const path of pages) {
        await visit(page, path)
        if (checked) expect([path, await faults(page)]).toEqual([path, []])
        // Where the page is scrolled to, a link must not be cut off by what scrolls inside it.
        if (checked && path === '/') expect(await faultsWhenScrolled(page)).toEqual([])
        const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth')
        expect([path, fits]).toEqual([path, true])
        if (look.viewport === NARROW) expect([path, await smallTargets(page)]).toEqual([path, []])
      }
      // A violation of the content security policy is logged as an error too.
      expect(errors).toEqual([])
      await page.context().close()
    })

  test('every step from the address bar to a dialog and back works by keyboard', async () => {
    const page = await staging.signedIn('/')
    await page.reload()
    await page.getByRole('link', { name: 'Guardrails' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('main')
    await page.getByRole('link', { name: 'Guardrails' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Guardrails' }).waitFor()
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
