/** The driver's day in a browser: visits without a network, sent once when the line is back. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BROWSER, NARROW, signIn, startStagingConsole } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

let staging: StagingConsole
let driver: Awaited<ReturnType<StagingConsole['addKey']>>
beforeAll(async () => {
  staging = await startStagingConsole()
  driver = await staging.addKey('driver')
})
afterAll(() => staging.close())

const PHONE = { viewport: NARROW, hasTouch: true } as const

/** A run for these machines, approved and ordered. */
async function placeRun(locations: string[]): Promise<string> {
  const { api } = staging
  const { id, actions = {} } = await api.createRun({ body: { locations } })
  for (const { id: approval } of Object.values(actions).flat())
    await api.resolveApproval({ params: { id: approval }, body: { approved: true } })
  await api.placeRun({ params: { id } })
  return id
}

const receivedAt = async (run: string, location: string): Promise<string> =>
  (await staging.api.getRun({ params: { id: run } })).visits?.find((visit) => visit.location === location)
    ?.received_at ?? ''

const cards = (page: Page) => page.locator('.visit-card')
const badges = async (page: Page) => page.locator('.visit-card .badge').allTextContents()

/** The phone has today's visits and the console, so that it can lose its line. */
async function readyPhone(visits: number): Promise<Page> {
  const page = await staging.signedIn('/visits', PHONE)
  await expect.poll(() => cards(page).count()).toBe(visits)
  await page.evaluate('navigator.serviceWorker.ready')
  // A page that was opened while its service worker started may be without it; after the next load it is not.
  if (await page.evaluate('navigator.serviceWorker.controller === null')) await page.reload()
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
  return page
}

const NOTE = 'Door sticks'

/** The whole work at a machine: count, load one less than planned, take one out, note, save. */
async function workAndSave(page: Page, index: number): Promise<void> {
  await cards(page).nth(index).getByRole('link').tap()
  await page.getByRole('button', { name: 'All as expected', exact: true }).tap()
  await page.locator('.visit-modes label', { hasText: 'Fill' }).tap()
  await page.locator('.visit-slots .big-stepper button').first().tap()
  await page.locator('.visit-modes label', { hasText: 'Take out' }).tap()
  await page.locator('.visit-slots .big-stepper button').nth(1).tap()
  await page.getByLabel('Note').fill(`${NOTE} ${index}`)
  await page.getByRole('button', { name: 'Save visit' }).tap()
  await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
}

/** Opens a visit, counts every slot as expected, and saves: three taps. */
async function countAndSave(page: Page, index: number): Promise<void> {
  await cards(page).nth(index).getByRole('link').tap()
  const way = await page.getByRole('link', { name: 'Navigate', exact: true }).getAttribute('href')
  expect(way).toMatch(/^(geo:|https:\/\/maps\.apple\.com\/)/)
  await page.getByRole('button', { name: 'All as expected', exact: true }).tap()
  await page.getByRole('button', { name: 'Save visit' }).tap()
  await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
}

describe.runIf(BROWSER)('visits', () => {
  test('4.7 the work at ten machines, done without a network, arrives once each, after a reload and a lost answer', async () => {
    const machines = Array.from({ length: 10 }, (_, n) => `M${1001 + n}`)
    const run = await placeRun(machines)
    const page = await readyPhone(machines.length)
    await page.context().setOffline(true)
    for (let index = 0; index < machines.length; index++) await workAndSave(page, index)
    expect(new Set(await badges(page))).toEqual(new Set(['Kept on this device']))

    await page.reload()
    await expect.poll(() => cards(page).count()).toBe(machines.length)
    expect(new Set(await badges(page))).toEqual(new Set(['Kept on this device']))
    await page.getByText('10 entries on this device are waiting to be sent.').waitFor()
    expect((await staging.api.getRun({ params: { id: run } })).visits?.map(({ status }) => status)).not.toContain(
      'received',
    )

    // The service books the first one, and its answer is lost on the way.
    const sent: { key: string; path: string; replayed: boolean }[] = []
    const loaded = new Map<string, number>()
    let isLost = false
    await page.route('**/visits/*/receive', async (route) => {
      const request = route.request()
      const answer = await route.fetch()
      const replayed = answer.headers()['idempotent-replayed'] === 'true'
      const { pathname: path } = new URL(request.url())
      sent.push({ key: request.headers()['idempotency-key'] ?? '', path, replayed })
      const { delivered } = request.postDataJSON() as { delivered: readonly { quantity: number }[] }
      loaded.set(
        path.split('/').at(-2) ?? '',
        delivered.reduce((sum, { quantity }) => sum + quantity, 0),
      )
      if (isLost) return route.fulfill({ response: answer })
      isLost = true
      return route.abort('connectionreset')
    })
    await page.context().setOffline(false)
    await expect.poll(async () => new Set(await badges(page))).toEqual(new Set(['Sent']))
    // The last stop closed the run. It stays in sight, with its undo, when the day is read again.
    const listed = page.waitForResponse((response) => response.url().includes('/replenishment/runs?'))
    await page.getByRole('button', { name: 'Update' }).tap()
    await listed
    await expect.poll(() => page.locator('.as-of button[aria-busy=true], .as-of button:disabled').count()).toBe(0)
    expect(await badges(page)).toEqual(machines.map(() => 'Sent'))
    await page
      .getByRole('button', { name: /^Undo \(\d+ min\)/ })
      .first()
      .waitFor()

    const { status, visits = [] } = await staging.api.getRun({ params: { id: run } })
    expect(status).toBe('delivered')
    expect(new Set(visits.map(({ service_id }) => service_id)).size).toBe(machines.length)
    const { events } = await staging.api.listEvents({ query: { kind: 'replenishment', limit: 100 } })
    const received = events.filter(({ code }) => code === 'stop_received').map(({ location = '' }) => location)
    expect(received.toSorted()).toEqual(machines)
    const { line_items: lines } = await staging.api.getRun({ params: { id: run } })
    const notes: string[] = []
    for (const id of machines) {
      const { services } = await staging.api.getLocationHistory({ params: { id } })
      const [service] = services
      notes.push(service?.note ?? '')
      const own = lines.filter(({ location }) => location === id)
      const fulfilled = own.reduce((sum, { quantity }) => sum + quantity.fulfilled, 0)
      // One less than planned, and less where not all of it fits.
      expect(own.reduce((sum, { quantity }) => sum + quantity.total, 0)).toBeGreaterThan(fulfilled)
      const removed = service?.removed.map(({ quantity }) => quantity)
      expect([id, services.length, fulfilled, removed]).toEqual([id, 1, loaded.get(id), [1]])
      expect(service?.counted.length).toBeGreaterThan(0)
    }
    expect(notes.toSorted()).toEqual(machines.map((_, index) => `${NOTE} ${index}`))
    // Eleven requests with ten keys: the first was answered a second time and not booked a second time.
    expect(new Set(sent.map(({ key }) => key)).size).toBe(machines.length)
    expect(sent.filter(({ replayed }) => replayed)).toEqual([{ ...sent[0], replayed: true }])
  })

  test('an entry can be taken back before and after it was sent, and a refusal is shown beside it', async () => {
    const run = await placeRun(['M1011', 'M1012'])
    const page = await readyPhone(2)
    await page.context().setOffline(true)
    await countAndSave(page, 0)
    await page.getByRole('button', { name: 'Undo', exact: true }).tap()
    await expect.poll(() => badges(page)).toEqual(['Started', 'Open'])

    await page.context().setOffline(false)
    await countAndSave(page, 1)
    await page.getByRole('button', { name: /^Undo \(\d+ min\)/ }).tap()
    await expect.poll(() => badges(page)).toEqual(['Started', 'Started'])
    const statuses = async () =>
      (await staging.api.getRun({ params: { id: run } })).visits?.map(({ status }) => status) ?? []
    expect(await statuses()).toEqual(['open', 'open'])

    // Somebody else receives a stop while the phone is offline.
    await page.context().setOffline(true)
    await cards(page).nth(0).getByRole('link').tap()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    const [first] = (await staging.api.getRun({ params: { id: run } })).visits ?? []
    await staging.api.receiveStop({ params: { id: run, location: first?.location ?? '' }, body: { delivered: [] } })
    await page.context().setOffline(false)
    await expect.poll(() => badges(page)).toEqual(['Refused', 'Started'])

    // What was counted becomes a visit without a run, made when it was first entered; what was loaded is the other's.
    const sent = page.waitForRequest((request) => request.url().endsWith('/service'))
    await cards(page).nth(0).getByRole('button', { name: 'Change and send again' }).tap()
    await page.waitForURL((url) => url.pathname === `/visits/${first?.location}` && url.search === '')
    await page.getByRole('button', { name: 'Save visit' }).tap()
    const body = (await sent).postDataJSON() as { counted: unknown[]; occurred_at: string; delivered?: unknown }
    expect(body.counted.length).toBeGreaterThan(0)
    expect(body).not.toHaveProperty('delivered')
    expect(Date.parse(body.occurred_at)).toBeLessThan(Date.parse(await receivedAt(run, first?.location ?? '')))
    // It is in no run, and still in sight with its undo.
    await expect.poll(() => badges(page)).toEqual(['Received', 'Started', 'Sent'])
    await cards(page).nth(2).getByRole('button', { name: /^Undo/ }).tap()
    await expect.poll(() => badges(page)).toEqual(['Received', 'Started'])

    // A failure of the service is not "no slots".
    await page.route('**/replenishment/plan?location=M1003', (route) => route.fulfill({ status: 500, body: 'oops' }))
    await page.goto(`${staging.url}/visits/M1003`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByText('No slots are known for this machine').count()).toBe(0)
  })

  test('save is off until something was entered, and its confirmation covers no undo', async () => {
    const page = await readyPhone(2)
    await page.context().setOffline(true)
    await cards(page).nth(1).getByRole('link').tap()
    const save = page.getByRole('button', { name: 'Save visit' })
    await page.locator('.visit-slots li').first().waitFor()
    expect(await save.isDisabled()).toBe(true)
    await page.getByLabel('Note').fill('Only a note')
    expect(await save.isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Filled as planned' }).tap()
    await save.tap()
    const undo = cards(page).nth(1).getByRole('button', { name: 'Undo' })
    const [shown, button] = [await page.locator('.toast').boundingBox(), await undo.boundingBox()]
    if (!shown || !button) throw new Error('the confirmation and the undo are not both in sight')
    expect(shown.y + shown.height < button.y || shown.y > button.y + button.height).toBe(true)
    await undo.tap()
    await expect.poll(() => badges(page)).toEqual(['Received', 'Started'])
  })

  test('a session that ended elsewhere leaves only what was not sent, for the same person', async () => {
    const { key } = driver
    const page = await staging.signedIn('/visits', { ...PHONE, token: key })
    await expect.poll(() => cards(page).count()).toBe(2)
    const keptText = () =>
      page.evaluate<string>(`new Promise((resolve) => {
        const asked = indexedDB.open('vendops-visits')
        asked.onsuccess = async () => {
          const all = (name) => new Promise((done) => {
            asked.result.transaction(name).objectStore(name).getAll().onsuccess = (event) => done(event.target.result)
          })
          resolve(JSON.stringify({ day: await all('day'), press: await all('press') }))
        }
      })`)
    const { name: machine } = (await staging.api.lookupLocations({ body: { ids: ['M1012'] } })).locations[0] ?? {}
    await page.context().route('**/receive', (route) => route.abort())
    await page.evaluate('navigator.serviceWorker.ready')
    await page.context().setOffline(true)
    await page.locator('.visit-open', { hasText: 'Next' }).tap()
    await page.getByRole('button', { name: 'All as expected', exact: true }).tap()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.locator('.badge', { hasText: 'Kept on this device' }).waitFor()
    await expect.poll(keptText).toContain(machine)

    // The person signs out everywhere in another browser.
    const other = await staging.signedIn('/visits', { token: key })
    await other.evaluate(
      `fetch('/signout', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ everywhere: true }) })`,
    )
    await other.context().close()
    await page.context().setOffline(false)
    await page.locator('input[name=token]').waitFor()
    await expect.poll(keptText).not.toContain(machine)
    const left = JSON.parse(await keptText()) as {
      day: unknown[]
      press: { state: string; body: { counted: unknown[] } }[]
    }
    expect([left.day.length, left.press.map(({ state }) => state)]).toEqual([0, ['kept']])
    expect(left.press[0]?.body.counted.length).toBeGreaterThan(0)

    // It is still theirs: after signing in again it is there, and can be taken back.
    await signIn(page, key)
    await page.locator('.badge', { hasText: 'Kept on this device' }).waitFor()
  })

  test('5 signing out leaves nothing of a person on the phone, and asks while entries wait', async () => {
    const page = await readyPhone(2)
    await page.context().setOffline(true)
    await page.getByRole('searchbox', { name: 'Machine' }).fill('M1001')
    await page.locator('.big-rows a').first().tap()
    // Its slots were never read on this device.
    await page.getByText('This machine was never opened on this device').waitFor()
    await page.goto(`${staging.url}/no-such-page`)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await page.goto(`${staging.url}/visits`)
    await cards(page).nth(1).getByRole('link').tap()
    await page.getByRole('button', { name: 'Filled as planned' }).tap()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.getByRole('heading', { level: 1, name: 'Visits' }).waitFor()
    await page.context().route('**/receive', (route) => route.abort())
    await page.context().setOffline(false)
    await page.getByRole('button', { name: 'More', exact: true }).tap()
    await page.getByRole('button', { name: 'Sign out', exact: true }).tap()
    await page.getByText('1 entry on this device was not sent yet.').waitFor()
    await page.getByRole('button', { name: 'Keep and sign out' }).tap()
    await page.locator('input[name=token]').waitFor()
    const kept = () =>
      page.evaluate<Record<string, number>>(`new Promise((resolve) => {
        const asked = indexedDB.open('vendops-visits')
        asked.onsuccess = async () => {
          const count = (name) => new Promise((done) => {
            asked.result.transaction(name).objectStore(name).count().onsuccess = (event) => done(event.target.result)
          })
          resolve({ press: await count('press'), day: await count('day') })
        }
      })`)
    await expect.poll(kept).toEqual({ press: 1, day: 0 })

    await page.context().unroute('**/receive')
    await signIn(page)
    await page.getByRole('link', { name: 'Visits' }).tap()
    await expect.poll(async () => (await staging.api.listRuns({ query: { status: 'placed' } })).runs.length).toBe(0)
    await page.getByRole('button', { name: 'More', exact: true }).tap()
    await page.getByRole('button', { name: 'Sign out', exact: true }).tap()
    await page.locator('input[name=token]').waitFor()
    await expect.poll(kept).toEqual({ press: 0, day: 0 })
  })

  test('a driver reports collected cash alone, with its bag; what is no amount cannot be saved', async () => {
    const { api } = staging
    const location = (await api.searchLocations()).locations.at(-1)?.id ?? ''
    const token = driver.key
    const page = await staging.signedIn(`/visits/${location}`, { ...PHONE, token })
    const save = page.getByRole('button', { name: 'Save visit' })
    const counted = page.locator('.visit-slots .big-stepper input').first()
    await counted.fill('2,5')
    await page.getByText('Enter a whole number.').waitFor()
    expect(await counted.inputValue()).toBe('2,5')
    await counted.fill('')
    await page.getByLabel('Cash collected').fill('12o')
    await page.getByText('Enter an amount').waitFor()
    expect(await save.isDisabled()).toBe(true)
    await page.getByLabel('Cash collected').fill('120.50')
    await page.getByLabel('Bag number').fill('17')
    await save.tap()
    const collected = async () => (await api.getCash({ query: { location } })).collections
    await expect.poll(async () => (await collected()).length).toBe(1)
    expect(await collected()).toMatchObject([{ amount: 12_050, bag: '17', by: { role: 'driver' } }])
    await page.goto(`${staging.url}/cash`)
    await page.locator('#main h1', { hasText: 'Cash' }).waitFor()
    await expect.poll(() => page.locator('[aria-busy=true], .skeleton').count()).toBe(0)
    expect(await page.locator('#main').textContent()).not.toMatch(/120\.50|Collections/)
    await page.context().close()
  })

  test('a problem and a photo, entered without a network, arrive and reach the owner until it is fixed', async () => {
    const { api } = staging
    const page = await staging.signedIn('/visits', { ...PHONE, token: driver.key })
    await page.getByRole('searchbox', { name: 'Machine' }).fill('M1003')
    await page.locator('.big-rows a').first().tap()
    await page.locator('.visit-slots li').first().waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Coin mechanism jams' }).tap()
    // Large, of noise: it does not fit before it was made smaller.
    const picture = await page.evaluate<string>(`(() => {
      const canvas = document.createElement('canvas')
      canvas.width = 2400
      canvas.height = 1800
      const context = canvas.getContext('2d')
      const noise = context.createImageData(2400, 1800)
      for (let i = 0; i < noise.data.length; i++) noise.data[i] = i % 4 === 3 ? 255 : (i * 7919 * (i % 127)) % 256
      context.putImageData(noise, 0, 0)
      return canvas.toDataURL('image/jpeg', 0.9).split(',')[1]
    })()`)
    const buffer = Buffer.from(picture, 'base64')
    expect(buffer.length).toBeGreaterThan(1_000_000)
    await page.locator('input[type=file]').setInputFiles({ name: 'machine.jpg', mimeType: 'image/jpeg', buffer })
    await page.getByAltText(/^Photo of/).waitFor()
    await page.getByText('Report only, no visit').waitFor()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.getByText('1 entry on this device is waiting to be sent.').waitFor()
    const list = async () => (await api.listReports({ params: { id: 'M1003' } })).reports
    const visited = async () => (await api.getLocationHistory({ params: { id: 'M1003' } })).services.length
    const before = await visited()
    expect(await list()).toEqual([])
    await page.context().setOffline(false)
    await expect.poll(list).toMatchObject([{ fault: 'Coin mechanism jams', by: { role: 'driver' } }])
    // Without a count it is no visit.
    expect(await visited()).toBe(before)
    await page.context().close()

    const owner = await staging.signedIn('/')
    await owner.getByRole('link', { name: /^Coin mechanism jams/ }).click()
    const shown = owner.locator('.notice', { hasText: 'Coin mechanism jams' })
    await expect
      .poll(() =>
        shown.locator('img').evaluate((image) => (image as unknown as { readonly naturalWidth: number }).naturalWidth),
      )
      .toBeGreaterThan(300)
    await shown.getByRole('button', { name: 'Mark as fixed' }).click()
    await owner.getByRole('heading', { name: 'Photos and past problems' }).waitFor()
    await owner.goto(`${staging.url}/activity`)
    await owner.getByText(/problem reported: Coin mechanism jams/).waitFor()
    await owner.locator('.photo-link img').first().waitFor()
    await owner.context().close()
  })
})
