import { describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { failure, machineSlot, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const INDOOR = 'com.example.vending.amenity.indoor'
const ids = ({ body }: { readonly body: Json }): string[] => body.locations.map(({ id }: { id: string }) => id)
const codes = (body: Json): string[] => (body.messages ?? []).map(({ code }: { code: string }) => code)

async function route(): Promise<Service> {
  const machine = scriptedMachine(
    {
      M1: [machineSlot('G-0001', { stock: 3 }), machineSlot('G-0002', { stock: 0 })],
      M2: [machineSlot('G-0001', { stock: 0 }), machineSlot('G-0002', { stock: 4 })],
      M3: [machineSlot('G-0001', { stock: 1 }), machineSlot('G-0002', { stock: 1 })],
    },
    [trade('T1', NOW - MINUTE, { locationId: 'M1', locationName: '一号楼大厅' })],
  )
  const service = await startService({ machine })
  await service.put('/locations/M1', { name: 'Hall', profile: { city: '上海', placement: 'indoor' } })
  await service.put('/locations/M2', { name: 'Gate', profile: { address: 'Century Avenue 1', placement: 'outdoor' } })
  await service.put('/locations/M3', { name: 'Roof', profile: { placement: 'indoor', spot: 'Lift B' } })
  await service.post('/locations/sync')
  return service
}

describe('4.3 POST /locations/search', () => {
  test('without a body gives every machine', async () => {
    const service = await route()
    const answer = await service.post('/locations/search')
    expect(ids(answer)).toEqual(['M1', 'M2', 'M3'])
    expect(answer.body.pagination).toEqual({ has_next_page: false, total_count: 3 })
    expect(answer.body.locations[0]).not.toHaveProperty('inputs')
  })

  test('query is found anywhere in id, name, venue and address, whatever the case', async () => {
    const service = await route()
    const search = async (query: string) => ids(await service.post('/locations/search', { query }))
    expect(await search('hALL')).toEqual(['M1'])
    expect(await search('一号楼')).toEqual(['M1'])
    expect(await search('上海')).toEqual(['M1'])
    expect(await search('century')).toEqual(['M2'])
    expect(await search('lift')).toEqual(['M3'])
    expect(await search('m2')).toEqual(['M2'])
    expect(await search('nowhere')).toEqual([])
    expect(await search('')).toEqual(['M1', 'M2', 'M3'])
  })

  test('filters.items gives only machines where every item has stock above 0, in both forms', async () => {
    const service = await route()
    const search = async (...items: unknown[]) => ids(await service.post('/locations/search', { filters: { items } }))
    expect(await search({ id: 'acme-machine:G-0001' })).toEqual(['M1', 'M3'])
    expect(await search('acme-machine:G-0001')).toEqual(['M1', 'M3'])
    expect(await search('acme-machine:G-0001', { id: 'acme-machine:G-0002' })).toEqual(['M3'])
    expect(await search('acme-machine:G-0001', 'acme-machine:G-0001')).toEqual(['M1', 'M3'])
    expect(await search('acme-machine:G-0009')).toEqual([])
  })

  test('items look at live stock, not at the last sync', async () => {
    const service = await route()
    service.machine.slotsByMachine['M1'] = [machineSlot('G-0001', { stock: 0 })]
    service.machine.slotsByMachine['M2'] = [machineSlot('G-0001', { stock: 9 })]
    service.clock.advance(MINUTE)
    const items = ['acme-machine:G-0001']
    expect(ids(await service.post('/locations/search', { filters: { items } }))).toEqual(['M2', 'M3'])
  })

  test('a machine that was never synced is read too', async () => {
    const service = await route()
    service.machine.slotsByMachine['M4'] = [machineSlot('G-0007')]
    await service.put('/locations/M4', { name: 'new' })
    expect(ids(await service.post('/locations/search', { filters: { items: ['acme-machine:G-0007'] } }))).toEqual([
      'M4',
    ])
  })

  test('items of a supplier, of an unknown namespace, or with a failing platform are refused, never an empty result', async () => {
    const service = await route()
    const search = async (id: string) => {
      const { status, body } = await service.post('/locations/search', { filters: { items: [{ id }] } })
      return [status, ...codes(body)]
    }
    expect(await search('acme-supply:SP1')).toEqual([400, 'namespace_mismatch'])
    expect(await search('other-machine:G-0001')).toEqual([400, 'namespace_mismatch'])
    expect((await search('G-0001')).slice(0, 2)).toEqual([400, 'invalid'])
    service.clock.advance(MINUTE)
    service.machine.script.always('inventory', failure('unknown', 'gateway'))
    expect(await search('acme-machine:G-0001')).toEqual([502, 'upstream_unreachable'])
    service.machine.script.always('inventory', failure('unauthorized'))
    expect(await search('acme-machine:G-0001')).toEqual([401, 'unauthorized'])
  })

  test('a machine that is offline is left out with a message; when none answers the search is refused', async () => {
    const service = await route()
    service.clock.advance(MINUTE)
    const offline = { instead: failure('rejected', '设备离线') }
    service.machine.script.next('inventory', offline)
    const filters = { items: ['acme-machine:G-0001'] }
    const answer = await service.post('/locations/search', { filters })
    expect([ids(answer), codes(answer.body)]).toEqual([['M3'], ['sync_problem']])
    expect(answer.body.messages[0].params).toEqual({ machine: 'M1', name: 'Hall', reason: '设备离线' })
    service.clock.advance(MINUTE)
    service.machine.script.always('inventory', offline.instead)
    const refused = await service.post('/locations/search', { filters })
    expect([refused.status, codes(refused.body)]).toEqual([502, ['supplier_rejected']])
  })

  test('7 all invalid items are reported at once', async () => {
    const service = await route()
    const { status, body } = await service.post('/locations/search', {
      filters: { items: ['other-machine:G-1', 'acme-machine:G-0001', { id: 'acme-supply:SP1' }] },
    })
    expect([status, codes(body)]).toEqual([400, ['namespace_mismatch', 'namespace_mismatch']])
    expect(body.messages.map(({ path }: Json) => path)).toEqual(['$.filters.items[0]', '$.filters.items[2]'])
  })

  test('filters.amenities match exact keys, all of them', async () => {
    const service = await route()
    const search = async (...amenities: string[]) =>
      ids(await service.post('/locations/search', { filters: { amenities } }))
    expect(await search(INDOOR)).toEqual(['M1', 'M3'])
    expect(await search(INDOOR, 'com.example.vending.amenity.outdoor')).toEqual([])
    expect(await search('indoor')).toEqual([])
    expect(await search('toString')).toEqual([])
  })

  test('filters.hours is not applied and answered with hours_unknown', async () => {
    const service = await route()
    const answer = await service.post('/locations/search', {
      filters: { hours: { open_at: '2026-09-10T03:00:00+08:00' } },
    })
    expect([ids(answer), codes(answer.body)]).toEqual([['M1', 'M2', 'M3'], ['hours_unknown']])
  })

  test('where hours are stated, filters.hours finds the machines that are open then, in their own zone', async () => {
    const service = await route()
    const put = (id: string, body: object) => service.put(`/locations/${id}`, { name: id, ...body })
    const hours = [{ day: 'thursday', opens: '08:00', closes: '18:00' }]
    expect((await put('M1', { hours })).body.location).toMatchObject({ hours, timezone: 'Asia/Shanghai' })
    await put('M2', { hours, profile: { time_zone: 'Europe/Berlin' } })
    // A Thursday: 10:00 in Shanghai, 04:00 in Berlin.
    const search = (open_at: string) => service.post('/locations/search', { filters: { hours: { open_at } } })
    const morning = await search('2026-09-10T10:00:00+08:00')
    expect([ids(morning), codes(morning.body)]).toEqual([['M1', 'M3'], ['hours_unknown']])
    expect(ids(await search('2026-09-10T20:00:00+08:00'))).toEqual(['M2', 'M3'])
    await put('M3', { hours: [{ day: 'sunday', opens: '22:00', closes: '02:00' }] })
    const later = await search('2026-09-10T20:00:00+08:00')
    expect([ids(later), codes(later.body)]).toEqual([['M2'], []])
    // Left out they stay, null removes them.
    expect((await put('M1', {})).body.location.hours).toEqual(hours)
    expect((await put('M1', { hours: null })).body.location).not.toHaveProperty('hours')
    for (const wrong of [
      [{ day: 'thursday', opens: '08:00', closes: '08:00' }],
      [{ day: 'thursday', opens: '8:00', closes: '18:00' }],
      [{ day: 'someday', opens: '08:00', closes: '18:00' }],
      Array.from({ length: 15 }, () => hours[0]),
    ])
      expect((await put('M2', { hours: wrong })).status).toBe(400)
    expect((await put('M2', {})).body.location.hours).toEqual(hours)
  })

  test('distance and serves are not supported and are refused', async () => {
    const service = await route()
    for (const spatial of [{ distance: { max: 100 } }, { serves: { postal_code: '200000' } }]) {
      const { status, body } = await service.post('/locations/search', spatial)
      expect([status, codes(body)]).toEqual([400, ['invalid']])
    }
  })

  test('8 pages of 20 by default; the cursor is stable while machines come and go', async () => {
    const service = await startService()
    for (let i = 10; i < 35; i += 1) await service.put(`/locations/M${i}`, { name: 'x' })
    const first = await service.post('/locations/search')
    expect(ids(first)).toHaveLength(20)
    expect(first.body.pagination).toMatchObject({ has_next_page: true, total_count: 25 })
    await service.call('DELETE', '/locations/M29')
    await service.put('/locations/M00', { name: 'earlier' })
    const { cursor } = first.body.pagination
    const second = await service.post('/locations/search', { pagination: { cursor } })
    expect(ids(second)).toEqual(['M30', 'M31', 'M32', 'M33', 'M34'])
    expect(second.body.pagination.has_next_page).toBe(false)
    const bad = await service.post('/locations/search', { pagination: { cursor: 'made-up' } })
    expect([bad.status, bad.body.messages[0].path]).toEqual([400, '$.pagination.cursor'])
    expect((await service.post('/locations/search', { pagination: { limit: 0 } })).status).toBe(400)
  })

  test('pages of machines that have an item', async () => {
    const service = await route()
    const filters = { items: ['acme-machine:G-0001'] }
    const first = await service.post('/locations/search', { filters, pagination: { limit: 1 } })
    expect([ids(first), first.body.pagination.has_next_page]).toEqual([['M1'], true])
    const { cursor } = first.body.pagination
    const second = await service.post('/locations/search', { filters, pagination: { limit: 1, cursor } })
    expect([ids(second), second.body.pagination]).toEqual([['M3'], { has_next_page: false }])
  })
})

describe('4.3 POST /locations/lookup', () => {
  test('gives each machine once, with the id that found it, and an info for the unknown', async () => {
    const service = await route()
    const answer = await service.post('/locations/lookup', { ids: ['M3', 'M1', 'M3', 'M9'] })
    expect(ids(answer)).toEqual(['M3', 'M1'])
    expect(answer.body.locations[0].inputs).toEqual([{ id: 'M3' }])
    expect(answer.body.messages).toEqual([{ type: 'info', code: 'not_found', content: 'M9' }])
  })

  test('8 takes up to 50 ids; of none it finds nothing', async () => {
    const service = await route()
    const lookup = async (wanted: unknown) => {
      const { status, body } = await service.post('/locations/lookup', { ids: wanted })
      return [status, ...codes(body)]
    }
    expect((await lookup(Array.from({ length: 50 }, (_, i) => `M${i}`)))[0]).toBe(200)
    expect(await lookup(Array.from({ length: 51 }, () => 'M1'))).toEqual([400, 'request_too_large'])
    expect(await lookup([])).toEqual([200])
    expect((await service.post('/locations/lookup', { ids: [] })).body.locations).toEqual([])
    expect((await service.post('/locations/lookup', {})).body.messages[0].code).toBe('missing')
  })

  test('5 needs the token', async () => {
    const service = await route()
    expect((await service.post('/locations/lookup', { ids: ['M1'] }, { token: null })).status).toBe(401)
  })
})
