/** One phone, two people: what one of them entered without a network is booked as theirs or not at all. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, NARROW, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

const PHONE = { viewport: NARROW, hasTouch: true } as const
const cards = (page: Page) => page.locator('.visit-card')
const badges = (page: Page) => page.locator('.visit-card .badge').allTextContents()

async function placeRun(locations: string[]): Promise<string> {
  const { api } = staging
  const { id, actions = {} } = await api.createRun({ body: { locations } })
  for (const { id: approval } of Object.values(actions).flat())
    await api.resolveApproval({ params: { id: approval }, body: { approved: true } })
  await api.placeRun({ params: { id } })
  return id
}

describe.runIf(BROWSER)('one phone and two people', () => {
  test('5 what one person entered is never booked as another who signed in meanwhile, in another tab', async () => {
    const run = await placeRun(['M1001'])
    const [driver, operator] = [await staging.addKey('driver'), await staging.addKey('operator')]
    const page = await staging.signedIn('/visits', { ...PHONE, token: driver.key })
    await expect.poll(() => cards(page).count()).toBe(1)
    const sent: string[] = []
    await page.route('**/visits/*/receive', (route) => route.abort('connectionreset'))
    await cards(page).nth(0).getByRole('link').tap()
    await page.getByRole('button', { name: 'All as expected', exact: true }).tap()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
    await expect.poll(() => badges(page)).toEqual(['Kept on this device'])
    const signInElsewhere = (key: string) =>
      page.evaluate(
        (token) =>
          fetch('/signin', {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ token }),
          }).then(({ status }) => status),
        key,
      )
    const sendNow = async () => {
      const asked = page.waitForResponse((response) => response.url().endsWith('/me'))
      await page.evaluate(`dispatchEvent(new Event('online'))`)
      await asked
    }
    const visitOf = async () => (await staging.api.getRun({ params: { id: run } })).visits?.[0]
    expect(await signInElsewhere(operator.key)).toBe(200)
    // Only now: a try before this would have been the driver's own.
    await page.unroute('**/visits/*/receive')
    page.on('request', (request) => {
      if (request.url().endsWith('/receive')) sent.push(request.url())
    })
    await sendNow()
    // The page has learned who it is by now, and shows that the entry belongs to somebody else.
    await expect.poll(() => badges(page)).not.toContain('Kept on this device')
    expect([sent, (await visitOf())?.status]).toEqual([[], 'open'])

    expect(await signInElsewhere(driver.key)).toBe(200)
    await page.reload()
    await expect.poll(async () => (await visitOf())?.status).toBe('received')
    const { events } = await staging.api.listEvents({ query: { kind: 'replenishment', limit: 20 } })
    expect(events.find(({ code }) => code === 'stop_received')?.by).toEqual({ name: 'driver', role: 'driver' })
  })
})
