/** The list of machines with what they earn, the terms of a place, and where a product is. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, NARROW, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

const shotTo = process.env['SHOTS']

/** Whether texts of one machine stand in each other. */
const overlapsIn = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const boxes = [...document.querySelectorAll('table.machines tbody tr:nth-child(2) td')].map((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      return range.getBoundingClientRect()
    })
    const meet = (a, b) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1
    return boxes.some((a, i) => boxes.some((b, j) => i < j && meet(a, b)))
  })()`)

const titlesOn = async (page: Page): Promise<string[]> =>
  (await page.locator('table.machines thead th').allTextContents()).map((title) => title.replaceAll('\u00A0', ' '))

describe.runIf(BROWSER)('machines', () => {
  test('are sorted by what they earn, are filled and were visited; a driver sees no money', async () => {
    const [first] = (await staging.api.searchLocations()).locations
    await staging.api.serviceMachine({ params: { id: first!.id }, body: { cash: { amount: 100 } } })
    const page = await staging.signedIn('/machines')
    const head = (name: string) => page.locator('table.machines thead').getByRole('button', { name })
    const cells = async (name: string) => {
      const at = (await titlesOn(page)).findIndex((title) => title.startsWith(name))
      return page.locator(`table.machines tbody td:nth-child(${at + 1})`).allTextContents()
    }
    const numbers = async (name: string) =>
      (await cells(name)).map((text) => Number(text.replaceAll(/[^\d.−-]/g, '').replace('−', '-')))
    await expect.poll(async () => (await cells('Profit 7 d'))[0]).toMatch(/\d/)
    for (const name of ['Sales 7 d', 'Profit 7 d', 'Filled']) {
      await head(name).click()
      const down = await numbers(name)
      expect([name, down]).toEqual([name, down.toSorted((a, b) => b - a)])
      await head(name).click()
      // The figures may have been read again in between.
      const up = await numbers(name)
      expect([name, up.length, up]).toEqual([name, down.length, up.toSorted((a, b) => a - b)])
    }
    await head('Last visit').click()
    expect(await cells('Last visit')).toEqual([
      'today',
      ...Array.from({ length: (await cells('Last visit')).length - 1 }, () => '–'),
    ])
    if (shotTo) await page.screenshot({ path: `${shotTo}/machines.png` })
    expect(await overlapsIn(page)).toBe(false)

    const phone = await staging.signedIn('/machines', { viewport: NARROW })
    await phone.locator('table.machines tbody tr').first().waitFor()
    await expect.poll(() => phone.locator('table.machines tbody tr').first().textContent()).toMatch(/\d%/)
    if (shotTo) await phone.screenshot({ path: `${shotTo}/machines-phone.png` })
    expect([await overlapsIn(phone), await phone.evaluate('document.documentElement.scrollWidth')]).toEqual([
      false,
      NARROW.width,
    ])

    const driver = await staging.addKey('driver')
    const seen = await staging.signedIn('/machines', { token: driver.key })
    await seen.locator('table.machines tbody tr').first().waitFor()
    expect(await titlesOn(seen)).not.toContain('Profit 7 d')
  })

  test('the page of a machine asks for that machine, not for the route', async () => {
    const page = await staging.signedIn('/settings')
    await page.locator('#main h1').waitFor()
    const asked: string[] = []
    let sent = 0
    page.on('requestfinished', async (request) => {
      if (!new URL(request.url()).pathname.startsWith('/ucp/v1/')) return
      sent += (await request.sizes().catch(() => ({ responseBodySize: 0 }))).responseBodySize
    })
    let bytes = 0
    page.on('response', async (response) => {
      const { pathname, search } = new URL(response.url())
      if (!pathname.startsWith('/ucp/v1/')) return
      asked.push(pathname.replace('/ucp/v1', '') + search)
      bytes += (await response.body().catch(() => Buffer.alloc(0))).length
    })
    await page.goto(`${staging.url}/machines/M1001`)
    await page.locator('.slot-tile').first().waitFor()
    await expect.poll(() => page.locator('[aria-busy=true], .skeleton').count()).toBe(0)
    expect(asked).toContain('/replenishment/plan?location=M1001')
    expect(asked.filter((path) => ['/replenishment/plan', '/locations/search'].includes(path))).toEqual([])
    expect(bytes).toBeLessThan(70_000)
    expect(sent).toBeGreaterThan(3000)
    expect(sent).toBeLessThan(30_000)
  })

  test('commission and rent of a place are stated in the console', async () => {
    const [first] = (await staging.api.searchLocations()).locations
    const page = await staging.signedIn(`/machines/${first!.id}`)
    await page.getByRole('button', { name: 'Edit' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Commission, % of sales').fill('120')
    await dialog.getByText('Enter a number from 0 to 100.').waitFor()
    await dialog.getByLabel('Commission, % of sales').fill('12.5')
    await dialog.getByLabel('Rent a month').fill('300')
    if (shotTo) await page.screenshot({ path: `${shotTo}/terms.png` })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const { locations } = await staging.api.lookupLocations({ body: { ids: [first!.id] } })
    expect(locations[0]).toMatchObject({ commission_percent: 12.5, rent_per_month: 30_000 })
  })

  test('a product is listed in machines and the store room, with what came in', async () => {
    const { plans } = await staging.api.getPlan()
    const { item, location } = plans.find(({ stock }) => (stock ?? 0) > 0)!
    const page = await staging.signedIn(`/skus/${encodeURIComponent(item.id)}`)
    const section = page.locator('section', { hasText: 'Where it is' })
    const { locations } = await staging.api.lookupLocations({ body: { ids: [location] } })
    await section.getByRole('link', { name: locations[0]!.name, exact: true }).waitFor()
    expect(await section.getByText('0 units, 0 free').count()).toBe(1)
    if (shotTo) await page.screenshot({ path: `${shotTo}/product.png`, fullPage: true })
    await page.goto(`${staging.url}/profit`)
    await page.getByRole('heading', { name: 'Earn least' }).waitFor()
    await page.getByText('more a week').first().waitFor()
    if (shotTo) await page.screenshot({ path: `${shotTo}/profit.png`, fullPage: true })
  })
})
