/** From nothing to products that can be ordered, without a terminal: an owner adds a wholesaler by its price list. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { serve } from '../../src/main.ts'
import { freePort } from '../support/free-port.ts'
import { xlsx } from '../support/workbooks.ts'
import { RULES } from '../support/service.ts'
import { BROWSER, NARROW, SHIPPING, TOKEN, consoleOf } from './staging-console.ts'
import type { StagingConsole } from './staging-console.ts'

const BOOK = xlsx({
  name: 'Prices',
  rows: [
    ['NORTHWIND Wholesale, valid from November'],
    [],
    ['Art. no', 'Product', 'Unit', 'Price A', 'Price B'],
    ['100', 'Cola 0.33', 'case of 24', 12.5, 14.4],
    ['101', 'Water 0.5', 'case of 12', 4.2, 6],
    ['102', 'Chocolate bar', 'CS', 9.6, 12],
  ],
})
const LIST = { name: 'Northwind prices.xlsx', mimeType: 'application/octet-stream', buffer: BOOK }

let route: StagingConsole
let token = ''
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-connections-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  writeFileSync(join(folder, 'rules.json'), JSON.stringify(RULES))
  const read = readConfig(
    {
      VENDOPS_ENV: 'live',
      PORT: String(port),
      PUBLIC_URL: url,
      DATABASE_URL: `sqlite:${folder}/vendops.db`,
      OPERATOR_TOKEN: TOKEN,
      SECRETS_DIR: join(folder, 'secrets'),
      GUARDRAILS_FILE: join(folder, 'rules.json'),
      CURRENCY: 'USD',
      LOG_LEVEL: 'silent',
    },
    () => true,
  )
  if (!read.ok) throw new Error(read.problems.join('; '))
  const running = await serve(read.config, [])
  route = consoleOf(running, url, TOKEN, async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })
})
afterAll(() => route.close())

describe.runIf(BROWSER)('connections in the console', () => {
  test('the operator token sees no way to add one', async () => {
    token = (await route.addKey('owner')).key
    const page = await route.signedIn('/connections')
    await page.getByText('No connections yet').waitFor()
    expect(await page.getByRole('button', { name: 'Add a connection' }).count()).toBe(0)
  })

  test('an owner adds a messy price list, sees examples, answers, saves, and orders without a restart', async () => {
    const page = await route.signedIn('/connections', { token })
    await page.getByRole('button', { name: 'Add a connection' }).click()
    await page.getByRole('button', { name: 'A price list from a supplier' }).click()
    await page.getByLabel('Short name').fill('northwind')
    const photo = {
      name: 'photo.png',
      mimeType: 'image/png',
      buffer: Buffer.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]),
    }
    await page.locator('dialog input[type=file]').setInputFiles(photo)
    await page.getByText('it should be an Excel').waitFor()
    await page.locator('dialog input[type=file]').setInputFiles({ ...photo, name: 'empty.xlsx', buffer: Buffer.of() })
    await page.getByText('The file is empty').waitFor()
    expect(await page.getByText(/photo\.png|it should be an Excel/).count()).toBe(0)
    await page.locator('dialog input[type=file]').setInputFiles(LIST)
    await page.getByText('Are these right?').waitFor()
    expect(await page.locator('.examples').textContent()).toContain('Cola 0.33')
    // One answer changes one thing.
    await page.getByText('Change a column').click()
    await page.getByLabel('Price of a pack').selectOption('Price B')
    await expect.poll(() => page.locator('.examples').textContent()).toContain('$14.40')
    await page.getByLabel('Are the prices without tax or with it?').selectOption({ index: 1 })
    await expect.poll(() => page.getByLabel('Are the prices without tax or with it?').count()).toBe(0)
    expect(await page.locator('.examples').textContent()).toContain('$14.40')
    await page.getByLabel('Your name as the supplier knows it').fill('Route One')
    const days = page.getByLabel('Days until delivery')
    await page.locator('dialog details', { has: days }).locator('> summary').click()
    await days.fill('1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved. It can be used now.').waitFor()
    await page.getByRole('heading', { name: 'northwind-supply' }).waitFor()
    const products = async () =>
      (await route.api.searchCatalog({ body: { filters: { namespace: 'northwind-supply' } } })).products.map(
        ({ title, variants }) => [title, variants[0]?.price.amount],
      )
    expect(await products()).toEqual([
      ['Cola 0.33', 60],
      ['Water 0.5', 50],
    ])
    const { lead_time: leadTime } = await route.api.getPlan({ query: { only: 'summary' } })
    expect(leadTime).toMatchObject({ days: 1, source: 'stated' })
    // What the list leaves open is asked here.
    const field = page.getByLabel('Units in the pack of Chocolate bar')
    const save = page.locator('form', { has: field }).getByRole('button', { name: 'Save' })
    for (const text of ['1,5', '12 oz']) {
      await field.fill(text)
      await page.getByText('Enter a whole number of units, such as 24.').waitFor()
      expect(await save.isDisabled()).toBe(true)
    }
    await field.fill('24')
    await field.press('Enter')
    await expect.poll(products).toContainEqual(['Chocolate bar', 50])
  })

  test('an order is sent by hand, then the supplier cancels it', async () => {
    const { api } = route
    const line = { item: { id: 'northwind-supply:100' }, quantity: 1, quantity_unit: { unit: 'BX' as const } }
    const { id } = await api.createCheckout({ body: { line_items: [line], fulfillment: SHIPPING } })
    await api.completeCheckout({ params: { id }, body: { confirm: true } }).catch(() => undefined)
    const page = await route.signedIn(`/purchases/${id}`, { token })
    await page.getByRole('button', { name: 'I sent it' }).click()
    await page.getByRole('button', { name: 'The supplier canceled it' }).click()
    await page.getByRole('button', { name: 'Yes, it was canceled' }).click()
    await page.getByText(`${id} recorded as canceled by the supplier`).waitFor()
    expect((await api.getOrder({ params: { id } })).supplier_status?.mapped).toBe('cancelled')
    await expect.poll(() => page.getByRole('button', { name: 'The supplier canceled it' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Has arrived' }).count()).toBe(0)
  })

  test('on a phone in Chinese the next list is uploaded by the operator', async () => {
    const { key } = await route.addKey('operator')
    const page = await route.signedIn('/connections', {
      token: key,
      locale: 'zh-CN',
      viewport: NARROW,
      hasTouch: true,
    })
    await page.getByText('上传文件').tap()
    await page.locator('#main input[type=file]').setInputFiles({
      ...LIST,
      buffer: xlsx({
        name: 'Prices',
        rows: [
          ['NORTHWIND Wholesale'],
          [],
          ['Art. no', 'Product', 'Unit', 'Price A', 'Price B'],
          ['100', 'Cola 0.33', 'case of 24', 12.5, 15.6],
          ['101', 'Water 0.5', 'case of 12', 4.2, 6],
          ['102', 'Chocolate bar', 'CS', 9.6, 12],
        ],
      }),
    })
    await page.getByText('这些对吗？').waitFor()
    await page.getByRole('button', { name: '使用此文件' }).tap()
    await page.getByText('完成，文件已启用。').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expect
      .poll(async () => {
        const { products } = await route.api.lookupCatalog({ body: { ids: ['northwind-supply:100'] } })
        return products[0]?.variants[0]?.price.amount
      })
      .toBe(65)
  })

  test('from the purchase to the reply: its unknown word is explained once, and the file is read', async () => {
    const call = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const answer = await fetch(`${route.url}/ucp/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(answer.status, path).toBeLessThan(300)
      return (await answer.json()) as { id: string }
    }
    const { id } = await call('/checkout-sessions', {
      line_items: [{ item: { id: 'northwind-supply:100' }, quantity: 3, quantity_unit: { unit: 'BX' } }],
      fulfillment: SHIPPING,
    })
    await call(`/checkout-sessions/${id}/complete`, { confirm: true })
    await call(`/checkout-sessions/${id}/outcome`, { placed: true })
    const page = await route.signedIn(`/purchases/${id}`, { token })
    await page.getByRole('link', { name: 'Upload the supplier’s reply' }).click()
    await page.locator('#main input[type=file]').setInputFiles({
      name: 'reply.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`po,status,sku,qty\n${id},short,100,1\n`),
    })
    await page.getByLabel('Row 2: what does “short” mean?').selectOption('1')
    await page.getByRole('button', { name: 'Save and read again' }).click()
    await page
      .getByText(`${id}: Accepted by the supplier with changes (Cola 0.33: 1 instead of 3 packs of 24)`)
      .waitFor()
    await page.getByRole('button', { name: 'Use this file' }).click()
    await page.getByText('Done. The file is used.').waitFor()
  })

  test('an owner changes a saved connection: a wrong value is told at its field, secrets stay unless typed', async () => {
    const call = (method: string, path: string, body?: object) =>
      fetch(`${route.url}/ucp/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      }).then((answer) => answer.json() as Promise<{ settings: object; secrets: string[]; changed_at: string }>)
    const settings = { url: 'http://127.0.0.1:9', operator_id: 7, token: 'not-to-be-shown' }
    await call('POST', '/connections', { namespace: 'nayaxus-machine', adapter: 'nayax-lynx', settings })
    const before = await call('GET', '/connections/nayaxus-machine')
    const page = await route.signedIn('/connections', { token, locale: 'zh-CN', viewport: NARROW, hasTouch: true })
    await page.getByRole('region', { name: 'nayaxus-machine' }).getByRole('button', { name: '修改' }).tap()
    const dialog = page.getByRole('dialog', { name: '修改 nayaxus-machine' })
    const [url, secret] = [dialog.getByLabel('接口地址'), dialog.getByLabel('访问令牌', { exact: true })]
    expect([await url.inputValue(), await secret.inputValue()]).toEqual([settings.url, ''])
    expect(await secret.getAttribute('placeholder')).toBe('已设置')
    expect(await page.content()).not.toContain(settings.token)
    const save = dialog.getByRole('button', { name: '保存' })
    expect(await save.isDisabled()).toBe(true)
    await url.fill('nowhere')
    // A saved secret is not sent to an address that is only typed.
    expect(await dialog.getByRole('button', { name: '测试读取' }).isDisabled()).toBe(true)
    await save.tap()
    await dialog.locator('.field.wrong').getByText('此项有误').waitFor()
    expect(await url.getAttribute('aria-invalid')).toBe('true')
    expect(await call('GET', '/connections/nayaxus-machine')).toMatchObject({
      settings: before.settings,
      changed_at: before.changed_at,
    })
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await url.fill('http://127.0.0.1:19')
    await save.tap()
    await page.getByText('已保存，现在可以使用。').waitFor()
    expect(await call('GET', '/connections/nayaxus-machine')).toMatchObject({
      settings: { url: 'http://127.0.0.1:19', operator_id: 7 },
      secrets: ['token'],
    })
    // One that may be empty can be taken away: of these two only one is allowed.
    await page.getByRole('region', { name: 'nayaxus-machine' }).getByRole('button', { name: '修改' }).tap()
    await dialog.getByRole('button', { name: '删除' }).tap()
    await dialog.getByText('保存后将删除。').waitFor()
    await dialog.locator('summary').tap()
    await dialog.getByLabel('刷新令牌').fill('r')
    await save.tap()
    await dialog.waitFor({ state: 'detached' })
    expect((await call('GET', '/connections/nayaxus-machine')).secrets).toEqual(['refresh_token'])
  })

  test('a size that the price of one contradicts is asked about, and then counts for the product', async () => {
    const columns = { sku: 'SKU', title: 'Name', pack: 'Pack', pack_price: 'Case', each_price: 'Each' }
    const send = (path: string, body: string | FormData, type?: string) =>
      fetch(`${route.url}/ucp/v1${path}`, {
        method: 'POST',
        body,
        headers: { authorization: `Bearer ${token}`, ...(type !== undefined && { 'content-type': type }) },
      })
    const body = JSON.stringify({ namespace: 'odd-supply', adapter: 'price-list', settings: { catalog: { columns } } })
    expect((await send('/connections', body, 'application/json')).status).toBe(201)
    const form = new FormData()
    form.set('kind', 'price_list')
    form.set(
      'file',
      new Blob(['SKU,Name,Pack,Case,Each\n1,Root beer,24 ct,18.00,1.50\n2,Tea,12 ct,6.00,\n']),
      'odd.csv',
    )
    expect((await send('/connections/odd-supply/files', form)).status).toBe(200)
    const page = await route.signedIn('/connections', { token })
    await page.getByText('the list’s price of one doesn’t fit this pack').waitFor()
    const field = page.getByLabel('Units in every pack “24 ct”')
    // Proposed, and not used before somebody says so.
    expect(await field.inputValue()).toBe('12')
    await field.fill('24')
    await field.press('Enter')
    await page.getByText('The list’s price of one says 12. Use 24 all the same?').waitFor()
    await page.getByRole('button', { name: 'Yes, use 24' }).click()
    await page.getByText('Saved. These products can be ordered now.').waitFor()
    const { products } = await route.api.searchCatalog({ body: { filters: { namespace: 'odd-supply' } } })
    expect(products.map(({ title, variants }) => [title, variants[0]?.price.amount])).toContainEqual(['Root beer', 75])
  })
})
