/**
 * The simulated world: a pure function of its seed, its start and its inputs. Everything that acts on it is an Input, so
 * replaying the inputs gives the same world.
 */
import { DAY } from '../../kernel/clock.ts'
import { type DayTally, type Load, type Loaded, type SalePrice, createDevice } from './device.ts'
import { type Language, makeProducts } from './products.ts'
import { type SaleQuery, createLedger } from './ledger.ts'
import { dayNumber, localText, midnightBefore, startOfDayNumber } from './local-time.ts'
import { makeMachines, offerAt } from './machines.ts'
import type { Restocking } from './restocking.ts'
import { type OrderRequest, type Placement, createSupplier } from './supplier.ts'
import type { Sale } from './sales.ts'

export interface WorldOptions {
  readonly seed: number
  /** Of names; Chinese where it is not said. */
  readonly language?: Language
  /** When the service takes over; the history is before it. */
  readonly takeoverMs: number
  readonly historyDays?: number
  readonly products?: number
  readonly machines?: number
  /** Multiplies the shoppers of every machine. */
  readonly traffic?: number
  /** More shoppers at every machine in the first hours after the takeover, so that a demo shows sales at any time of day. */
  readonly demoShoppersPerHour?: number
  readonly restocking?: Restocking
  /** How much more shoppers mind prices than usual: 1.6 makes most prices too high. */
  readonly mindsPrice?: number
  readonly creditLimitFen?: number
  /** Multiplies the supplier's stock, for load tests that would use it up. */
  readonly stockLevel?: number
}

export type Input =
  | { readonly type: 'deliver'; readonly at: number; readonly location: string; readonly lines: readonly Load[] }
  | { readonly type: 'remove expired'; readonly at: number; readonly location: string }
  | {
      readonly type: 'swap'
      readonly at: number
      readonly location: string
      readonly goodsCode: string
      readonly newCode: string
      /** Of its lanes so many; all where it is not said. */
      readonly lanes?: number | undefined
    }
  | { readonly type: 'prices'; readonly at: number; readonly location: string; readonly prices: readonly SalePrice[] }
  | {
      readonly type: 'advice'
      readonly at: number
      readonly location: string
      readonly batchNo: string
      readonly lines: readonly Load[]
    }
  | { readonly type: 'order'; readonly at: number; readonly request: OrderRequest }
  | { readonly type: 'cancel order'; readonly at: number; readonly outOrderNo: string }

/** One machine's local day (`2026-09-10`). */
export interface TallyRow extends Readonly<DayTally> {
  readonly location: string
  readonly day: string
}

export type World = ReturnType<typeof createWorld>

const HISTORY_DAYS = 40

export function createWorld(options: WorldOptions) {
  const {
    seed,
    takeoverMs,
    historyDays = HISTORY_DAYS,
    traffic = 1,
    restocking = 'rescue',
    demoShoppersPerHour,
  } = options
  const startMs = midnightBefore(takeoverMs - historyDays * DAY)
  const products = makeProducts(seed, options.products, options.stockLevel, options.language)
  const machines = makeMachines(seed, products, {
    traffic,
    ...(options.machines ? { count: options.machines } : {}),
    ...(options.language ? { language: options.language } : {}),
  })
  const devices = new Map(
    machines.map((spec) => [
      spec.id,
      createDevice(spec, {
        seed,
        startMs,
        takeoverMs,
        restocking,
        demoShoppersPerHour,
        mindsPrice: options.mindsPrice,
      }),
    ]),
  )
  const supplier = createSupplier(seed, products, options.creditLimitFen)
  const ledger = createLedger()
  const listeners: ((input: Input) => void)[] = []
  let now = startMs

  /** An earlier instant changes nothing. Day by day, so that a long step never holds more than a day of unsorted sales. */
  const advanceTo = (ms: number) => {
    while (now < ms) {
      now = Math.min(ms, startOfDayNumber(dayNumber(now) + 1))
      const fresh: Sale[] = []
      for (const device of devices.values()) fresh.push(...device.advance(now))
      ledger.append(fresh)
    }
  }

  const notify = (input: Input) => listeners.forEach((listener) => listener(input))

  const world = {
    seed,
    startMs,
    products,
    machines,
    supplier: supplier as Pick<typeof supplier, 'stockOf' | 'find' | 'orders'>,
    now: () => now,
    advanceTo,
    /** One entry per lane; undefined for an unknown machine. */
    lanes: (location: string) => devices.get(location)?.lanes(),
    /** Units that were ever loaded, by product. */
    loaded: () => [...devices.values()].flatMap((device) => [...device.loaded()]),
    sales: (query: SaleQuery) => ledger.page(now, query),
    /** All stored sales, oldest first, including those that the platform does not list yet. */
    allSales: () => ledger.all(),
    /** What was sold, lost and loaded, per machine and local day, oldest first. */
    tally(fromMs: number, toMs: number): readonly TallyRow[] {
      const rows: TallyRow[] = []
      for (let day = dayNumber(fromMs); day <= dayNumber(toMs); day++)
        for (const [location, device] of devices) {
          const row = device.tallies().get(day)
          if (row) rows.push({ location, day: localText(startOfDayNumber(day)).slice(0, 10), ...row })
        }
      return rows
    },
    deliver(location: string, lines: readonly Load[]): readonly Loaded[] {
      const loaded =
        devices.get(location)?.deliver(now, lines) ??
        lines.map((line) => ({ ...line, loaded: 0, surplus: line.quantity }))
      notify({ type: 'deliver', at: now, location, lines })
      return loaded
    },
    /** Takes what is too old out of a machine. */
    removeExpired(location: string): readonly Load[] {
      const removed = devices.get(location)?.removeExpired(now) ?? []
      if (removed.length > 0) notify({ type: 'remove expired', at: now, location })
      return removed
    },
    /** Puts another product into the lanes of one, or some of them; returns the units taken out. Changes nothing if it cannot. */
    swap(location: string, goodsCode: string, newCode: string, lanes?: number): number {
      const machine = machines.find(({ id }) => id === location)
      const offer = machine && offerAt(seed, products, machine, newCode)
      const device = devices.get(location)
      if (!offer || !device) return 0
      const taken = device.swap(goodsCode, offer, lanes)
      notify({ type: 'swap', at: now, location, goodsCode, newCode, ...(lanes === undefined ? {} : { lanes }) })
      return taken
    },
    setPrices(location: string, prices: readonly SalePrice[]): number {
      const count = devices.get(location)?.setPrices(prices) ?? 0
      notify({ type: 'prices', at: now, location, prices })
      return count
    },
    advise(location: string, batchNo: string, lines: readonly Load[]): number {
      const count = devices.get(location)?.advise(now, batchNo, lines) ?? 0
      notify({ type: 'advice', at: now, location, batchNo, lines })
      return count
    },
    placeOrder(request: OrderRequest): Placement {
      const placement = supplier.place(now, request)
      if (placement.ok && !placement.isRepeated) notify({ type: 'order', at: now, request })
      return placement
    },
    cancelOrder(outOrderNo: string): boolean {
      const done = supplier.cancel(now, outOrderNo)
      if (done) notify({ type: 'cancel order', at: now, outOrderNo })
      return done
    },
    /** Repeats a recorded input, after advancing the world to its time. */
    replay(input: Input): void {
      advanceTo(input.at)
      perform(input)
    },
    /** Called after every input. */
    onInput: (listener: (input: Input) => void) => void listeners.push(listener),
  }
  function perform(input: Input): unknown {
    switch (input.type) {
      case 'deliver':
        return world.deliver(input.location, input.lines)
      case 'remove expired':
        return world.removeExpired(input.location)
      case 'swap':
        return world.swap(input.location, input.goodsCode, input.newCode, input.lanes)
      case 'prices':
        return world.setPrices(input.location, input.prices)
      case 'advice':
        return world.advise(input.location, input.batchNo, input.lines)
      case 'order':
        return world.placeOrder(input.request)
      case 'cancel order':
        return world.cancelOrder(input.outOrderNo)
    }
  }
  return world
}
