/**
 * `npm run walk`: from an empty folder to the first order document, in a browser only, with the pictures of
 * docs/getting-started.md. It fails when a number of the plan or of the order is wrong. Needs Chromium (at the path in
 * `CHROMIUM`, else /usr/bin/chromium).
 */
import { strict as assert } from 'node:assert'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Locator, type Page, chromium } from 'playwright-core'
import { MACHINES, dexFile, priceList, products } from './walk/files.ts'

const OUT = process.env['WALK_OUT'] ?? join(import.meta.dirname, '../docs/pictures/getting-started')
const ROOT = join(import.meta.dirname, '..')
const DAY = 24 * 3_600_000
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

await import(new URL('build-console.mjs', import.meta.url).href)
mkdirSync(OUT, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'vendops-walk-'))

/** What the person has: the list of the wholesaler, and the files of the machines. */
const listFile = join(folder, 'Tri-County price list NOV.xlsx')
writeFileSync(listFile, priceList())
const dexFiles = MACHINES.flatMap((machine) =>
  [2, 1, 0].map((weeksAgo) => {
    const at = new Date(Date.now() - weeksAgo * 7 * DAY - 3_600_000)
    const path = join(folder, `${machine.asset}_${at.toISOString().slice(0, 10)}.dex`)
    writeFileSync(path, dexFile(machine, 30 - weeksAgo, at))
    utimesSync(path, at, at)
    return path
  }),
)

const freePort = () =>
  new Promise<number>((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const data = join(folder, 'data')
const service = spawn(process.execPath, ['bin/vendops.js', 'serve'], {
  cwd: ROOT,
  env: {
    PATH: process.env['PATH'],
    VENDOPS_ENV: 'live',
    PORT: String(port),
    PUBLIC_URL: url,
    DATABASE_URL: `sqlite:${data}/vendops.db`,
    OPERATOR_TOKEN: 'walk-token-0123456789abcdef',
    LOG_LEVEL: 'silent',
  },
  stdio: 'inherit',
})
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? PLACES.find((place) => existsSync(place)) ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
})

const started = Date.now()
let stepStarted = started
let taken = 0

/** What a step took with its pictures. A person also reads: this is what the service and the browser need. */
function endStep(name: string): void {
  const now = Date.now()
  const [seconds, all] = [now - stepStarted, now - started].map((ms) => (ms / 1000).toFixed(1))
  console.log(`${name.padEnd(36)} ${seconds} s, ${all} s in all`)
  stepStarted = now
}

/** When nothing is loading any more. */
async function take(page: Page, name: string): Promise<void> {
  // Not waitForFunction: it evaluates text in the page, which the content security policy forbids.
  while ((await page.locator('[aria-busy=true], .skeleton').count()) > 0) await page.waitForTimeout(100)
  await page.waitForTimeout(300)
  await page.mouse.wheel(0, name === 'selections' || name === 'counts' ? 0 : -10_000)
  // Short confirmations cover what they confirm.
  while ((await page.locator('.toast').count()) > 0) await page.waitForTimeout(100)
  taken += 1
  const session = await page.context().newCDPSession(page)
  const { data: picture } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 55 })
  await session.detach()
  // They are kept in the repository.
  assert.ok(picture.length * 0.75 <= 60_000, `${name} is larger than 60 KB`)
  writeFileSync(join(OUT, `${String(taken).padStart(2, '0')}-${name}.webp`), Buffer.from(picture, 'base64'))
}

/** What the person gets with a press of the button, as rows of cells. */
async function downloaded(page: Page, button: Locator): Promise<readonly (readonly string[])[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
  const path = join(folder, download.suggestedFilename())
  await download.saveAs(path)
  return parseCsv(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
}

/** None of our titles holds a comma or a quotation mark. */
const parseCsv = (text: string) =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => line.split(',').map((cell) => cell.replaceAll('"', '')))

async function walk(): Promise<void> {
  const linkFile = join(data, 'first-owner-link')
  for (let tries = 0; !existsSync(linkFile); tries++) {
    if (tries > 300) throw new Error('the service did not start')
    await sleep(100)
  }
  const context = await browser.newContext({
    viewport: { width: 1120, height: 760 },
    locale: 'en-US',
    timezoneId: 'America/Chicago',
    reducedMotion: 'reduce',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  page.on('pageerror', (error) => console.error('page:', error))
  try {
    await steps(page, readFileSync(linkFile, 'utf8').trim())
  } catch (error) {
    await page.screenshot({ path: join(tmpdir(), 'walk-failed.png') })
    throw error
  }
}

async function steps(page: Page, link: string): Promise<void> {
  const save = () => page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  stepStarted = Date.now()
  await page.goto(link)
  await page.getByLabel('Your name').fill('Maria Lopez')
  await take(page, 'first-owner')
  await page.locator('form button[type=submit]').click()
  await page.locator('main a.button, main button.primary').first().click()
  await page.getByText('1 of 8 steps done').waitFor()
  await take(page, 'today')
  endStep('become the owner')

  await page.getByRole('link', { name: 'Say where you are' }).click()
  await page.getByLabel('Your company').fill(BUYER)
  for (const [field, value] of Object.entries(ADDRESS)) await page.locator(`[name=${field}]`).fill(value)
  const card = (name: string) => page.getByRole('region', { name })
  const saveCard = async (name: string) => {
    await card(name).getByRole('button', { name: 'Save' }).click()
    await card(name).locator('button[type=submit]:disabled').waitFor()
  }
  await saveCard('Who buys, and where deliveries go')
  await page.getByLabel('Currency', { exact: true }).selectOption('USD')
  await page.getByRole('button', { name: 'Use America/Chicago' }).click()
  await saveCard('Currency, time and language')
  await page.getByLabel('A trip').fill('15')
  await page.getByLabel('A stop').fill('4.50')
  await saveCard('What driving costs')
  await take(page, 'settings')
  await page.goto(url)
  endStep('say where goods go, currency and zone')

  await page.getByRole('link', { name: 'Add your supplier and your machines' }).click()
  await page.getByRole('button', { name: 'Add a connection' }).click()
  await page.getByRole('button', { name: 'A price list from a supplier' }).click()
  await page.getByLabel('Short name').fill('tricounty')
  await page.locator('dialog input[type=file]').setInputFiles(listFile)
  await page.getByText('Are these right?').waitFor()
  await page.getByLabel('How do you send orders').selectOption('hand')
  assert.equal(await page.getByLabel('Your name as the supplier knows it').inputValue(), BUYER)
  await take(page, 'price-list')
  await save()
  await page.getByRole('heading', { name: 'tricounty-supply' }).waitFor()
  await take(page, 'pack-sizes')
  endStep('bring the price list')

  await page.getByRole('button', { name: 'Add a connection' }).click()
  await page.getByRole('button', { name: 'DEX files' }).click()
  await page.getByLabel('Short name').fill('route')
  await save()
  await page.getByRole('heading', { name: 'Add machines' }).waitFor()
  await page.locator('#main input[type=file]').setInputFiles(dexFiles)
  await page.getByRole('button', { name: 'Use 6 files' }).click()
  await page.getByLabel('Name of LOBBY-1').fill('City Hall lobby')
  await page.getByLabel('Address of LOBBY-1').fill('200 Main Street')
  await page.getByLabel('Name of GYM-2').fill('Riverside gym')
  await page.getByLabel('Address of GYM-2').fill('14 River Road')
  await take(page, 'machines')
  await page.getByRole('button', { name: 'Add 2 machines' }).click()
  await page.getByText('All machines are on your route').waitFor()
  endStep('bring the DEX files, add machines')

  await page.goto(`${url}/setup/selections`)
  for (const [name, machine] of [
    [LOBBY, MACHINES[0]],
    ['Riverside gym', MACHINES[1]],
  ] as const) {
    const section = page.getByRole('region', { name })
    for (const [i, { code }] of (machine?.selections ?? []).entries()) {
      const field = section.getByRole('combobox', { name: `Product in slot ${code}`, exact: true })
      await field.fill(PRODUCTS[name]?.[i] ?? '')
      await section.getByRole('option').first().waitFor()
      await field.press('Enter')
      await section.getByLabel(`Units that fit into slot ${code}`).fill(String(CAPACITY))
    }
    if (name === LOBBY) await take(page, 'selections')
    await section.getByRole('button', { name: `Save ${name}` }).click()
    await page.getByText(`Saved: ${name}.`).waitFor()
  }
  endStep('say what is in 18 selections')

  await page.goto(`${url}/setup/counts`)
  const lobby = page.getByRole('region', { name: LOBBY })
  const fields = lobby.locator('input.count')
  await fields.first().waitFor()
  for (const [i, count] of COUNTS.entries()) await fields.nth(i).fill(String(count))
  await take(page, 'counts')
  await lobby.getByRole('button', { name: 'Save 10 counts' }).click()
  await page.getByText('10 counts saved').waitFor()
  const gym = page.getByRole('region', { name: 'Riverside gym' })
  await gym.getByRole('button', { name: 'All full' }).click()
  await gym.getByRole('button', { name: 'Save 8 counts' }).click()
  await page.getByText('8 counts saved').waitFor()
  endStep('count')

  await page.goto(url)
  await page.getByRole('link', { name: 'Set the rules' }).first().click()
  await page.getByLabel('Spending limit per purchase').fill('400')
  await page.getByLabel('Price change limit per item').fill('0.25')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Many small purchases or price changes can add up').waitFor()
  for (const [rule, amount] of [
    ['Spending limit per day', '800'],
    ['Spending limit per week', '1500'],
    ['Price change limit per week', '0.50'],
  ] as const) {
    await page.getByRole('button', { name: `Change: ${rule}` }).click()
    await page.locator('dialog input[name=value]').fill(amount)
    await save()
    await page.locator('dialog').waitFor({ state: 'detached' })
  }
  await page.getByText('Many small purchases or price changes can add up').waitFor({ state: 'detached' })
  await take(page, 'rules')
  endStep('set the rules')

  await page.goto(`${url}/plan`)
  checkPlan(await downloaded(page, page.getByRole('button', { name: 'Download CSV' })))
  await take(page, 'plan')
  await page.getByRole('button', { name: 'Order now' }).click()
  await page.locator('dialog').getByText('Checked just now').waitFor()
  await page.locator('dialog button[type=submit]').click()
  endStep('look at the plan, make a run')

  await page.waitForURL('**/purchases/po_*')
  const total = (await page.locator('dialog .big-total').innerText()).replace(/[^\d.]/g, '')
  await page.locator('dialog input[name=total]').fill(total)
  await page.locator('dialog').getByText('Checked just now').waitFor()
  await take(page, 'confirm')
  await page.locator('dialog button[type=submit]').click()
  const document = page.getByRole('button', { name: /^Download po_/ })
  await document.waitFor()
  await take(page, 'document')
  checkOrder(await downloaded(page, document), total)
  await page.getByRole('button', { name: 'I sent it' }).click()
  await page.locator('h1 .badge', { hasText: 'Ordered' }).waitFor()
  // Once more, if the mail was lost.
  checkOrder(await downloaded(page, document), total)
  endStep('order, download, say it was sent')

  await page.goto(url)
  await page.getByText(`Largest order $${total}`).waitFor()
  assert.equal(await page.getByText('Getting started').count(), 0, 'the first steps are done')
}

const LOBBY = 'City Hall lobby'
const CAPACITY = 12
/** From the top left of the lobby. */
const COUNTS = [3, 0, 5, 12, 2, 7, 1, 4, 0, 6]
const BUYER = 'Lopez Vending LLC'
const ADDRESS = {
  first_name: 'Maria Lopez',
  phone_number: '555 0142',
  street_address: '8 Depot Lane',
  address_locality: 'Springfield',
  address_region: 'IL',
  postal_code: '62701',
  address_country: 'US',
}
/** The delivery time that the plan assumes, in days. */
const LEAD_DAYS = 2

/** Each rate is what the DEX files say: what was sold in a week, by seven. */
function checkPlan([header = [], ...rows]: readonly (readonly string[])[]): void {
  const rate = header.indexOf('Sold/day')
  const rates = rows.map((row) => Number(row[rate]))
  const real = MACHINES.flatMap(({ selections }) => selections.map(({ sold }) => sold / 7))
  assert.equal(rates.length, real.length, 'a row for every selection')
  const sorted = real.toSorted((a, b) => a - b)
  for (const [i, planned] of rates.toSorted((a, b) => a - b).entries()) {
    const actual = sorted[i] ?? 0
    assert.ok(Math.abs(planned - actual) <= 0.15 * actual, `planned ${planned} a day, sold ${actual}`)
  }
}

/** Articles, cases and prices of cases as in the list; no more cases than the empty room needs, and none too few. */
function checkOrder([header, ...rows]: readonly (readonly string[])[], total: string): void {
  assert.deepEqual(header, ['po', 'sku', 'title', 'qty', 'unit', 'pack_price', 'case_size', 'price_of_one'])
  const lines = rows.filter(([, article]) => article !== '')
  const said = rows.map((row) => row.join(',')).join('\n')
  for (const part of [`Buyer: ${BUYER}`, ...Object.values(ADDRESS)]) assert.ok(said.includes(part), part)
  let sum = 0
  for (const [, article, title = '', quantity, unit, price, size] of lines) {
    const listed = products().find((one) => one.article === article)
    assert.ok(listed, `article ${article} is in the list`)
    assert.deepEqual([title, unit, price, size], [listed.title, 'pack', listed.price.toFixed(2), String(listed.size)])
    // Of both machines: on a trip that is paid for anyway, a stop at the full one is cheap.
    const isPlanned = Object.values(PRODUCTS)
      .flat()
      .some((words) => words.split(' ').every((word) => isIn(word, title)))
    assert.ok(isPlanned, `${title} is in a machine`)
    const cases = Number(quantity)
    assert.ok(cases >= 1 && (cases - 1) * listed.size < CAPACITY, `${cases} cases of ${listed.size} ${title}`)
    sum += cases * listed.price
  }
  for (const [i, words] of (PRODUCTS[LOBBY] ?? []).entries()) {
    const perDay = (MACHINES[0]?.selections[i]?.sold ?? 0) / 7
    const isOrdered = lines.some(([, , title = '']) => words.split(' ').every((word) => isIn(word, title)))
    assert.ok(isOrdered || (COUNTS[i] ?? 0) > perDay * LEAD_DAYS, `${words} runs out and is not ordered`)
  }
  assert.deepEqual([sum.toFixed(2), rows.at(-1)?.at(5)], [total, total])
}

const isIn = (word: string, title: string): boolean => title.toLowerCase().includes(word)

/** What the person sees behind the glass, from the top left. */
const PRODUCTS: Readonly<Record<string, readonly string[]>> = {
  [LOBBY]: [
    'kettle hill sea salt',
    'kettle hill barbecue',
    'golden sour',
    'plaza nacho',
    'twist & co classic',
    'maple street milk',
    'maple street almond',
    'grandma lou oatmeal',
    'trailhead peanut',
    'dixie farm salted',
  ],
  'Riverside gym': [
    'harbor cola',
    'harbor zero',
    'harbor cherry',
    'blue fern spring',
    'blue fern lemon',
    'porch peach',
    'volt energy',
    'grove orange',
  ],
}

try {
  await walk()
} finally {
  await browser.close()
  service.kill('SIGTERM')
  await new Promise((done) => service.once('exit', done))
  rmSync(folder, { recursive: true, force: true })
}
