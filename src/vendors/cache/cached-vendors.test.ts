import { describe, expect, test } from 'vitest'
import { expectValue, granted } from '../../../test/contracts/adapter-kit.ts'
import { supplyOrder } from '../../../test/support/scripted-vendors.ts'
import { manualClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import { fail, succeed, failUnsupported } from '../result.ts'
import { cachedMachine, cachedSupply } from './cached-vendors.ts'
import type { MachineVendor } from '../machine-vendor.ts'
import type { SupplyVendor } from '../supply-vendor.ts'

function countingSupply() {
  const asked: (string | undefined)[] = []
  const vendor: SupplyVendor = {
    role: 'supply',
    catalog(query = {}) {
      asked.push(query.keyword)
      return Promise.resolve(succeed({ products: [], sites: [] }))
    },
    createOrder: ({ ref }) => Promise.resolve(succeed({ externalRef: `x-${ref}` })),
    orderStatus: () => Promise.resolve(fail('absent', 'no')),
  }
  return { vendor, asked }
}

function countingMachine() {
  const state = { price: 250, asked: 0, down: false }
  const vendor: MachineVendor = {
    role: 'machine',
    inventory() {
      state.asked += 1
      if (state.down) return Promise.resolve(fail('unknown', 'down'))
      return Promise.resolve(succeed([{ vendorSku: 'A', title: 'A', priceFen: fen(state.price), stock: 1 }]))
    },
    ledger: () => Promise.resolve(failUnsupported('ledger')),
    updatePrices(_locationId, prices) {
      state.price = prices[0]?.priceFen ?? state.price
      return Promise.resolve(fail('unknown', 'the reply was lost'))
    },
    restockRecommend: () => Promise.resolve(failUnsupported('restockRecommend')),
  }
  return { vendor, state }
}

describe("a supplier's catalog", () => {
  test('is read once in 60 s, and is the same object as long as nothing changed', async () => {
    const clock = manualClock(0)
    const { vendor, asked } = countingSupply()
    const cached = cachedSupply(vendor, clock)
    const first = expectValue(await cached.catalog())
    clock.advance(59_999)
    expect(expectValue(await cached.catalog())).toBe(first)
    expect(asked).toHaveLength(1)
    clock.advance(1)
    expect(expectValue(await cached.catalog())).toBe(first)
    expect(asked).toHaveLength(2)
  })

  test('is read again with live, and not mixed with search results', async () => {
    const { vendor, asked } = countingSupply()
    const cached = cachedSupply(vendor, manualClock(0))
    await cached.catalog()
    await cached.catalog({ keyword: '水' })
    await cached.catalog({ keyword: '水' })
    await cached.catalog({ live: true })
    await cached.catalog()
    expect(asked).toEqual([undefined, '水', '水', undefined])
  })

  test('caches the unreadable rows with the value', async () => {
    const unreadable = [{ kind: 'product', id: 'SP1', problem: 'its price cannot be read', detail: 'x' }] as const
    const vendor = {
      ...countingSupply().vendor,
      catalog: async () => succeed({ products: [], sites: [] }, unreadable),
    }
    const cached = cachedSupply(vendor, manualClock(0))
    expect(await cached.catalog()).toMatchObject({ unreadable })
    expect(await cached.catalog()).toMatchObject({ unreadable })
  })

  test('orders pass through', async () => {
    const cached = cachedSupply(countingSupply().vendor, manualClock(0))
    const pickup = { method: 'pickup', pickupAt: 0 } as const
    expect(await cached.createOrder(supplyOrder('po_1', [], pickup), granted)).toEqual(
      succeed({ externalRef: 'x-po_1' }),
    )
    expect(await cached.orderStatus('po_1')).toMatchObject({ reason: 'absent' })
  })
})

describe("a machine's inventory", () => {
  test('is cached for 15 s per machine', async () => {
    const clock = manualClock(0)
    const { vendor, state } = countingMachine()
    const cached = cachedMachine(vendor, clock)
    await cached.inventory('M1')
    await cached.inventory('M2')
    clock.advance(14_999)
    await cached.inventory('M1')
    expect(state.asked).toBe(2)
    clock.advance(1)
    await cached.inventory('M1')
    expect(state.asked).toBe(3)
  })

  test('with live always reads the machine', async () => {
    const { vendor, state } = countingMachine()
    const cached = cachedMachine(vendor, manualClock(0))
    await cached.inventory('M1')
    state.price = 300
    expect(expectValue(await cached.inventory('M1', { live: true }))).toMatchObject([{ priceFen: 300 }])
    expect(expectValue(await cached.inventory('M1'))).toMatchObject([{ priceFen: 300 }])
    expect(state.asked).toBe(2)
  })

  test('is not believed after a price change, whatever the machine answered', async () => {
    const { vendor } = countingMachine()
    const cached = cachedMachine(vendor, manualClock(0))
    await cached.inventory('M1')
    await cached.updatePrices('M1', [{ vendorSku: 'A', priceFen: fen(280) }], granted)
    expect(expectValue(await cached.inventory('M1'))).toMatchObject([{ priceFen: 280 }])
  })

  test('expired while the platform is down is a failure, not the old inventory', async () => {
    const clock = manualClock(0)
    const { vendor, state } = countingMachine()
    const cached = cachedMachine(vendor, clock)
    await cached.inventory('M1')
    state.down = true
    clock.advance(15_000)
    expect(await cached.inventory('M1')).toMatchObject({ ok: false, reason: 'unknown' })
  })

  test('what the device cannot do stays unsupported', async () => {
    const cached = cachedMachine(countingMachine().vendor, manualClock(0))
    expect(await cached.ledger({ fromMs: 0, toMs: 1 })).toMatchObject({ reason: 'unsupported' })
    expect(await cached.restockRecommend('M1', 'r', [], granted)).toMatchObject({ reason: 'unsupported' })
  })
})
