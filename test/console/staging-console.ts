/** Starts the real staging service on a free port with its own database, and Chromium to visit it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { inject, onTestFinished, TestRunner } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { Client } from '../../src/client/index.ts'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/main.ts'
import type { PersonRole } from '../../src/kernel/person.ts'
import { addKey } from '../people/keys.ts'
import type { TestKey } from '../people/keys.ts'
import { freePort } from '../support/free-port.ts'

export const TOKEN = 'console-test-token-0123456789'
export const WIDE = { width: 1440, height: 900 }
export const NARROW = { width: 390, height: 844 }
/** Without motion: what turns and breathes while a page loads is drawn sixty times a second. */
const USUAL = { viewport: WIDE, locale: 'en-GB', reducedMotion: 'reduce' } as const

/** The shell is the same engine without windows: about a fifth less CPU. */
const PLACES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const CHROMIUM = process.env['CHROMIUM'] ?? PLACES.find((place) => existsSync(place)) ?? '/usr/bin/chromium'
/**
 * Playwright's features, since Chromium heeds only the last list that it is given, two that draw suggestions for an
 * address bar that nobody sees, in pages of their own for every window (more than half of the CPU of opening one), and
 * one that starts a process for the next page, which never comes.
 */
const NOT_NEEDED = [
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
  'LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch',
  'WebUIOmniboxPopup,WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
]
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${NOT_NEEDED.join(',')}`,
]

/** One for all files of a worker: starting it takes 2 s of CPU. It ends with the worker, whose end it reads from its pipe. */
let browser: Promise<Browser> | undefined

async function launch(): Promise<Browser> {
  const usual = process.env['TMPDIR']
  process.env['TMPDIR'] = inject('browserFolder')
  try {
    const { chromium } = await import('playwright-core')
    const launched = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
    return launched.on('disconnected', () => (browser = undefined))
  } finally {
    if (usual === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = usual
  }
}

/** Tests that need the browser go into a `describe.runIf(BROWSER)`. */
export const BROWSER = existsSync(CHROMIUM)
if (!BROWSER)
  console.warn(
    `\n!!! NO CHROMIUM AT ${CHROMIUM}: THE BROWSER TESTS OF THE CONSOLE ARE SKIPPED. Install it, or set CHROMIUM.\n`,
  )

export interface StagingConsole {
  readonly url: string
  /** A client of the API with the operator token. */
  readonly api: Client
  /** A new browser profile, not signed in. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  /**
   * The same, with a session, and without the sign-in page: its tests are in journeys, session and every-page. Without a path
   * nothing is opened yet, for a test that first says what the service answers.
   */
  signedIn(path: string | undefined, options?: BrowserContextOptions & { readonly token?: string }): Promise<Page>
  /** A key as `vendops people add` makes it. */
  addKey(role: PersonRole): Promise<TestKey>
  close(): Promise<void>
}

export async function startStagingConsole(environment: Readonly<Record<string, string>> = {}): Promise<StagingConsole> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-console-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const read = readConfig(
    {
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: `sqlite:${folder}/vendops.db`,
      OPERATOR_TOKEN: TOKEN,
      VENDOPS_SEED: '7',
      VENDOPS_CLOCK: '2026-09-10T09:00:00+08:00',
      LOG_LEVEL: 'silent',
      ...environment,
    },
    existsSync,
  )
  if (!read.ok) throw new Error(read.problems.join('; '))
  const running = await serve(read.config, [])
  return consoleOf(running, url, TOKEN, async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })
}

/** With the service itself, to offer the link of the first owner as a live start does. */
export async function startOwnerlessConsole() {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-console-'))
  const port = await freePort()
  // A name: browsers make no passkeys for numbers.
  const url = `http://localhost:${port}`
  const environment = { PORT: String(port), PUBLIC_URL: url, DATABASE_URL: `sqlite:${folder}/vendops.db` }
  const read = readConfig({ ...environment, OPERATOR_TOKEN: TOKEN, LOG_LEVEL: 'silent' }, () => false)
  if (!read.ok) throw new Error(read.problems.join('; '))
  const running = await serve(read.config, [])
  const opened = consoleOf(running, url, TOKEN, async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { running, console: opened }
}

/** Chromium before a service that runs already. */
export function consoleOf(
  running: Parameters<typeof addKey>[0],
  url: string,
  operatorToken: string,
  stop: () => Promise<void>,
): StagingConsole {
  /** Of pages for all tests of a file. */
  const opened: BrowserContext[] = []

  async function newPage(options: BrowserContextOptions): Promise<Page> {
    browser ??= launch()
    const context = await (await browser).newContext({ ...USUAL, ...options })
    // Otherwise it would follow what all later tests do.
    if (TestRunner.getCurrentTest()) onTestFinished(() => context.close())
    else opened.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    return page
  }

  return {
    url,
    api: createClient({ baseUrl: url, token: operatorToken }),
    async open(path, options = {}) {
      const page = await newPage(options)
      await page.goto(url + path)
      return page
    },
    async signedIn(path, { token = operatorToken, ...options } = {}) {
      const page = await newPage(options)
      // Its cookie is the context's, too.
      const answer = await page.request.post(`${url}/signin`, { data: { token } })
      if (!answer.ok()) throw new Error(`signing in: ${answer.status()}`)
      if (path === undefined) return page
      await page.goto(url + path)
      await page.locator('#main h1').waitFor()
      return page
    },
    addKey: (role) => addKey(running, role),
    async close() {
      for (const context of opened) await context.close()
      await stop()
    },
  }
}

export async function signIn(page: Page, token = TOKEN): Promise<void> {
  await page.locator('input[name=token]').fill(token)
  await page.locator('form button[type=submit]').click()
  // The sign-in page has a heading, too: the session exists once that page is gone.
  await page.locator('main.sign-in').waitFor({ state: 'detached' })
  await page.locator('#main h1').waitFor()
}

/** On a wide screen, where it is in the menu of the account. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
}

/** The figures of a route without machines. */
export const NO_MACHINES = { count: 0, unknown: 0, not_reporting: 0, first: [] }
export const NO_SLOTS = {
  slots: 0,
  empty: 0,
  low: 0,
  coming: 0,
  to_confirm: 0,
  to_order: { slots: 0, machines: 0 },
  unknown: { slots: 0, machines: 0 },
  first: [],
  uncounted: [],
}

export const SHIPPING = {
  methods: [
    {
      type: 'shipping' as const,
      destinations: [{ street_address: '1 Example Road', first_name: 'Li', phone_number: '13800000000' }],
    },
  ],
}

/** The first product sold by the box with enough stock. */
export async function boxedProduct(api: Client) {
  for await (const { id, variants } of api.all.searchCatalog({ body: {} })) {
    const box = variants[0]?.sale_units?.find(({ unit }) => unit === 'BX')
    const stock = variants[0]?.metadata?.supplier_stock ?? 0
    if (box && stock > 40 * (box.contains ?? 1)) return { id, boxFen: box.price.amount }
  }
  throw new Error('the supplier sells nothing by the box')
}
