/** The operator of the service in the console: switched on with one press, what it did, and what it may do. */
import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

/** For whoever wants to look: a folder for pictures. */
const PICTURES = process.env['PICTURES']

describe.runIf(BROWSER)('the operator', () => {
  test('runs the route after one press; its shift says what it saw, did, and why', { timeout: 90_000 }, async () => {
    const page = await staging.signedIn('/')
    const shot = async (name: string) => {
      if (PICTURES === undefined) return
      mkdirSync(PICTURES, { recursive: true })
      await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true })
    }
    await page.getByRole('button', { name: 'Let it run the route' }).waitFor()
    await shot('today-off')
    await page.getByRole('button', { name: 'Let it run the route' }).click()
    await expect
      .poll(async () => (await staging.api.listShifts({})).shifts[0]?.ended_at ?? null, { timeout: 60_000 })
      .not.toBeNull()
    const [shift] = (await staging.api.listShifts({})).shifts
    expect(['done', 'waiting']).toContain(shift?.status)
    await page.goto(`${staging.url}/`)
    await page.getByRole('region', { name: 'Built-in operator' }).getByRole('link').first().waitFor()
    await shot('today-on')
    await page.goto(`${staging.url}/activity`)
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor()
    await page.getByText('What it may do by itself').waitFor()
    await shot('activity')
    // Sales are one entry with their sum; a kind shows only its own, each with the page of what it changed.
    const history = page.getByRole('region', { name: 'What happened' })
    await history
      .getByText(/^\d+ sales, ¥[\d,.]+/)
      .first()
      .waitFor()
    await history.getByLabel('Type').selectOption('location')
    await expect.poll(() => history.getByText(/sales, ¥/).count()).toBe(0)
    await expect.poll(() => new URL(page.url()).searchParams.get('kind')).toBe('location')
    await history.locator('.feed-list a[href^="/machines/"]').first().waitFor()
    await history.getByLabel('Day').fill('2020-01-01')
    await history.getByRole('button', { name: 'Clear filters' }).click()
    await history
      .getByText(/^\d+ sales, ¥[\d,.]+/)
      .first()
      .waitFor()
    await page.getByRole('region', { name: 'Shifts' }).getByRole('link').first().click()
    await page.getByRole('region', { name: 'Journal' }).getByText('Looked at the route.').waitFor()
    await shot('shift')
    await page.goto(`${staging.url}/activity`)
    const restocking = page.getByRole('group', { name: 'Restocking' })
    await restocking.getByText('Propose').click()
    await expect
      .poll(async () => (await staging.api.getOperator()).autonomy.restock, { timeout: 10_000 })
      .toBe('propose')
    await page.context().close()
  })

  test('a question is answered with one of its options', async () => {
    const { id } = await staging.api.askOwner({
      body: { kind: 'note', summary: 'Which water?', reasoning: 'Two are listed.', options: ['Small', 'Large'] },
    })
    const page = await staging.signedIn(`/approvals/${id}`)
    await page.getByRole('button', { name: 'Large: Which water?' }).click()
    await expect
      .poll(async () => (await staging.api.getApproval({ params: { id } })).answer?.option, { timeout: 10_000 })
      .toBe('Large')
    await page.context().close()
  })
})
