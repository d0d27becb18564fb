/**
 * The schedules of faults.test.ts with suppliers of other kinds: one that quotes, one that cannot be asked, and one that
 * hands purchases to a person. `FAULT_SEED=<seed> npx vitest run test/faults/other-suppliers` plays one again.
 */
import { expect, test } from 'vitest'
import { MINUTE } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { SupplyOrderLine, SupplyTotals, SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { ROLE_CAPABILITIES } from '../../src/vendors/registry.ts'
import { failUnsupported } from '../../src/vendors/result.ts'
import { DATABASE, freshStore } from '../support/database.ts'
import { propertyRuns } from '../support/property-runs.ts'
import { failure } from '../support/scripted-vendors.ts'
import { chance } from './random.ts'
import { runSchedule } from './schedule.ts'
import type { Variant } from './schedule.ts'
import { faultySupplier } from './supplier.ts'
import type { World } from './supplier.ts'

const SCHEDULES = propertyRuns(DATABASE === 'sqlite' ? 500 : 100)
const ONLY = process.env['FAULT_SEED'] === undefined ? undefined : Number(process.env['FAULT_SEED'])
const STEPS_SHOWN = ONLY === undefined ? 80 : Infinity

const WITHOUT_STATUS = ['catalog', 'createOrder'] as const

/** Its charges move between quote and order; the adapter refuses what is above the agreed total. */
function quotingSupplier(world: World) {
  const supplier = faultySupplier(world)
  const { random } = world
  const charged = new Map<string, { readonly total: number; readonly most: number }>()
  let delivery = 800
  const totalsOf = (lines: readonly SupplyOrderLine[]): SupplyTotals => {
    const subtotal = lines.reduce((sum, { quantity, unitPriceFen }) => sum + quantity * unitPriceFen, 0)
    const tax = Math.round(subtotal * 0.13)
    const total = subtotal + tax + delivery
    return { subtotal: fen(subtotal), tax: fen(tax), fulfillment: fen(delivery), fee: fen(0), total: fen(total) }
  }
  return {
    ...supplier,
    capabilities: [...ROLE_CAPABILITIES.supply, 'quote' as const],
    problems: () =>
      [...charged]
        .filter(([ref, { total, most }]) => supplier.book.has(ref) && total > most)
        .map(([ref, { total, most }]) => `${ref} costs ${total}, but ${most} was agreed`),
    vendorFor(task: Parameters<typeof supplier.vendorFor>[0]): SupplyVendor {
      const vendor = supplier.vendorFor(task)
      return {
        ...vendor,
        async quote({ lines }) {
          await task.gate('quote')
          if (world.faulty && chance(random, 0.05)) delivery += chance(random, 0.5) ? 100 : -100
          if (world.faulty && chance(random, 0.05)) return failure('unknown')
          return { ok: true, value: { totals: totalsOf(lines), isFinal: true } }
        },
        async createOrder(order, permit) {
          const { total } = totalsOf(order.lines)
          if (total > order.maxTotalFen) return failure('rejected', 'above the agreed total', { documented: true })
          if (!supplier.book.has(order.ref)) charged.set(order.ref, { total, most: order.maxTotalFen })
          const placed = await vendor.createOrder(order, permit)
          return placed.ok ? { ok: true, value: { ...placed.value, totalFen: total } } : placed
        },
      }
    },
  }
}

function unaskableSupplier(world: World) {
  const supplier = faultySupplier(world)
  return {
    ...supplier,
    capabilities: WITHOUT_STATUS,
    vendorFor: (task: Parameters<typeof supplier.vendorFor>[0]): SupplyVendor => ({
      ...supplier.vendorFor(task),
      orderStatus: async () => failUnsupported('orderStatus'),
    }),
  }
}

/** Placing an order books nothing: a person buys on its page, once for each page, or decides not to. */
function handoffSupplier(world: World, canBeAsked: boolean) {
  const supplier = faultySupplier(world)
  const pages = new Map<string, { readonly order: Parameters<SupplyVendor['createOrder']>[0]; isDecided: boolean }>()
  const sentTwice: string[] = []
  let pagesOpened = 0
  return {
    ...supplier,
    sentTwice,
    ...(canBeAsked ? {} : { capabilities: WITHOUT_STATUS }),
    decideOnPage(url: string) {
      const page = pages.get(url)
      if (!page || page.isDecided) return
      page.isDecided = true
      if (!chance(world.random, 0.7)) return
      const { ref, lines, fulfillment } = page.order
      const core = lines.map(({ vendorSku, quantity, unit }) => ({ vendorSku, quantity, unit }))
      supplier.book.set(ref, { ref, externalRef: `SHOP${supplier.book.size + 1}`, lines: core, fulfillment })
    },
    abandonPages(ref: string) {
      for (const page of pages.values()) if (page.order.ref === ref) page.isDecided = true
    },
    vendorFor(task: Parameters<typeof supplier.vendorFor>[0]): SupplyVendor {
      const vendor = supplier.vendorFor(task)
      return {
        ...vendor,
        ...(canBeAsked ? {} : { orderStatus: async () => failUnsupported('orderStatus') }),
        async createOrder(order, permit) {
          const url = `https://shop.example.com/checkout/${++pagesOpened}`
          const denial = await permit(() => {
            if (supplier.book.has(order.ref)) sentTwice.push(order.ref)
            pages.set(url, { order, isDecided: false })
          })
          if (denial) return failure('unsent', denial.message, { denied: denial.code })
          await task.gate('createOrder')
          if (world.faulty && chance(world.random, 0.2)) return failure('unknown')
          return { ok: true, value: { externalRef: order.ref, handoff: url } }
        },
      }
    },
  }
}

const VARIANTS: Readonly<Record<string, Variant>> = {
  'a supplier that quotes': { supplier: quotingSupplier },
  'a supplier that cannot be asked': { supplier: unaskableSupplier, refusesTruly: true },
  'a supplier that hands purchases over': { supplier: (world) => handoffSupplier(world, true) },
  'a supplier that hands purchases over and cannot be asked': { supplier: (world) => handoffSupplier(world, false) },
}

test.each(Object.entries(VARIANTS))(
  `with %s, in ${SCHEDULES} schedules no order is lost, doubled or above the agreed total`,
  async (_, variant) => {
    const store = await freshStore()
    const seeds = ONLY === undefined ? SCHEDULES : 1
    let orders = 0
    for (let seed = ONLY ?? 1, left = seeds; left > 0; seed++, left--) {
      const { problems, trace, orders: bought } = await runSchedule(store, seed, {}, variant)
      orders += bought
      const report = [`FAULT_SEED=${seed}`, ...problems, ...trace.slice(-STEPS_SHOWN)].join('\n')
      expect(problems.length === 0 ? '' : report).toBe('')
    }
    // Schedules in which nothing is ever bought would prove nothing.
    expect(orders).toBeGreaterThanOrEqual(Math.floor(seeds / 6))
  },
  20 * MINUTE,
)
