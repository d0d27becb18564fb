/** User journeys in the console, from the first click to the state the API reports afterwards. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { boxedProduct, BROWSER, SHIPPING, signIn, signOut, startStagingConsole, TOKEN } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

const LIMIT_FEN = 50_000

let staging: StagingConsole
beforeAll(async () => {
  staging = await startStagingConsole()
})
afterAll(() => staging.close())

/** A purchase above the spending limit, or of one box, which is below it. */
async function purchase(above: boolean) {
  const product = await boxedProduct(staging.api)
  const quantity = above ? Math.ceil(LIMIT_FEN / product.boxFen) + 1 : 1
  const line = { item: { id: product.id }, quantity, quantity_unit: { unit: 'BX' as const } }
  return staging.api.createCheckout({ body: { line_items: [line], fulfillment: SHIPPING } })
}

const totalText = (totals: readonly { readonly type: string; readonly amount: number }[]) =>
  ((totals.find(({ type }) => type === 'total')?.amount ?? 0) / 100).toFixed(2)

async function typeTotalAndOrder(page: Page, total: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  if ((await dialog.count()) === 0) await page.getByRole('button', { name: 'Order now…' }).click()
  const order = dialog.getByRole('button', { name: /^Order for/ })
  expect(await order.isDisabled()).toBe(true)
  await dialog.locator('input[name=total]').fill('0.01')
  expect(await order.isDisabled()).toBe(true)
  await dialog.locator('input[name=total]').fill(total)
  await order.click()
}

describe.runIf(BROWSER)('an approval of a large run', () => {
  test('shows every line by machine, with stock, days left and the rate of the plan', async () => {
    const run = await staging.api.createRun({})
    const approval = Object.values(run.actions ?? {}).flat()[0]?.id ?? ''
    const [{ details }, { approvals }] = await Promise.all([
      staging.api.getApproval({ params: { id: approval } }),
      staging.api.listApprovals({ query: { details: true } }),
    ])
    const lines = details?.lines ?? []
    expect(lines.length).toBe(details?.line_count)
    expect(lines.length).toBeGreaterThan(20)
    expect(approvals.find(({ id }) => id === approval)?.details?.lines.length).toBe(20)
    const page = await staging.signedIn(`/approvals/${approval}`)
    const table = page.locator('.approval-table')
    const unorderable = lines.filter(({ orderable }) => orderable === false)
    const ordered = lines.filter(({ orderable }) => orderable !== false)
    expect(unorderable.length).toBeGreaterThan(0)
    // One group for each machine, and one for what no supplier is known for.
    const machines = new Set(ordered.map(({ location_name: name }) => name))
    const groups = table.locator('.machine-lines > summary')
    await expect.poll(() => groups.count()).toBe(machines.size + 1)
    for (const group of await groups.all()) await group.click()
    await expect.poll(() => table.locator('tbody tr').count()).toBe(lines.length)
    const shown = await table.locator('tbody tr').allTextContents()
    const { title, stock = 0, quantity = 0 } = lines.find((line) => (line.stock ?? 0) > 0 && line.days_left) ?? {}
    expect(shown.some((text) => text.includes(`${title}`) && text.includes(`${stock} → ${stock + quantity}`))).toBe(
      true,
    )
    // All the money is visible: machines and whole cases are what is ordered, and with what cannot be, the total.
    const amounts = async (of: string) =>
      (await table.locator(of).allTextContents()).map((text) => Math.round(Number(text.replaceAll(/.*¥|,/g, '')) * 100))
    const sumOf = (list: readonly number[]) => list.reduce((sum, amount) => sum + amount, 0)
    const [toOrder = 0, notToOrder = 0] = await amounts('.approval-sum')
    const unorderableSum = sumOf(unorderable.map(({ total = 0 }) => total))
    expect([notToOrder, toOrder + notToOrder]).toEqual([unorderableSum, details?.total])
    const parts = [
      ...(await amounts('.machine-lines > summary > .number')),
      ...(await amounts('.approval-rest .number')),
    ]
    expect(sumOf(parts)).toBe(toOrder + notToOrder)
    await page.locator('.rule-use', { hasText: 'of ¥500.00' }).waitFor()
    // In reach wherever the page is scrolled to.
    for (const place of [0, 0.5]) {
      await page.evaluate(`scrollTo(0, ${place} * document.documentElement.scrollHeight)`)
      const box = await page.getByRole('button', { name: /^Approve/ }).boundingBox()
      expect(box!.y + box!.height).toBeLessThanOrEqual(page.viewportSize()!.height)
    }
    // One press allows and orders. Where it cannot be ordered, the decision stands and the run says why.
    await page.route('**/runs/*/place', (route) => route.fulfill({ status: 409, json: { messages: [] } }))
    await page.getByRole('button', { name: /^Approve/ }).click()
    await page
      .getByRole('button', {
        name: `Allow and order · ¥${(toOrder / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 })}`,
      })
      .click()
    await page.waitForURL(`**/runs/${run.id}*`)
    expect((await staging.api.getRun({ params: { id: run.id } })).status).toBe('approved')
    await staging.api.cancelRun({ params: { id: run.id } })
  })
})

describe.runIf(BROWSER)('journeys', () => {
  test('5 the operator token opens the requested page, and the session survives a reload', async () => {
    const page = await staging.open('/approvals')
    await page.locator('input[name=token]').fill('not-the-token-0123456789')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('That key or token isn’t right').waitFor()
    await signIn(page)
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    expect(page.url()).toBe(`${staging.url}/approvals`)
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    await signOut(page)
    await page.locator('input[name=token]').waitFor()
    await page.reload()
    await page.locator('input[name=token]').waitFor()
  })

  test('9.6 an order without an answer is sent again with the same Idempotency-Key', async () => {
    const { id, totals } = await purchase(false)
    const page = await staging.signedIn(`/purchases/${id}`)
    const keys: (string | undefined)[] = []
    await page.route(`**/checkout-sessions/${id}/complete`, (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      // The client tries twice before the person does.
      return keys.length <= 2 ? route.abort('connectionreset') : route.continue()
    })
    await typeTotalAndOrder(page, totalText(totals))
    const dialog = page.getByRole('dialog')
    await dialog.getByText('nothing is ordered twice').waitFor()
    await dialog.getByRole('button', { name: 'Send again' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(keys.length).toBe(3)
    expect(new Set(keys).size).toBe(1)
    expect((await staging.api.getCheckout({ params: { id } })).status).toBe('completed')
  })

  test('9.6 an order whose answer was lost is not offered again once the page knows of it', async () => {
    const { id, totals } = await purchase(false)
    const page = await staging.signedIn(`/purchases/${id}`)
    await page.route(`**/checkout-sessions/${id}/complete`, async (route) => {
      await route.fetch()
      return route.abort('connectionreset')
    })
    await typeTotalAndOrder(page, totalText(totals))
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByText(`${id} ordered for`).first().waitFor()
    expect(await page.getByRole('button', { name: 'Order now…' }).count()).toBe(0)
  })

  test('3.1 a purchase above the limit is approved, then ordered by typing its total', async () => {
    const waiting = await purchase(true)
    expect(waiting.status).toBe('requires_escalation')
    const page = await staging.signedIn('/approvals')
    const card = page.getByRole('article').filter({ hasText: waiting.id })
    await card.getByText('The purchase can then be ordered.').waitFor()
    // The bar, the number in the title, and the table: what, how much, what is sold of it, and who asked.
    await page.getByRole('note').getByText('STAGING').waitFor()
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Approvals · vendops$/)
    for (const name of ['Quantity', 'Unit price', 'Total', 'Sold/day'])
      await card.getByRole('columnheader', { name }).waitFor()
    await card.locator('.reasoning > p', { hasText: 'exceeds the ¥500.00 limit per purchase' }).waitFor()
    await card.getByText('the operator token', { exact: true }).waitFor()
    await card.getByRole('button', { name: /^Approve/ }).click()
    await card.getByRole('button', { name: 'Yes, allow this purchase' }).click()
    await card.getByRole('link', { name: 'Order it now' }).click()
    // The page of the purchase asks for the total at once.
    await page.waitForURL(`**/purchases/${waiting.id}?order=now`)
    await page.getByRole('dialog').waitFor()
    expect((await staging.api.getCheckout({ params: { id: waiting.id } })).status).toBe('ready_for_complete')
    await typeTotalAndOrder(page, totalText(waiting.totals))
    await page.locator('h1 .badge', { hasText: 'Ordered' }).waitFor()
    const done = await staging.api.getCheckout({ params: { id: waiting.id } })
    expect(done.status).toBe('completed')
    await page
      .getByText(done.order?.label ?? 'no label')
      .first()
      .waitFor()
  })

  test('3.3 a rejection keeps its comment, and whoever looks later reads it', async () => {
    const waiting = await purchase(true)
    const page = await staging.signedIn('/approvals')
    const card = page.getByRole('article').filter({ hasText: waiting.id })
    await card.getByRole('button', { name: /^Reject/ }).click()
    await card.getByLabel('Comment (optional)').fill('Enough water for a month')
    await card.getByRole('button', { name: 'Yes, reject' }).click()
    await card.getByText('“Enough water for a month”').waitFor()
    await page.getByText('Decided', { exact: true }).click()
    await page.getByText('“Enough water for a month”').first().waitFor()
    expect((await staging.api.getCheckout({ params: { id: waiting.id } })).status).toBe('canceled')
  })

  test('3.1 once the missing delivery details are filled in, the purchase is ready to order', async () => {
    const product = await boxedProduct(staging.api)
    const line = { item: { id: product.id }, quantity: 1, quantity_unit: { unit: 'BX' as const } }
    const open = await staging.api.createCheckout({ body: { line_items: [line] } })
    const page = await staging.signedIn(`/purchases/${open.id}`)
    await page.locator('h1 .badge', { hasText: 'Incomplete' }).waitFor()
    await page.getByLabel('Contact name').fill('Li')
    await page.getByLabel('Phone').fill('13800000000')
    await page.getByLabel('Street address').fill('1 Example Road')
    await page.getByRole('button', { name: 'Save delivery' }).click()
    await page.locator('h1 .badge', { hasText: 'Ready to order' }).waitFor()
    await page.getByRole('button', { name: 'Cancel this purchase' }).click()
    await page.getByRole('button', { name: 'Yes, cancel it' }).click()
    await page.locator('h1 .badge', { hasText: 'Canceled' }).waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    expect((await staging.api.getCheckout({ params: { id } })).status).toBe('canceled')
  })

  test('4.6 a price change above the cap needs approval, which changes the machine', async () => {
    const location = (await staging.api.searchLocations()).locations[0]?.id ?? ''
    const filters = { namespace: 'acme-machine', location }
    const product = (await staging.api.searchCatalog({ body: { filters } })).products[0]
    const [id, before] = [product?.id ?? '', product?.variants[0]?.price.amount ?? 0]
    const page = await staging.signedIn(`/machines/${location}`)
    await page
      .locator('.slot-tile', { hasText: product?.title ?? '' })
      .first()
      .click()
    await page.getByRole('button', { name: `Change price: ${product?.title}` }).click()
    const dialog = page.getByRole('dialog')
    const yuan = (fen: number) => `¥${(fen / 100).toFixed(2)}`
    await dialog.getByText(`${yuan(before - 100)}–${yuan(before + 100)}`).waitFor()
    await dialog.locator('input[name=price]').fill(((before + 300) / 100).toFixed(2))
    await dialog.getByText('This will ask the owner for approval').waitFor()
    await dialog.getByRole('button', { name: 'Ask for approval' }).click()
    await dialog.getByRole('link', { name: 'Review the request' }).click()
    const priceNow = async () =>
      (await staging.api.getProduct({ body: { id, filters } })).product.variants[0]?.price.amount
    expect(await priceNow()).toBe(before)

    await page.getByRole('button', { name: /^Approve/ }).click()
    await page.getByRole('button', { name: 'Yes, change the price now' }).click()
    await page.getByRole('main').getByText('Approved', { exact: true }).first().waitFor()
    await expect.poll(priceNow).toBe(before + 300)
  })

  test('4.3 a slot is locked and unlocked on the machine page', async () => {
    const location = (await staging.api.searchLocations()).locations[1]?.id ?? ''
    const page = await staging.signedIn(`/machines/${location}`)
    const lockedCount = async () => {
      const { products } = await staging.api.searchCatalog({
        body: { filters: { namespace: 'acme-machine', location } },
      })
      return products.filter(({ variants }) => variants[0]?.inventory?.locked).length
    }
    await page.locator('.slot-tile').first().click()
    await page.getByRole('button', { name: /^Lock / }).click()
    await page.getByRole('button', { name: /^Unlock / }).waitFor()
    expect(await lockedCount()).toBe(1)
    await page.getByRole('button', { name: /^Unlock / }).click()
    await page.getByRole('button', { name: /^Unlock / }).waitFor({ state: 'detached' })
    expect(await lockedCount()).toBe(0)
  })

  test('6.5 an event appears without a reload, and an approval resolved elsewhere leaves the list', async () => {
    const page = await staging.signedIn('/')
    await page.getByText('Connected', { exact: true }).first().waitFor()
    await staging.api.appendEvent({
      body: { kind: 'note', summary: 'The lobby door was replaced', reasoning: 'It jammed' },
    })
    await page.getByText('The lobby door was replaced').waitFor()

    await page
      .getByRole('link', { name: /^Approvals/ })
      .first()
      .click()
    const waiting = await purchase(true)
    const card = page.getByRole('article').filter({ hasText: waiting.id })
    await card.waitFor()
    const [approval] = Object.values(waiting.actions ?? {}).flat()
    await staging.api.resolveApproval({ params: { id: approval?.id ?? '' }, body: { approved: false } })
    await card.waitFor({ state: 'detached' })
    expect(await page.getByRole('heading', { level: 1, name: 'Approvals' }).isVisible()).toBe(true)
  })

  test('3.2 a run is created, approved, ordered, and received with the counted quantities', async () => {
    const page = await staging.signedIn('/plan')
    await page.getByRole('button', { name: 'Order now…' }).click()
    // Sum and supplier are known before anything is made.
    const dialog = page.getByRole('dialog')
    await dialog.getByText('acme-supply').waitFor()
    await dialog.locator('.big-total', { hasText: '¥' }).waitFor()
    await dialog.getByRole('button', { name: /^(Ask for approval|Order for)/ }).click()
    await page.waitForURL('**/runs/run-*')
    const id = decodeURIComponent(page.url().split('/').at(-1) ?? '')
    await page.locator('h1 .badge').waitFor()
    if ((await staging.api.getRun({ params: { id } })).status === 'pending_approval') {
      await page.getByRole('link', { name: 'Review' }).click()
      await page.getByRole('button', { name: /^Approve/ }).click()
      await page.getByRole('button', { name: 'Yes, allow this run' }).click()
      await page.getByRole('link', { name: 'Order it now' }).click()
      await dialog.getByText('Simulated: no money is spent.').waitFor()
      await dialog.getByRole('button', { name: /^Order for/ }).click()
    }
    await page.locator('h1 .badge', { hasText: 'Ordered' }).waitFor()

    await page.getByRole('button', { name: 'Enter what was loaded' }).click()
    const first = page.locator('.count-list input').first()
    const ordered = Number(await first.inputValue())
    expect(ordered).toBeGreaterThan(0)
    await page
      .getByRole('button', { name: /^Remove one/ })
      .first()
      .click()
    expect(await first.inputValue()).toBe(String(ordered - 1))
    await page.getByText('1 slot differs from the plan.').waitFor()
    // Planned for the sales until the delivery, which comes at once here: more than the machines have room for by the book.
    expect(await page.getByRole('button', { name: 'Save loaded quantities' }).isDisabled()).toBe(true)
    await page.getByLabel('All of it went in').check()
    await page.getByRole('button', { name: 'Save loaded quantities' }).click()
    await page.locator('h1 .badge', { hasText: 'Received' }).waitFor()
    const run = await staging.api.getRun({ params: { id } })
    expect(run.status).toBe('delivered')
    const short = run.line_items.filter(
      ({ quantity }) => quantity.fulfilled === (quantity.original ?? quantity.total) - 1,
    )
    expect(short.length).toBeGreaterThan(0)

    // Under Orders it stands apart, and is marked.
    await page.goto(`${staging.url}/orders?kind=purchase`)
    const simulated = page.getByRole('region', { name: 'Simulated purchases' }).locator('tr', { hasText: id })
    await simulated.locator('.badge', { hasText: 'Simulated' }).waitFor()
  })

  test('2.4 a slot is counted on the page of its machine, and shows the count', async () => {
    const location = (await staging.api.searchLocations()).locations[0]?.id ?? ''
    const page = await staging.signedIn(`/machines/${location}`)
    await page.locator('.slot-tile').first().click()
    await page.getByRole('button', { name: /in stock: count / }).click()
    const dialog = page.getByRole('dialog', { name: 'Count a slot' })
    const units = dialog.getByLabel('Units in the slot now')
    const save = dialog.locator('button[type=submit]')
    await units.fill('2.5')
    expect(await save.isDisabled()).toBe(true)
    await units.fill('3')
    await save.click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText(/: 3 counted$/).waitFor()
    // Not the stock: a shopper may have bought meanwhile.
    const { events } = await staging.api.listEvents({ query: { kind: 'location', limit: 20 } })
    expect(events.find(({ code }) => code === 'slot_counted')?.params).toMatchObject({ counted: 3 })
  })

  test('a suggested alias is confirmed and undone', async () => {
    const location = (await staging.api.searchLocations()).locations[0]?.id ?? ''
    const filters = { namespace: 'acme-machine', location }
    let suggested: string | undefined
    for await (const { variants } of staging.api.all.searchCatalog({ body: { filters } }))
      suggested ??= variants.find(({ aliases }) => aliases?.[0]?.source === 'suggested')?.id
    expect(suggested).toBeDefined()
    const page = await staging.signedIn(`/skus/${encodeURIComponent(suggested ?? '')}?location=${location}`)
    await page.getByRole('button', { name: 'Confirm', exact: true }).first().click()
    await page.locator('.badge', { hasText: 'Confirmed' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('.badge', { hasText: 'Confirmed' }).waitFor({ state: 'detached' })
  })

  // Last, because only an owner can release the stop.
  test('7 the emergency stop is pulled with a reason, and ordering is refused', async () => {
    const ready = await purchase(false)
    expect(ready.status).toBe('ready_for_complete')
    const page = await staging.signedIn('/guardrails')
    await page.getByRole('button', { name: 'Pull the emergency stop' }).click()
    const dialog = page.getByRole('dialog')
    // A reason is there already: in a hurry two presses are enough.
    const stop = dialog.getByRole('button', { name: 'Stop everything now' })
    expect(await stop.isEnabled()).toBe(true)
    await dialog.locator('input[name=reason]').fill('')
    expect(await stop.isDisabled()).toBe(true)
    await dialog.locator('input[name=reason]').fill('Prices look wrong')
    await stop.click()
    await page.locator('.banner.bad', { hasText: 'Prices look wrong' }).waitFor()
    await page.getByText('npx vendops release').waitFor()

    await page.goto(`${staging.url}/purchases/${ready.id}`)
    await page.getByText('Ordering is blocked until the emergency stop is released').waitFor()
    expect(await page.getByRole('button', { name: 'Order now…' }).isDisabled()).toBe(true)
    for (const path of ['/plan', '/runs', '/plan/run']) {
      await page.goto(`${staging.url}${path}`)
      await page.getByText('Ordering is blocked until the emergency stop is released').waitFor()
      const order = page.getByRole('button', { name: /^(Order now…|Create run)$/ })
      expect(await order.isDisabled(), path).toBe(true)
    }
    // A page that was open before the stop refuses in the service.
    const params = { id: ready.id }
    await expect(staging.api.completeCheckout({ params, body: { confirm: true } })).rejects.toMatchObject({
      code: 'kill_switch_engaged',
    })
    expect((await staging.api.getCheckout({ params: { id: ready.id } })).status).toBe('ready_for_complete')
  })
})

describe.runIf(BROWSER)('the token', () => {
  test('is in no URL, no script-readable storage and no script-readable cookie', async () => {
    const page = await staging.open('/')
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await signIn(page)
    await page.getByRole('link', { name: 'Machines' }).first().click()
    await page.getByRole('table').waitFor()
    expect(asked.filter((url) => url.includes(TOKEN))).toEqual([])
    const seen = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, document.documentElement.outerHTML])',
    )
    expect(seen).not.toContain(TOKEN)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({ name: 'service_auth', httpOnly: true, sameSite: 'Strict' })
  })
})
