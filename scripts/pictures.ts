/**
 * `npm run pictures`: the pictures of the README, from the demo with a fixed seed and clock. Needs Chromium (at the path in
 * `CHROMIUM`, else /usr/bin/chromium).
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { Page } from 'playwright-core'
import { createClient } from '../src/client/index.ts'
import { readConfig } from '../src/config.ts'
import { serve } from '../src/main.ts'

const OUT = join(import.meta.dirname, '../docs/pictures')
const TOKEN = 'pictures-token-0123456789'
const PORT = process.env['PORT'] ?? '18181'
const URL_BASE = `http://127.0.0.1:${PORT}`
const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 780 }
/** Machines of one neighborhood, enough for a day of visits. */
const VISITED = ['M1001', 'M1002', 'M1003', 'M1004']

await import(new URL('build-console.mjs', import.meta.url).href)
mkdirSync(OUT, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'vendops-pictures-'))
const read = readConfig(
  {
    PORT,
    PUBLIC_URL: URL_BASE,
    DATABASE_URL: `sqlite:${folder}/vendops.db`,
    OPERATOR_TOKEN: TOKEN,
    VENDOPS_SEED: '7',
    VENDOPS_CLOCK: '2026-09-10T09:00:00+08:00',
    DEMO_LANGUAGE: 'en',
    LOG_LEVEL: 'error',
  },
  existsSync,
)
if (!read.ok) throw new Error(read.problems.join('; '))
const service = await serve(read.config, [])
const api = createClient({ baseUrl: URL_BASE, token: TOKEN })
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--hide-scrollbars'],
})

/** A run that was ordered, so that there is something to visit. */
async function placeRun(): Promise<void> {
  const { id, actions = {} } = await api.createRun({ body: { locations: VISITED } })
  for (const approval of Object.values(actions).flat())
    await api.resolveApproval({ params: { id: approval.id }, body: { approved: true } })
  await api.placeRun({ params: { id } })
}

async function openPage(viewport: { readonly width: number; readonly height: number }, path: string): Promise<Page> {
  const context = await browser.newContext({ viewport, locale: 'en-GB', colorScheme: 'light', reducedMotion: 'reduce' })
  const page = await context.newPage()
  await page.goto(URL_BASE + path)
  await page.locator('input[name=token]').fill(TOKEN)
  await page.locator('form button[type=submit]').click()
  await page.locator('main.sign-in').waitFor({ state: 'detached' })
  return page
}

/** When nothing is loading any more. */
async function take(page: Page, name: string): Promise<void> {
  // Not waitForFunction: it evaluates text in the page, which the content security policy forbids.
  while ((await page.locator('[aria-busy=true], .skeleton').count()) > 0) await page.waitForTimeout(100)
  await page.waitForLoadState('networkidle')
  await page.screenshot({ path: join(OUT, `${name}.png`) })
  await page.context().close()
  console.log(join('docs/pictures', `${name}.png`))
}

try {
  const today = await openPage(WIDE, '/')
  await today.locator('.chart-box canvas').waitFor()
  await take(today, 'today')

  const plan = await openPage(WIDE, '/plan')
  await plan.locator('.virtual-row').first().waitFor()
  await take(plan, 'plan')

  await placeRun()
  const visit = await openPage(PHONE, '/visits')
  await visit.locator('.visit-open').first().click()
  await visit.locator('.visit-slots li').first().waitFor()
  await visit.locator('.as-expected').first().click()
  await take(visit, 'visit')
} finally {
  await browser.close()
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
}
