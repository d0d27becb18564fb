import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { SendPermit } from '../../contract.ts'
import { testMemory } from '../memory.test-support.ts'
import { granted, openSheet, order } from '../sheet.test-support.ts'

const response = (code: number) =>
  `<?xml version="1.0"?><cXML payloadID="1@x" timestamp="2026-11-09T00:00:00Z"><Response><Status code="${code}" text="x"/></Response></cXML>`

/** What the supplier answers: a status and a body, or nothing at all. */
type Answer = readonly [status: number, body: string] | 'close'

async function startSupplier(first: Answer) {
  const supplier = { answer: first, bodies: [] as string[], url: '' }
  const server = createServer((request, reply) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      supplier.bodies.push(body)
      if (supplier.answer === 'close') request.socket.destroy()
      else reply.writeHead(supplier.answer[0], { 'content-type': 'text/xml' }).end(supplier.answer[1])
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  supplier.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/cxml/orders?a=1`
  return supplier
}

const openHttp = (url: string, memory = testMemory()) =>
  openSheet({
    memory,
    order: {
      via: 'http',
      format: 'cxml',
      url,
      cxml: { from: { domain: 'NetworkId', identity: 'AN01' }, shared_secret: 'hush-hush', host: 'route.example' },
    },
  })

describe('a cXML order over HTTP', () => {
  test.each([200, 201, 204])('status %i says that it arrived', async (code) => {
    const supplier = await startSupplier([200, response(code)])
    const { vendor } = openHttp(supplier.url)
    expect(await vendor.createOrder(order(), granted)).toEqual({ ok: true, value: { externalRef: 'po_1' } })
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
    expect(supplier.bodies).toHaveLength(1)
    expect(supplier.bodies[0]).toContain('payloadID="po_1@route.example"')
  })

  test('the shared secret is in what is sent, and not in memory', async () => {
    const supplier = await startSupplier([200, response(200)])
    const { vendor, memory } = openHttp(supplier.url)
    await vendor.createOrder(order(), granted)
    expect(supplier.bodies[0]).toContain('<SharedSecret>hush-hush</SharedSecret>')
    expect(JSON.stringify(await memory.list(''))).not.toContain('hush-hush')
  })

  test("a refusal names the supplier's reason, without our secret", async () => {
    const body = response(406).replace('/>', '>Account hush-hush is blocked</Status>')
    const supplier = await startSupplier([200, body])
    const { vendor } = openHttp(supplier.url)
    expect(await vendor.createOrder(order(), granted)).toMatchObject({
      reason: 'rejected',
      message: 'The supplier refused the order: Account … is blocked',
    })
  })

  test.each<[string, Answer, string]>([
    ['a refusal in the document', [200, response(409)], 'rejected'],
    ['a refusal in document and status', [400, response(400)], 'rejected'],
  ])('%s: certainly nothing was placed, and it can be tried again', async (_, answer, reason) => {
    const supplier = await startSupplier(answer)
    const { vendor } = openHttp(supplier.url)
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: false, reason })
    expect(await vendor.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
    supplier.answer = [200, response(200)]
    expect(await vendor.createOrder(order(), granted)).toMatchObject({ ok: true })
  })

  test.each<[string, Answer]>([
    ['5xx in the document', [200, response(500)]],
    ['5xx of a gateway', [502, 'bad gateway']],
    ['404 of a gateway', [404, 'not found']],
    ['401 of a gateway', [401, 'no']],
    ['403 of a gateway', [403, 'no']],
    ['429 of a gateway', [429, 'slow']],
    ['200 that is not a document', [200, '<html></html>']],
    ['200 in the document and 500 around it', [500, response(200)]],
    ['a lost reply', 'close'],
  ])('%s leaves open whether it was placed, and it is never sent again', async (_, answer) => {
    const supplier = await startSupplier(answer)
    const { vendor } = openHttp(supplier.url)
    const unsure = { ok: false, reason: 'unknown', onlyPersonKnows: true }
    expect(await vendor.createOrder(order(), granted)).toMatchObject(unsure)
    supplier.answer = [200, response(200)]
    expect(await vendor.createOrder(order(), granted)).toMatchObject(unsure)
    expect(await vendor.orderStatus('po_1')).toMatchObject(unsure)
    expect(supplier.bodies).toHaveLength(1)
  })

  test('nothing is sent without a connection or a permit', async () => {
    expect(await openHttp('http://127.0.0.1:1/').vendor.createOrder(order(), granted)).toMatchObject({
      reason: 'unsent',
    })
    const supplier = await startSupplier([200, response(200)])
    const { vendor } = openHttp(supplier.url)
    const denied: SendPermit = async () => ({ code: 'guard_unverifiable', message: 'no rules' })
    expect(await vendor.createOrder(order(), denied)).toMatchObject({ reason: 'unsent', denied: 'guard_unverifiable' })
    expect(supplier.bodies).toEqual([])
  })

  test('a status update names the order by its payload id', async () => {
    const supplier = await startSupplier('close')
    const { vendor, reply } = openHttp(supplier.url)
    await vendor.createOrder(order(), granted)
    reply(
      'status.xml',
      '<?xml version="1.0"?><cXML payloadID="2@x" timestamp="2026-11-09T00:00:00Z"><Request><StatusUpdateRequest>' +
        '<DocumentReference payloadID="po_1@route.example"/><Status code="200" text="OK"/></StatusUpdateRequest></Request></cXML>',
    )
    expect(await vendor.orderStatus('po_1')).toMatchObject({ ok: true, value: { state: 'ordered', raw: 'received' } })
  })
})
