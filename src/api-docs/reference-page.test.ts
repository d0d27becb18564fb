import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SEVERITY } from '../kernel/message.ts'
import { DOCS_CSS, DOCS_ICON, docsPage, extensionPage } from './reference-page.ts'
import { html, prose } from './html.ts'
import { openapi } from './openapi.ts'
import { operationIds } from '../contract/operations.ts'
import { SCHEMA_NAMES, schemaDocument } from './extension-schemas.ts'

const page = docsPage(openapi('https://vending.example.com'))
const ids = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
const anchors = (text: string) => [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)

/** The text of one operation, from its article to the end of it. */
const article = (id: string) => page.slice(page.indexOf(`id="${id}"`)).split('</article>')[0] ?? ''

const PAGES: readonly (readonly [string, string])[] = [
  ['the reference', page],
  ...SCHEMA_NAMES.map((name) => [`the page of ${name}`, extensionPage(schemaDocument(name))] as const),
]

test('the icon is that of the console', () => {
  expect(DOCS_ICON.trim()).toBe(readFileSync(join(import.meta.dirname, '../console/icon.svg'), 'utf8').trim())
})

test('every operation can be tried, and those that write ask first', () => {
  expect(page.match(/<details class="try" hidden/g)).toHaveLength(operationIds.length)
  expect(article('getPlan')).not.toContain('data-sure')
  expect(article('completeCheckout')).toContain('data-path="/ucp/v1/checkout-sessions/{id}/complete"')
  for (const id of ['completeCheckout', 'changePrices', 'placeRun', 'deleteLocation', 'resolveApproval'])
    expect(article(id)).toContain('data-sure')
})

describe.each(PAGES)('%s', (_, text) => {
  test('has no inline script, no inline style and nothing from elsewhere', () => {
    expect(text).not.toMatch(
      /<script(?! src="\/docs\/docs\.js" defer><\/script>)|<style| style=|javascript:| on\w+=|<img|<iframe/,
    )
    expect([...text.matchAll(/<link[^>]*>/g)].map(([link]) => link)).toEqual([
      expect.stringContaining('href="/docs/docs.css"'),
      expect.stringContaining('href="/docs/icon.svg"'),
    ])
  })

  test('has every id once, and every link inside it leads somewhere', () => {
    const known = new Set(ids(text))
    expect(known.size).toBe(ids(text).length)
    expect(anchors(text).filter((id) => id === undefined || !known.has(id))).toEqual([])
  })

  test('can be walked by landmarks and headings', () => {
    expect(text).toMatch(/<html lang="en">/)
    expect(text).toMatch(/<a class="skip" href="#main">/)
    expect(text.match(/<(header|nav|main)[ >]/g)).toHaveLength(3)
    expect(text.match(/<h1>/g)).toHaveLength(1)
  })
})

describe('the reference', () => {
  test.each(operationIds)('describes %s with its response, its errors and a command', (id) => {
    expect(article(id)).toMatch(/<h4>Response<\/h4>/)
    expect(article(id)).toMatch(/<h4>Errors<\/h4>/)
    expect(article(id)).toMatch(/curl .*https:\/\/vending\.example\.com\//)
  })

  test('8 shows which fields are required and their limits', () => {
    const lookup = article('lookupCatalog')
    expect(lookup).toMatch(/<code>ids<\/code>\s*<span class="required">required<\/span>/)
    expect(lookup).toContain('1 to 50 entries')
    expect(article('listOrders')).toContain('1 to 100, default 100')
  })

  test('7 lists every error code', () => {
    const known = new Set(ids(page))
    expect(Object.keys(SEVERITY).filter((code) => !known.has(`code-${code}`))).toEqual([])
  })

  test('the command of complete carries the token, the confirmation and the session', () => {
    const command = article('completeCheckout').replaceAll('&quot;', '"').replaceAll('&#39;', "'")
    expect(command).toContain(
      "curl -X POST 'https://vending.example.com/ucp/v1/checkout-sessions/po_20260910_1/complete'",
    )
    expect(command).toContain('-H "Authorization: Bearer $OPERATOR_TOKEN"')
    expect(command).toContain('-d \'{"confirm":true,')
    expect(article('discovery')).not.toContain('OPERATOR_TOKEN')
  })

  test('the style sheet follows the scheme of the reader and loads nothing', () => {
    expect(DOCS_CSS).toContain('color-scheme: light dark')
    expect(DOCS_CSS).not.toMatch(/url\(|@import/)
  })
})

test('what is put into a page is escaped', () => {
  expect(html`<p title="${'"'}">${'<b>&'}</p>`.text).toBe('<p title="&quot;">&lt;b&gt;&amp;</p>')
  expect(prose('use `<x>` & go').text).toBe('use <code>&lt;x&gt;</code> &amp; go')
})
