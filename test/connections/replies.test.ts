/** A real `sheet` supplier before the service: what a person recorded, and answers that cannot be used. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { vendorMemory } from '../../src/route/connections/memory.ts'
import { MINUTE, manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive } from '../../src/vendors/registry.ts'
import { SHEET_SUPPLY } from '../../src/vendors/sheet/index.ts'
import { startSmtp } from '../../src/vendors/sheet/send/smtp-server.test-support.ts'
import { complete, create, get, line } from '../checkout/support.ts'
import { freshStore } from '../support/database.ts'
import { type Json, NOW, startService } from '../support/service.ts'

const NAMESPACE = 'mid-supply' as Namespace

async function startWithSheet(order: object) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-replies-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['out', 'in']) mkdirSync(join(folder, name))
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000)
  }
  put('list.csv', 'sku,title,pack,case\n10021,Coke,24/CS,26.88\n10022,Water,12/CS,9.60\n')
  const connection = { namespace: NAMESPACE, currency: 'CNY', timeZone: 'UTC', isReadOnly: false }
  const checked = SHEET_SUPPLY.check(
    {
      catalog: { file: 'list.csv', columns: { sku: 'sku', title: 'title', pack: 'pack', pack_price: 'case' } },
      order: { format: 'csv', buyer: { name: 'Route One' }, inbox: 'in', ...order },
    },
    connection,
  )
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const store = await freshStore()
  const clock = manualClock(NOW)
  const { vendor, capabilities } = SHEET_SUPPLY.open(checked.settings, {
    connection,
    memory: vendorMemory(store, NAMESPACE),
    clock,
    timeoutMs: 1000,
    resolvePath: (path) => join(folder, path),
    reportOlderSales: () => {},
  })
  if (vendor.role !== 'supply') throw new Error('not a supplier')
  const service = await startService({
    store,
    clock,
    entries: [registerLive(NAMESPACE, cachedSupply(vendor, clock), capabilities)],
  })
  const buy = async (): Promise<string> => {
    const { body } = await create(service, {
      line_items: [line('mid-supply:10021', 2, 'BX'), line('mid-supply:10022', 1, 'BX')],
    })
    await complete(service, body.id as string)
    return body.id as string
  }
  return { service, put, buy }
}

test('after a person recorded that the supplier has it, the order can be read, with the number of the supplier', async () => {
  const smtp = await startSmtp()
  onTestFinished(() => smtp.close())
  smtp.trouble = { at: 'end', how: 'close' }
  const { service, buy } = await startWithSheet({
    via: 'email',
    to: 'desk@wholesale.example',
    from: 'orders@route.example',
    smtp: smtp.url,
  })
  const id = await buy()
  expect((await get(service, id)).status).toBe('complete_in_progress')
  service.clock.advance(5 * MINUTE)
  await service.job('effects.purchase')
  const outcome = { placed: true, label: 'VENDOR-55' }
  expect((await service.post(`/checkout-sessions/${id}/outcome`, outcome)).body.status).toBe('completed')
  const { status, body } = await service.get(`/orders/${id}`)
  expect([status, body.label, body.supplier_status.mapped]).toEqual([200, 'VENDOR-55', 'ordered'])
  expect(smtp.mails).toHaveLength(1)
})

test('answers that cannot be used are listed with the connection, and each is one event', async () => {
  const { service, put, buy } = await startWithSheet({ via: 'folder', out: 'out' })
  const id = await buy()
  put('in/broken.csv', 'order number;answer\n1;yes\n')
  put('in/stranger.csv', 'po,status,sku,qty\nPO-OTHER,accepted,,\n')
  put('in/more.csv', `po,status,sku,qty\n${id},changed,10021,99\n`)
  const listed = async (): Promise<readonly Json[]> =>
    (await service.get('/connections')).body.connections
      .flatMap(({ refused_rows: rows }: Json) => rows)
      .map(({ source, id: of, problem }: Json) => [source, of, problem])
      .toSorted()
  for (let n = 0; n < 2; n++) {
    service.clock.advance(MINUTE)
    expect((await service.get(`/orders/${id}`)).status).toBe(200)
  }
  expect(await listed()).toEqual([
    ['files', 'broken.csv', expect.stringContaining('po')],
    ['files', 'stranger.csv', 'it is about an order that we never sent (PO-OTHER)'],
    ['replies', id, expect.stringContaining('is not used')],
  ])
  const { events } = (await service.get('/events?kind=sync')).body
  expect(events.filter(({ code }: Json) => code === 'rows_unreadable')).toHaveLength(2)
})

test('an invoice in the inbox is compared with the order, and one that cannot be read is listed', async () => {
  const { service, put, buy } = await startWithSheet({ via: 'folder', out: 'out' })
  const id = await buy()
  const ubl = (number: string, quantity: number, total: string) =>
    `<Invoice><ID>${number}</ID><OrderReference><ID>${id}</ID></OrderReference><LegalMonetaryTotal><PayableAmount>${total}</PayableAmount></LegalMonetaryTotal>` +
    `<InvoiceLine><ID>1</ID><InvoicedQuantity unitCode="XCS">${quantity}</InvoicedQuantity><LineExtensionAmount>${total}</LineExtensionAmount>` +
    '<Item><SellersItemIdentification><ID>10021</ID></SellersItemIdentification></Item><Price><PriceAmount>26.88</PriceAmount></Price></InvoiceLine></Invoice>'
  put('in/invoice.xml', ubl('I-1', 3, '80.64'))
  put('in/wrong.xml', ubl('I-2', 3, '90.00'))
  service.clock.advance(MINUTE)
  const { messages } = (await service.get(`/orders/${id}`)).body
  expect(messages).toMatchObject([
    { code: 'invoice_differs', path: '$.line_items[0]', params: { invoice: 'I-1', invoiced: 3, expected: 2 } },
  ])
  const { connections } = (await service.get('/connections')).body
  expect(connections[0].refused_rows).toMatchObject([{ source: 'files', id: 'wrong.xml' }])
})
