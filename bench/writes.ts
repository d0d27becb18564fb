/** What purchases and approvals cost, and their hash chain. */
import { PENDING_DECISIONS_MAX } from '../src/contract/limits.ts'
import setupPostgres from '../test/support/postgres.setup.ts'
import {
  type Sample,
  type Shot,
  type Subject,
  medianOf,
  rps,
  shoot,
  table,
  us,
  verdict,
  BEARER,
  SPENDING_LIMIT_FEN,
  startBare,
  startService,
} from './harness.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chainChange } from '../src/record/hash-chain/index.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { openStore } from '../src/store/open.ts'
import type { Store } from '../src/store/store.ts'
import { makePostgres } from '../test/support/postgres.setup.ts'

/** Buying: what each step of a purchase costs with every commit on disk, and what an owner's decision costs. */
const SESSIONS = '/ucp/v1/checkout-sessions'
const EACH_PRICE_FEN = 120

const DESTINATION = { street_address: '上海市浦东新区张江路 88 号', first_name: '王', phone_number: '13800000000' }
const SHIPPING = { methods: [{ type: 'shipping', destinations: [DESTINATION] }] }
const PICKUP = { methods: [{ type: 'pickup' }] }
const line = (i: number, quantity: number, unit: 'EA' | 'BX') => ({
  item: { id: `acme-supply:SP${(i * 37) % 5000}` },
  quantity,
  quantity_unit: { unit },
})
const basket = (i: number) => [line(i, 2, 'BX'), line(i + 1, 1, 'BX'), line(i + 2, 30, 'EA')]
/** Enough of one product to exceed the limit. */
const tooMuch = (i: number) =>
  Array.from({ length: Math.ceil(SPENDING_LIMIT_FEN / EACH_PRICE_FEN / 1_000_000) + 1 }, (_, k) =>
    line(i + k, 1_000_000, 'EA'),
  )

/** Rounds that are not counted: V8 compiles the hot code in the first minutes of a service. */
const WARM_UP = 20

/** The cost of any request here and now: distinguishes a slow machine from slow code. */
const SCALE = 'a bare Fastify, for scale'

const TARGETS_US: Readonly<Record<string, number>> = { create: 800, get: 250, complete: 900 }

interface Round {
  readonly [step: string]: Sample
}

/** One purchase after the other through all its steps; every step of all of them at once, for so many sessions. */
async function round(subject: Subject, amount: number, n: number): Promise<Round> {
  const fire = (shot: Shot) => shoot(subject, shot, amount, BEARER)
  const key = (step: string) => (i: number) => ({ 'idempotency-key': `${step}-${n}-${i}` })
  const at = (ids: readonly string[], step = '') => ({
    path: SESSIONS,
    paths: (i: number) => `${SESSIONS}/${ids[i]}${step}`,
  })
  const opening = (ids: string[], bodies: Shot['bodies'] & {}): Shot => ({
    method: 'POST',
    path: SESSIONS,
    bodies,
    onResponse: (i, answer) => void (ids[i] = (JSON.parse(answer) as { id: string }).id),
  })
  const shipped = (i: number) => ({ line_items: basket(i), fulfillment: SHIPPING })
  const confirmed = { method: 'POST', body: { confirm: true } } as const

  const ids: string[] = []
  const create = await fire(opening(ids, shipped))
  const keyedIds: string[] = []
  const keyedCreate = await fire({ ...opening(keyedIds, shipped), headers: key('create') })
  const pickupIds: string[] = []
  await fire(opening(pickupIds, (i) => ({ line_items: basket(i), fulfillment: PICKUP })))
  const decisions: string[] = []
  await fire({
    method: 'POST',
    path: SESSIONS,
    bodies: (i) => ({ line_items: tooMuch(i), fulfillment: SHIPPING }),
    onResponse: (i, answer) => {
      const [action] = Object.values((JSON.parse(answer) as { actions: Record<string, { id: string }[]> }).actions)
      decisions[i] = action?.[0]?.id ?? ''
    },
  })

  return {
    create,
    'create, with a key': keyedCreate,
    get: await fire(at(ids)),
    'get, 63 pickup slots': await fire(at(pickupIds)),
    put: await fire({ ...at(ids), method: 'PUT', bodies: (i) => ({ line_items: basket(i + 1) }) }),
    complete: await fire({ ...at(ids, '/complete'), ...confirmed }),
    'complete, with a key': await fire({ ...at(keyedIds, '/complete'), ...confirmed, headers: key('complete') }),
    cancel: await fire({ ...at(pickupIds, '/cancel'), method: 'POST' }),
    'approval resolve': await fire({
      method: 'POST',
      path: '/ucp/v1/approvals',
      paths: (i) => `/ucp/v1/approvals/${decisions[i]}`,
      body: { approved: true },
    }),
    'purchases list, 20': await fire({ path: '/ucp/v1/orders?kind=purchase&limit=20' }),
    'order of a purchase': await fire({ path: '/', paths: (i) => `/ucp/v1/orders/${ids[i]}` }),
  }
}

async function measured(databaseUrl: string | undefined, { amount, rounds }: { amount: number; rounds: number }) {
  const subject = await startService({ products: 5000, ...(databaseUrl === undefined ? {} : { databaseUrl }) })
  const bare = await startBare({ method: 'GET', path: SESSIONS, status: 200, answer: { line_items: basket(0) } })
  const scale = () => shoot(bare, { path: SESSIONS }, amount, BEARER)
  try {
    for (let n = 0; n < WARM_UP; n++) await round(subject, amount, n)
    await shoot(bare, { path: SESSIONS }, 6000, BEARER)
    const all: Round[] = []
    for (let n = 0; n < rounds; n++) {
      all.push({ ...(await round(subject, amount, WARM_UP + n)), [SCALE]: await scale() })
      await subject.ask('forget')
    }
    const steps = Object.keys(all[0] ?? {})
    return new Map(steps.map((step) => [step, medianOf(all.map((one) => one[step] as Sample))]))
  } finally {
    await subject.stop()
    await bare.stop()
  }
}

async function onPostgres<T>(work: (url: string) => Promise<T>): Promise<T> {
  let url = ''
  const stop = await setupPostgres({ provide: (_key, value) => void (url = value) })
  try {
    return await work(`${url}/postgres`)
  } finally {
    await stop()
  }
}

/** Each round opens `amount` approvals, so it is bounded by how many may be pending. */
export async function money({ amount = PENDING_DECISIONS_MAX, rounds = 8 } = {}): Promise<void> {
  const sqlite = await measured(undefined, { amount, rounds })
  table(
    'buying on SQLite, every commit on disk (our CPU; the supplier is in memory)',
    ['', 'CPU', 'target', 'per second'],
    [...sqlite].map(([step, sample]) => {
      const target = TARGETS_US[step]
      return [step, us(sample), target === undefined ? '' : verdict(sample.cpuUs, target, ' µs'), rps(sample)]
    }),
  )
  const postgres = await onPostgres((url) => measured(url, { amount: amount / 2, rounds: Math.min(rounds, 3) }))
  table(
    'buying on PostgreSQL (our CPU; its server runs without fsync, so per second tells little)',
    ['', 'CPU', 'per second'],
    [...postgres].map(([step, sample]) => [step, us(sample), rps(sample)]),
  )
}

/** The hash chain: transactions of eight writers at once, with and without an entry, each commit on disk. */
const WRITERS = 8
const SECONDS = 3

/** Transactions per second that insert one row each, so that only the chain is shared. */
async function writesPerSecond(store: Store, isChained: boolean): Promise<number> {
  let count = 0
  const end = performance.now() + SECONDS * 1000
  const write = async (writer: number) => {
    for (let n = 0; performance.now() < end; n++) {
      const subject = `bench-${end}-${writer}-${n}`
      await store.transaction(async (tx) => {
        await tx.insertInto('migration').values({ name: subject }).execute()
        if (isChained)
          chainChange({ clock: systemClock, store }, tx, { kind: 'stop', subject, readFacts: async () => ({ n }) })
      })
      count += 1
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  return count / SECONDS
}

async function measure(name: string, store: Store): Promise<readonly string[]> {
  await writesPerSecond(store, true)
  const [plain, chained] = [await writesPerSecond(store, false), await writesPerSecond(store, true)]
  await store.close()
  return [name, plain.toFixed(0), chained.toFixed(0)]
}

export async function chain(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-bench-'))
  const server = await makePostgres([])
  try {
    await server.start()
    table(
      'transactions of eight writers, per second',
      ['', 'without entry', 'with entry'],
      [
        await measure('SQLite', await openStore(`sqlite:${join(folder, 'vendops.db')}`)),
        await measure('PostgreSQL', await openStore(`${server.url}/postgres`)),
      ],
    )
  } finally {
    await server.stop('SIGQUIT')
    server.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}
