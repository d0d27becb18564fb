/** Today lists everything that waits, shows the tick only when nothing does, and leads a new deployment through its first steps. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boxedProduct, BROWSER, startStagingConsole, NO_MACHINES, NO_SLOTS } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
/** One for all: signing in takes longer than the rest. */
let page: Page
beforeAll(async () => {
  staging = await startStagingConsole()
  if (BROWSER) page = await staging.signedIn('/connections')
})
afterAll(() => staging.close())

const UCP = { version: '2026-08-25', status: 'success' }
const SETUP = ['connection', 'rules', 'owner', 'machines', 'destination', 'sync']

/** Replaces fields of a response of the service. */
const alter = (path: string, changes: object | ((body: Record<string, unknown>) => object)) =>
  page.route(new RegExp(`/ucp/v1${path}(\\?|$)`), async (route) => {
    // A page that was left meanwhile needs no answer.
    const body = (await route
      .fetch()
      .then((response) => response.json())
      .catch(() => undefined)) as Record<string, unknown> | undefined
    if (!body) return route.abort().catch(() => {})
    const json = { ...body, ...(typeof changes === 'function' ? changes(body) : changes) }
    return route.fulfill({ json }).catch(() => {})
  })

describe.runIf(BROWSER)('Today', () => {
  test('profit whose costs are estimates is marked as one, with how much of it is known', async () => {
    for (const [known, note] of [
      [0, 'estimate: costs counted at 55% of the price'],
      [40, 'estimate: costs known for 40%, the rest counted at 55% of the price'],
      [100, undefined],
    ] as const) {
      await alter('/profit', ({ totals }) => ({
        totals: {
          ...(totals as object),
          revenue: 50_000,
          gross_profit: 22_500,
          profit: 22_500,
          cost_known_percent: known,
        },
      }))
      await page.goto(`${staging.url}/`)
      const tile = (name: string) => page.locator('a.tile', { hasText: name }).first()
      await tile('Gross profit').getByText('225').waitFor()
      for (const name of ['Gross profit', 'Profit, last 7 days']) {
        const shown = (await tile(name).textContent()) ?? ''
        expect([name, shown.includes('≈')]).toEqual([name, note !== undefined])
        if (note !== undefined) expect(shown).toContain(note)
      }
      expect(await tile('Revenue').textContent()).not.toContain('≈')
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

  test('lists each kind with its number, and every row leads to where it is handled', async () => {
    const { id } = await boxedProduct(staging.api)
    // Without a delivery it cannot be ordered, and it expires.
    const draft = await staging.api.createCheckout({ body: { line_items: [{ item: { id }, quantity: 1 }] } })
    await page.goto(`${staging.url}/`)
    const [{ plans }, { unlinked_count }] = await Promise.all([staging.api.getPlan(), staging.api.getOverview()])
    const empty = plans.filter(({ stock, recommendation }) => stock === 0 && recommendation.action !== 'locked')
    const group = (name: string) => page.getByRole('region', { name, exact: true })
    await group('Empty now').waitFor()
    expect(await group('Empty now').locator('h3').textContent()).toBe(`Empty now ${empty.length}`)
    expect(await group('Products without a supplier').locator('h3').textContent()).toContain(` ${unlinked_count}`)
    expect(draft.status).toBe('incomplete')
    expect(await group('Purchases to order').locator('.rows li').textContent()).toMatch(/^po_.*Not complete$/)
    for (const link of await page.locator('.attention .rows a').all())
      expect(await link.getAttribute('href')).toMatch(
        /^\/(plan|runs|machines|skus|approvals|purchases|connections|settings)/,
      )
    expect(await page.locator('.calm-text').count()).toBe(0)
    await group('Empty now').getByText(`Show all ${empty.length}`).click()
    await page.waitForURL(/plan\?show=empty/)
    const machines = new Set(empty.map(({ location }) => location)).size
    expect(await page.locator('.virtual').getAttribute('aria-rowcount')).toBe(String(empty.length + machines + 1))

    // A press anywhere in the row opens its details; closing returns to what opened them.
    await page.locator('.virtual-row').first().locator('[role=cell]').nth(2).click()
    await page.locator('dialog.drawer').waitFor()
    await page.keyboard.press('Escape')
    const name = page.locator('.row-open').first()
    await name.press('Enter')
    await page.locator('dialog.drawer').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog.drawer').waitFor({ state: 'detached' })
    expect(await name.evaluate((button) => button.matches(':focus'))).toBe(true)

    await page.goto(`${staging.url}/machines/M1001`)
    // The machine as it stands: shelf by shelf, each from left to right, and no padlock where nothing is locked.
    const tiles = page.locator('.slot-tile')
    await tiles.first().waitFor()
    const places = await tiles.locator('.slot-head > .faint').allTextContents()
    expect(places.slice(0, 3)).toEqual(['A-1', 'A-2', 'A-3'])
    expect(places).toEqual(places.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
    expect(await page.locator('.slot-tile.empty').allTextContents()).toSatisfy((all: string[]) =>
      all.every((text) => text.includes('Empty')),
    )
    expect(await page.locator('.slot-tile.locked').count()).toBe(0)
    await tiles.first().click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Change price: / })
      .waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => tiles.first().evaluate((tile) => tile.matches(':focus'))).toBe(true)
    // Back closes what is open, and stays on the page.
    await tiles.first().click()
    await page.getByRole('dialog').waitFor()
    await page.goBack()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(new URL(page.url()).pathname).toBe('/machines/M1001')
    await tiles.first().waitFor()
  })

  test('what is on its way is neither an open loss nor among the empty slots', async () => {
    await page.unrouteAll()
    const { summary } = await staging.api.getPlan({ query: { only: 'summary' } })
    const [first, ...others] = summary!.first.filter(({ kind }) => kind === 'empty')
    const coming = others.map((slot) => ({ ...slot, kind: 'coming', lost_per_day: undefined }))
    const open = { ...first, run: undefined, quantity: undefined }
    await alter('/replenishment/plan', {
      summary: { ...summary, empty: 1, low: 0, coming: coming.length, to_confirm: 0, first: [open, ...coming] },
    })
    await page.goto(`${staging.url}/`)
    const group = (name: string) => page.getByRole('region', { name, exact: true })
    await group('Empty now').waitFor()
    expect(await group('Empty now').locator('h3').textContent()).toBe('Empty now 1')
    expect(await group('Empty now').locator('.badge').textContent()).toMatch(/^Losing .* a day · nothing planned$/)
    const inRun = group('Empty or low, in a run')
    expect(await inRun.locator('h3').textContent()).toBe(`Empty or low, in a run ${others.length}`)
    expect(await inRun.getByText('Losing').count()).toBe(0)
    const tile = page.locator('.tile', { hasText: 'Empty or low' })
    expect(await tile.locator('.tile-figure').textContent()).toBe('1')
    expect(await tile.locator('.tile-note').textContent()).toContain(`${others.length} on the way`)
  })

  test('an invoice that differs is a row that leads to its order', async () => {
    await page.unrouteAll()
    const invoice = { order: 'po_20261117_1', label: 'AS-7', difference: 1250, currency: 'CNY' }
    await alter('/overview', { differing_invoices: [invoice] })
    await page.goto(`${staging.url}/`)
    const rows = page.getByRole('region', { name: 'Invoices that differ from the order' })
    await rows.waitFor()
    expect(await rows.locator('a').first().textContent()).toBe('po_20261117_1 · AS-7')
    expect(await rows.locator('a').first().getAttribute('href')).toContain('/purchases/po_20261117_1')
    expect(await rows.locator('.badge').textContent()).toBe('¥12.50')
  })

  test('the tick appears only when nothing is open', async () => {
    await page.unrouteAll()
    // A public holiday may be near, and is asked about once.
    const holiday = { date: '2020-01-01', names: { en: 'New Year’s Day', zh: '元旦' }, answered: false, closed: [] }
    await alter('/holidays', { holidays: [holiday, { ...holiday, date: '2020-01-02' }] })
    await page.goto(`${staging.url}/`)
    const asked = page.getByRole('region', { name: 'Public holiday', exact: true }).locator('.rows a')
    await asked.waitFor()
    expect(await asked.allTextContents()).toEqual(['New Year’s Day: which machines are closed?'])
    expect(await asked.getAttribute('href')).toBe('/settings')
    await page.unrouteAll()
    await alter('/holidays', { holidays: [{ ...holiday, answered: true }] })
    await alter('/checkout-sessions', { checkouts: [] })
    await alter('/replenishment/plan', { summary: NO_SLOTS })
    await alter('/overview', { unlinked_count: 0, unlinked_products: [] })
    await page.goto(`${staging.url}/`)
    await page.locator('.calm-text').waitFor()
    await alter('/connections', ({ connections }) => ({
      connections: (connections as object[]).map((one) => ({ ...one, state: 'failing' })),
    }))
    await page.reload()
    await page.getByRole('region', { name: 'Failing connections' }).waitFor()
    expect(await page.locator('.calm-text').count()).toBe(0)
  })

  test('a fresh live service shows the first steps, and beside them only what is open', async () => {
    await page.unrouteAll()
    await alter('/replenishment/plan', { summary: NO_SLOTS })
    const json = {
      ucp: UCP,
      environment: 'live',
      setup: SETUP.map((step) => ({ step, done: step === 'machines' })),
      spending: { ...(await staging.api.getOverview()).spending },
      machines: NO_MACHINES,
      unlinked_count: 0,
      unlinked_products: [],
    }
    await page.route(/\/ucp\/v1\/overview/, (route) => route.fulfill({ json }))
    await page.goto(`${staging.url}/`)
    const steps = page.locator('.setup-steps > li')
    await steps.first().waitFor()
    expect([await steps.count(), await page.locator('.setup-steps > li.done').count()]).toEqual([8, 1])
    expect(await page.getByRole('button', { name: 'Update now' }).count()).toBe(1)
    await page.getByRole('region', { name: 'Purchases to order' }).getByRole('link').first().waitFor()
    expect([await page.locator('.tile').count(), await page.locator('.attention-group').count()]).toEqual([0, 1])
    await alter('/checkout-sessions', { checkouts: [] })
    const drafts = page.waitForResponse(/\/checkout-sessions/)
    await page.reload()
    await steps.first().waitFor()
    await drafts
    await page.waitForLoadState('networkidle')
    expect(await page.locator('.attention').count()).toBe(0)

    // No platform yet: a step that is missing, not a failure.
    const content = 'No machine platform with a sales ledger is live'
    const messages = [{ type: 'error', code: 'namespace_unsupported', content, severity: 'unrecoverable' }]
    const refusal = { ucp: { ...UCP, status: 'error' }, messages }
    await page.route(/\/ucp\/v1\/orders/, (route) => route.fulfill({ status: 400, json: refusal }))
    await page.goto(`${staging.url}/orders`)
    await page.getByText('No machine platform that lists sales is connected').waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })
})
