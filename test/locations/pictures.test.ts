/** Pictures of products: the service fetches them, so that a browser calls no other host. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { productPicture } from '../../src/simulator/upstreams/picture.ts'
import { COLA, MACHINE, routeSlots, startRoute, sync } from '../replenishment/route.ts'
import { TOKEN } from '../support/service.ts'
import type { Service } from '../support/service.ts'

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
