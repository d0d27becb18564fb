/**
 * `npm run taps`: the owner's morning in a browser, with every tap counted. Starts the demo with a database of its own, does
 * each task from Today, prints task, allowed and counted, and ends with 1 where a task takes more than it may. Typing where
 * the cursor stands is no tap; going to another field is one, and so is a choice from a list.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Locator, type Page, chromium } from 'playwright-core'
import { readConfig } from '../src/config.ts'
import { createClient } from '../src/client/index.ts'
import { serve } from '../src/main.ts'
import { addPerson } from '../src/rules/people/index.ts'

const TOKEN = 'taps-token-0123456789abcdef'
const PORT = process.env['PORT'] ?? '18182'
const URL_BASE = `http://127.0.0.1:${PORT}`
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const CHROMIUM = process.env['CHROMIUM'] ?? PLACES.find((place) => existsSync(place)) ?? '/usr/bin/chromium'
const WAIT_MS = 15_000

await import(new URL('build-console.mjs', import.meta.url).href)
const folder = mkdtempSync(join(tmpdir(), 'vendops-taps-'))
const read = readConfig(
  {
    PORT,
    PUBLIC_URL: URL_BASE,
    DATABASE_URL: `sqlite:${folder}/vendops.db`,
    DATA_DIR: folder,
    OPERATOR_TOKEN: TOKEN,
    LOG_LEVEL: 'silent',
    VENDOPS_SEED: '7',
    VENDOPS_CLOCK: '2026-09-10T09:00:00+08:00',
    RATE_LIMIT_PER_MINUTE: '0',
  },
  existsSync,
)
if (!read.ok) throw new Error(read.problems.join('; '))
const service = await serve(read.config, [])
const added = await addPerson(service.ctx, { name: 'Owner', role: 'owner', expiresAt: undefined }, 'root@host')
if (!added.ok) throw new Error(added.refusal.messages[0]?.content)
const { key } = added.value
const api = createClient({ baseUrl: URL_BASE, token: TOKEN })
const owner = createClient({ baseUrl: URL_BASE, token: key })
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
})

interface Hand {
  readonly page: Page
  readonly tap: (what: Locator) => Promise<void>
  readonly choose: (list: Locator, option: string | { readonly index: number }) => Promise<void>
  /** Where the cursor stands already. */
  readonly type: (text: string) => Promise<void>
}

interface Task {
  readonly name: string
  readonly allowed: number
  readonly before?: () => Promise<void>
  readonly run: (hand: Hand) => Promise<void>
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first()
const inMenu = (page: Page, name: string) => page.locator('nav').getByRole('link', { name, exact: true }).first()

const TASKS: readonly Task[] = [
  {
    name: 'know what happened',
    allowed: 0,
    run: ({ page }) => page.locator('.feed-list li').first().waitFor(),
  },
  {
    name: 'this week’s profit',
    allowed: 1,
    run: ({ page }) =>
      page.locator('.tile', { hasText: 'Profit' }).locator('.tile-figure', { hasText: /\d/ }).first().waitFor(),
  },
  {
    name: 'why (from the plan)',
    allowed: 1,
    run: async ({ page, tap }) => {
      await page.goto(`${URL_BASE}/plan`)
      await tap(page.locator('.row-open').first())
      await page.getByRole('dialog').locator('p').first().waitFor()
    },
  },
  {
    name: 'approve and order a run',
    allowed: 3,
    before: async () => {
      await api.createRun({})
    },
    run: async ({ page, tap }) => {
      await tap(page.locator('.attention-group a[href^="/approvals/"]').first())
      await tap(button(page, /^Approve: /))
      await tap(button(page, /^Allow and order/))
      await page
        .locator('.badge', { hasText: /^(Ordered|Placed|On its way)/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'what loses money, and the next step',
    allowed: 2,
    run: async ({ page, tap }) => {
      await tap(page.locator('.tile[href="/profit"]').first())
      await tap(page.locator('#main table a[href]:not([href^="/machines/"]):not([href^="/skus/"])').first())
      await page.waitForURL((url) => url.pathname !== '/profit')
    },
  },
  {
    name: 'one price on several machines',
    allowed: 6,
    run: async ({ page, tap, choose, type }) => {
      await tap(inMenu(page, 'Machines'))
      await tap(page.locator('#main a[href="/prices"]'))
      await choose(page.getByLabel('Product'), { index: 1 })
      await tap(page.getByLabel('Amount'))
      await page.keyboard.press('Control+a')
      await type('9.90')
      await tap(button(page, 'Show the effect'))
      await tap(button(page, /^Change \d+ price/))
      await page
        .locator('.badge', { hasText: /^(changed|waiting for approval)$/ })
        .first()
        .waitFor()
    },
  },
  {
    name: 'stop',
    allowed: 2,
    run: async ({ page, tap }) => {
      await tap(button(page, 'Emergency stop'))
      await tap(button(page, 'Stop everything now'))
      await page
        .getByText(/^Emergency stop is on/)
        .first()
        .waitFor()
    },
  },
  {
    name: 'release (owner)',
    allowed: 3,
    run: async ({ page, tap, type }) => {
      await tap(page.locator('a[href="/guardrails"]', { hasText: 'Details' }))
      await tap(button(page, 'Release the emergency stop'))
      await type('release')
      await tap(page.getByRole('dialog').getByRole('button', { name: 'Release the emergency stop' }))
      await page.getByText('Emergency stop is off').first().waitFor()
    },
  },
  {
    name: 'add a driver with a QR code',
    allowed: 4,
    run: async ({ page, tap, choose, type }) => {
      await tap(inMenu(page, 'People'))
      await tap(button(page, 'Add a person'))
      await type('Driver Li')
      await choose(page.getByRole('dialog').getByLabel('Role'), 'driver')
      await tap(page.locator('dialog button[type=submit]'))
      await page.getByRole('img', { name: 'Sign-in link as a QR code' }).waitFor()
    },
  },
  {
    name: 'what an agent did, and why',
    allowed: 1,
    before: async () => {
      await owner.putOperator({ body: { autonomy: { restock: 'propose', swaps: 'propose' } } })
      await owner.startShift({})
    },
    run: async ({ page, tap }) => {
      await tap(page.locator('#main a[href^="/activity/"]').first())
      await page.locator('#main h1').waitFor()
      await page.waitForURL(/\/activity\//)
    },
  },
]

async function count({ before, run }: Task): Promise<number> {
  await before?.()
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' })
  let taps = 0
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS)
    const answer = await page.request.post(`${URL_BASE}/signin`, { data: { token: key } })
    if (!answer.ok()) throw new Error(`signing in: ${answer.status()}`)
    await page.goto(URL_BASE)
    await page.locator('#main h1').waitFor()
    await run({
      page,
      async tap(what) {
        await what.click()
        taps++
      },
      async choose(list, option) {
        await list.selectOption(option)
        taps++
      },
      type: (text) => page.keyboard.type(text),
    })
    return taps
  } finally {
    await context.close()
  }
}

try {
  const width = Math.max(...TASKS.map(({ name }) => name.length))
  console.log(`${'task'.padEnd(width)}  allowed  counted`)
  for (const task of TASKS) {
    const counted = await count(task).catch((failure: Error) => failure.message.split('\n')[0] ?? '')
    const isWithin = typeof counted === 'number' && counted <= task.allowed
    if (!isWithin) process.exitCode = 1
    console.log(
      `${task.name.padEnd(width)}  ${String(task.allowed).padStart(7)}  ${String(counted).padStart(7)} ${isWithin ? '✓' : '✗'}`,
    )
  }
} finally {
  await browser.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
