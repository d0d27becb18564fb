/** The suite every supply adapter passes, also one that works over files and therefore has fewer capabilities. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eachOf } from '../../src/kernel/fen.ts'
import type { VendorCapability } from '../../src/vendors/registration.ts'
import type {
  SupplyCatalog,
  SupplyFulfillment,
  SupplyLine,
  SupplyOrder,
  SupplyVendor,
} from '../../src/vendors/supply-vendor.ts'
import {
  type Harness,
  type Trouble,
  expectFailure,
  expectFen,
  expectUnreadable,
  expectUnique,
  expectValue,
  testsIf,
  granted,
  denied,
  expectPermitAsked,
  NOTHING_HAPPENED,
  ROWS,
  TROUBLES,
  VENDOR_SKU,
} from './adapter-kit.ts'
import { supplyOrder } from '../support/scripted-vendors.ts'

export interface SupplyHarness extends Harness<SupplyVendor> {
  /** What the upstream contains. With `derived_each` at least one product whose each price is derived. */
  readonly expected: SupplyCatalog
  readonly lines: readonly SupplyLine[]
  /** References of the orders that the upstream has. */
  placed(): readonly string[]
  /** The order for these lines, where the adapter needs more than `supplyOrder` states (another currency, an address). */
  order?(ref: string, fulfillment: SupplyFulfillment): SupplyOrder
  /** Makes the upstream list ROWS products, the first `bad` of them unreadable; gives back the codes, in order. */
  spoil?(bad: number): readonly string[]
  /** Names of the vendor's fields, which no text for callers may hold. */
  readonly vendorFields?: readonly string[]
}

const CALLS = ['catalog', 'createOrder', 'orderStatus'] as const
type Call = (typeof CALLS)[number]

/**
 * - `pickup`        an order can be picked up at a site
 * - `derived_each`  single items are sold at a part of the pack's price
 */
export type SupplyFeature = 'pickup' | 'derived_each'

export interface SupplyAdapter {
  readonly capabilities: readonly VendorCapability[]
  readonly features: readonly SupplyFeature[]
  /** Those its upstream can have, for all calls or for each: a list in a folder has no credentials to refuse. */
  readonly troubles: readonly [Trouble, ...Trouble[]] | Readonly<Record<Call, readonly Trouble[]>>
  readonly make: () => Promise<SupplyHarness>
  /** Its upstream sends rows that may be unreadable: the harness can spoil them. */
  readonly sendsRows?: boolean
}

const SHIPPING: SupplyFulfillment = {
  method: 'shipping',
  contactName: '王',
  contactPhone: '13800000000',
  address: '上海市浦东新区 1 号',
}

export function describeSupplyAdapter(
  name: string,
  { capabilities, features, troubles, make, sendsRows = false }: SupplyAdapter,
): void {
  const troublesOf = (call: Call): readonly Trouble[] => {
    const possible = 'length' in troubles ? troubles : troubles[call]
    // Only a write can be declined.
    return call === 'createOrder' ? possible : possible.filter((trouble) => trouble !== 'says_no')
  }
  const can = (capability: VendorCapability) => capabilities.includes(capability)

  describe(`${name} as a supply adapter`, () => {
    let harness: SupplyHarness
    beforeEach(async () => void (harness = await make()))
    afterEach(() => harness.close())

    const order = (ref: string, fulfillment = SHIPPING, permit = granted) =>
      harness.vendor.createOrder(
        harness.order?.(ref, fulfillment) ?? supplyOrder(ref, harness.lines, fulfillment),
        permit,
      )

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
        // Null: the supplier does not state it.
        const stock: number | null = product.stock
        expect(stock === null || (Number.isSafeInteger(stock) && stock >= 0)).toBe(true)
        expect(product.vendorSku).toMatch(VENDOR_SKU)
      }
    })

    // The same way as in the machine kit: what an adapter does not have is not tested, except that it says so.
    testsIf(features.includes('derived_each'), () => {
      test('2.9 a derived each price is the box price divided and rounded', async () => {
        const { products } = expectValue(await harness.vendor.catalog())
        const derived = products.filter((product) => product.eachPriceDerived)
        expect(derived).not.toHaveLength(0)
        for (const { packPriceFen, packSize, eachPriceFen } of derived) {
          expect(eachPriceFen).toBe(eachOf(packPriceFen, packSize))
        }
      })
    })

    testsIf(sendsRows, () => {
      const spoil = (bad: number) => {
        if (!harness.spoil) throw new Error('this harness cannot spoil rows')
        return harness.spoil(bad)
      }

      test('2.9 one product that cannot be read is refused by name, and the others are listed', async () => {
        const [bad = '', ...good] = spoil(1)
        const answer = await harness.vendor.catalog()
        expect(expectValue(answer).products.map(({ vendorSku }) => vendorSku)).toEqual(good)
        expectUnreadable(answer, [bad], harness.vendorFields ?? [])
      })

      test('2.9 when more than a fifth of the products cannot be read, the catalog cannot', async () => {
        spoil(Math.floor(ROWS / 5))
        expectValue(await harness.vendor.catalog())
        spoil(Math.floor(ROWS / 5) + 2)
        expectFailure(await harness.vendor.catalog(), 'unknown', harness.hidden)
      })
    })

    for (const trouble of troublesOf('catalog')) {
      test(`2.9 when the upstream ${trouble}, the catalog says so and is never an empty result`, async () => {
        await harness.trouble(trouble)
        expectFailure(await harness.vendor.catalog(), TROUBLES[trouble], harness.hidden)
      })

      test(`2.9 after the upstream ${trouble}, the next read is answered`, async () => {
        await harness.trouble(trouble)
        await harness.vendor.catalog()
        await harness.heal()
        expect(expectValue(await harness.vendor.catalog())).toEqual(harness.expected)
      })
    }

    testsIf(can('createOrder'), describeOrders)
    testsIf(!can('createOrder'), () => {
      test('2.9 createOrder, which this supplier does not have, answers unsupported', async () => {
        expectFailure(await order('po_20260910_1'), 'unsupported')
        expect(harness.writesReceived()).toBe(0)
      })
    })

    testsIf(can('orderStatus'), () => {
      test('2.9 a reference the supplier does not know is absent, not unknown', async () => {
        expectFailure(await harness.vendor.orderStatus('po_20260910_404'), 'absent')
      })
    })
    testsIf(!can('orderStatus'), () => {
      test('2.9 orderStatus, which this supplier does not have, answers unsupported', async () => {
        expectFailure(await harness.vendor.orderStatus('po_20260910_1'), 'unsupported')
      })
    })

    testsIf(can('quote'), () => {
      test('2.9 a quote states whole amounts whose total is the sum of the others', async () => {
        const { lines, currency } =
          harness.order?.('po_20260910_1', SHIPPING) ?? supplyOrder('po_20260910_1', harness.lines, SHIPPING)
        const asked = harness.vendor.quote?.({ lines, currency, fulfillment: SHIPPING })
        if (!asked) throw new Error('this vendor cannot quote')
        const { totals } = expectValue(await asked)
        for (const amount of Object.values(totals)) expectFen(amount)
        expect(totals.subtotal + totals.fulfillment + totals.tax + totals.fee).toBe(totals.total)
      })
    })

    function describeOrders(): void {
      const possible = troublesOf('createOrder')

      test('2.9 createOrder is idempotent on its reference, also concurrently', async () => {
        const answers = await Promise.all([order('po_20260910_1'), order('po_20260910_1'), order('po_20260910_1')])
        expect(new Set(answers.map((answer) => expectValue(answer).externalRef)).size).toBe(1)
        expect(harness.placed()).toEqual(['po_20260910_1'])
      })

      testsIf(features.includes('pickup'), () => {
        test('2.9 an order can be picked up at a site', async () => {
          const pickupAt = Date.parse('2026-09-11T10:00:00+08:00')
          const site = harness.expected.sites[0]
          expectValue(await order('po_20260910_1', { method: 'pickup', pickupAt, ...(site && { siteId: site.id }) }))
          expect(harness.placed()).toEqual(['po_20260910_1'])
        })
      })

      testsIf(can('orderStatus'), () => {
        test('2.9 an order can be found again by our reference', async () => {
          const { externalRef } = expectValue(await order('po_20260910_1'))
          const status = expectValue(await harness.vendor.orderStatus('po_20260910_1'))
          expect(status).toMatchObject({ externalRef, state: 'ordered' })
          expect(externalRef).not.toBe('')
        })

        for (const trouble of troublesOf('orderStatus'))
          test(`2.9 when the upstream ${trouble}, orderStatus says so and never that the order is absent`, async () => {
            expectValue(await order('po_20260910_1'))
            await harness.trouble(trouble)
            expectFailure(await harness.vendor.orderStatus('po_20260910_1'), TROUBLES[trouble], harness.hidden)
          })
      })

      for (const trouble of possible)
        test(`2.9 when the upstream ${trouble}, createOrder says so and is not sent twice`, async () => {
          await harness.trouble(trouble)
          expectFailure(await order('po_20260910_1'), TROUBLES[trouble], harness.hidden)
          expect(harness.writesReceived()).toBeLessThanOrEqual(1)
        })

      for (const trouble of possible.filter((each) => NOTHING_HAPPENED.includes(each)))
        test(`2.9 when the upstream ${trouble}, certainly no order exists`, async () => {
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

      testsIf(possible.includes('loses_reply'), () => {
        test('2.9 an order whose reply was lost exists, and orderStatus finds it', async () => {
          await harness.trouble('loses_reply')
          expectFailure(await order('po_20260910_1'), 'unknown')
          await harness.heal()
          expect(harness.placed()).toEqual(['po_20260910_1'])
          if (can('orderStatus')) expectValue(await harness.vendor.orderStatus('po_20260910_1'))
        })
      })
    }
  })
}
