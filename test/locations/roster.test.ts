import { describe, expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { failure, machineSlot, scriptedMachine, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import type { Json, Service } from '../support/service.ts'

const PROFILE = {
  city: '上海',
  address: '世纪大道 1 号',
  placement: 'indoor',
  venueType: 'office',
  floor: '1F',
  spot: 'lobby',
  notes: 'ask at the desk',
}

const indoor = 'com.example.vending.amenity.indoor'

describe('4.3 PUT /locations/{id}', () => {
  test('registers a machine and shows its profile as a store location', async () => {
    const service = await startService()
    const { status, body } = await service.put('/locations/M1001', { name: 'Hall', profile: PROFILE })
    expect(status).toBe(200)
    expect(body.location).toMatchObject({
      id: 'M1001',
      name: 'Hall',
      address: { street_address: '世纪大道 1 号', extended_address: '1F, lobby', address_locality: '上海' },
      timezone: 'Asia/Shanghai',
      amenities: { [indoor]: { description: 'Indoor' } },
      venue_type: 'office',
      placement: 'indoor',
      profile_complete: true,
      missing: [],
    })
    expect(body.location).not.toHaveProperty('hours')
    expect(body.location).not.toHaveProperty('online')
    expect(body.location).not.toHaveProperty('last_synced_at')
    expect(await service.events('location')).toMatchObject([
      { code: 'machine_registered', summary: 'Machine Hall (M1001) registered', location: 'M1001' },
    ])
  })

  test('a profile without all its fields names the missing ones', async () => {
    const service = await startService()
    const { body } = await service.put('/locations/M1001', {
      name: 'Hall',
      profile: { city: '上海', notes: 'x', spot: ' ' },
    })
    expect(body.location).toMatchObject({
      profile_complete: false,
      missing: ['address', 'placement', 'venueType', 'floor', 'spot'],
    })
  })

  test('updates: a profile that is sent replaces the old one, one that is not is kept; the change is an event', async () => {
    const service = await startService()
    await service.put('/locations/M1001', { name: 'Hall', profile: PROFILE })
    const renamed = await service.put('/locations/M1001', { name: 'Great hall' })
    expect(renamed.body.location).toMatchObject({ name: 'Great hall', profile_complete: true })
    const replaced = await service.put('/locations/M1001', { name: 'Great hall', profile: { city: '北京' } })
    expect(replaced.body.location.profile).toEqual({ city: '北京' })
    expect((await service.events('location')).map(({ summary }) => summary)).toEqual([
      'Machine Great hall (M1001) updated',
      'Machine Great hall (M1001) updated',
      'Machine Hall (M1001) registered',
    ])
    await service.put('/locations/M1001', { name: 'Great hall', profile: { city: '北京' } })
    expect(await service.events('location')).toHaveLength(3)
  })

  test('refuses a missing name, a blank one, an unknown enum value and an id outside the pattern', async () => {
    const service = await startService()
    const codes = async (path: string, body: unknown) => {
      const answer = await service.put(path, body)
      return [
        answer.status,
        ...answer.body.messages.map(({ code, path: at }: { code: string; path: string }) => `${code} ${at}`),
      ]
    }
    expect(await codes('/locations/M1001', {})).toEqual([400, 'missing $.name'])
    expect(await codes('/locations/M1001', { name: '  ' })).toEqual([400, 'invalid $.name'])
    expect(await codes('/locations/M1001', { name: 'x', profile: { placement: 'moon' } })).toEqual([
      400,
      'invalid $.profile.placement',
    ])
    expect((await codes('/locations/M%201', { name: 'x' }))[0]).toBe(400)
    expect((await codes(`/locations/${'a'.repeat(65)}`, { name: 'x' }))[0]).toBe(400)
  })

  test('8 after registration the machine is synced by itself, and then every hour', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001')] }, [trade('T1', NOW - 60_000)])
    const service = await startService({ machine })
    await service.tick()
    await service.put('/locations/M1001', { name: 'Hall' })
    service.clock.advance(5000)
    await service.tick()
    const [first] = (await service.post('/locations/lookup', { ids: ['M1001'] })).body.locations
    expect(first).toMatchObject({ online: true, venue_name: 'Hall', last_synced_at: '2026-09-10T08:00:05.000+08:00' })
    const asked = machine.script.count('inventory')
    service.clock.advance(60_000)
    await service.tick()
    expect(machine.script.count('inventory')).toBe(asked)
    service.clock.advance(3_600_000)
    await service.tick()
    const [later] = (await service.post('/locations/lookup', { ids: ['M1001'] })).body.locations
    expect(later.last_synced_at).toBe('2026-09-10T09:01:05.000+08:00')
  })
})

describe('4.3 DELETE /locations/{id}', () => {
  test('purges profile, context and telemetry, and keeps events and sales', async () => {
    const slots = [machineSlot('G-0001'), machineSlot('G-0002')]
    const service = await startService({ machine: scriptedMachine({ M1001: slots }, [trade('T1', NOW - 60_000)]) })
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.post('/locations/sync', {})
    await service.put('/locations/M1001/slots/M1001-G-0001', { locked: true })
    const { status, body } = await service.call('DELETE', '/locations/M1001')
    expect(status).toBe(200)
    expect(body).toMatchObject({ removed: 'M1001', purged: { profile: 1, context: 3, telemetry: 2 } })
    expect((await service.post('/locations/lookup', { ids: ['M1001'] })).body.locations).toEqual([])
    for (const table of ['slot', 'slot_lock', 'stock_log', 'location'] as const)
      expect(await service.ctx.store.db.selectFrom(table).selectAll().execute()).toEqual([])
    expect((await service.events('location')).map(({ summary }) => summary)).toEqual([
      'Machine Hall (M1001) removed',
      'slot G-0001 locked in Hall (M1001)',
      'Machine Hall (M1001) registered',
    ])
    expect((await service.get('/orders/T1')).status).toBe(200)
  })

  test('answers 404 for a machine that is not registered', async () => {
    const service = await startService()
    const { status, body } = await service.call('DELETE', '/locations/M1001')
    expect([status, body.messages[0].code]).toEqual([404, 'not_found'])
    expect(await service.events('location')).toEqual([])
  })
})

describe('PUT /locations/{id}/slots/{slot_id}', () => {
  test('locks and unlocks a slot, each change an event, a repetition none', async () => {
    const service = await startService({ machine: scriptedMachine({ M1001: [machineSlot('G-0001')] }) })
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.post('/locations/sync', {})
    const lock = (locked: boolean) => service.put('/locations/M1001/slots/M1001-G-0001', { locked })
    expect((await lock(true)).body.inventory).toEqual({
      location: 'M1001',
      slot_id: 'M1001-G-0001',
      stock: 7,
      stock_source: 'told',
      capacity: null,
      locked: true,
    })
    await lock(true)
    expect((await lock(false)).body.inventory.locked).toBe(false)
    await lock(false)
    expect((await service.events('location')).map(({ summary }) => summary)).toEqual([
      'slot G-0001 unlocked in Hall (M1001)',
      'slot G-0001 locked in Hall (M1001)',
      'Machine Hall (M1001) registered',
    ])
  })

  test('answers 404 for a slot or a machine it does not know, and 400 for a locked that is no boolean', async () => {
    const service = await startService({ machine: scriptedMachine({ M1001: [machineSlot('G-0001')] }) })
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.post('/locations/sync', {})
    const status = async (path: string, locked: unknown) => (await service.put(path, { locked })).status
    expect(await status('/locations/M1001/slots/M1001-G-0009', true)).toBe(404)
    expect(await status('/locations/M1002/slots/M1001-G-0001', true)).toBe(404)
    expect(await status('/locations/M1002/slots/M1002-G-0001', true)).toBe(404)
    expect(await status('/locations/M1001/slots/M1001-G-0001', 'true')).toBe(400)
  })
})

describe('2.5 online', () => {
  const located = async (service: Service, id: string): Promise<Json> =>
    (await service.post('/locations/lookup', { ids: [id] })).body.locations[0]

  test('a machine the platform does not know is false, with location_unverified on itself; a sale confirms it', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001')] }, [trade('T1', NOW - MINUTE)])
    const service = await startService({ machine })
    await service.put('/locations/M1001', { name: 'Hall' })
    const registered = (await service.put('/locations/M2999', { name: 'nowhere' })).body.location
    expect(registered).not.toHaveProperty('online')
    expect(registered).not.toHaveProperty('messages')
    await service.post('/locations/sync')
    expect(await located(service, 'M1001')).toMatchObject({ online: true })
    expect(await located(service, 'M1001')).not.toHaveProperty('messages')
    const unknown = { online: false, messages: [{ type: 'warning', code: 'location_unverified' }] }
    expect(await located(service, 'M2999')).toMatchObject(unknown)
    expect((await service.post('/locations/search', { query: 'M2999' })).body.locations).toMatchObject([unknown])
    expect((await service.put('/locations/M2999', { name: 'nowhere' })).body.location).toMatchObject(unknown)

    machine.trades.push(trade('T2', NOW, { locationId: 'M2999' }))
    service.clock.advance(5 * MINUTE)
    await service.job('poll-ledger')
    expect(await located(service, 'M2999')).toMatchObject({ online: true })
  })

  test('is absent where the platform cannot know: a sync does not turn a file into a machine that was seen', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001')] }, [trade('T1', NOW - MINUTE)])
    Object.assign(machine.vendor, { canSeeOnline: false })
    const service = await startService({ machine })
    await service.put('/locations/M1001', { name: 'Hall' })
    await service.put('/locations/M2999', { name: 'nowhere' })
    await service.post('/locations/sync')
    const found = await located(service, 'M1001')
    expect(found).toMatchObject({ last_synced_at: expect.any(String) })
    expect(found).not.toHaveProperty('online')
    const unknown = await located(service, 'M2999')
    expect(unknown).toMatchObject({ messages: [{ code: 'location_unverified' }] })
    expect(unknown).not.toHaveProperty('online')
  })

  test('while the ledger cannot be read, nothing speaks against what the platform reported', async () => {
    const machine = scriptedMachine({ M1001: [machineSlot('G-0001')] })
    const service = await startService({ machine })
    await service.put('/locations/M1001', { name: 'Hall' })
    machine.script.always('ledger', failure('unknown'))
    await service.post('/locations/sync')
    expect(await located(service, 'M1001')).toMatchObject({ online: true })
  })
})
