/** One schedule: a few sessions, callers, jobs and instances, everything that can go wrong, and then: does it add up? */
import type { KyselyPlugin } from 'kysely'
import { audit } from '../../src/views/audit/audit.ts'
import { resolveApproval } from '../../src/rules/approvals/resolve.ts'
import type { Subject } from '../../src/rules/approvals/subjects.ts'
import { cancelCheckout } from '../../src/acts/checkout/cancel.ts'
import { closeIfOverdue, expireOverdue } from '../../src/acts/checkout/close.ts'
import { completeCheckout } from '../../src/acts/checkout/complete.ts'
import { createCheckout } from '../../src/acts/checkout/create.ts'
import type { CheckoutContext } from '../../src/acts/checkout/context.ts'
import { checkoutSubject } from '../../src/acts/checkout/approval-subject.ts'
import { findSession } from '../../src/acts/checkout/records.ts'
import { recordOutcome } from '../../src/acts/checkout/record-outcome.ts'
import { purchaseQuestions } from '../../src/acts/checkout/purchase/attempt.ts'
import { type WatchLimits, askAboutDue } from '../../src/effects/watch.ts'
import type { Session } from '../../src/acts/checkout/session.ts'
import { orderContents } from '../../src/acts/checkout/basket/basket.ts'
import { updateCheckout } from '../../src/acts/checkout/update.ts'
import { engageKillSwitch } from '../../src/rules/guardrails/kill-switch.ts'
import { readConfig } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../src/kernel/clock.ts'
import type { Store } from '../../src/store/store.ts'
import { contextFor, startInstance } from './instance.ts'
import type { Instance, Surroundings } from './instance.ts'
import { chance, pick, randomOf, upTo, weighted } from './random.ts'
import { scheduler as makeScheduler } from './scheduler.ts'
import type { Task } from './scheduler.ts'
import { faultySupplier } from './supplier.ts'
import type { FaultySupplier, World } from './supplier.ts'

const noSubjectEffect: Subject = { applyDecision: () => Promise.resolve() }

const TIMEOUT_MS = 10 * SECOND

function configuration(): Config {
  const read = readConfig({ UPSTREAM_TIMEOUT_MS: String(TIMEOUT_MS) }, () => false)
  if (!read.ok) throw new Error(read.problems.join('; '))
  return read.config
}
const config = configuration()

/** One question after the other: a task stands at one gate at a time. */
const ONE_BY_ONE: WatchLimits = { effects: 100, receiversAtOnce: 1, questionsAtOnce: 1, roundMs: Infinity }

const recover = (ctx: CheckoutContext): Promise<void> => askAboutDue(ctx, purchaseQuestions(ctx), ONE_BY_ONE)

const SHIPPING = {
  methods: [
    {
      type: 'shipping' as const,
      destinations: [{ street_address: 'Road 1', first_name: 'Wei', phone_number: '138' }],
    },
  ],
}
const lines = (boxes: number) => [
  { item: { id: 'acme-supply:SP1' }, quantity: boxes, quantity_unit: { unit: 'BX' as const } },
]
const INSISTS = 3
/** Much less than a time-out: what was sent may still be under way. */
const SOON_MS = 200
const CHEAP = 2
/** Above the demo limit of ¥500: needs the owner. */
const DEAR = 20

export interface Sabotage {
  readonly plugin?: KyselyPlugin
  /** How many times too fast the watch over sessions in progress runs. */
  readonly hurry?: number
  readonly believesRefusals?: boolean
}

/** Another kind of supplier, in whose world persons say what came of orders. */
export interface Variant {
  readonly refusesTruly?: boolean
  readonly supplier: (world: World) => FaultySupplier
}

export interface Verdict {
  readonly problems: readonly string[]
  readonly trace: readonly string[]
  /** What happened, to see that schedules are not all alike. */
  readonly orders: number
}

/** What callers got as answers, compared with what is true in the end. */
interface Answers {
  readonly completed: Map<string, string | undefined>
  readonly canceled: Set<string>
}

export async function runSchedule(
  store: Store,
  seed: number,
  sabotage: Sabotage = {},
  variant?: Variant,
): Promise<Verdict> {
  await empty(store)
  const random = randomOf(seed)
  const scheduler = makeScheduler(random, store.kind === 'postgres' ? 0.3 : 0)
  const world: World = {
    random,
    scheduler,
    timeoutMs: TIMEOUT_MS,
    faulty: false,
    landsLate: chance(random, 0.15) && !variant,
    crashes: pick(random, [0, 0.004, 0.02]),
    lostReplies: pick(random, [3, 3, 20]),
    pauses: pick(random, [0.08, 0.01]),
    stopAnswered: false,
    believesRefusals: sabotage.believesRefusals ?? false,
    refusesTruly: variant?.refusesTruly ?? false,
  }
  const supplier = variant?.supplier(world) ?? faultySupplier(world)
  const around: Surroundings = { store, supplier, world, config, sabotage: sabotage.plugin }
  const instances: Instance[] = Array.from({ length: 1 + upTo(random, 3) }, () => startInstance(world, sabotage.hurry))
  const answers: Answers = { completed: new Map(), canceled: new Set() }

  const ids: string[] = []
  const inPeace = async (work: (ctx: CheckoutContext) => Promise<void>) => {
    const instance = instances[0] ?? startInstance(world)
    scheduler.spawn('peace', instance, (task: Task) => work(contextFor(instance, task, around)))
    await scheduler.run(() => {})
  }
  await inPeace(async (ctx) => {
    for (let n = 1 + upTo(random, 2); n > 0; n--) {
      const boxes = chance(random, 0.2) ? DEAR : CHEAP
      const made = await createCheckout(ctx, { line_items: lines(boxes), fulfillment: SHIPPING })
      if (made.ok) ids.push(made.value.id)
    }
  })

  world.faulty = true
  for (let n = 3 + upTo(random, 8); n > 0; n--) spawnSomething(around, instances, pick(random, ids), answers)
  if (variant)
    for (let n = upTo(random, 4); n > 0; n--) {
      const [instance, id] = [pick(random, instances), pick(random, ids)]
      scheduler.spawn(`person ${id}`, instance, (task) =>
        sayWhatHappened(contextFor(instance, task, around), id, around),
      )
    }
  await scheduler.run(() => misfortune(around, instances, sabotage))

  world.faulty = false
  await heal(around, instances, sabotage, variant ? ids : [])
  const problems = await findProblems(around, instances, ids, answers)
  return { problems, trace: scheduler.trace, orders: supplier.book.size }
}

async function empty({ db }: Store): Promise<void> {
  for (const table of [
    'purchase_event',
    'purchase',
    'checkout_attempt',
    'watched_effect',
    'checkout',
    'decision',
    'event',
    'emergency_stop',
    'counter',
    'vendor_memory',
  ] as const)
    await db.deleteFrom(table).execute()
}

function spawnSomething(around: Surroundings, instances: Instance[], id: string, answers: Answers): void {
  const { random, scheduler } = around.world
  const kind = weighted(random, {
    complete: 8,
    insist: 4,
    recover: 4,
    cancel: 1,
    put: 1.5,
    decide: 1.5,
    expire: 0.5,
    read: 0.5,
    stop: 0.3,
  })
  const instance = pick(random, instances)
  scheduler.spawn(`${kind} ${id}`, instance, (task) =>
    WORK[kind](contextFor(instance, task, around), id, around, answers),
  )
}

type Work = (ctx: CheckoutContext, id: string, around: Surroundings, answers: Answers) => Promise<void>

const WORK = {
  async complete(ctx, id, _, answers) {
    const outcome = await completeCheckout(ctx, id)
    if (outcome.ok && outcome.value.session.status === 'completed')
      answers.completed.set(id, outcome.value.session.supplierOrderNo)
  },
  /** A caller that repeats its request soon, with the recovery job in between. */
  async insist(ctx, id, around, answers) {
    for (let n = 0; n < INSISTS && !answers.completed.has(id); n++) {
      await WORK.complete(ctx, id, around, answers)
      await ctx.sleep(around.world.random() * SOON_MS)
      await recover(ctx)
    }
  },
  recover,
  async cancel(ctx, id, _, answers) {
    if ((await cancelCheckout(ctx, id)).ok) answers.canceled.add(id)
  },
  async put(ctx, id, { world }) {
    const boxes = pick(world.random, [CHEAP, CHEAP + 1, DEAR])
    await updateCheckout(ctx, id, chance(world.random, 0.5) ? { line_items: lines(boxes) } : {})
  },
  async decide(ctx, id, { world }) {
    const session = await findSession(ctx.store.db, id)
    if (!session?.decision) return
    const subjects = {
      checkout: checkoutSubject(ctx),
      replenishment_run: noSubjectEffect,
      note: noSubjectEffect,
      price_change: noSubjectEffect,
      slot: noSubjectEffect,
    }
    await resolveApproval(ctx, subjects, session.decision, { approved: chance(world.random, 0.8) })
  },
  expire: (ctx) => expireOverdue(ctx),
  async read(ctx, id) {
    const session = await findSession(ctx.store.db, id)
    if (session) await closeIfOverdue(ctx, session)
  },
  async stop(ctx, _, { world }) {
    await engageKillSwitch(ctx, { by: 'test', reason: 'test' })
    world.stopAnswered = true
  },
} satisfies Record<string, Work>

/** A person who says the truth at the moment at which the session is read; what is under way has been ordered. */
async function sayWhatHappened(ctx: CheckoutContext, id: string, { supplier }: Surroundings): Promise<void> {
  const handoff = (await findSession(ctx.store.db, id))?.handoff
  if (handoff && 'url' in handoff) supplier.decideOnPage?.(handoff.url)
  await recordOutcome(
    ctx,
    id,
    {
      get placed() {
        const isPlaced = supplier.book.has(id) || [...supplier.onTheirWay].some(({ ref }) => ref === id)
        // Who says "not placed" also means that nobody will buy on a page that is still open.
        if (!isPlaced) supplier.abandonPages?.(id)
        return isPlaced
      },
    },
    'person',
  )
}

/** Between two steps: time passes, a clock is set, a process dies and another takes its place. */
function misfortune({ world }: Surroundings, instances: Instance[], sabotage: Sabotage): void {
  const { random, scheduler } = world
  if (chance(random, world.pauses)) scheduler.advance(random() * random() * 3 * TIMEOUT_MS)
  if (chance(random, 0.01))
    pick(random, instances).offsetMs += Math.round((random() - 0.4) * pick(random, [MINUTE, HOUR, 2 * DAY]))
  if (chance(random, world.crashes)) {
    const place = upTo(random, instances.length)
    const dead = instances[place]
    if (!dead) return
    scheduler.crash(dead)
    instances[place] = startInstance(world, sabotage.hurry)
  }
}

/** The line is good again and the jobs run: now everything must come to an end. */
async function heal(
  around: Surroundings,
  instances: readonly Instance[],
  sabotage: Sabotage,
  askedPersonsAbout: readonly string[],
): Promise<void> {
  const { scheduler } = around.world
  const instance = instances[0] ?? startInstance(around.world, sabotage.hurry)
  const asksOnce = async () => {
    scheduler.spawn('heal', instance, (task) => recover(contextFor(instance, task, around)))
    await scheduler.run(() => {})
    for (const id of askedPersonsAbout)
      scheduler.spawn(`person ${id}`, instance, (task) =>
        sayWhatHappened(contextFor(instance, task, around), id, around),
      )
    await scheduler.run(() => {})
  }
  // An adapter with a memory of its own settles what a dead process began only after minutes.
  const rounds = around.world.landsLate ? 100 : askedPersonsAbout.length > 0 ? 60 : 15
  for (let round = 0; round < rounds; round++) {
    const open = await around.store.db
      .selectFrom('checkout')
      .select('id')
      .where('status', '=', 'complete_in_progress')
      .executeTakeFirst()
    if (!open && around.supplier.onTheirWay.size === 0) break
    await asksOnce()
    scheduler.advance(TIMEOUT_MS)
  }
  // Then it also knows again what it could not store.
  if (askedPersonsAbout.length > 0) scheduler.advance(3 * MINUTE)
  if (!around.world.landsLate) return
  // No interval is longer than an hour.
  for (let hour = 0; hour < 2; hour++) {
    scheduler.advance(HOUR)
    await asksOnce()
  }
}

async function findProblems(
  around: Surroundings,
  instances: readonly Instance[],
  ids: readonly string[],
  answers: Answers,
): Promise<readonly string[]> {
  const { store, supplier, world } = around
  const problems: string[] = []
  const instance = instances[0] ?? startInstance(world)
  world.scheduler.spawn('audit', instance, async (task) => {
    const { problems: found } = await audit(contextFor(instance, task, around), { askSupplier: true })
    problems.push(...found.map(({ code, checkout, text }) => `audit: ${code} ${checkout}: ${text}`))
  })
  await world.scheduler.run(() => {})
  problems.push(...world.scheduler.trace.filter((line) => line.includes(' threw ')))
  problems.push(
    ...supplier.sentTwice.map((ref) => `${ref} was sent a second time while its order stood or was under way`),
  )

  problems.push(...(supplier.problems?.() ?? []))
  problems.push(...supplier.sentAfterStop.map((ref) => `${ref} was sent after pulling the emergency stop was answered`))

  for (const id of ids) {
    const session = await findSession(store.db, id)
    if (!session) problems.push(`${id} is gone`)
    else problems.push(...compare(session, supplier.book.get(id), answers, world.landsLate))
  }
  for (const ref of supplier.book.keys())
    if (!ids.includes(ref)) problems.push(`the supplier has ${ref}, which nobody opened`)
  return problems
}

function* compare(
  session: Session,
  booked: { readonly externalRef: string; readonly lines: unknown; readonly fulfillment: unknown } | undefined,
  answers: Answers,
  landsLate: boolean,
): Generator<string> {
  const { id, status, supplierOrderNo } = session
  if (status === 'complete_in_progress') yield `${id} never came to an end`
  // Only an order that landed after its session was closed stays with a closed one.
  const isBooked = status === 'completed' || (landsLate && status === 'canceled' && supplierOrderNo !== undefined)
  if (booked && !isBooked) yield `the supplier has ${booked.externalRef}, but ${id} is ${status}`
  if (isBooked && !booked) yield `${id} is ${status} without an order`
  if (isBooked && booked) {
    const meant = orderContents(session)
    const there = { lines: booked.lines, fulfillment: booked.fulfillment }
    // A person who knows no other number leaves ours.
    if (supplierOrderNo !== booked.externalRef && supplierOrderNo !== id)
      yield `${id} has ${supplierOrderNo}, the supplier ${booked.externalRef}`
    if (JSON.stringify(meant) !== JSON.stringify(there)) yield `${id} holds other goods than were ordered`
  }
  if (answers.completed.has(id) && (status !== 'completed' || answers.completed.get(id) !== supplierOrderNo))
    yield `a caller was told that ${id} is completed, and it is ${status}`
  if (answers.canceled.has(id) && status !== 'canceled')
    yield `a caller was told that ${id} is canceled, and it is ${status}`
}
