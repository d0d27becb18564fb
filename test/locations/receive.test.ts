import { describe, expect, test } from 'vitest'
import { bookService } from '../../src/route/locations/service/book-service.ts'
import { findSlot } from '../../src/route/locations/slot-records.ts'
import { HOUR, MINUTE } from '../../src/kernel/clock.ts'
import { machineSlot, scriptedMachine } from '../support/scripted-vendors.ts'
import { startService } from '../support/service.ts'

async function slots(stock: number) {
  const machine = scriptedMachine({ M1: [machineSlot('G-1', { stock })] })
  const service = await startService({ machine })
  await service.put('/locations/M1', { name: 'Hall' })
  await service.post('/locations/sync')
  service.clock.advance(MINUTE)
  const { store } = service.ctx
  return {
    service,
    receive: (quantity: number, ordered = quantity, vendorSku = 'G-1') =>
      store.transaction((tx) =>
        bookService(service.ctx, tx, {
          location: 'M1',
          slotWorks: [{ vendorSku, loaded: { quantity, ordered } }],
          note: undefined,
        }),
      ),
    read: async (next: number) => {
      machine.slotsByMachine['M1'] = [machineSlot('G-1', { stock: next })]
      service.clock.advance(HOUR)
      await service.post('/locations/sync')
    },
    slot: () => findSlot(store.db, 'M1', 'G-1'),
  }
}

describe('3.2 receipts raise stock', () => {
  test('at once, as a point in the stock history, until the next sync reads what is there', async () => {
    const { service, receive, slot, read } = await slots(3)
    await receive(5)
    expect(await slot()).toMatchObject({ stock: 8, capacity: null })
    await read(7)
    expect(await slot()).toMatchObject({ stock: 7 })
    const log = await service.ctx.store.db.selectFrom('stock_log').select(['stock', 'source']).orderBy('at').execute()
    expect(log).toEqual([
      { stock: 3, source: 'sync' },
      { stock: 8, source: 'receipt' },
      { stock: 7, source: 'sync' },
    ])
  })

  test('capped at capacity when known, and never lowering what is there', async () => {
    const { receive, slot, read } = await slots(2)
    for (const level of [10, 2, 10, 9]) await read(level)
    expect(await slot()).toMatchObject({ stock: 9, capacity: 10 })
    await receive(5)
    expect(await slot()).toMatchObject({ stock: 10, capacity: 10 })
    await receive(1)
    expect(await slot()).toMatchObject({ stock: 10, capacity: 10 })
  })

  test('a delivery that came short shows how much the slot holds, unless it has held more before', async () => {
    const first = await slots(4)
    await first.receive(5, 8)
    expect(await first.slot()).toMatchObject({ stock: 9, capacity: 9, capacitySource: 'inferred' })
    const second = await slots(12)
    await second.read(4)
    await second.receive(5, 8)
    expect(await second.slot()).toMatchObject({ stock: 9, capacity: null })
  })

  test('products that are no longer in the machine change nothing', async () => {
    const { receive, slot } = await slots(3)
    await receive(5, 5, 'G-9')
    expect(await slot()).toMatchObject({ stock: 3 })
  })

  test('an answer that the machine gave before the receipt does not undo it', async () => {
    const { service, receive, slot } = await slots(3)
    let go = () => {}
    service.machine.script.next('inventory', { wait: new Promise<void>((resolve) => void (go = resolve)) })
    const running = service.post('/locations/sync')
    while (service.machine.script.count('inventory') < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    service.clock.advance(1000)
    await receive(5)
    go()
    await running
    expect(await slot()).toMatchObject({ stock: 8 })
  })
})
