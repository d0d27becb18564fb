/** The suite every machine adapter passes, also a device that has no cloud and therefore fewer capabilities. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fen } from '../../src/kernel/fen.ts'
import { parseLocationId } from '../../src/kernel/ids.ts'
import type { Result, SendPermit } from '../../src/vendors/contract.ts'
import type { VendorCapability } from '../../src/vendors/registration.ts'
import type { LedgerRecord, MachineLocation, MachineSlot, MachineVendor } from '../../src/vendors/machine-vendor.ts'
import { failUnsupported } from '../../src/vendors/result.ts'
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

export interface MachineHarness extends Harness<MachineVendor> {
  readonly locationId: string
  /** What the machine contains and the account sold, newest sale first. At least two of each. */
  readonly slots: readonly MachineSlot[]
  readonly records: readonly LedgerRecord[]
  readonly window: { readonly fromMs: number; readonly toMs: number }
  /** The recommendation that the upstream has under a reference: quantity by code. */
  advice(ref: string): Readonly<Record<string, number>>
  /**
   * Makes the upstream list ROWS slots and ROWS sales, the first `bad` of each unreadable; gives back their codes, in
   * order.
   */
  spoil?(bad: number): { readonly slots: readonly string[]; readonly sales: readonly string[] }
  /** Names of the vendor's fields, which no text for callers may hold. */
  readonly vendorFields?: readonly string[]
  /** The machines that the platform knows, for the capability `locations`. */
  readonly roster?: readonly MachineLocation[]
}

export interface MachineAdapter {
  readonly capabilities: readonly VendorCapability[]
  /** Those its upstream can have; a local device, for example, has no credentials to refuse. */
  readonly troubles: readonly [Trouble, ...Trouble[]]
  readonly make: () => Promise<MachineHarness>
  /** Its upstream sends rows that may be unreadable: the harness can spoil them. */
  readonly sendsRows?: boolean
}

const WRITES = ['updatePrices', 'restockRecommend'] as const
type Write = (typeof WRITES)[number]

export function describeMachineAdapter(
  name: string,
  { capabilities, troubles, make, sendsRows = false }: MachineAdapter,
): void {
  describe(`${name} as a machine adapter`, () => {
    let harness: MachineHarness
    beforeEach(async () => void (harness = await make()))
    afterEach(() => harness.close())

    const firstSku = () => harness.slots[0]?.vendorSku ?? ''
    const advice = (quantity: number, reason: string) => [{ vendorSku: firstSku(), quantity, reason }]
    const write: Record<Write, (permit?: SendPermit) => Promise<Result<{ readonly count: number }>>> = {
      updatePrices: (permit = granted) =>
        harness.vendor.updatePrices(harness.locationId, [{ vendorSku: firstSku(), priceFen: fen(275) }], permit),
      restockRecommend: (permit = granted) =>
        harness.vendor.restockRecommend(harness.locationId, 'ref-1', advice(6, 'sells two a day'), permit),
    }
    const priceOfFirst = async () =>
      expectValue(await harness.vendor.inventory(harness.locationId)).find((s) => s.vendorSku === firstSku())?.priceFen

    test('2.9 inventory returns every slot', async () => {
      const slots = expectValue(await harness.vendor.inventory(harness.locationId))
      expect(slots).toEqual(harness.slots)
      expectUnique(slots.map((slot) => slot.vendorSku))
      for (const slot of slots) {
        expectFen(slot.priceFen)
        // Null: the platform does not state it.
        const stock: number | null = slot.stock
        expect(stock === null || stock >= 0).toBe(true)
        expect(slot.vendorSku).toMatch(VENDOR_SKU)
      }
    })

    test('2.9 ledger returns the sales of the whole account', async () => {
      const ledger = expectValue(await harness.vendor.ledger(harness.window))
      expect(ledger).toMatchObject({ records: harness.records, page: 1, total: harness.records.length })
    })

    test('2.9 ledger pages hold every sale once', async () => {
      const seen: LedgerRecord[] = []
      let pages = 1
      for (let page = 1; page <= pages; page += 1) {
        const part = expectValue(await harness.vendor.ledger({ ...harness.window, page, size: 1 }))
        expect(part.page).toBe(page)
        pages = part.pages
        seen.push(...part.records)
      }
      expect(seen).toEqual(harness.records)
    })

    test('2.9 settledOnly leaves out what is not settled', async () => {
      const { records } = expectValue(await harness.vendor.ledger({ ...harness.window, settledOnly: true }))
      expect(records).toEqual(harness.records.filter((record) => record.settled))
    })

    test('2.9 ledger returns no sales outside the window', async () => {
      const { fromMs } = harness.window
      const before = { fromMs: fromMs - 86_400_000, toMs: fromMs - 1000 }
      expect(expectValue(await harness.vendor.ledger(before))).toMatchObject({ records: [], total: 0 })
    })

    // The same way as for capabilities: a device without rows of its own has no such tests.
    for (const part of sendsRows ? ['inventory and ledger'] : []) {
      const spoil = (bad: number) => {
        if (!harness.spoil) throw new Error('this harness cannot spoil rows')
        return harness.spoil(bad)
      }

      test(`2.9 ${part}: one row that cannot be read is refused by name, and the others are read`, async () => {
        const { slots, sales } = spoil(1)
        const inventory = await harness.vendor.inventory(harness.locationId)
        expect(expectValue(inventory).map(({ vendorSku }) => vendorSku)).toEqual(slots.slice(1))
        expectUnreadable(inventory, slots.slice(0, 1), harness.vendorFields ?? [])
        const ledger = await harness.vendor.ledger(harness.window)
        expect(expectValue(ledger).records.map(({ orderNo }) => orderNo)).toEqual(sales.slice(1))
        expect(expectValue(ledger).total).toBe(ROWS)
        expectUnreadable(ledger, sales.slice(0, 1), harness.vendorFields ?? [])
      })

      test(`2.9 ${part}: when more than a fifth of the rows cannot be read, the listing cannot`, async () => {
        spoil(Math.floor(ROWS / 5))
        expectValue(await harness.vendor.inventory(harness.locationId))
        expectValue(await harness.vendor.ledger(harness.window))
        spoil(Math.floor(ROWS / 5) + 1)
        expectFailure(await harness.vendor.inventory(harness.locationId), 'unknown', harness.hidden)
        expectFailure(await harness.vendor.ledger(harness.window), 'unknown', harness.hidden)
      })
    }

    testsIf(capabilities.includes('locations'), () => {
      test('2.9 locations returns every machine of the account, with ids that can be location ids', async () => {
        const listed = expectValue((await harness.vendor.locations?.()) ?? failUnsupported('locations'))
        expect(listed).toEqual(harness.roster)
        expectUnique(listed.map(({ id }) => id))
        for (const { id } of listed) expect(parseLocationId(id), id).toBeDefined()
      })
    })

    testsIf(capabilities.includes('cash'), () => {
      test('5.8 cash lists what was taken within the time that it covers, or nothing', async () => {
        const cash = expectValue((await harness.vendor.cash?.(harness.locationId)) ?? failUnsupported('cash'))
        for (const { at, amountFen } of cash?.taken ?? []) {
          expect(at).toBeGreaterThanOrEqual(cash?.fromMs ?? Infinity)
          expect(at).toBeLessThanOrEqual(cash?.untilMs ?? -Infinity)
          expect(amountFen === null || (Number.isSafeInteger(amountFen) && amountFen >= 0)).toBe(true)
        }
      })
    })
    testsIf(capabilities.includes('health'), () => {
      test('2.9 health returns what the platform knows of a machine', async () => {
        const health = expectValue((await harness.vendor.health?.(harness.locationId)) ?? failUnsupported('health'))
        for (const problem of health.problems) expect(problem).toMatch(/^[^\p{Cc}]{1,300}$/u)
        expect(health.lastSeenAt === null || Number.isSafeInteger(health.lastSeenAt)).toBe(true)
      })
    })

    const reads = troubles.filter((trouble) => trouble !== 'says_no')
    test.each(reads)('2.9 when the upstream %s, a read says so and is never an empty result', async (trouble) => {
      await harness.trouble(trouble)
      expectFailure(await harness.vendor.inventory(harness.locationId), TROUBLES[trouble], harness.hidden)
      expectFailure(await harness.vendor.ledger(harness.window), TROUBLES[trouble], harness.hidden)
      await harness.heal()
      expect(expectValue(await harness.vendor.inventory(harness.locationId))).toEqual(harness.slots)
    })

    for (const capability of WRITES.filter((name) => !capabilities.includes(name))) {
      test(`2.9 ${capability}, which this device does not have, answers unsupported`, async () => {
        expectFailure(await write[capability](), 'unsupported')
        expect(harness.writesReceived()).toBe(0)
      })
    }

    const suites: Record<Write, () => void> = {
      updatePrices() {
        test('2.9 updatePrices changes the price and counts what it changed', async () => {
          expect(expectValue(await write.updatePrices())).toEqual({ count: 1 })
          expect(await priceOfFirst()).toBe(275)
        })

        test.each(NOTHING_HAPPENED)('2.9 when the upstream %s, certainly no price has changed', async (trouble) => {
          await harness.trouble(trouble)
          await write.updatePrices()
          await harness.heal()
          expect(await priceOfFirst()).toBe(harness.slots[0]?.priceFen)
        })

        test('2.9 a price change whose reply was lost is unknown, because it may have been applied', async () => {
          await harness.trouble('loses_reply')
          expectFailure(await write.updatePrices(), 'unknown')
          await harness.heal()
          expect(await priceOfFirst()).toBe(275)
        })
      },
      restockRecommend() {
        test('2.9 the same reference replaces the earlier advice', async () => {
          const recommend = (quantity: number) =>
            harness.vendor.restockRecommend(harness.locationId, 'ref-1', advice(quantity, '补货'.repeat(200)), granted)
          expect(expectValue(await recommend(6))).toEqual({ count: 1 })
          expect(expectValue(await recommend(4))).toEqual({ count: 1 })
          expect(harness.advice('ref-1')).toEqual({ [firstSku()]: 4 })
        })
      },
    }
    for (const capability of WRITES.filter((name) => capabilities.includes(name))) {
      suites[capability]()
      test(`${capability} asks its permit and sends nothing without it`, () =>
        expectPermitAsked(harness, write[capability]))

      test(`${capability} whose permit is denied is unsent, and says why`, async () => {
        const answer = await write[capability](denied)
        expectFailure(answer, 'unsent', harness.hidden)
        expect(answer).toMatchObject({ denied: 'kill_switch_engaged', message: 'the emergency stop is on' })
        expect(harness.writesReceived()).toBe(0)
        expect(await priceOfFirst()).toBe(harness.slots[0]?.priceFen)
      })

      test.each(troubles)(`2.9 when the upstream %s, ${capability} says so and is not sent twice`, async (trouble) => {
        await harness.trouble(trouble)
        expectFailure(await write[capability](), TROUBLES[trouble], harness.hidden)
        expect(harness.writesReceived()).toBeLessThanOrEqual(1)
      })
    }
  })
}
