/** Details of pages that no figure tells: where things stand, what is named, what is printed and what gets the focus. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, NARROW, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
beforeAll(async () => {
  // Runs open purchases.
  staging = await startStagingConsole({ SIMULATED_PURCHASING: 'false' })
})
afterAll(() => staging.close())

describe.runIf(BROWSER)('appearance', () => {
  test('a badge stands apart from its title, and at the edge where it does not fit beside it', async () => {
    const page = await staging.signedIn('/machines/M1001', { viewport: NARROW })
    await page.locator('h1 .badge').waitFor()
    const titled = (part: number) =>
      page.evaluate<{ edge: number; badge: number; text: number }>(`(() => {
        const h1 = document.querySelector('main h1')
        const line = h1.getBoundingClientRect()
        const fits = Math.floor(line.width / parseFloat(getComputedStyle(h1).fontSize))
        h1.firstChild.data = '机'.repeat(${part} * fits)
        const range = document.createRange()
        range.selectNode(h1.firstChild)
        return {
          edge: line.left,
          badge: h1.querySelector('.badge').getBoundingClientRect().left,
          text: range.getBoundingClientRect().right,
        }
      })()`)
    const beside = await titled(0.3)
    expect(beside.badge - beside.text).toBeGreaterThan(10)
    const below = await titled(1)
    expect(below.badge).toBe(below.edge)
  })

  test('an id never stands where the name of a machine is on its way or cannot be read', async () => {
    const page = await staging.signedIn('/guardrails')
    const answer = Promise.withResolvers<void>()
    const { name } = (await staging.api.lookupLocations({ body: { ids: ['M1001'] } })).locations[0]!
    await page.route('**/ucp/v1/locations/*', async (route) => {
      await answer.promise
      await route.continue()
    })
    await page.goto(`${staging.url}/visits/M1001`)
    await page.getByRole('heading', { level: 1, name: 'Visit', exact: true }).waitFor()
    await page.goto(`${staging.url}/machines/M1001`)
    await page.getByRole('heading', { level: 1, name: 'Machine', exact: true }).waitFor()
    await page.goto(staging.url)
    await page.locator('.feed .skeleton').waitFor()
    expect(await page.locator('.feed-list li').count()).toBe(0)
    answer.resolve()
    await page.locator('.feed-list a').first().waitFor()
    await page.goto(`${staging.url}/visits/M1001`)
    await page.getByRole('heading', { level: 1, name }).waitFor()

    await page.route('**/ucp/v1/locations/*', (route) => route.fulfill({ status: 500, json: {} }))
    await page.goto(staging.url)
    const link = page.locator('.feed-list a').first()
    await link.waitFor()
    expect(await link.textContent()).toMatch(/^Machine M\d+$/)
  })

  test('a chart is printed in light colours from a dark screen, and is dark again afterwards', async () => {
    const colors = async (colorScheme: 'light' | 'dark') => {
      const page = await staging.signedIn('/machines/M1001', { colorScheme })
      await page.locator('.chart canvas').first().waitFor()
      // The colour of most pixels of the chart, at first and at each event of printing.
      await page.evaluate(`{
        globalThis.seen = []
        const look = () => {
          const canvas = document.querySelector('.chart canvas')
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height)
          const sums = new Map()
          for (let i = 0; i < data.length; i += 4)
            if (data[i + 3] === 255) {
              const color = data.slice(i, i + 3).join()
              sums.set(color, (sums.get(color) ?? 0) + 1)
            }
          seen.push([...sums].toSorted((a, b) => b[1] - a[1])[0]?.[0])
        }
        look()
        for (const type of ['beforeprint', 'afterprint']) addEventListener(type, () => queueMicrotask(look))
      }`)
      await page.pdf()
      await expect.poll(() => page.evaluate('seen.length')).toBe(3)
      const seen = await page.evaluate<string[]>('seen')
      await page.context().close()
      return seen
    }
    const [light] = await colors('light')
    const [dark, printed, after] = await colors('dark')
    expect([printed, after]).toEqual([light, dark])
    expect(dark).not.toBe(light)
  })

  test('on the map neither Tab nor a press gives the focus to what screen readers do not see', async () => {
    const page = await staging.signedIn('/machines?view=map')
    const machine = page.locator('.map-machine').last()
    await machine.waitFor()
    expect(
      await page.locator('[aria-hidden=true] a[href], a[href][aria-hidden=true]:not([tabindex="-1"])').count(),
    ).toBe(0)
    const box = (await machine.locator('circle').nth(1).boundingBox())!
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
    await page.mouse.down()
    expect(await page.evaluate("document.activeElement.closest('[aria-hidden=true]')")).toBeNull()
    await page.mouse.up()
    await page.waitForURL(/\/machines\/M\d+$/)
  })

  test('3.2 a product that was taken out of its purchase reads as not ordered, and is not received', async () => {
    const { api } = staging
    const { id, actions = {} } = await api.createRun({ body: { locations: ['M1001', 'M1002'] } })
    for (const approval of Object.values(actions).flat())
      await api.resolveApproval({ params: { id: approval.id }, body: { approved: true } })
    const placed = await api.placeRun({ params: { id } })
    const purchase = placed.checkouts?.[0]?.id ?? ''
    const { line_items: lines } = await api.getCheckout({ params: { id: purchase } })
    const [left, ...kept] = lines
    await api.updateCheckout({
      params: { id: purchase },
      body: {
        line_items: kept.map(({ id, item, quantity, quantity_unit: { unit } }) => ({
          id,
          item: { id: item.id },
          quantity,
          quantity_unit: { unit },
        })),
      },
    })
    const page = await staging.signedIn(`/runs/${id}`)
    const rows = page.getByRole('row').filter({ hasText: left!.item.id })
    await rows.first().getByText('Not ordered', { exact: true }).waitFor()
    expect(await page.getByText('Purchase not ordered yet').count()).toBeGreaterThan(0)
    await page.getByRole('button', { name: 'Enter what was loaded' }).click()
    await page.locator('.count-list input').first().waitFor()
    const ofRun = placed.line_items.filter(({ source }) => source?.sku_id === left!.item.id)
    expect(await page.locator('.count-list li').count()).toBe(
      placed.line_items.filter(({ status }) => status !== 'removed').length - ofRun.length,
    )
  })
})
