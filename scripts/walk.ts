/**
 * `npm run walk`: from an empty folder to the first order document, in a browser only, with a picture of each step for
 * docs/getting-started.md. Needs Chromium (at the path in `CHROMIUM`, else /usr/bin/chromium).
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Page, chromium } from 'playwright-core'
import { MACHINES, dexFile, priceList } from './walk/files.ts'

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
    CURRENCY: 'USD',
    TIMEZONE: 'America/Chicago',
    LOG_LEVEL: 'silent',
  },
  stdio: 'inherit',
})
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? PLACES.find((place) => existsSync(place)) ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
})

const started = Date.now()
let taken = 0

/** When nothing is loading any more. */
async function take(page: Page, name: string, full = false): Promise<void> {
  // Not waitForFunction: it evaluates text in the page, which the content security policy forbids.
  while ((await page.locator('[aria-busy=true], .skeleton').count()) > 0) await page.waitForTimeout(100)
  await page.waitForTimeout(300)
  taken += 1
  const file = `${String(taken).padStart(2, '0')}-${name}.png`
  await page.screenshot({ path: join(OUT, file), fullPage: full })
  console.log(`${((Date.now() - started) / 1000).toFixed(0)} s  ${file}`)
}

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
  await page.goto(link)
  await page.getByLabel('Your name').fill('Maria Lopez')
  await take(page, 'first-owner')
  await page.locator('form button[type=submit]').click()
  await page.getByRole('button').first().waitFor()
  await take(page, 'key')
  await page.locator('main a.button, main button.primary').first().click()
  await take(page, 'today')

  await page.goto(`${url}/connections`)
  await page.getByRole('button', { name: 'Add a connection' }).click()
  await page.getByRole('button', { name: 'A price list from a wholesaler' }).click()
  await page.getByLabel('Short name').fill('tricounty')
  await page.locator('dialog input[type=file]').setInputFiles(listFile)
  await page.getByText('Are these right?').waitFor()
  await take(page, 'price-list')
  await page
    .getByLabel('Are the prices without tax or with it?')
    .selectOption({ index: 1 })
    .catch(() => {})
  await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'tricounty-supply' }).waitFor()
  await take(page, 'pack-sizes')

  await page.getByRole('button', { name: 'Add a connection' }).click()
  await page.getByRole('button', { name: 'DEX files' }).click()
  await page.getByLabel('Short name').fill('route')
  await take(page, 'dex')
  await page.locator('dialog').getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Add machines' }).waitFor()
  await page.locator('#main input[type=file]').setInputFiles(dexFiles)
  await page.getByRole('button', { name: 'Use 6 files' }).waitFor()
  await take(page, 'dex-files')
  await page.getByRole('button', { name: 'Use 6 files' }).click()
  await page.getByLabel('Name of LOBBY-1').fill('City Hall lobby')
  await page.getByLabel('Address of LOBBY-1').fill('200 Main Street')
  await page.getByLabel('Name of GYM-2').fill('Riverside gym')
  await page.getByLabel('Address of GYM-2').fill('14 River Road')
  await take(page, 'machines')
  await page.getByRole('button', { name: 'Add 2 machines' }).click()
  await page.getByText('All machines are on your route').waitFor()
  await take(page, 'machines-added')

  await page.goto(`${url}/setup/selections`)
  for (const [asset, machine] of [
    ['City Hall lobby', MACHINES[0]],
    ['Riverside gym', MACHINES[1]],
  ] as const) {
    const section = page.getByRole('region', { name: asset })
    for (const [i, { code }] of (machine?.selections ?? []).entries()) {
      const field = section.getByRole('combobox', { name: `Product in selection ${code}`, exact: true })
      await field.fill(PRODUCTS[asset]?.[i] ?? '')
      await section.getByRole('option').first().waitFor()
      if (asset === 'City Hall lobby' && i === 2) await take(page, 'product-search')
      await field.press('Enter')
      await section.getByLabel(`Items that fit into selection ${code}`).fill('12')
    }
    if (asset === 'City Hall lobby') await take(page, 'selections')
    await section.getByRole('button', { name: `Save ${asset}` }).click()
    await page.getByText(`Saved: ${asset}.`).waitFor()
  }

  await page.goto(`${url}/setup/counts`)
  const lobby = page.getByRole('region', { name: 'City Hall lobby' })
  const fields = lobby.locator('input.count')
  await fields.first().waitFor()
  for (const [i, count] of [3, 0, 5, 12, 2, 'x', 1, 4, 0, 6].entries()) await fields.nth(i).fill(String(count))
  await take(page, 'counts')
  await fields.nth(5).fill('7')
  await lobby.getByRole('button', { name: 'Save 10 counts' }).click()
  await page.getByText('10 counts saved').waitFor()
  const gym = page.getByRole('region', { name: 'Riverside gym' })
  await gym.getByRole('button', { name: 'All full' }).click()
  await gym.getByRole('button', { name: 'Save 8 counts' }).click()
  await page.getByText('8 counts saved').waitFor()

  await page.goto(`${url}/guardrails`)
  await take(page, 'rules')
  await page.goto(`${url}/plan`)
  await take(page, 'plan')
  await page.goto(url)
  await take(page, 'checklist')
}

/** What the person sees behind the glass, from the top left. */
const PRODUCTS: Readonly<Record<string, readonly string[]>> = {
  'City Hall lobby': [
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
