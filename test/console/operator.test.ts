/** The operator's own work in the console: a run with other quantities than planned. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, startStage } from './stage.ts'
import type { Stage } from './stage.ts'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage.close())

const close = (page: Page) => page.context().close()

describe.runIf(BROWSER)('a run is put together', () => {
  test('machines are chosen, a quantity changed and a line left out; the run holds exactly that', async () => {
    const page = await stage.signedIn('/plan')
    await page.getByRole('link', { name: 'Choose and change…' }).click()
    await page.getByRole('heading', { level: 1, name: 'Create run' }).waitFor()
    const { plans } = await stage.api.getPlan()
    const ordered = plans.filter(({ recommendation }) => recommendation.action === 'order')
    const location = ordered[0]?.location ?? ''
    const own = ordered.filter((entry) => entry.location === location)
    const [first, second] = own
    if (!first || !second) throw new Error('the demo plan orders too little')
    const name = (await stage.api.lookupLocations({ body: { ids: [location] } })).locations[0]?.name ?? ''
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
    const run = await stage.api.getRun({ params: { id: page.url().split('/').at(-1) ?? '' } })
    const quantities = new Map(run.line_items.map(({ slot_id, quantity }) => [slot_id, quantity.total]))
    expect(new Set(run.line_items.map((line) => line.location))).toEqual(new Set([location]))
    expect(quantities.has(first.slot_id)).toBe(false)
    expect(quantities.get(second.slot_id)).toBe(2)
    expect(quantities.size).toBe(own.length - 1)
    await close(page)
  })
})
