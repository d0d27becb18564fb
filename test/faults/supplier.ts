/**
 * A supplier at the far end of a bad line. Requests arrive late, replies get lost, orders are refused and placed all the
 * same, but within the one assumption the service makes: what was sent arrives, if ever, within a time-out after the
 * sender gave up. Unlike the real one it notes every order that was sent a second time: idempotency must never be what
 * saves us. In some schedules the assumption is broken (`landsLate`); then every order has to be on record in the end.
 */
import { fen } from '../../src/kernel/fen.ts'
import { failDenied } from '../../src/vendors/result.ts'
import type { Result, Failure, FailureReason, SendPermit } from '../../src/vendors/contract.ts'
import type { VendorCapability } from '../../src/vendors/registration.ts'
import type { SupplyFulfillment, SupplyLine, SupplyVendor } from '../../src/vendors/supply-vendor.ts'
import { failure, supplyProduct } from '../support/scripted-vendors.ts'
import { type Random, chance, weighted } from './random.ts'
import { type Scheduler, type Task, Crashed } from './scheduler.ts'

export interface Booked {
  readonly ref: string
  readonly externalRef: string
  readonly lines: readonly SupplyLine[]
  readonly fulfillment: SupplyFulfillment
}

interface OnItsWay {
  readonly ref: string
  readonly lines: readonly SupplyLine[]
  readonly fulfillment: SupplyFulfillment
  by: number
}

export interface World {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly timeoutMs: number
  /** False at the end, when the line is good again. */
  faulty: boolean
  /** Pulling the emergency stop was answered. */
  stopAnswered: boolean
  /**
   * How likely a process dies at a step, that time passes at one, and that a reply gets lost (an order is accepted with
   * weight 8). Each schedule has its own: where everything fails often, few purchases get far enough to go wrong late.
   */
  readonly crashes: number
  readonly pauses: number
  readonly lostReplies: number
  /** Orders may arrive long after the grace in which their absence is not yet believed. */
  readonly landsLate: boolean
  /** A fault of ours, on purpose: the question after a refused order is answered without being asked. */
  readonly believesRefusals: boolean
  /** It cannot be asked, so a refusal in its documented form has to be true. */
  readonly refusesTruly?: boolean
}

/** Time-outs after which the last late order has landed. */
const LATEST = 60

/** The supplier's own no, in its documented form: with the order in its books, or without. */
const REFUSALS: Readonly<Record<string, Failure>> = {
  rejected: failure('rejected', 'no credit', { documented: true }),
  rejectedYetPlaced: failure('rejected', 'no credit', { documented: true }),
  unauthorized: failure('unauthorized', 'app key disabled', { documented: true }),
  unauthorizedYetPlaced: failure('unauthorized', 'app key disabled', { documented: true }),
}

export function faultySupplier(world: World) {
  const { random, scheduler, timeoutMs } = world
  const book = new Map<string, Booked>()
  const onTheirWay = new Set<OnItsWay>()
  const sentTwice: string[] = []
  const sentAfterStop: string[] = []
  let priceFen = 2880

  function arrive(order: OnItsWay): Booked {
    onTheirWay.delete(order)
    const known = book.get(order.ref)
    if (known) return known
    const { ref, lines, fulfillment } = order
    const booked = { ref, externalRef: `AS${book.size + 1}`, lines, fulfillment }
    book.set(ref, booked)
    return booked
  }
  scheduler.onTime(() => {
    for (const order of onTheirWay) if (scheduler.time() >= order.by) arrive(order)
  })

  const products = () => [
    supplyProduct('SP1', { packPriceFen: fen(priceFen), eachPriceFen: fen(priceFen / 24), stock: 1_000_000 }),
    supplyProduct('SP2', {
      packSize: 1,
      packPriceFen: fen(310),
      eachPriceFen: fen(310),
      eachPriceDerived: false,
      stock: 1_000_000,
    }),
  ]

  async function create(
    task: Task,
    ref: string,
    lines: readonly SupplyLine[],
    fulfillment: SupplyFulfillment,
    permit: SendPermit,
  ): Promise<Result<{ readonly externalRef: string }>> {
    if (!task.process.alive) throw new Crashed()
    const fate = world.faulty
      ? weighted(random, {
          accepted: 8,
          lostReply: world.lostReplies,
          lostRequest: 3,
          rejected: 1,
          unauthorized: 1,
          rejectedYetPlaced: world.refusesTruly ? 0 : 1,
          unauthorizedYetPlaced: world.refusesTruly ? 0 : 1,
          gateway: 1,
          unsent: 1,
          limited: 1,
        })
      : 'accepted'
    const isSent = (): void => {
      if (world.stopAnswered) sentAfterStop.push(ref)
      if (!world.landsLate && (book.has(ref) || [...onTheirWay].some((order) => order.ref === ref))) sentTwice.push(ref)
    }
    if (fate === 'unsent') {
      await task.gate(fate)
      return failure(fate)
    }
    const begun = scheduler.time()
    const order: OnItsWay = { ref, lines, fulfillment, by: begun + random() * 2 * timeoutMs }
    const refused = REFUSALS[fate]
    if (refused) {
      const denial = await permit(() => {
        isSent()
        if (fate.endsWith('YetPlaced')) arrive(order)
      })
      if (denial) return failDenied(denial)
      await task.gate(fate)
      return refused
    }
    const arrives =
      fate === 'accepted' || fate === 'lostReply' || ((fate === 'limited' || fate === 'gateway') && chance(random, 0.5))
    // The line may deliver a request twice; that is not the sender's doing.
    const copies = chance(random, 0.1) ? [order, { ...order, by: begun + random() * 2 * timeoutMs }] : [order]
    const denial = await permit(() => {
      isSent()
      if (arrives) for (const copy of copies) onTheirWay.add(copy)
    })
    if (denial) return failDenied(denial)
    if (fate !== 'accepted' && chance(random, 0.7))
      await task.sleep(chance(random, 0.5) ? timeoutMs : random() * timeoutMs)
    else await task.gate('createOrder')
    if (fate === 'accepted' && scheduler.time() - begun <= timeoutMs) {
      const booked = book.get(ref) ?? arrive(order)
      return { ok: true as const, value: { externalRef: booked.externalRef } }
    }
    // The sender gives up here; from now on what is under way has one more time-out to arrive.
    // Half of them take most of it: whoever believes an early "absent" orders a second time meanwhile.
    for (const copy of copies)
      copy.by = world.landsLate
        ? scheduler.time() + random() * LATEST * timeoutMs
        : chance(random, 0.5)
          ? scheduler.time() + (1 + random()) * (timeoutMs / 2)
          : Math.min(copy.by, scheduler.time() + random() * timeoutMs)
    if (fate === 'gateway') return failure('unauthorized', 'the upstream answered HTTP 403')
    return failure(fate === 'limited' ? 'limited' : 'unknown')
  }

  const vendorFor = (task: Task): SupplyVendor => {
    let refused = false
    return {
      role: 'supply',
      async catalog() {
        await task.gate('catalog')
        if (world.faulty && chance(random, 0.03)) priceFen += 24
        if (world.faulty && chance(random, 0.05)) return failure('unknown')
        return { ok: true, value: { products: products(), sites: [] } }
      },
      async createOrder({ ref, lines, fulfillment }, permit) {
        const core = lines.map(({ vendorSku, quantity, unit }) => ({ vendorSku, quantity, unit }))
        const answer = await create(task, ref, core, fulfillment, permit)
        refused = !answer.ok && answer.documented === true
        return answer
      },
      async orderStatus(ref) {
        if (world.believesRefusals && refused) return failure('absent')
        await task.gate('question')
        const known = book.get(ref)
        const fault: FailureReason | undefined =
          world.faulty && chance(random, 0.25)
            ? weighted(random, { unknown: 4, limited: 1, unauthorized: 1, unsent: 1 })
            : undefined
        // The answer is true of this moment, and is heard at a later one.
        await task.gate('answer')
        if (fault) return failure(fault)
        if (!known) return failure('absent')
        return {
          ok: true,
          value: {
            externalRef: known.externalRef,
            state: 'ordered',
            description: 'placed',
            rawStatus: 10,
            createdAt: null,
            logistics: [],
          },
        }
      },
    }
  }

  return { vendorFor, book, sentTwice, sentAfterStop, onTheirWay }
}

export interface FaultySupplier extends ReturnType<typeof faultySupplier> {
  /** Absent: all of its role. */
  readonly capabilities?: readonly VendorCapability[]
  /** What is wrong with what the supplier knows, beyond what every schedule checks. */
  readonly problems?: () => readonly string[]
  /** A person buys on the page of the supplier, or decides not to. */
  readonly decideOnPage?: (url: string) => void
  /** Nobody buys on the open pages of this order any more. */
  readonly abandonPages?: (ref: string) => void
}
