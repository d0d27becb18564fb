/** Work on many things at once, and the phone of a driver with a key of its own. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, NARROW, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

const close = (page: Page) => page.context().close()

describe.runIf(BROWSER)('one price on several machines', () => {
  test('4.6 shows the effect first, then what was changed and what waits for the owner', async () => {
    const { plans } = await staging.api.getPlan()
    const byProduct = Map.groupBy(plans, ({ item }) => item.id)
    const [sku, entries] = [...byProduct]
      .map(([id, of]) => [id, [...new Map(of.map((entry) => [entry.location, entry])).values()]] as const)
      .find(([, of]) => of.length === 3 && new Set(of.map(({ price }) => price?.amount)).size > 1)!
    const pricesNow = async () =>
      new Map(
        (await staging.api.getPlan()).plans
          .filter(({ item }) => item.id === sku)
          .map(({ location, price }) => [location, price?.amount ?? 0]),
      )
    const before = await pricesNow()
    const page = await staging.signedIn(`/prices?sku=${encodeURIComponent(sku)}`)
    const lowest = Math.min(...before.values())
    // Allowed for the cheapest machine; beyond the cap of ¥1.00 for the others, if their price is far enough.
    const target = lowest - 80
    await page.getByLabel('Amount').fill((target / 100).toFixed(2))
    const allowed = [...before.values()].filter((price) => price - target <= 100).length
    await page.getByRole('button', { name: 'Show the effect' }).click()
    await page.getByText(new RegExp(`^${allowed} prices? can be changed now`)).waitFor()
    expect(await pricesNow()).toEqual(before)

    await page.getByRole('button', { name: `Change ${entries.length} prices` }).click()
    await page.getByText(new RegExp(`^${allowed} prices? changed`)).waitFor()
    await expect.poll(() => page.locator('.badge', { hasText: /^changed$/ }).count()).toBe(allowed)
    const asked = entries.length - allowed
    expect(await page.getByRole('link', { name: 'Review' }).count()).toBe(asked)
    const { approvals } = await staging.api.listApprovals({ query: { status: 'pending' } })
    expect(approvals.filter(({ subject }) => subject.type === 'price_change').length).toBe(asked)
    const after = await pricesNow()
    for (const [location, price] of before) expect(after.get(location)).toBe(price - target <= 100 ? target : price)

    // A step of the profit page proposes a price for one machine.
    const [machine] = after.keys()
    await page.goto(
      `${staging.url}/prices?${new URLSearchParams({ sku, price: '745', machines: machine! }).toString()}`,
    )
    await expect.poll(() => page.getByLabel('Amount').inputValue()).toBe('7.45')
    await expect.poll(() => page.locator('tbody input[type=checkbox]:checked').count()).toBe(1)
    await close(page)
  })
})

describe.runIf(BROWSER)('links of many products', () => {
  test('4.2 chosen suggestions are confirmed at once; the products leave the list', async () => {
    const page = await staging.signedIn('/links')
    const before = (await staging.api.getOverview()).unlinked_count
    const choices = page.getByRole('checkbox', { name: /^Confirm the link of/ })
    await choices.first().waitFor()
    const offered = page.locator('input[type=checkbox][aria-label^="Confirm the link of"]:enabled')
    const many = Math.min(3, await offered.count())
    expect(many).toBeGreaterThan(1)
    for (let n = 0; n < many; n++) await offered.nth(n).check()
    await page.getByRole('button', { name: `Confirm ${many} links` }).click()
    await page.getByText(`${many} links confirmed`).waitFor()
    await page.getByText(new RegExp(`^${before - many} products? ·`)).waitFor()
    expect((await staging.api.getOverview()).unlinked_count).toBe(before - many)
    await close(page)
  })
})

describe.runIf(BROWSER)('a driver with a key of its own', () => {
  test('5 signs in by link on a phone, lands on the visits, and can do the work of a visit and nothing else', async () => {
    const { signInCode } = await staging.addKey('driver')
    const refused: string[] = []
    const page = await staging.open('/machines', { viewport: NARROW, hasTouch: true })
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(response.url())
    })
    await page.goto(`${staging.url}/signin#${signInCode}`)
    await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/visits')
    expect(page.url()).not.toContain(signInCode)
    const offered = await page.locator('.bottom-nav a').allTextContents()
    expect(offered).not.toContain('Approvals')

    // A visit without a run: count one slot and save it.
    await page.goto(`${staging.url}/visits/M1002`)
    await page.getByRole('button', { name: 'All as expected', exact: true }).tap()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
    await expect
      .poll(async () =>
        (await staging.api.listEvents({ query: { limit: 20 } })).events.some(({ by }) => by?.role === 'driver'),
      )
      .toBe(true)
    for (const path of ['/approvals', '/orders', '/basket', '/people', '/prices', '/plan/run']) {
      await page.goto(staging.url + path)
      await page.getByText(/can’t open this page/).waitFor()
    }
    expect(refused).toEqual([])
    await close(page)
  })
})
