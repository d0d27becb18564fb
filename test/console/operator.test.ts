/** The operator's own work in the console: runs with other quantities than planned, search, files. */
import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

const isFocused = async (page: Page, element: Locator) => (await element.and(page.locator(':focus')).count()) === 1

const close = (page: Page) => page.context().close()

describe.runIf(BROWSER)('a run is put together', () => {
  test('machines are chosen, a quantity changed and a line left out; the run holds exactly that', async () => {
    const page = await staging.signedIn('/plan')
    await page.getByRole('link', { name: 'Adjust first…' }).click()
    await page.getByRole('heading', { level: 1, name: 'Create run' }).waitFor()
    const { plans } = await staging.api.getPlan()
    const ordered = plans.filter(({ recommendation }) => recommendation.action === 'order')
    const location = ordered[0]?.location ?? ''
    const own = ordered.filter((entry) => entry.location === location)
    const [first, second] = own
    if (!first || !second) throw new Error('the demo plan orders too little')
    const name = (await staging.api.lookupLocations({ body: { ids: [location] } })).locations[0]?.name ?? ''
    // The heading is there before the plan is read.
    await page.getByRole('checkbox').first().waitFor()
    for (const box of await page.getByRole('checkbox').all()) await box.setChecked(false)
    await page.getByText('Choose at least one machine and one product.').waitFor()
    await page.getByRole('checkbox', { name: `Include ${name}` }).check()
    await page.getByRole('button', { name: `Quantities for ${name}` }).click()
    const machine = page.getByRole('region', { name })
    await machine.getByRole('button', { name: `Leave out ${first.item.title}`, exact: true }).click()
    const field = machine.getByRole('spinbutton', { name: `Quantity of ${second.item.title}`, exact: true })
    await field.fill('2')
    await field.blur()
    await page.getByRole('button', { name: 'Create run' }).click()
    await page.waitForURL(/\/runs\/run-/)
    const run = await staging.api.getRun({ params: { id: page.url().split('/').at(-1) ?? '' } })
    const quantities = new Map(run.line_items.map(({ slot_id, quantity }) => [slot_id, quantity.total]))
    expect(new Set(run.line_items.map((line) => line.location))).toEqual(new Set([location]))
    expect(quantities.has(first.slot_id)).toBe(false)
    expect(quantities.get(second.slot_id)).toBe(2)
    expect(quantities.size).toBe(own.length - 1)
    await close(page)
  })
})

describe.runIf(BROWSER)('a purchase of several products', () => {
  const total = async (page: Page) =>
    /¥([\d,.]+)/.exec((await page.locator('.basket .run-total strong').textContent()) ?? '')?.[1]?.replace(',', '')

  test('is collected in the catalog, checked against the rules first, and ordered', async () => {
    const page = await staging.signedIn('/catalog')
    const add = page.getByRole('button', { name: /^Add .* to the purchase$/ })
    await add.nth(0).click()
    await add.nth(1).click()
    await add.nth(1).click()
    await page.getByRole('link', { name: 'Review and order' }).click()
    await page.getByRole('heading', { level: 1, name: 'New purchase' }).waitFor()
    const quantities = page.getByRole('spinbutton', { name: /^Quantity of/ })
    await quantities.nth(1).waitFor()
    await expect.poll(() => quantities.evaluateAll((all) => all.map((one) => one.value))).toEqual(['1', '2'])
    await page.getByText('Some details are missing.').waitFor()
    for (const [label, value] of [
      ['Contact name', 'Li'],
      ['Phone', '13800000000'],
      ['Street address', '1 Example Road'],
    ] as const)
      await page.getByLabel(label).fill(value)
    await page.getByText('Within the rules: you can order it now.').waitFor()
    await page
      .getByRole('button', { name: /^Remove one/ })
      .nth(1)
      .click()
    await expect.poll(() => quantities.nth(1).inputValue()).toBe('1')
    // Typed and taken back: no change, and the field goes on showing the quantity.
    await quantities.nth(1).fill('12')
    await quantities.nth(1).fill('1')
    await quantities.nth(1).blur()
    for (const [name, shown] of [
      [/^Add one/, '2'],
      [/^Remove one/, '1'],
    ] as const) {
      await page.getByRole('button', { name }).nth(1).click()
      await expect.poll(() => quantities.nth(1).inputValue()).toBe(shown)
    }
    await page.getByText('Within the rules: you can order it now.').waitFor()
    const typed = (await total(page)) ?? ''
    // Nothing is stored before this press.
    expect((await staging.api.listCheckouts()).checkouts).toEqual([])
    await page.getByRole('button', { name: 'Order now…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.locator('input[name=total]').fill(typed)
    await dialog.getByRole('button', { name: /^Order for/ }).click()
    await page.locator('h1 .badge', { hasText: 'Ordered' }).waitFor()
    const [bought] = (await staging.api.listCheckouts()).checkouts
    expect([bought?.status, bought?.line_items.map(({ quantity }) => quantity)]).toEqual(['completed', [1, 1]])

    // The next one remembers the address; above the limit the owner is asked.
    const empty = (await staging.api.getPlan()).plans.filter(({ stock }) => stock === 0)
    const ids = [...new Set(empty.map(({ item }) => item.id))].slice(0, 50)
    const { resolved } = await staging.api.resolveSkus({ body: { ids, to_namespace: 'acme-supply' } })
    const linked = empty.find(({ item }) => resolved.some(({ from }) => from === item.id))
    await page.goto(`${staging.url}/machines/${linked?.location}`)
    await page.getByRole('button', { name: /^Buy what/ }).click()
    await page.getByRole('heading', { level: 1, name: 'New purchase' }).waitFor()
    await page.getByText('As in the last purchase.').waitFor()
    await page.getByText('Li · 13800000000 · 1 Example Road').waitFor()
    await expect.poll(() => total(page)).toBeDefined()
    // A price that arrives while a number is being typed does not undo it.
    const before = await total(page)
    const typing = Promise.withResolvers<void>()
    await page.route(/dry_run=true/, async (route) => {
      await typing.promise
      await route.continue()
    })
    await page
      .getByRole('button', { name: /^Add one/ })
      .first()
      .click()
    await quantities.first().fill('40')
    typing.resolve()
    await expect.poll(async () => [undefined, before].includes(await total(page))).toBe(false)
    await quantities.first().blur()
    await page.getByText(/Needs the owner’s approval: .*exceeds the ¥500\.00 limit/).waitFor()
    await page.getByRole('button', { name: 'Ask for approval' }).click()
    await page.locator('h1 .badge', { hasText: 'Waiting for approval' }).waitFor()
    await page.goto(`${staging.url}/basket`)
    await page.getByText('No products chosen yet').waitFor()
    await close(page)
  })
})

describe.runIf(BROWSER)('search', () => {
  test('Ctrl+K finds a machine by name, arrows and Enter open it, Escape returns the focus', async () => {
    const page = await staging.signedIn('/plan')
    const [first, second] = (await staging.api.searchLocations()).locations
    const button = page.getByRole('button', { name: /^Search/ })
    await button.focus()
    await page.keyboard.press('Control+k')
    const field = page.getByRole('combobox', { name: 'Search' })
    await expect.poll(() => isFocused(page, field)).toBe(true)
    await page.keyboard.press('Escape')
    await expect.poll(() => isFocused(page, button)).toBe(true)
    await page.keyboard.press('Control+k')
    await field.fill(second?.name ?? '')
    const results = page.getByRole('listbox', { name: 'Results' })
    const chosen = results.getByRole('option', { selected: true })
    await expect.poll(() => chosen.textContent()).toContain(second?.id)
    expect(await field.getAttribute('aria-activedescendant')).toBe(await chosen.getAttribute('id'))
    await field.fill(first?.id ?? '')
    await expect.poll(() => chosen.textContent()).toContain(first?.name)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/machines/${first?.id}`)
    await close(page)
  })
})

describe.runIf(BROWSER)('tables are saved as files', () => {
  /** The rows of a saved file, without its byte order mark. */
  const save = async (page: Page, name: string): Promise<string[][]> => {
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: `Download CSV: ${name}`, exact: true }).click()
    const file = await (await waiting).path()
    const text = readFileSync(file, 'utf8')
    expect(text.startsWith('\u{FEFF}')).toBe(true)
    return parse(text, { bom: true })
  }

  test('the plan with its raw figures, the machines, and all sales although the page shows 50', async () => {
    const page = await staging.signedIn('/plan')
    const { plans } = await staging.api.getPlan()
    await page.getByRole('row').nth(1).waitFor()
    const plan = await save(page, 'Plan')
    expect(plan.length).toBe(plans.length + 1)
    const [entry] = plans
    const row = plan.find((cells) => cells.includes(entry?.slot_id ?? ''))
    expect(row).toEqual(expect.arrayContaining([entry?.item.title, String(entry?.demand.daily_rate)]))
    await page.goto(`${staging.url}/`)
    await page.getByRole('button', { name: 'View as table' }).click()
    // A chart: days and decimals, not the short labels of its axes.
    const chart = await save(page, 'Daily revenue, last 30 days')
    expect([chart.length, chart[1]]).toEqual([
      31,
      [expect.stringMatching(/^\d{4}-\d\d-\d\d$/), expect.stringMatching(/^\d+\.\d\d$/)],
    ])
    await page.goto(`${staging.url}/machines`)
    const machines = await save(page, 'Machines')
    expect(machines.length).toBe((await staging.api.searchLocations()).locations.length + 1)
    await page.goto(`${staging.url}/orders`)
    const sales = await save(page, 'Sales')
    expect(sales.length).toBeGreaterThan(500)
    // A timestamp and an amount, not their texts.
    expect(sales[1]?.[0]).toMatch(/^\d{4}-\d{2}-\d{2}T.*\+08:00$/)
    expect(sales[1]?.at(-1)).toMatch(/^\d+\.\d{2}$/)
    await close(page)
  })
})
