/** Every dialog, drawer and form, light and dark: no accessibility fault, and on a phone room for a thumb. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sample } from '../support/sample.ts'
import { faults } from './axe.ts'
import { boxedProduct, BROWSER, NARROW, SHIPPING, startStagingConsole } from './staging-console.ts'
import { settle, waitUntilRead } from './settle.ts'
import type { StagingConsole } from './staging-console.ts'
import { smallTargets } from './touch-targets.ts'

const SCHEMES = sample('colour schemes of a dialog', ['light', 'dark'] as const)
const LOOK = { bypassCSP: true, viewport: NARROW, colorScheme: SCHEMES[0] ?? 'light' } as const
const SOURCES = join(import.meta.dirname, '../../src/console')

let staging: StagingConsole
let at: Readonly<
  Record<'machine' | 'sku' | 'ready' | 'open' | 'approved' | 'placed' | 'dear' | 'price' | 'ordered', string>
>
beforeAll(async () => {
  staging = await startStagingConsole()
  const { api } = staging
  const [first, second, third] = (await api.searchLocations()).locations.map(({ id }) => id)
  const filters = { namespace: 'acme-machine', location: first ?? '' }
  const product = (await api.searchCatalog({ body: { filters } })).products[0]
  const box = await boxedProduct(api)
  const lines = (quantity: number) => [{ item: { id: box.id }, quantity, quantity_unit: { unit: 'BX' as const } }]
  const buy = (quantity: number, fulfillment: Parameters<typeof api.createCheckout>[0]['body']['fulfillment']) =>
    api.createCheckout({ body: { line_items: lines(quantity), fulfillment } })
  const noPhone = { methods: [{ type: 'shipping' as const, destinations: [{ street_address: '1 Example Road' }] }] }
  const run = async (location = '') => {
    const { id, actions = {} } = await api.createRun({ body: { locations: [location] } })
    for (const approval of Object.values(actions).flat())
      await api.resolveApproval({ params: { id: approval.id }, body: { approved: true } })
    return id
  }
  const [approved, placed] = [await run(second), await run(third)]
  await api.placeRun({ params: { id: placed } })
  await api.countStoreroom({ params: { sku_id: box.id }, body: { units: 40, reason: 'count' } })
  await api.putLocation({ params: { id: 'M9999' }, body: { name: 'Nowhere yet' } })
  at = {
    machine: `/machines/${first}`,
    sku: `/skus/${encodeURIComponent(product?.id ?? '')}?location=${first}`,
    price: `/prices?sku=${encodeURIComponent(product?.id ?? '')}`,
    ready: `/purchases/${(await buy(1, SHIPPING)).id}`,
    open: `/purchases/${(await buy(1, noPhone)).id}`,
    dear: `/approvals/${Object.values((await buy(30, SHIPPING)).actions ?? {}).flat()[0]?.id}`,
    approved: `/runs/${approved}`,
    placed: `/runs/${placed}`,
    ordered: `/purchases/${(await buy(2, SHIPPING)).id}`,
  }
})
afterAll(() => staging.close())

/** Within the console, as a link does. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(`{ const link = document.createElement('a'); link.href = ${JSON.stringify(path)}
    document.body.append(link); link.click(); link.remove() }`)
  await settle(page)
}

/** The first scheme with every rule; what another one changes are colours. */
async function faultsOf(page: Page, name: string, within: string): Promise<readonly string[]> {
  const found = [...(await faults(page, undefined, within)), ...(await smallTargets(page, within))]
  for (const colorScheme of SCHEMES.slice(1)) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await faults(page, ['color-contrast'], within)))
    await page.emulateMedia({ colorScheme: LOOK.colorScheme })
  }
  return found.map((fault) => `${name}: ${fault}`)
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first().click()

type Open = (page: Page) => Promise<unknown>
type Steps = readonly (readonly [name: string, path: () => string, open: Open, within?: string])[]

/** Named by the file it is in, so that none is forgotten. */
const DIALOGS: Steps = [
  ['navigation.tsx', () => '/', (page) => press(page, 'More')],
  [
    'features/search/search.tsx',
    () => '/plan',
    async (page) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Search' }).fill('M1')
      await page.getByRole('option').nth(3).waitFor()
    },
  ],
  ['features/settings/holidays.tsx', () => '/settings', (page) => press(page, 'Choose machines')],
  ['features/plan/plan-detail.tsx', () => '/plan', (page) => page.locator('.row-open').first().click()],
  [
    'features/machines/machine-form.tsx: new',
    () => '/setup/machines',
    async (page) => {
      await press(page, 'Add one by hand')
      await page.getByLabel('Machine ID').fill('no id')
      await page.getByLabel('Coordinates').fill('nowhere')
    },
  ],
  ['features/machines/machine-form.tsx: known', () => at.machine, (page) => press(page, 'Edit')],
  ['features/machines/machine.tsx', () => at.machine, (page) => press(page, 'Remove from the route')],
  ['features/machines/slot-dialog.tsx', () => at.machine, (page) => page.locator('.slot-tile').first().click()],
  [
    'features/machines/count-form.tsx',
    () => at.machine,
    async (page) => {
      await page.locator('.slot-tile').first().click()
      await press(page, /in stock: count /)
      await page.getByLabel('Units in the slot now').fill('2.5')
    },
  ],
  [
    'features/prices/price-form.tsx',
    () => at.machine,
    async (page) => {
      await page.locator('.slot-tile').first().click()
      await press(page, /^Change price: /)
      await page.locator('input[name=price]').fill('99')
      await page.getByText('This will ask the owner for approval').waitFor()
    },
  ],
  [
    'features/machines/slot-settings.tsx',
    () => at.machine,
    async (page) => {
      await press(page, 'Paste or upload a table')
      await page.locator('dialog textarea').fill('slot,par\nnone,x')
    },
  ],
  ['features/catalog/phase-out.tsx', () => at.sku, (page) => press(page, 'Phase out')],
  [
    'features/purchases/complete-dialog.tsx',
    () => at.ready,
    async (page) => {
      await press(page, 'Order now…')
      await page.locator('input[name=total]').fill('0.01')
    },
  ],
  ['features/runs/order-dialog.tsx', () => '/plan', (page) => press(page, 'Order now…')],
  ['features/runs/run-dialogs.tsx: order', () => at.approved, (page) => press(page, 'Order this run')],
  ['features/runs/run-dialogs.tsx: cancel', () => at.approved, (page) => press(page, 'Cancel this run')],
  [
    'features/storeroom/storeroom-count.tsx: known',
    () => '/storeroom',
    async (page) => {
      await page.locator('tr.opens').first().click()
      await page.getByLabel('Reason').selectOption('damaged')
      await page.getByLabel('How many are there now?').fill('99999')
      await page.getByText('the number can only go down').waitFor()
    },
  ],
  [
    'features/storeroom/storeroom-count.tsx: found',
    () => '/storeroom',
    async (page) => {
      await press(page, 'Count a product')
      await page.getByLabel('Name of the supplier’s product').fill('水')
      await page.locator('.choose-product').nth(2).waitFor()
    },
  ],
  [
    'features/purchases/receive-order.tsx',
    () => at.ordered,
    async (page) => {
      // Not before: the address of a purchase that was ordered is remembered, and no form asks for it again.
      const id = at.ordered.split('/').at(-1) ?? ''
      await staging.api.completeCheckout({ params: { id }, body: { confirm: true } })
      await press(page, 'Has arrived')
      await press(page, /^One less: /)
    },
  ],
  ['features/guardrails/guardrails.tsx', () => '/guardrails', (page) => press(page, 'Pull the emergency stop')],
  ['features/guardrails/stop-dialog.tsx', () => '/runs', (page) => press(page, 'Emergency stop')],
  [
    'features/session/passkeys-dialog.tsx',
    () => '/runs',
    async (page) => {
      await press(page, 'More')
      await press(page, 'Passkeys')
      await page.getByText('You have no passkey yet').waitFor()
    },
  ],
  ['features/guardrails/rule-dialog.tsx', () => '/guardrails', (page) => press(page, 'Change: Spending limit per day')],
  [
    'features/guardrails/rule-dialog.tsx: names',
    () => '/guardrails',
    (page) => press(page, 'Change: Limits by supplier'),
  ],
  ['features/connections/add-connection.tsx: kinds', () => '/connections', (page) => press(page, 'Add a connection')],
  [
    'features/connections/add-connection.tsx: answers',
    () => '/connections',
    async (page) => {
      await press(page, 'Add a connection')
      await press(page, 'A Nayax account')
    },
  ],
  [
    'features/connections/add-connection.tsx: change',
    () => '/runs',
    async (page) => {
      // Nobody can add one to the simulated vendors.
      const saved = { namespace: 'nayaxus-machine', role: 'machine', adapter: 'nayax-lynx' }
      const listed = { ...saved, managed: 'store', state: 'ok', capabilities: [], refused_count: 0, refused_rows: [] }
      const settings = { url: 'https://nayax.example', operator_id: 7 }
      await page.route('**/ucp/v1/connections', (route) => route.fulfill({ json: { connections: [listed] } }))
      await page.route('**/ucp/v1/connections/nayaxus-machine', (route) =>
        route.fulfill({
          json: { ...saved, settings, secrets: ['token'], read_only: false, ready: true, problems: [] },
        }),
      )
      await page.route('**/ucp/v1/connections/nayaxus-machine/files', (route) => route.fulfill({ json: { files: [] } }))
      await visit(page, '/connections')
      await page.getByRole('region', { name: 'nayaxus-machine' }).getByRole('button', { name: 'Change' }).click()
      await page.getByPlaceholder('set').waitFor()
      await page.unrouteAll()
    },
  ],
  ['features/people/people.tsx: revoke', () => '/people', (page) => press(page, /^Revoke/)],
  ['features/people/people.tsx: add', () => '/people', (page) => press(page, 'Add a person')],
  [
    'features/people/people.tsx: key',
    () => '/people',
    async (page) => {
      await press(page, 'Add a person')
      await page.getByLabel('Name').fill('Li Wei')
      await page.locator('dialog button[type=submit]').click()
      await page.getByRole('dialog', { name: 'Key of Li Wei' }).waitFor()
    },
  ],
  [
    'features/session/leave-dialog.tsx',
    () => at.machine.replace('machines', 'visits'),
    async (page) => {
      await page.route('**/service', (route) => route.abort())
      await press(page, 'All as expected')
      await press(page, 'Save visit')
      await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
      await press(page, 'More')
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.getByText('1 entry on this device was not sent yet.').waitFor()
    },
  ],
]

/** Forms within a page, in the states that a press or a wrong entry brings. */
const FORMS: Steps = [
  ['not found', () => '/no-such-page', async () => undefined],
  ['reject', () => at.dear, (page) => press(page, /^Reject/)],
  ['receive', () => at.placed, (page) => press(page, 'Enter what was loaded')],
  ['approve', () => at.dear, (page) => press(page, /^Approve/)],
  [
    'machine: calendar, slot settings, chart as a table',
    () => at.machine,
    async (page) => {
      await page.getByLabel('Kind').selectOption('demand')
      await page.getByLabel('Demand, times the usual').fill('x')
      await page.getByText('Edit all slots').click()
      await page
        .getByLabel(/^Fill level: /)
        .first()
        .fill('x')
      await press(page, /^View as/)
    },
    'form.form-grid, .slot-settings, .chart',
  ],
  [
    'product: found at a supplier',
    () => at.sku,
    async (page) => {
      await page.getByRole('searchbox').fill('可乐')
      await page.locator('main').getByRole('button', { name: 'Search' }).click()
      await page.locator('ul[aria-live] li').first().waitFor()
    },
  ],
  [
    'buy',
    () => '/catalog',
    async (page) => {
      await visit(page, at.sku)
      await press(page, /^Buy/)
      await page.getByText('Some details are missing.').waitFor()
    },
  ],
  ['delivery problem', () => at.open, (page) => page.locator('.field-wrong').first().waitFor()],
  [
    'cancel a purchase, pickup',
    () => at.ready,
    async (page) => {
      await press(page, 'Cancel this purchase')
      await page.locator('.choice label', { hasText: /pick/i }).click()
    },
  ],
  [
    'prices of many machines',
    () => at.price,
    async (page) => {
      await page.getByLabel('Amount').fill('9')
      await press(page, 'Show the effect')
      await page.getByRole('button', { name: /^Change \d/ }).waitFor()
    },
  ],
  ['machines without a position', () => '/machines?view=map', (page) => page.locator('main summary').click()],
  [
    'visit: take out',
    () => at.machine.replace('machines', 'visits'),
    (page) => page.locator('.visit-modes label', { hasText: 'Take out' }).click(),
  ],
  [
    'visit: fill',
    () => '/visits',
    async (page) => {
      await page.locator('.visit-card a').first().click()
      await page.locator('.visit-modes label', { hasText: 'Fill' }).click()
    },
  ],
]

describe.runIf(BROWSER)('every dialog', () => {
  test('axe finds nothing in any dialog, drawer and form, light or dark, and every control has room for a thumb', async () => {
    const found: string[] = []
    const outside = await staging.open('/', LOOK)
    await outside.locator('input[name=token]').waitFor()
    found.push(...(await faultsOf(outside, 'sign-in', 'main')))
    await outside.context().close()
    // Only owners add people.
    const { key } = await staging.addKey('owner')
    const page = await staging.signedIn('/', { ...LOOK, token: key })
    for (const [name, path, open, within = 'main'] of FORMS) {
      await visit(page, path())
      await open(page)
      await waitUntilRead(page)
      found.push(...(await faultsOf(page, name, within)))
    }
    for (const [name, path, open] of DIALOGS) {
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      // A dialog that closes goes back in the history, which must not happen after the next page was opened.
      await page.waitForFunction('history.state?.dialog !== true')
      await visit(page, path())
      await open(page)
      await page.getByRole('dialog').last().waitFor()
      await waitUntilRead(page)
      found.push(...(await faultsOf(page, name, 'dialog[open]')))
    }
    expect(found).toEqual([])
  })

  test('every file with a dialog has one in this test', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
    const withDialog = files.filter((file) => /<(?:Action)?Dialog\s/.test(readFileSync(join(SOURCES, file), 'utf8')))
    const tested = new Set(DIALOGS.map(([name]) => name.split(':')[0]))
    expect(tested).toEqual(new Set(withDialog.filter((file) => file !== 'ui/form/action-dialog.tsx')))
  })
})
