/** Upstreams without a network: they keep books like the real ones and fail exactly when a test says so. */
import { fen } from '../../src/kernel/fen.ts'
import { failDenied } from '../../src/vendors/result.ts'
import type { Result, Failure, FailureReason, SendPermit } from '../../src/vendors/contract.ts'
import type {
  LedgerRecord,
  MachineCash,
  MachineHealth,
  MachineLocation,
  MachineSlot,
  MachineVendor,
} from '../../src/vendors/machine-vendor.ts'
import type {
  LogisticsStep,
  SupplyFulfillment,
  SupplyLine,
  SupplyOrder,
  SupplyOrderStatus,
  SupplyProduct,
  SupplyQuoteRequest,
  SupplySite,
  SupplyTotals,
  SupplyVendor,
} from '../../src/vendors/supply-vendor.ts'

export const failure = (
  reason: FailureReason,
  message = `scripted: ${reason}`,
  extra: Partial<Failure> = {},
): Failure => ({
  ok: false,
  reason,
  message,
  ...(reason === 'unauthorized' ? { unauthorized: true as const } : {}),
  ...extra,
})

/** What happens to the next calls of one kind: a failure instead, or after the work was done (a lost reply). */
type Step =
  | { readonly instead: Failure }
  | { readonly afterwards: Failure }
  | { readonly wait: Promise<unknown> }
  | 'pass'

class Script {
  readonly calls: { readonly name: string; readonly args: readonly unknown[] }[] = []
  readonly #steps = new Map<string, Step[]>()
  readonly #always = new Map<string, Failure>()
  /** Questions about these references are never answered. */
  silentAbout: ((ref: string) => boolean) | undefined

  next(name: string, ...steps: Step[]): void {
    this.#steps.set(name, [...(this.#steps.get(name) ?? []), ...steps])
  }

  /** From now on; `undefined` ends it. */
  always(name: string, what: Failure | undefined): void {
    if (what) this.#always.set(name, what)
    else this.#always.delete(name)
  }

  count(name: string): number {
    return this.calls.filter((call) => call.name === name).length
  }

  /** A write: the permit is asked at the moment at which it would be sent. */
  async send<T>(name: string, args: readonly unknown[], permit: SendPermit, work: () => Result<T>): Promise<Result<T>> {
    this.calls.push({ name, args })
    const step = this.#steps.get(name)?.shift() ?? 'pass'
    if (step !== 'pass' && 'wait' in step) await step.wait
    if (step !== 'pass' && 'instead' in step && step.instead.reason === 'unsent') return step.instead
    let answer: Result<T> | undefined
    const denial = await permit(() => {
      answer = this.#always.get(name) ?? (step !== 'pass' && 'instead' in step ? step.instead : work())
    })
    if (denial) return failDenied(denial)
    if (!answer) throw new Error('the permit was granted, yet nothing was written')
    return step !== 'pass' && 'afterwards' in step ? step.afterwards : answer
  }

  async run<T>(name: string, args: readonly unknown[], work: () => Result<T>): Promise<Result<T>> {
    this.calls.push({ name, args })
    const step = this.#steps.get(name)?.shift() ?? 'pass'
    if (step !== 'pass' && 'wait' in step) await step.wait
    const always = this.#always.get(name)
    if (always) return always
    if (name === 'orderStatus' && this.silentAbout?.(String(args[0]))) return failure('unknown', 'no answer')
    if (step !== 'pass' && 'instead' in step) return step.instead
    const answer = work()
    return step !== 'pass' && 'afterwards' in step ? step.afterwards : answer
  }
}

/** Where a test itself writes to the upstream. */
const granted: SendPermit = (write) => {
  write()
  return Promise.resolve(undefined)
}

export interface BookedOrder {
  readonly ref: string
  readonly externalRef: string
  readonly lines: readonly SupplyLine[]
  readonly fulfillment: SupplyFulfillment
  state: SupplyOrderStatus['state']
  rawStatus: number
  description: string
  logistics: LogisticsStep[]
  /** What becomes of its lines; not stated unless a test sets it. */
  lineStatuses?: SupplyOrderStatus['lines']
  raw?: string
  totalFen?: SupplyOrderStatus['totalFen']
  invoices?: SupplyOrderStatus['invoices']
  /** When the supplier says it placed it; not stated unless a test sets it. */
  createdAt?: number
}

const coreOfLine = ({ vendorSku, quantity, unit }: SupplyLine): SupplyLine => ({ vendorSku, quantity, unit })

/** An order with prices that nobody looks eb. */
export const supplyOrder = (
  ref: string,
  lines: readonly SupplyLine[],
  fulfillment: SupplyFulfillment,
  more: Partial<SupplyOrder> = {},
): SupplyOrder => ({
  ref,
  lines: lines.map((line) => ({ title: line.vendorSku, unitPriceFen: fen(120), contains: 1, ...line })),
  fulfillment,
  currency: 'CNY',
  totals: { subtotal: fen(0), fulfillment: fen(0), tax: fen(0), fee: fen(0), total: fen(0) },
  maxTotalFen: fen(1_000_000_00),
  ...more,
})

export const supplyProduct = (vendorSku: string, more: Partial<SupplyProduct> = {}): SupplyProduct => ({
  vendorSku,
  title: `good ${vendorSku}`,
  packSize: 24,
  packPriceFen: fen(2880),
  eachPriceFen: fen(120),
  eachPriceDerived: true,
  stock: 1000,
  isForSale: true,
  ...more,
})

export function scriptedSupply(products: SupplyProduct[] = [], sites: SupplySite[] = []) {
  const script = new Script()
  const orders = new Map<string, BookedOrder>()
  const vendor = {
    role: 'supply',
    catalog: (query?: Parameters<SupplyVendor['catalog']>[0]) =>
      script.run('catalog', [query], () => ({ ok: true, value: { products: [...products], sites: [...sites] } })),
    createOrder: ({ ref, lines, fulfillment }: SupplyOrder, permit?: SendPermit) =>
      script.send('createOrder', [ref, lines.map(coreOfLine), fulfillment], permit ?? granted, () => {
        const known = orders.get(ref)
        if (known) return { ok: true, value: { externalRef: known.externalRef } }
        const externalRef = `AS${String(orders.size + 1).padStart(6, '0')}`
        orders.set(ref, {
          ref,
          externalRef,
          lines: lines.map(coreOfLine),
          fulfillment,
          state: 'ordered',
          rawStatus: 10,
          description: '已下单',
          logistics: [],
        })
        return { ok: true, value: { externalRef } }
      }),
    orderStatus: (ref) =>
      script.run('orderStatus', [ref], () => {
        const known = orders.get(ref)
        if (!known) return failure('absent', 'no such order')
        const {
          externalRef,
          state,
          rawStatus,
          description,
          logistics,
          createdAt = null,
          lineStatuses,
          raw,
          totalFen,
          invoices,
        } = known
        const value = { externalRef, state, rawStatus, description, logistics, createdAt }
        return {
          ok: true,
          value: {
            ...value,
            ...(lineStatuses && { lines: lineStatuses }),
            ...(raw && { raw }),
            ...(totalFen && { totalFen }),
            ...(invoices && { invoices }),
          },
        }
      }),
  } satisfies SupplyVendor
  return { vendor, script, products, sites, orders }
}

export type ScriptedSupply = ReturnType<typeof scriptedSupply>

/** What a supplier that quotes adds to the lines. Tests change it. */
export interface Charges {
  fulfillment: number
  tax: number
  fee: number
  isFinal: boolean
  warnings?: readonly string[]
  /** What happens at the supplier once it has quoted. */
  afterQuote?: () => void
}

/**
 * A supplier that quotes delivery, tax and fees and states the total of each order. Like a real adapter it refuses an
 * order above `maxTotalFen`.
 */
export function quotingSupply(supply: ScriptedSupply, charges: Charges) {
  const totalsOf = ({ lines }: Pick<SupplyQuoteRequest, 'lines'>): SupplyTotals => {
    const subtotal = lines.reduce((sum, { quantity, unitPriceFen }) => sum + quantity * unitPriceFen, 0)
    const { fulfillment, tax, fee } = charges
    const total = subtotal + fulfillment + tax + fee
    return { subtotal: fen(subtotal), fulfillment: fen(fulfillment), tax: fen(tax), fee: fen(fee), total: fen(total) }
  }
  /** Every order as it was sent. */
  const sent: SupplyOrder[] = []
  const vendor = {
    ...supply.vendor,
    quote: (request: SupplyQuoteRequest) =>
      supply.script.run('quote', [request], () => {
        const { isFinal, warnings } = charges
        const totals = totalsOf(request)
        charges.afterQuote?.()
        return { ok: true, value: { totals, isFinal, ...(warnings && { warnings }) } }
      }),
    createOrder: async (order: SupplyOrder, permit?: SendPermit) => {
      sent.push(order)
      const { total } = totalsOf(order)
      if (total > order.maxTotalFen)
        return failure('rejected', `${total} is above ${order.maxTotalFen}`, { documented: true })
      const placed = await supply.vendor.createOrder(order, permit)
      return placed.ok ? { ok: true as const, value: { ...placed.value, totalFen: total } } : placed
    },
  } satisfies SupplyVendor
  return { vendor, sent, charges }
}

/** A supplier that takes orders and cannot be asked about them. */
export const unaskableSupply = ({ vendor }: ScriptedSupply) =>
  ({
    ...vendor,
    orderStatus: () => Promise.resolve(failure('unsupported', 'This vendor does not support orderStatus')),
  }) satisfies SupplyVendor

/** A supplier on whose page a person completes the purchase: nothing is bought by placing an order. */
export const handoffSupply = (supply: ScriptedSupply, page = 'https://shop.example.com/checkout/1') =>
  ({
    ...supply.vendor,
    createOrder: ({ ref }: SupplyOrder, permit?: SendPermit) =>
      supply.script.send('createOrder', [ref], permit ?? granted, () => ({
        ok: true,
        value: { externalRef: ref, handoff: page },
      })),
  }) satisfies SupplyVendor

export const machineSlot = (vendorSku: string, more: Partial<MachineSlot> = {}): MachineSlot => ({
  vendorSku,
  title: `slot ${vendorSku}`,
  priceFen: fen(250),
  stock: 7,
  ...more,
})

export const trade = (orderNo: string, createdAt: number | null, more: Partial<LedgerRecord> = {}): LedgerRecord => ({
  orderNo,
  status: 'TRADE_SUCCESS',
  statusLabel: '交易成功',
  settled: true,
  locationId: 'M1001',
  locationName: 'Hall',
  totalFen: fen(250),
  createdAt,
  createdAtRaw: createdAt === null ? '' : new Date(createdAt).toISOString(),
  lines: [{ vendorSku: 'G-0001', priceFen: fen(250), costFen: fen(120), status: 'paid' }],
  ...more,
})

export function scriptedMachine(slotsByMachine: Record<string, MachineSlot[]> = {}, trades: LedgerRecord[] = []) {
  const script = new Script()
  const advice = new Map<string, readonly unknown[]>()
  /** What the platform lists of its machines, and what it says of their health. */
  const roster: MachineLocation[] = []
  const health = new Map<string, MachineHealth>()
  /** What its counters say; a machine that is not listed counts no cash. */
  const cash = new Map<string, MachineCash>()
  /** By machine: sales before this are not listed. */
  const completeFrom: Record<string, number> = {}
  /** Prices that the machine will not take. */
  const stubborn = new Set<string>()
  const vendor = {
    role: 'machine',
    // Like the real platform, a machine that does not exist has an empty inventory.
    inventory: (id) => script.run(`inventory`, [id], () => ({ ok: true, value: [...(slotsByMachine[id] ?? [])] })),
    ledger: ({ fromMs, toMs, page = 1, size = 100, settledOnly = false }) =>
      script.run('ledger', [{ fromMs, toMs, page, size }], () => {
        const within = trades
          .filter(
            (t) =>
              (t.createdAt === null || (t.createdAt >= fromMs && t.createdAt <= toMs)) && (!settledOnly || t.settled),
          )
          .toSorted((a, b) => (b.createdAt ?? 0) - (a.createdAt ?? 0))
        const pages = Math.ceil(within.length / size)
        return {
          ok: true,
          value: {
            records: within.slice((page - 1) * size, page * size),
            page,
            pages,
            total: within.length,
            ...(Object.keys(completeFrom).length === 0 ? {} : { completeFrom: { ...completeFrom } }),
          },
        }
      }),
    updatePrices: (id, prices, permit?: SendPermit) =>
      script.send('updatePrices', [id, prices], permit ?? granted, () => {
        const taken = prices.filter(({ vendorSku }) => !stubborn.has(vendorSku))
        slotsByMachine[id] = (slotsByMachine[id] ?? []).map((slot) => {
          const change = taken.find((price) => price.vendorSku === slot.vendorSku)
          return change ? { ...slot, priceFen: change.priceFen } : slot
        })
        return { ok: true, value: { count: taken.length } }
      }),
    restockRecommend: (id, ref, lines, permit?: SendPermit) =>
      script.send('restockRecommend', [id, ref, lines], permit ?? granted, () => {
        advice.set(`${id} ${ref}`, lines)
        return { ok: true, value: { count: lines.length } }
      }),
    locations: () => script.run('locations', [], () => ({ ok: true, value: [...roster] })),
    cash: (id) => script.run('cash', [id], () => ({ ok: true, value: cash.get(id) })),
    health: (id) =>
      script.run('health', [id], () => {
        const known = health.get(id)
        return known ? { ok: true, value: known } : failure('absent', 'no such machine')
      }),
  } satisfies MachineVendor
  return { vendor, script, slotsByMachine, trades, advice, stubborn, roster, health, cash, completeFrom }
}

export type ScriptedMachine = ReturnType<typeof scriptedMachine>
