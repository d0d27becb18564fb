/** The service that `assemble()` builds, called over HTTP without a socket, with scripted vendors and a manual clock. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { assemble, createContext } from '../../src/assemble.ts'
import type { ContextParts } from '../../src/context.ts'
import type { AssembleOptions } from '../../src/assemble.ts'
import type { NotifySettings } from '../../src/views/notifications/settings.ts'
import { WORKED_PARAMS } from '../../src/acts/replenishment/planner/inputs.test-support.ts'
import { readConfig } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'
import { manualClock } from '../../src/kernel/clock.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import type { Log } from '../../src/kernel/log.ts'
import type { Store } from '../../src/store/store.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { registerLive, registry } from '../../src/vendors/registry.ts'
import type { RegisteredVendor } from '../../src/vendors/registry.ts'
import { freshStore } from './database.ts'
import { scriptedMachine, scriptedSupply } from './scripted-vendors.ts'
import type { ScriptedMachine, ScriptedSupply } from './scripted-vendors.ts'
import { checkAnswer } from './wire.ts'
import { wrapVendors } from '../../src/vendors/wrap-vendors.ts'

export const TOKEN = 'test-token-0123456789'
export const NOW = Date.parse('2026-09-10T08:00:00+08:00')

export const RULES = {
  rules: {
    spendingLimitPerRun: 50_000,
    priceCapPerItem: 100,
    hardNoGos: ['烟草', 'acme-supply:SP9009'],
    killSwitchEngaged: false,
  },
  administrators: ['ou_owner'],
  administratorChats: ['oc_ops'],
}

export interface Request {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Null: without any credentials. */
  readonly token?: string | null
  /** The caller's address. */
  readonly from?: string
}

// eslint-disable-next-line typescript/no-explicit-any -- tests read answers field by field; the schemas check their shape
export type Json = any

export interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
  readonly body: Json
  readonly text: string
}

export interface ServiceOptions extends AssembleOptions {
  readonly config?: Partial<Config>
  /** Contents of the guardrails file; a text is written as it is. */
  readonly rules?: object | string
  readonly now?: number
  /** Instead of a clock of its own, when the test shares one. */
  readonly clock?: ReturnType<typeof manualClock>
  readonly store?: Store
  readonly supply?: ScriptedSupply
  readonly machine?: ScriptedMachine
  /** Instead of the two Acme namespaces. */
  readonly entries?: readonly RegisteredVendor[]
  /** Instead of entries: vendors that are opened and replaced while the service runs. */
  readonly connectionFolders?: ContextParts['connectionFolders']
  readonly notify?: NotifySettings
  readonly onCheckpoint?: ContextParts['onCheckpoint']
  /** Adds hooks. */
  readonly beforeReady?: (server: FastifyInstance) => Promise<void>
}

/** Thrown by a scripted machine: nobody is left to settle the call. */
export const PROCESS_DIED = new Error('the process died')

let base: Config | undefined

/** Read once for all tests: compiling the schema of the environment takes longer than the rest of a start. */
function baseConfig(): Config {
  if (base) return base
  const read = readConfig(
    {
      OPERATOR_TOKEN: TOKEN,
      PUBLIC_URL: 'https://vending.example.com',
      // Machines of three slots, whose orders are easy to work out: by the contract's example, not by what a drive costs.
      PLAN_PARAMS: JSON.stringify(WORKED_PARAMS),
    },
    () => false,
  )
  if (!read.ok) throw new Error(read.problems.join('; '))
  base = read.config
  return base
}

export async function startService(options: ServiceOptions = {}) {
  const clock = options.clock ?? manualClock(options.now ?? NOW)
  const supply = options.supply ?? scriptedSupply()
  const machine = options.machine ?? scriptedMachine()
  const folder = mkdtempSync(join(tmpdir(), 'vendops-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const guardrailsFile = join(folder, 'guardrails.json')
  const writeRules = (rules: object | string) =>
    writeFileSync(guardrailsFile, typeof rules === 'string' ? rules : JSON.stringify(rules))
  writeRules(options.rules ?? RULES)

  // No rate limits: with a manual clock a bucket never refills. Tests of the limits set them.
  const settings = { guardrailsFile, upstreamTimeoutMs: 1000, rateLimitPerMinute: 0 }
  const config: Config = { ...baseConfig(), ...settings, ...options.config }

  const store = options.store ?? (await freshStore())
  const lines: { readonly level: string; readonly fields: object; readonly sentence: string }[] = []
  const record = (level: string) => (fields: object, sentence: string) => void lines.push({ level, fields, sentence })
  const log: Log = { info: record('info'), warn: record('warn'), error: record('error'), debug: record('debug') }
  const registered = registry(
    options.entries ?? [
      registerLive('acme-supply' as Namespace, cachedSupply(supply.vendor, clock)),
      registerLive('acme-machine' as Namespace, cachedMachine(machine.vendor, clock)),
    ],
  )
  // The registry catches what an adapter throws. A process that dies catches nothing.
  const vendors = wrapVendors(options.connectionFolders?.deployment.vendors ?? registered, {
    supply: (_, vendor) => vendor,
    machine: (_, vendor) => ({
      ...vendor,
      updatePrices: async (...call) => {
        const result = await vendor.updatePrices(...call)
        if (!result.ok && result.raw === String(PROCESS_DIED)) throw PROCESS_DIED
        return result
      },
    }),
  })
  const { notify, onCheckpoint, connectionFolders } = options
  const more = { ...(onCheckpoint && { onCheckpoint }), ...(connectionFolders && { connectionFolders }) }
  const ctx = createContext({ store, clock, vendors, config, log, notify, ...more })
  const { app, server, stream, jobs } = await assemble(ctx, TOKEN, options)
  await options.beforeReady?.(server)
  await server.ready()
  onTestFinished(async () => {
    await stream.close()
    await server.close()
  })

  /** Paths are relative to the versioned root unless they begin with `//` (host root). */
  async function call(method: string, path: string, request: Request = {}): Promise<Answered> {
    const url = path.startsWith('//') ? path.slice(1) : `/ucp/v1${path}`
    const token = request.token === undefined ? TOKEN : request.token
    const answer = await server.inject({
      method: method as 'GET',
      url,
      remoteAddress: request.from ?? '127.0.0.1',
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(request.body === undefined
        ? {}
        : { payload: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
    })
    // The request is logged one turn of the event loop after its response.
    await new Promise((resolve) => setImmediate(resolve))
    const text = answer.body
    const body: Json = text === '' ? undefined : JSON.parse(text)
    // A driver gets no amounts, also where the contract, which knows no drivers, requires them.
    const key = token?.startsWith('vk_') ? await server.people.findKey(token) : undefined
    if (key?.identity.role !== 'driver' || answer.statusCode >= 300)
      await checkAnswer(method, url, answer.statusCode, body, ctx.config.currency)
    return { status: answer.statusCode, headers: answer.headers, body, text }
  }

  return {
    ctx,
    clock,
    config,
    supply,
    machine,
    server,
    log: lines,
    writeRules,
    call,
    get: (path: string, request?: Request) => call('GET', path, request),
    post: (path: string, body?: unknown, request?: Request) => call('POST', path, { ...request, body }),
    put: (path: string, body?: unknown, request?: Request) => call('PUT', path, { ...request, body }),
    /** Runs all jobs that are due. */
    tick: () => jobs.tick(),
    /** Runs one job now, due or not. */
    async job(name: string): Promise<void> {
      const job = app.jobs.find((candidate) => candidate.name === name)
      if (!job) throw new Error(`no job ${name}; there are ${app.jobs.map((known) => known.name).join(', ')}`)
      await job.run()
    },
    events: async (kind?: string): Promise<Json[]> =>
      (await call('GET', `/events?limit=500${kind === undefined ? '' : `&kind=${kind}`}`)).body.events,
  }
}

export type Service = Awaited<ReturnType<typeof startService>>

/** As a process leaves its keys that died after the commit and before its replies were stored. */
export const loseReplies = ({ ctx }: Service): Promise<unknown> =>
  ctx.store.db.updateTable('idempotency').set({ state: 'running', holder: '' }).execute()
