/**
 * A simulation whose service is killed again and again (SIGKILL) and started on the same database: before a request, at a
 * step of a write, when the supplier has taken an order, after any number of milliseconds, and between a reply and its
 * reader. The client then repeats its request with the same Idempotency-Key, as a client does whose connection broke.
 */
import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { simulatedConfig, SIMULATION_TOKEN } from '../../src/cli/simulate/simulated-service.ts'
import { startWorld } from '../../src/cli/simulate/simulation.ts'
import type { Simulation, SimulationOptions } from '../../src/cli/simulate/simulation.ts'
import { createClient } from '../../src/client/index.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import { openStore } from '../../src/store/open.ts'
import { auditChain } from '../../src/views/audit/index.ts'
import { stream } from '../../src/simulator/world/random.ts'
import { builtInstance } from '../processes/build-instance.ts'
import type { Order } from './killable-instance.ts'

/** What each kind of write is killed at: steps of the code, or what the parent sees. */
const EVERYWHERE = ['before', 'replied', 'in flight'] as const
const BUYING = ['claimed', 'answered', 'settled', 'ordered', 'assessed'] as const
const RECEIVING = ['stop_written', 'stop_booked'] as const
const BY_STEP: ReadonlySet<string> = new Set(['claimed', 'answered', 'settled', 'assessed', ...RECEIVING])
type Moment = (typeof EVERYWHERE)[number] | (typeof BUYING)[number] | (typeof RECEIVING)[number]

/** Setting up the route moves neither. */
const MONEY_AND_STOCK = /\/(replenishment\/runs|checkout-sessions|approvals)/
const IN_FLIGHT_MS = 30
/** A shift takes some of it. */
const AT_WORK_MS = 250
/** 45 seconds of the clock of the instance, which is faster. */
const TAKE_OVER_MS = 4000
const TICK_MS = 100
const AT_WORK = ['claimed', 'answered', 'settled', 'ordered', 'in flight', 'in flight', 'in flight'] as const
/** So that every request is answered in the end. */
const IN_A_ROW_MAX = 3
const ATTEMPTS = 20

export interface KilledSimulation extends Simulation {
  /** How often the service was killed, by moment. */
  readonly kills: ReadonlyMap<string, number>
  /** From now on nothing is killed. */
  spare(): void
  /** Ends the service, and says what the hash chain of its database does not bear out. */
  auditChain(): Promise<readonly string[]>
}

export interface KillOptions extends Omit<SimulationOptions, 'database'> {
  /** Of the writes, how many meet a kill. */
  readonly killShare: number
  /** Of the times that jobs run, how many meet a kill while they work: the shifts of the operator are jobs. */
  readonly jobKillShare?: number
}

export async function openKilledSimulation(options: KillOptions): Promise<KilledSimulation> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-kills-'))
  const given = { ...options, database: join(folder, 'vendops.db') }
  const { config, driving } = simulatedConfig(given)
  const clock = manualClock(options.startMs)
  const simulator = await startWorld(given, clock)
  const { supplyUrl, machineUrl, supply, machine, world } = simulator
  const program = await builtInstance('test/simulation/killable-instance.ts')
  const random = stream(options.seed, 'kills')
  const kills = new Map<string, number>()
  const failures: string[] = []
  let lastOrder = 0
  let child: ChildProcess
  let root = ''
  let isOrderDeadly = false
  let isDoomed = false
  let isSpared = false
  let killsInARow = 0
  /** By the id of an order: who waits for it. */
  const waiting = new Map<number, (isDone: boolean) => void>()

  const answer = (id: number, isDone: boolean) => {
    waiting.get(id)?.(isDone)
    waiting.delete(id)
  }

  async function start(): Promise<void> {
    const birth = { options: given, upstreams: { supplyUrl, machineUrl, supply, machine }, now: clock.now() }
    child = fork(program, { env: { PATH: process.env['PATH'], BIRTH: JSON.stringify(birth) }, silent: true })
    let said = ''
    child.stderr?.on('data', (text: Buffer) => void (said = (said + text.toString()).slice(-2000)))
    child.on('message', ({ failure, id }: { failure?: string; id?: number }) => {
      if (failure !== undefined) failures.push(failure)
      if (id !== undefined) answer(id, true)
    })
    child.once('exit', () => [...waiting.keys()].forEach((id) => answer(id, false)))
    const [message] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`the service does not start: ${said}`))),
    ])) as [{ port: number }]
    root = `http://127.0.0.1:${message.port}`
  }

  const isGone = () => child.exitCode !== null || child.signalCode !== null
  async function kill(): Promise<void> {
    if (isGone()) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }

  function endNow(): void {
    isDoomed = true
    child.kill('SIGKILL')
  }

  /** True when the order was carried out; false when the process died of it. */
  async function tell(order: Omit<Order, 'id' | 'now'> = {}): Promise<boolean> {
    const id = ++lastOrder
    const done = new Promise<boolean>((resolve) => waiting.set(id, resolve))
    child.send({ ...order, id, now: clock.now() } satisfies Order)
    return done
  }

  const momentOf = (url: string, method: string): Moment | undefined => {
    if (
      isSpared ||
      killsInARow >= IN_A_ROW_MAX ||
      method === 'GET' ||
      !MONEY_AND_STOCK.test(url) ||
      !random.happens(options.killShare)
    )
      return undefined
    const own = url.includes('/complete') ? BUYING : url.endsWith('/receive') ? RECEIVING : []
    // Half of the kills are at steps of their own.
    return own.length > 0 && random.happens(0.5) ? random.pick(own) : random.pick(EVERYWHERE)
  }
  // The supplier has the order, and its reply is not read any more.
  world.onInput(({ type }) => {
    if (type === 'order' && isOrderDeadly) endNow()
  })

  async function send(url: string, init: RequestInit): Promise<Response> {
    const moment = momentOf(url, init.method ?? 'GET')
    const died = async (): Promise<never> => {
      await kill()
      killsInARow++
      kills.set(moment!, (kills.get(moment!) ?? 0) + 1)
      await start()
      throw new TypeError('the connection broke')
    }
    if (moment === 'before') return died()
    await tell({ killAt: moment !== undefined && BY_STEP.has(moment) ? moment : undefined })
    isOrderDeadly = moment === 'ordered'
    isDoomed = false
    const timer = moment === 'in flight' ? setTimeout(endNow, random.next() * IN_FLIGHT_MS) : undefined
    let reply: Response | undefined
    try {
      const response = await fetch(`${root}${url}`, init)
      reply = new Response(await response.text(), { status: response.status, headers: response.headers })
    } catch (failure) {
      if (moment === undefined) throw failure
    } finally {
      clearTimeout(timer)
      isOrderDeadly = false
    }
    // The signal may have been sent while the reply was on its way.
    if (reply === undefined || moment === 'replied' || isDoomed) return died()
    killsInARow = 0
    return reply
  }

  function travelTo(at: number): void {
    if (at > clock.now()) clock.set(at)
    simulator.advance()
  }

  /** False when the process died of it. */
  async function runJobs(): Promise<boolean> {
    const { jobKillShare = 0 } = options
    const isSafe = isSpared || killsInARow >= IN_A_ROW_MAX || !random.happens(jobKillShare)
    const moment = isSafe ? undefined : random.pick(AT_WORK)
    isOrderDeadly = moment === 'ordered'
    isDoomed = false
    const timer = moment === 'in flight' ? setTimeout(endNow, random.next() * AT_WORK_MS) : undefined
    const isDone = await tell({
      runJobs: true,
      killAt: moment !== undefined && BY_STEP.has(moment) ? moment : undefined,
    })
    clearTimeout(timer)
    isOrderDeadly = false
    if (isDone && !isDoomed) return true
    kills.set(`at work: ${moment}`, (kills.get(`at work: ${moment}`) ?? 0) + 1)
    return false
  }

  await start()
  const client = createClient({ token: SIMULATION_TOKEN, fetch: send as typeof fetch, attempts: ATTEMPTS })
  return {
    client,
    fetch: send as typeof fetch,
    clock,
    simulator,
    timeZone: config.timeZone,
    currency: config.currency,
    hasStoreroom: config.hasStoreroom,
    statedLeadDays: config.statedLeadDays,
    driving,
    failures,
    kills,
    spare: () => void (isSpared = true),
    async auditChain() {
      await kill()
      const store = await openStore(`sqlite:${given.database}`)
      try {
        return (await auditChain(store)).problems.map((problem) => JSON.stringify(problem))
      } finally {
        await store.close()
      }
    },
    addOperator: () => Promise.reject(new Error('nobody is added')),
    async advanceTo(at) {
      travelTo(at)
      while (!(await runJobs())) {
        killsInARow++
        await kill()
        await start()
        // As long as the others wait before they take over from a process that says nothing.
        const until = performance.now() + TAKE_OVER_MS
        while (performance.now() < until && (await tell({ runJobs: true }))) await sleep(TICK_MS)
      }
      killsInARow = 0
    },
    travelTo,
    async close() {
      await kill()
      await simulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
