/** The store room in the console: count, see the movement, restock from it, pick list; and a service that keeps none. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boxedProduct, BROWSER, NARROW, SHIPPING, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'
import { xlsx } from '../support/workbooks.ts'

/** Fewer than a slot wants: sales of the first minutes change the plan. */
const UNITS = 2

let staging: StagingConsole
let driver: Awaited<ReturnType<StagingConsole['addKey']>>
beforeAll(async () => {
  // Runs are ordered from the supplier.
  staging = await startStagingConsole({
    SIMULATED_PURCHASING: 'false',
    DEFAULT_DESTINATION: JSON.stringify(SHIPPING.methods[0]?.destinations?.[0]),
  })
  driver = await staging.addKey('driver')
})
afterAll(() => staging.close())

/** A slot with room for some units, and the supplier's product for it. */
async function linkedSlot() {
  for (const { id: location } of (await staging.api.searchLocations()).locations) {
    const { line_items: lines } = await staging.api.createRun({
      body: { locations: [location] },
      query: { dry_run: 'true' },
    })
    const line = lines.find(({ source, quantity }) => source !== undefined && quantity.total > UNITS)
    if (line?.source) return { ...line, supply: line.source.sku_id, others: lines }
  }
  throw new Error('no product has a supplier')
}

describe.runIf(BROWSER)('the store room', () => {
  test('a product is counted, and a run that it covers is started, picked and loaded without a purchase', async () => {
    const { api } = staging
    const { supply, location, slot_id: slot, others } = await linkedSlot()
    const units = UNITS
    const title = (await api.lookupCatalog({ body: { ids: [supply] } })).products[0]?.title ?? ''
    const page = await staging.signedIn('/storeroom')
    await page.getByText('The store room is empty').waitFor()

    await page.getByRole('button', { name: 'Count a product' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the supplier’s product').fill(title)
    await dialog.locator('.choose-product', { hasText: supply }).click()
    await dialog.getByText('Expected: 0').waitFor()
    await dialog.getByLabel('How many are there now?').fill(String(units + 5))
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.locator('tr', { hasText: supply })
    await expect.poll(() => row.locator('td').nth(1).textContent()).toBe(String(units + 5))

    // Somebody else counts while the dialog is open: nothing is changed before the person has seen it.
    await row.locator('td').nth(1).click()
    await dialog.getByText(`Expected: ${units + 5}`).waitFor()
    await api.countStoreroom({ params: { sku_id: supply }, body: { units: units + 2, reason: 'count' } })
    await dialog.getByLabel('How many are there now?').fill(String(units + 1))
    await dialog.getByLabel('Reason').selectOption('damaged')
    await dialog.getByLabel('Note').fill('Box was wet')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(`${units + 2} are there now, not ${units + 5}`).waitFor()
    const unitsThere = async () => (await api.getStoreroom()).products.find(({ item }) => item.id === supply)?.units
    expect(await unitsThere()).toBe(units + 2)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await unitsThere()).toBe(units + 1)

    await page.locator('.choice label', { hasText: 'Movements' }).click()
    const newest = page.locator('table.movements tbody tr').first()
    await expect.poll(() => newest.textContent()).toContain('−1')
    expect(await newest.textContent()).toContain('Damaged')
    expect(await newest.textContent()).toContain('Box was wet')

    const lines = others.map((line) => ({ slot_id: line.slot_id, quantity: line.slot_id === slot ? units : 0 }))
    const run = await api.createRun({ body: { locations: [location], lines } })
    await page.goto(`${staging.url}/runs/${run.id}`)
    await page.locator('h1 .badge', { hasText: 'Ready to start' }).waitFor()
    await page.getByText('Everything comes from the store room. Nothing is bought.').waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/order/i)
    await page.getByRole('button', { name: 'Start this run' }).click()
    await dialog.getByRole('button', { name: 'Start this run' }).click()
    await page.locator('h1 .badge', { hasText: 'Ready to load' }).waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/order/i)
    expect(await api.getRun({ params: { id: run.id } })).toMatchObject({ status: 'placed', checkouts: [] })

    await page.getByRole('link', { name: 'Pick list' }).click()
    const van = page.locator('.pick-table.van')
    await van.waitFor()
    expect(await van.locator('thead th').allTextContents()).toEqual([
      'Product',
      'Units',
      'Store room',
      'Delivery',
      'Packed',
    ])
    expect(await van.locator('tbody td.number').allTextContents()).toEqual([`${units}`, `${units}`, '0'])
    // What is ticked off stays so, and only that.
    await van.getByRole('checkbox').check()
    await page.reload()
    await van.waitFor()
    expect(await van.getByRole('checkbox').isChecked()).toBe(true)
    expect(await page.locator('.pick-stop').getByRole('checkbox').first().isChecked()).toBe(false)

    await page.goto(`${staging.url}/runs/${run.id}`)
    await page.getByRole('button', { name: 'Enter what was loaded' }).click()
    await page.getByRole('button', { name: 'Save loaded quantities' }).click()
    await page.locator('h1 .badge', { hasText: 'Received' }).waitFor()
    expect(await unitsThere()).toBe(1)
    await page.goto(`${staging.url}/storeroom?view=movements`)
    await expect.poll(() => newest.textContent()).toContain(`−${units}`)
    expect(await newest.getByRole('link', { name: run.id }).count()).toBe(1)
  })

  test('a purchase without a run has arrived, with another number than confirmed', async () => {
    const { api } = staging
    const { id: sku } = await boxedProduct(api)
    const before = (await api.getStoreroom()).products.find(({ item }) => item.id === sku)?.units ?? 0
    const line = { item: { id: sku }, quantity: 1, quantity_unit: { unit: 'BX' as const } }
    const { id } = await api.createCheckout({ body: { line_items: [line], fulfillment: SHIPPING } })
    const page = await staging.signedIn(`/purchases/${id}`)
    await page.getByRole('button', { name: 'Order now…' }).waitFor()
    expect(await page.getByRole('button', { name: 'Has arrived' }).count()).toBe(0)
    await api.completeCheckout({ params: { id }, body: { confirm: true } })
    await page.getByRole('button', { name: 'Has arrived' }).click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByLabel(/^Cases that came: /).inputValue()).toBe('1')
    const [, confirmed] = (await dialog.getByText(/ confirmed$/).innerText()).match(/^(\d+) /)!.map(Number) as [
      0,
      number,
    ]
    expect(confirmed).toBeGreaterThan(1)
    await dialog.getByRole('button', { name: /^One less: / }).click()
    await dialog.getByRole('button', { name: 'Put into the store room' }).click()
    await page.getByText('In the store room since').waitFor()
    expect(await page.getByRole('button', { name: 'Has arrived' }).count()).toBe(0)
    const after = (await api.getStoreroom()).products.find(({ item }) => item.id === sku)?.units
    expect(after).toBe(before + confirmed - 1)
  })

  test('a driver at the first machine says that less came; the next machine gets what is left', async () => {
    const { api } = staging
    const locations = (await api.searchLocations()).locations.map(({ id }) => id)
    const { line_items: all } = await api.createRun({ body: { locations }, query: { dry_run: 'true' } })
    const bySource = Map.groupBy(
      all.filter(({ source, quantity, from_storeroom: stored = 0 }) => source && stored === 0 && quantity.total >= 4),
      ({ source }) => source?.sku_id ?? '',
    )
    const [sku, pair] = [...bySource].find(([, own]) => new Set(own.map(({ location }) => location)).size > 1)!
    const [first, second] = [pair[0]!, pair.find(({ location }) => location !== pair[0]!.location)!]
    const lines = all.map(({ slot_id }) => ({
      slot_id,
      quantity: slot_id === first.slot_id || slot_id === second.slot_id ? 2 : 0,
    }))
    const created = await api.createRun({
      body: {
        locations: [first.location, second.location],
        lines: lines.filter(({ slot_id: slot }) =>
          all.some((line) => line.slot_id === slot && [first.location, second.location].includes(line.location)),
        ),
      },
    })
    for (const { id } of Object.values(created.actions ?? {}).flat())
      await api.resolveApproval({ params: { id }, body: { approved: true } })
    const { checkouts = [] } = await api.placeRun({ params: { id: created.id } })
    for (const { id } of checkouts) {
      const { status, messages } = await api.completeCheckout({ params: { id }, body: { confirm: true } })
      expect(status, JSON.stringify(messages)).toBe('completed')
    }
    const page = await staging.signedIn('/visits', { viewport: NARROW, token: driver.key })
    await expect.poll(() => page.locator('.visit-card').count()).toBe(2)
    const openFill = async (location: string) => {
      await page.goto(`${staging.url}/visits/${location}?run=${created.id}`)
      await page.locator('.visit-modes label', { hasText: 'Fill' }).click()
    }
    const loaded = async () => page.locator('.visit-slots .big-stepper input').first().inputValue()
    const differs = page.getByLabel('Something is missing, or more came')
    const save = page.getByRole('button', { name: 'Save visit' })
    await openFill(second.location)
    expect(await loaded()).toBe('2')
    await openFill(first.location)
    await differs.check()
    const cases = page.getByLabel(/^Cases that came: /)
    if ((await cases.count()) > 0) await cases.fill('')
    const came = page.getByLabel(/^Single units that came: /)
    await came.fill('')
    expect(await save.isDisabled()).toBe(true)
    await came.fill('3')
    expect(await loaded()).toBe('2')
    // Kept on the phone, the next stop already knows what is left.
    await page.context().setOffline(true)
    await save.click()
    await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
    await page.locator(`.visit-card a[href*="${second.location}"]`).first().click()
    await page.locator('.visit-modes label', { hasText: 'Fill' }).click()
    expect([await loaded(), await differs.count()]).toEqual(['1', 0])
    await page.context().setOffline(false)
    await expect
      .poll(
        async () =>
          (await api.getRun({ params: { id: created.id } })).visits?.filter((visit) => visit.received_at).length,
      )
      .toBe(1)
    const { products } = await api.getStoreroom()
    expect(products.find(({ item }) => item.id === sku)?.units).toBe(1)
    await openFill(second.location)
    expect([await loaded(), await differs.count()]).toEqual(['1', 0])
    await page.getByRole('button', { name: 'Filled as planned' }).click()
    await save.click()
    await expect.poll(async () => (await api.getRun({ params: { id: created.id } })).status).toBe('delivered')
    expect((await api.getStoreroom()).products.find(({ item }) => item.id === sku)?.units).toBe(0)
  })

  test('counts from a workbook are shown beside the book, then saved; what is not understood is no number', async () => {
    const { api } = staging
    const { id: sku } = await boxedProduct(api)
    const expected = (await api.getStoreroom()).products.find(({ item }) => item.id === sku)?.units ?? 0
    const page = await staging.signedIn('/storeroom')
    await page.locator('.choice label', { hasText: 'Count from a file' }).click()
    const choose = async (name: string, buffer: Buffer) => {
      await page.getByText('Choose a file').waitFor()
      await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
    }
    await choose('photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0]))
    await page.getByText('This is no table.').waitFor()
    const rows = [
      ['Store room, 10 September'],
      [],
      ['Item #', 'Description', 'Qty on hand'],
      [sku.split(':')[1] ?? '', 'A box', expected + 7],
      ['NOPE-1', 'Nothing', 3],
    ]
    await choose('storeroom.xlsx', Buffer.from(xlsx({ name: 'Counts', rows })))
    await page.getByText('Line 5: no supplier lists such a product (NOPE-1, Nothing)').waitFor()
    const row = page.locator('tbody tr', { hasText: sku })
    expect((await row.locator('td').allTextContents()).slice(1)).toEqual([`${expected}`, `${expected + 7}`, '+7'])
    const units = async () => (await api.getStoreroom()).products.find(({ item }) => item.id === sku)?.units ?? 0
    expect(await units()).toBe(expected)
    await page.getByRole('button', { name: 'Save 1 count' }).click()
    await expect.poll(units).toBe(expected + 7)
    await row.waitFor({ state: 'detached' })
  })

  test('a driver takes good units back, counts and sees no amounts', async () => {
    const { api } = staging
    const { supply, location, slot_id: slot, item } = await linkedSlot()
    await api.updateSlot({ params: { id: location, slot_id: slot }, body: { stock: 5, confirm_count: true } })
    const unitsThere = async () =>
      (await api.getStoreroom()).products.find((known) => known.item.id === supply)?.units ?? 0
    const before = await unitsThere()
    const page = await staging.signedIn('/', { viewport: NARROW, token: driver.key })
    await page.goto(`${staging.url}/visits/${location}`)
    await page.locator('.visit-modes label', { hasText: 'Take out' }).click()
    const row = page.locator('.visit-slots li', { hasText: item.title }).first()
    await row.getByRole('button', { name: /^One more/ }).click()
    await row.locator('label', { hasText: 'Take back to the store room' }).click()
    await page.getByRole('button', { name: 'Save visit' }).click()
    await expect.poll(unitsThere).toBe(before + 1)
    await page.goto(`${staging.url}/storeroom`)
    await page.getByRole('button', { name: `Count ${(await api.getStoreroom()).products[0]?.item.title}` }).waitFor()
    expect(await page.locator('main').textContent()).not.toMatch(/¥|worth|Value/)
  })

  test('a service that keeps none offers no page and shows no error', async () => {
    const without = await startStagingConsole({ STOREROOM: 'off' })
    try {
      const page = await without.signedIn('/')
      await page.getByRole('link', { name: 'Runs', exact: true }).waitFor()
      expect(await page.getByRole('link', { name: 'Store room' }).count()).toBe(0)
      await page.goto(`${without.url}/storeroom`)
      await page.getByText('There is no store room here').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    } finally {
      await without.close()
    }
  })
})
