/** The suite every supply adapter passes (2.9). */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eachOf } from '../../src/kernel/fen.ts'
import type { SupplyCatalog, SupplyFulfillment, SupplyLine, SupplyVendor } from '../../src/vendors/contract.ts'
import {
  expectFailure,
  expectFen,
  expectRefused,
  expectUnique,
  expectValue,
  granted,
  denied,
  expectPermitAsked,
  ALL_TROUBLES,
  NOTHING_HAPPENED,
  READ_TROUBLES,
  ROWS,
  TROUBLES,
  VENDOR_SKU,
} from './adapter-kit.ts'
import type { Harness } from './adapter-kit.ts'
import { supplyOrder } from '../support/scripted-vendors.ts'

export interface SupplyHarness extends Harness<SupplyVendor> {
  /** What the upstream contains. At least one product whose each price is derived. */
  readonly expected: SupplyCatalog
  readonly lines: readonly SupplyLine[]
  /** References of the orders that the upstream has. */
  placed(): readonly string[]
  /** Makes the upstream list ROWS products, the first `bad` of them unreadable; gives back the codes, in order. */
  spoil(bad: number): readonly string[]
  /** Names of the vendor's fields, which no text for callers may hold. */
  readonly vendorFields: readonly string[]
}

const SHIPPING: SupplyFulfillment = {
  method: 'shipping',
  contactName: '王',
  contactPhone: '13800000000',
  address: '上海市浦东新区 1 号',
}

export function describeSupplyAdapter(name: string, make: () => Promise<SupplyHarness>): void {
  describe(`${name} as a supply adapter`, () => {
    let harness: SupplyHarness
    beforeEach(async () => void (harness = await make()))
    afterEach(() => harness.close())

    const order = (ref: string, fulfillment = SHIPPING, permit = granted) =>
      harness.vendor.createOrder(supplyOrder(ref, harness.lines, fulfillment), permit)

    test('2.9 catalog returns every product and site', async () => {
      expect(expectValue(await harness.vendor.catalog())).toEqual(harness.expected)
    })

    test('2.9 products carry whole fen, a pack size of at least one and a code that can be an id', async () => {
      const { products } = expectValue(await harness.vendor.catalog())
      expectUnique(products.map((product) => product.vendorSku))
      for (const product of products) {
        expectFen(product.packPriceFen)
        expectFen(product.eachPriceFen)
        expect(product.packSize).toBeGreaterThanOrEqual(1)
        expect(product.stock).toBeGreaterThanOrEqual(0)
        expect(product.vendorSku).toMatch(VENDOR_SKU)
      }
    })

    test('2.9 a derived each price is the box price divided and rounded', async () => {
      const { products } = expectValue(await harness.vendor.catalog())
      const derived = products.filter((product) => product.eachPriceDerived)
      expect(derived).not.toHaveLength(0)
      for (const { packPriceFen, packSize, eachPriceFen } of derived) {
        expect(eachPriceFen).toBe(eachOf(packPriceFen, packSize))
      }
    })

    test('2.9 one product that cannot be read is refused by name, and the others are listed', async () => {
      const [bad = '', ...good] = harness.spoil(1)
      const answer = await harness.vendor.catalog()
      expect(expectValue(answer).products.map(({ vendorSku }) => vendorSku)).toEqual(good)
      expectRefused(answer, [bad], harness.vendorFields)
    })

    test('2.9 when more than a fifth of the products cannot be read, the catalog cannot', async () => {
      harness.spoil(Math.floor(ROWS / 5))
      expectValue(await harness.vendor.catalog())
      harness.spoil(Math.floor(ROWS / 5) + 2)
      expectFailure(await harness.vendor.catalog(), 'unknown', harness.hidden)
    })

    test('2.9 an order can be found again by our reference', async () => {
      const { externalRef } = expectValue(await order('po_20260910_1'))
      const status = expectValue(await harness.vendor.orderStatus('po_20260910_1'))
      expect(status).toMatchObject({ externalRef, state: 'ordered' })
      expect(externalRef).not.toBe('')
    })

    test('2.9 an order can be picked up at a site', async () => {
      const pickupAt = Date.parse('2026-09-11T10:00:00+08:00')
      const site = harness.expected.sites[0]
      expectValue(await order('po_20260910_1', { method: 'pickup', pickupAt, ...(site && { siteId: site.id }) }))
      expect(harness.placed()).toEqual(['po_20260910_1'])
    })

    test('2.9 createOrder is idempotent on its reference, also concurrently', async () => {
      const answers = await Promise.all([order('po_20260910_1'), order('po_20260910_1'), order('po_20260910_1')])
      expect(new Set(answers.map((answer) => expectValue(answer).externalRef)).size).toBe(1)
      expect(harness.placed()).toEqual(['po_20260910_1'])
    })

    test('2.9 a reference the supplier does not know is absent, not unknown', async () => {
      expectFailure(await harness.vendor.orderStatus('po_20260910_404'), 'absent')
    })

    test.each(READ_TROUBLES)(
      '2.9 when the upstream %s, a read says so and is never an empty result',
      async (trouble) => {
        expectValue(await order('po_20260910_1'))
        await harness.trouble(trouble)
        expectFailure(await harness.vendor.catalog(), TROUBLES[trouble], harness.hidden)
        expectFailure(await harness.vendor.orderStatus('po_20260910_1'), TROUBLES[trouble], harness.hidden)
      },
    )

    test.each(ALL_TROUBLES)('2.9 when the upstream %s, createOrder says so and is not sent twice', async (trouble) => {
      await harness.trouble(trouble)
      expectFailure(await order('po_20260910_1'), TROUBLES[trouble], harness.hidden)
      expect(harness.writesReceived()).toBeLessThanOrEqual(1)
    })

    test.each(NOTHING_HAPPENED)('2.9 when the upstream %s, certainly no order exists', async (trouble) => {
      await harness.trouble(trouble)
      await order('po_20260910_1')
      expect(harness.placed()).toEqual([])
    })

    test('createOrder asks its permit and sends nothing without it', async () => {
      await expectPermitAsked(harness, (permit) => order('po_20260910_1', SHIPPING, permit))
      expect(harness.placed()).toEqual(['po_20260910_1'])
    })

    test('createOrder whose permit is denied is unsent, and says why', async () => {
      const answer = await order('po_20260910_1', SHIPPING, denied)
      expectFailure(answer, 'unsent', harness.hidden)
      expect(answer).toMatchObject({ denied: 'kill_switch_engaged', message: 'the emergency stop is on' })
      expect([harness.placed(), harness.writesReceived()]).toEqual([[], 0])
    })

    test('2.9 an order whose reply was lost exists, and orderStatus finds it', async () => {
      await harness.trouble('loses_reply')
      expectFailure(await order('po_20260910_1'), 'unknown')
      await harness.heal()
      expect(harness.placed()).toEqual(['po_20260910_1'])
      expectValue(await harness.vendor.orderStatus('po_20260910_1'))
    })

    test.each(READ_TROUBLES)('2.9 after the upstream %s, the next read is answered', async (trouble) => {
      await harness.trouble(trouble)
      await harness.vendor.catalog()
      await harness.heal()
      expect(expectValue(await harness.vendor.catalog())).toEqual(harness.expected)
    })
  })
}
