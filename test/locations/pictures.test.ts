/** Pictures of products: the service fetches them, so that a browser calls no other host. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DAY, MINUTE } from '../../src/kernel/clock.ts'
import { productPicture } from '../../src/simulator/upstreams/picture.ts'
import { addKey } from '../people/keys.ts'
import { COLA, MACHINE, routeSlots, slotOf, startRoute, sync } from '../replenishment/route.ts'
import { TOKEN } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

/** The platform's picture host: what it answers can be changed. */
async function startHost() {
  const answer = { status: 200, body: productPicture('G-1') }
  let calls = 0
  const server = createServer((_request, response) => {
    calls += 1
    // The stated type is not believed.
    response.writeHead(answer.status, { 'content-type': 'image/svg+xml' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  let connections = 0
  server.on('connection', () => (connections += 1))
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/g1.png`,
    answer,
    calls: () => calls,
    connections: () => connections,
  }
}

async function startWithPicture(imageUrl: string, options: Parameters<typeof startRoute>[0] = {}): Promise<Service> {
  const service = await startRoute(options)
  service.machine.slotsByMachine[MACHINE] = routeSlots().map((slot) => ({ ...slot, imageUrl }))
  await sync(service)
  return service
}

const getPicture = ({ server }: Service, sku: string, token: string | null = TOKEN) =>
  server.inject({
    url: `/pictures/${encodeURIComponent(sku)}`,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
  })

describe('2.4 the picture of a machine product', () => {
  test('comes from the service with the type of its bytes, for callers with a token only', async () => {
    const host = await startHost()
    const service = await startWithPicture(host.url)
    const picture = await getPicture(service, COLA)
    expect(picture.statusCode).toBe(200)
    expect(picture.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=86400',
      'x-content-type-options': 'nosniff',
    })
    expect(picture.headers['content-security-policy']).toContain('sandbox')
    expect(picture.rawPayload.equals(host.answer.body)).toBe(true)
    expect((await getPicture(service, COLA, null)).statusCode).toBe(401)
    expect(host.calls()).toBe(1)
  })

  test('is a neutral one where there is none, and where the host sends something else', async () => {
    const host = await startHost()
    const service = await startWithPicture(host.url)
    const typeOf = async (sku: string) => (await getPicture(service, sku)).headers['content-type']
    expect(await typeOf('acme-machine:G-404')).toBe('image/svg+xml')
    expect(await typeOf('no sku')).toBe('image/svg+xml')
    host.answer.body = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')
    const neutral = await getPicture(service, COLA)
    expect(neutral.headers['content-type']).toBe('image/svg+xml')
    expect(neutral.body).not.toContain('script')
    // A host that failed is left alone for ten minutes.
    host.answer.body = productPicture('G-1')
    expect(await typeOf(COLA)).toBe('image/svg+xml')
    expect(host.calls()).toBe(1)
    service.clock.advance(11 * MINUTE)
    expect(await typeOf(COLA)).toBe('image/png')
  })

  test('is not fetched from an address inside our own network', async () => {
    const host = await startHost()
    for (const url of [host.url, host.url.replace('http:', 'https:')]) {
      const service = await startWithPicture(url, { config: { env: 'live' } })
      expect((await getPicture(service, COLA)).headers['content-type']).toBe('image/svg+xml')
    }
    expect(host.connections()).toBe(0)
    // In staging the platform is on the same machine.
    expect((await getPicture(await startWithPicture(host.url), COLA)).headers['content-type']).toBe('image/png')
  })
})

describe('faults and photos of a machine', () => {
  const photo = productPicture('G-1').toString('base64')
  const reports = `/locations/${MACHINE}/reports`

  test('a report is listed and shown until it is fixed; its photo comes with the type of its bytes, for keys only', async () => {
    const service = await startRoute()
    const { key: driver } = await addKey(service, 'driver', 'Zhao')
    const visit = await service.post(`/locations/${MACHINE}/service`, {
      counted: [{ slot_id: slotOf(COLA), stock: 1 }],
    })
    const body = { fault: 'The coin mechanism jams', photo, service_id: visit.body.service.id }
    const send = () => service.post(reports, body, { token: driver, headers: { 'idempotency-key': 'report-1' } })
    const { status, body: answer } = await send()
    expect([status, answer.report]).toEqual([
      201,
      expect.objectContaining({ fault: body.fault, service_id: body.service_id, by: { name: 'Zhao', role: 'driver' } }),
    ])
    expect((await send()).body).toEqual(answer)
    const { id, photo: path } = answer.report
    const fetched = await service.server.inject({ url: path, headers: { authorization: `Bearer ${driver}` } })
    expect([fetched.statusCode, fetched.rawPayload.toString('base64')]).toEqual([200, photo])
    expect(fetched.headers).toMatchObject({ 'content-type': 'image/png', 'x-content-type-options': 'nosniff' })
    expect(fetched.headers['content-security-policy']).toContain('sandbox')
    expect((await service.server.inject({ url: path })).statusCode).toBe(401)
    expect(
      (await service.server.inject({ url: '/photos/rep-0', headers: { authorization: `Bearer ${TOKEN}` } })).statusCode,
    ).toBe(404)

    const faults = async () => (await service.get('/overview')).body.faults
    expect(await faults()).toEqual([expect.objectContaining({ id, location: MACHINE, fault: body.fault })])
    expect((await service.events('location'))[0]).toMatchObject({ code: 'fault_reported', params: { photo: path } })
    for (let i = 0; i < 2; i += 1) {
      service.clock.advance(MINUTE)
      expect((await service.post(`${reports}/${id}/fix`, {}, { token: driver })).body.report).toMatchObject({
        fixed_at: '2026-09-10T08:02:00.000+08:00',
        fixed_by: 'Zhao',
      })
    }
    expect(await faults()).toEqual([])
    expect((await service.events('location')).filter(({ code }: Json) => code === 'fault_fixed')).toHaveLength(1)

    // After its time the photo is gone; what was wrong is still known.
    service.clock.advance(91 * DAY)
    await service.job('prune-reports')
    expect((await service.get(reports)).body.reports).toEqual([
      expect.not.objectContaining({ photo: expect.anything() }),
    ])
    service.clock.advance(1000 * DAY)
    await service.job('prune-reports')
    expect((await service.get(reports)).body.reports).toEqual([])
  })

  test('what is no picture, too large, empty or of no machine is refused', async () => {
    const service = await startRoute()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64')
    const large = Buffer.concat([productPicture('G-1'), Buffer.alloc(300 * 1024)]).toString('base64')
    for (const [body, code] of [
      [{}, 'missing'],
      [{ photo: svg }, 'invalid'],
      [{ photo: 'data:image/png;base64,AAAA' }, 'invalid'],
      [{ photo: large }, 'invalid'],
      [{ fault: 'x', service_id: 'svc-0' }, 'invalid'],
      [{ fault: 'x', occurred_at: '2020-01-01T00:00:00Z' }, 'invalid'],
    ] as const) {
      const answer = await service.post(reports, body)
      expect([answer.status, answer.body.messages[0].code]).toEqual([400, code])
    }
    expect((await service.post('/locations/M9/reports', { fault: 'x' })).status).toBe(404)
    expect((await service.post(`${reports}/rep-0/fix`, {})).status).toBe(404)
    const { body } = await service.post(reports, { photo })
    expect((await service.post(`${reports}/${body.report.id}/fix`, {})).status).toBe(409)
    const { key: viewer } = await addKey(service, 'viewer', 'Wu')
    expect((await service.post(reports, { fault: 'x' }, { token: viewer })).status).toBe(403)
  })
})
