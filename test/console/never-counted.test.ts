/**
 * A route whose machines report no stock, as on its first day: the dollar demo, whose machines write DEX files and whose
 * wholesaler has a price list with packs of unknown size.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startUsdDemo } from '../../scripts/demo-usd.ts'
import { freePort } from '../support/free-port.ts'
import { xlsx } from '../support/workbooks.ts'
import { BROWSER, NARROW, consoleOf } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

const SLOTS = 6
const PHONE = { viewport: NARROW, hasTouch: true } as const

let route: StagingConsole
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-never-counted-'))
  const options = { folder, port: await freePort(), shopPort: await freePort(), logLevel: 'silent' }
  const demo = await startUsdDemo(options)
  route = consoleOf(demo.running, demo.url, demo.token, async () => {
    await demo.stop()
    rmSync(folder, { recursive: true, force: true })
  })
})
afterAll(() => route.close())

const stockOf = async (location: string): Promise<(number | null | undefined)[]> => {
  const { products } = await route.api.searchCatalog({ body: { filters: { namespace: 'dex-machine', location } } })
  return products.map(({ variants }) => variants[0]?.inventory?.stock)
}

describe.runIf(BROWSER)('a route that was never counted', () => {
  test('Today asks to count first, says unknown instead of none, and names the limits that are not set', async () => {
    const page = await route.signedIn('/')
    const group = page.locator('.attention-group').first()
    await group.waitFor()
    expect(await group.locator('h3').textContent()).toBe('18 slots in 3 machines were never counted: count them')
    expect(await group.getByRole('link').evaluateAll((all) => all.map((one) => one.getAttribute('href')))).toEqual([
      '/visits/DEPOT',
      '/visits/GYM',
      '/visits/LOBBY',
    ])
    const tile = page.locator('.tile', { hasText: 'Empty or low' })
    expect(await tile.locator('.tile-figure').textContent()).toBe('Unknown')
    expect(await tile.locator('.tile-note').textContent()).toBe('18 slots never counted')
    expect(await page.getByText('Not available right now').count()).toBe(0)
    await page.getByRole('link', { name: /^No limit per day or week/ }).waitFor()
    await page.getByRole('link', { name: /^No weekly limit for price changes/ }).waitFor()
  })

  test('a driver counts a machine of unknown stock on the phone, also without a network once it was opened', async () => {
    const { key } = await route.addKey('driver')
    const page = await route.signedIn('/visits', { ...PHONE, token: key })
    await page.goto(`${route.url}/visits/DEPOT`)
    const slots = page.locator('.visit-slots li')
    await expect.poll(() => slots.count()).toBe(SLOTS)
    expect(await slots.getByText('not counted').count()).toBe(SLOTS)
    expect(await page.getByText('No slots are known').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'All as expected' }).count()).toBe(0)

    await page.evaluate('navigator.serviceWorker.ready')
    // A page that was opened while its service worker started may be without it; after the next load it is not.
    if (await page.evaluate('navigator.serviceWorker.controller === null')) await page.reload()
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true)
    await page.context().setOffline(true)
    await page.reload()
    await expect.poll(() => slots.count()).toBe(SLOTS)
    for (let n = 0; n < SLOTS; n++)
      await slots
        .nth(n)
        .getByRole('textbox')
        .fill(`${n + 1}`)
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.locator('.badge', { hasText: 'Kept on this device' }).waitFor()
    expect(await stockOf('DEPOT')).toEqual(Array.from({ length: SLOTS }, () => null))
    await page.context().setOffline(false)
    await page.getByText('Sent', { exact: true }).waitFor()
    expect((await stockOf('DEPOT')).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([1, 2, 3, 4, 5, 6])
  })

  test('a count above the capacity is asked about on the phone and in the dialog of a machine, then booked', async () => {
    const page = await route.signedIn('/visits', PHONE)
    await page.goto(`${route.url}/visits/GYM`)
    const first = page.locator('.visit-slots li').first()
    await first.getByRole('textbox').fill('99')
    await first.getByText('Really 99? The slot holds 20.').waitFor()
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.getByText('Is this count right?').waitFor()
    expect(await stockOf('GYM')).not.toContain(99)
    // Another number is another question.
    await first.getByRole('textbox').fill('98')
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.getByRole('button', { name: 'Yes, it is right' }).tap()
    await page.locator('.badge', { hasText: 'Sent' }).waitFor()
    expect(await stockOf('GYM')).toContain(98)
    await page.context().close()

    const machine = await route.signedIn('/machines/LOBBY')
    await machine.locator('.slot-tile').first().click()
    await machine.getByRole('button', { name: /in stock: count / }).click()
    await machine.locator('input[name=stock]').fill('999')
    await machine.getByRole('button', { name: 'Save', exact: true }).click()
    await machine.getByText('Really 999? The slot holds 20.').waitFor()
    expect(await stockOf('LOBBY')).not.toContain(999)
    await machine.getByRole('button', { name: 'Yes, save 999' }).click()
    await expect.poll(() => stockOf('LOBBY')).toContain(999)
  })

  test('a count that the service doubts comes back as a question, and is booked once it is confirmed', async () => {
    const page = await route.signedIn('/visits', PHONE)
    await page.goto(`${route.url}/visits/DEPOT`)
    const first = page.locator('.visit-slots li').first()
    await first.waitFor()
    await page.evaluate('navigator.serviceWorker.ready')
    // Within the capacity of 20, and far above the one unit that was ever there.
    await page.context().setOffline(true)
    await first.getByRole('textbox').fill('19')
    await page.getByRole('button', { name: 'Save visit' }).tap()
    await page.locator('.badge', { hasText: 'Kept on this device' }).waitFor()
    await page.context().setOffline(false)
    await page.getByText('Is this count right?').waitFor()
    expect(await stockOf('DEPOT')).not.toContain(19)
    await page.getByRole('button', { name: 'Yes, it is right' }).tap()
    await expect.poll(() => stockOf('DEPOT')).toContain(19)
  })

  test('a file fills the tables of first counts; what is not understood is listed, and nothing is saved before Save', async () => {
    const before = await stockOf('GYM')
    const page = await route.signedIn('/setup/counts?machine=GYM', { ...PHONE, locale: 'zh-CN' })
    const fields = page.locator('input.count')
    await expect.poll(() => fields.count()).toBe(SLOTS)
    const places = await page.locator('.first-counts tbody .strong').allTextContents()
    const [first = '', second = '', third = ''] = places
    const text = `machine;selection;units\nGYM;${first};3\nGYM;${second};about 4\nGYM;Z9;5\nNOWHERE;${first};9\nGYM;${third};2\n`
    const choose = (name: string, buffer: Buffer) =>
      page.locator('#main input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
    await choose('counts.xlsx', Buffer.from('PK\u0003\u0004'))
    await page.getByText('无法读取').waitFor()
    const rows = text
      .trim()
      .split('\n')
      .map((line) => line.split(';'))
    for (const [name, bytes] of [
      ['counts.xlsx', xlsx({ name: 'Counts', rows })],
      ['counts.csv', Buffer.from(text)],
    ] as const) {
      await choose(name, Buffer.from(bytes))
      await page.getByText('已在下方填入 2 个数量').waitFor()
    }
    expect(await page.locator('#main [role=status] li').allTextContents()).toEqual([
      '第 3 行：不是整数（about 4）',
      '第 4 行：这台机器没有这个货道或商品（Z9）',
      '第 5 行：本页没有这台机器（NOWHERE）',
    ])
    expect(await Promise.all((await fields.all()).map((one) => one.inputValue()))).toEqual(['3', '', '2', '', '', ''])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(await stockOf('GYM')).toEqual(before)
    await page.getByRole('button', { name: '保存 2 个数量' }).tap()
    await page.getByText('已保存 2 个数量').waitFor()
    expect((await stockOf('GYM')).filter((stock) => stock === 3 || stock === 2)).toHaveLength(2)
  })
})

describe.runIf(BROWSER)('packs whose size the price list leaves open', () => {
  const waiting = async (page: Page) => {
    await page.getByText('Needs your answer').first().waitFor()
    return page.locator('dd', { hasText: /^\d+ products?$/ }).textContent()
  }

  test('the operator token says it while no owner exists, for a text and for an article', async () => {
    const page = await route.signedIn('/connections')
    expect(await waiting(page)).toBe('3 products')
    const ofText = page.getByLabel('Units in every pack “CS”')
    await ofText.fill('12')
    await ofText.press('Enter')
    await page.getByRole('button', { name: 'Every “CS” of this supplier holds 12' }).click()
    await page.getByText('Saved. These products can be ordered now.').waitFor()
    await expect.poll(() => waiting(page)).toBe('1 product')
    const ofArticle = page.getByLabel('Units in the pack of Apple pie 4 oz')
    await ofArticle.fill('1')
    await ofArticle.press('Enter')
    await page.getByText('A pack of one item costs what one item costs').waitFor()
    await ofArticle.fill('6')
    await ofArticle.press('Enter')
    await page.getByText('Needs your answer').first().waitFor({ state: 'detached' })
    const { products } = await route.api.lookupCatalog({
      body: { ids: ['GUM-1', 'PIE-4'].map((sku) => `wholesale-supply:${sku}`) },
    })
    expect(products.map(({ variants }) => variants[0]?.price.amount).toSorted((a, b) => (a ?? 0) - (b ?? 0))).toEqual([
      120, 300,
    ])
  })

  test('once an owner exists, an operator sees what waits and for whom, and the owner says it', async () => {
    await route.api.statePack({ params: { namespace: 'wholesale-supply' }, body: { text: 'CS', contains: null } })
    const { key } = await route.addKey('owner')
    const operator = await route.signedIn('/connections', { locale: 'zh-CN' })
    await operator.getByText('需由负责人填写每箱有多少件，之后这些商品才能订货。').waitFor()
    expect(await operator.locator('#main input').count()).toBe(0)
    await operator.context().close()
    const owner = await route.signedIn('/connections', { locale: 'zh-CN', token: key })
    const field = owner.getByLabel('每箱“CS”有多少件')
    await field.fill('24')
    await field.press('Enter')
    await owner.getByRole('button', { name: '此供应商的每个“CS”都装 24 件' }).click()
    await owner.getByText('已保存。相关商品现在可以订货。').waitFor()
  })
})
