import { describe, expect, test } from 'vitest'
import { MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { Result } from '../../src/vendors/contract.ts'
import type { MachineLocation, MachineVendor } from '../../src/vendors/machine-vendor.ts'
import { registerLive, plannedVendor } from '../../src/vendors/registry.ts'
import { fail, succeed } from '../../src/vendors/result.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const ns = (text: string) => text as Namespace
const codeOf = ({ body }: { body: Json }) => body.messages[0].code

describe('4.1 GET /namespaces/{namespace}/locations', () => {
  const start = (answer: () => Promise<Result<readonly MachineLocation[]>>) => {
    const machine = scriptedMachine({ M1: [machineSlot('A')] })
    const vendor: MachineVendor = { ...machine.vendor, locations: answer }
    return startService({
      machine,
      entries: [
        registerLive(ns('acme-supply'), scriptedSupply([]).vendor),
        registerLive(ns('acme-machine'), vendor, ['inventory', 'ledger', 'locations']),
        registerLive(ns('bare-machine'), vendor, ['inventory', 'ledger']),
        plannedVendor(ns('later-machine')),
      ],
    })
  }

  test('lists every machine of the platform and says which are registered; other ids are left out', async () => {
    const service = await start(async () =>
      succeed([
        { id: 'M1', name: 'Lobby', timeZone: 'America/Chicago', address: '1 Main St' },
        { id: 'M2', name: 'Gym' },
        { id: 'not an id', name: 'Broken' },
      ]),
    )
    await service.put('/locations/M1', { name: 'Lobby' })
    const { status, body } = await service.get('/namespaces/acme-machine/locations')
    expect(status).toBe(200)
    expect(body.locations).toEqual([
      { id: 'M1', name: 'Lobby', timezone: 'America/Chicago', address: '1 Main St', registered: true },
      { id: 'M2', name: 'Gym', registered: false },
    ])
  })

  test.each([
    ['a namespace that is not registered', 'nobody-machine', 404, 'not_found'],
    ['a planned platform', 'later-machine', 400, 'namespace_unsupported'],
    ['a platform that cannot list its machines', 'bare-machine', 400, 'namespace_unsupported'],
    ['a supplier', 'acme-supply', 400, 'namespace_mismatch'],
    ['what is no namespace', 'Acme', 400, 'invalid'],
  ])('7 %s is refused', async (_name, namespace, status, code) => {
    const service = await start(async () => succeed([]))
    const answer = await service.get(`/namespaces/${namespace}/locations`)
    expect([answer.status, codeOf(answer)]).toEqual([status, code])
  })

  test('7 a platform that does not answer is upstream_unreachable', async () => {
    const service = await start(async () => fail('unknown', 'No reply', { retryAfter: 3 }))
    const answer = await service.get('/namespaces/acme-machine/locations')
    expect([answer.status, codeOf(answer), answer.headers['retry-after']]).toEqual([502, 'upstream_unreachable', '3'])
  })
})

describe('4.1 GET /connections', () => {
  const connections = async (service: Service): Promise<Json[]> => (await service.get('/connections')).body.connections
  const search = (service: Service) => service.post('/catalog/search', { filters: { namespace: 'acme-supply' } })

  test('shows each live connection, unused and after its first read', async () => {
    const service = await startService({
      entries: [
        registerLive(ns('acme-supply'), Object.assign({}, scriptedSupply([supplyProduct('A')]).vendor), ['catalog']),
        plannedVendor(ns('acme-machine')),
      ],
    })
    expect(await connections(service)).toEqual([
      {
        namespace: 'acme-supply',
        role: 'supply',
        capabilities: ['catalog'],
        state: 'unused',
        managed: 'file',
        refused_count: 0,
        refused_rows: [],
      },
    ])
    await search(service)
    expect(await connections(service)).toMatchObject([{ state: 'ok', last_read_at: '2026-09-10T08:00:00.000+08:00' }])
  })

  test('a failure is shown at once with its code and text, and the next success at once, too', async () => {
    let answer: Result<never> | undefined
    const supply = scriptedSupply([supplyProduct('A')])
    const vendor = { ...supply.vendor, catalog: async () => answer ?? supply.vendor.catalog() }
    const service = await startService({ entries: [registerLive(ns('acme-supply'), vendor)] })
    await search(service)
    service.clock.advance(SECOND)
    answer = fail('unauthorized', 'The token has expired')
    await search(service)
    const failing = { at: '2026-09-10T08:00:01.000+08:00', code: 'unauthorized', content: 'The token has expired' }
    expect(await connections(service)).toMatchObject([{ state: 'failing', last_failure: failing }])
    service.clock.advance(SECOND)
    answer = undefined
    await search(service)
    expect(await connections(service)).toMatchObject([
      { state: 'ok', last_failure: failing, last_read_at: '2026-09-10T08:00:02.000+08:00' },
    ])
    service.clock.advance(SECOND)
    answer = fail('absent', 'no such thing')
    await search(service)
    expect(await connections(service), 'an answer is no failure').toMatchObject([{ state: 'ok' }])
    answer = { ...fail('unknown', 'ask the supplier'), onlyPersonKnows: true }
    await search(service)
    expect(await connections(service), 'nor that only a person knows').toMatchObject([{ state: 'ok' }])
  })

  test('successful reads are written at most every 30 seconds', async () => {
    const service = await startService({
      entries: [registerLive(ns('acme-supply'), scriptedSupply([supplyProduct('A')]).vendor)],
    })
    const readAt = async () => (await connections(service))[0].last_read_at
    await search(service)
    const first = await readAt()
    service.clock.advance(29 * SECOND)
    await search(service)
    expect(await readAt()).toBe(first)
    service.clock.advance(MINUTE)
    await search(service)
    expect(await readAt()).toBe('2026-09-10T08:01:29.000+08:00')
  })

  test('files of a platform that cannot be used are listed until they can or are gone, with one event', async () => {
    const machine = scriptedMachine({ M1: [machineSlot('A')] })
    const file = (id: string) => ({ kind: 'file', id, problem: 'its checksum is wrong', detail: 'G85' }) as const
    let unreadableFiles = [file('a.dex'), file('b.dex')]
    const service = await startService({
      machine,
      entries: [
        registerLive(ns('acme-machine'), {
          ...machine.vendor,
          async ledger(query) {
            const page = await machine.vendor.ledger(query)
            return page.ok ? { ...page, value: { ...page.value, unreadableFiles } } : page
          },
        }),
      ],
    })
    await service.put('/locations/M1', { name: 'Lobby' })
    const { body } = await service.post('/locations/sync', {})
    expect(body.messages.map(({ content }: Json) => content)).not.toContainEqual(expect.stringContaining('a.dex'))
    const row = { source: 'files', problem: 'its checksum is wrong' }
    expect(await connections(service)).toMatchObject([
      {
        state: 'ok',
        refused_count: 2,
        refused_rows: [
          { ...row, id: 'a.dex' },
          { ...row, id: 'b.dex' },
        ],
      },
    ])
    unreadableFiles = [file('b.dex')]
    await service.post('/locations/sync', {})
    expect(await connections(service)).toMatchObject([{ refused_count: 1, refused_rows: [{ ...row, id: 'b.dex' }] }])
    const { events } = (await service.get('/events?kind=sync')).body
    expect(events.filter(({ code }: Json) => code === 'rows_unreadable')).toMatchObject([
      {
        summary: '2 files of acme-machine cannot be read: a.dex (its checksum is wrong), b.dex (its checksum is wrong)',
      },
    ])
  })

  test('rows that could not be read are listed with their reason, machine and first sighting', async () => {
    const machine = scriptedMachine({ M1: [machineSlot('A')] })
    const row = { problem: 'its price cannot be read', detail: 'price: N/A' }
    const supply = scriptedSupply([supplyProduct('A')])
    const service = await startService({
      machine,
      entries: [
        registerLive(ns('acme-supply'), {
          ...supply.vendor,
          catalog: async () => ({
            ...(await supply.vendor.catalog()),
            unreadable: [
              { kind: 'product', id: 'B', ...row },
              { kind: 'product', id: undefined, ...row },
            ],
          }),
        }),
        registerLive(ns('acme-machine'), {
          ...machine.vendor,
          inventory: async (id) => ({
            ...(await machine.vendor.inventory(id)),
            unreadable: [{ kind: 'slot', id: 'C', ...row }],
          }),
        }),
      ],
    })
    await service.put('/locations/M1', { name: 'Lobby' })
    await search(service)
    await service.post('/locations/sync', {})
    const at = {
      problem: row.problem,
      first_seen_at: new Date(NOW + 8 * 60 * MINUTE).toISOString().replace('Z', '+08:00'),
    }
    expect(await connections(service)).toMatchObject([
      {
        namespace: 'acme-supply',
        refused_count: 2,
        refused_rows: [
          { source: 'catalog', id: 'B', ...at },
          { source: 'catalog', ...at },
        ],
      },
      {
        namespace: 'acme-machine',
        refused_count: 1,
        refused_rows: [{ source: 'inventory', location: 'M1', id: 'C', ...at }],
      },
    ])
  })
})
