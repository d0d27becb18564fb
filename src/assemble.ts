/** Builds the service over a context: handlers, server, event stream and jobs. Used by main, tests and benchmarks alike. */
import { type App, buildApp } from './app.ts'
import { type EventStream, eventStream } from './record/events/index.ts'
import { pickupCalendar, productIndex, sentNumbers } from './acts/checkout/index.ts'
import type { Context, ContextParts } from './context.ts'
import { arrivalTimers } from './effects/arrival.ts'
import { DeliveryCounts, signingKeys } from './record/outbox/index.ts'
import { connectionsHome } from './route/connections/index.ts'
import { LedgerReads } from './route/sales/index.ts'
import { rulesReader } from './rules/guardrails/index.ts'
import { type KeyDirectory, keyDirectory } from './rules/people/index.ts'
import { authenticator } from './http/access/auth.ts'
import { mountHooks } from './http/hooks.ts'
import { mountInbound } from './http/inbound.ts'
import { idempotency } from './http/idempotency.ts'
import { mountDeliveryMetrics } from './http/delivery-metrics.ts'
import { metrics as createMetrics } from './http/metrics.ts'
import { localCaller, operatorTools } from './http/local-caller.ts'
import { mountOauth } from './http/oauth/route.ts'
import { mountPages } from './http/pages.ts'
import { mountPictures } from './http/pictures.ts'
import type { HttpDeps } from './http/deps.ts'
import { buildServer } from './http/server.ts'
import { type Sessions, sessions as consoleSessions } from './http/access/sessions.ts'
import { mountWebSocket } from './http/websocket.ts'
import { operatorJobs } from './views/operator/index.ts'
import { type JobRunner, jobRunner } from './jobs/runner.ts'
import { HOUR } from './kernel/clock.ts'
import { databaseFolder } from './operator-token.ts'
import { type DiskSpace, measureDiskSpace } from './store/disk.ts'
import { liveSettings } from './views/settings/index.ts'
import type { ConnectionLimits } from './http/connections.ts'

export interface Assembled {
  readonly app: App
  readonly server: Awaited<ReturnType<typeof buildServer>>
  readonly stream: EventStream
  readonly jobs: JobRunner
  readonly people: KeyDirectory
  readonly sessions: Sessions
}

/** Overrides for tests. */
export interface AssembleOptions {
  readonly connectionLimits?: Partial<ConnectionLimits> | undefined
  readonly diskSpace?: (() => Promise<DiskSpace>) | undefined
}

/** The configuration is that of the environment; what owners set stands in its place once `settings.refresh` has read it. */
export function createContext(given: ContextParts): Context {
  const settings = liveSettings(given)
  const parts = { ...given, config: settings.config }
  return { ...parts, settings, ...capabilitiesOf(parts) }
}

const capabilitiesOf = (parts: ContextParts) => ({
  arrivals: arrivalTimers(parts.clock, parts.config.upstreamTimeoutMs),
  readRules: rulesReader(parts),
  pickupSlots: pickupCalendar(parts.config),
  productIndex: productIndex(),
  sentNumbers: sentNumbers(parts.store.sidecarPrefix),
  ledgerReads: new LedgerReads(),
  signingKeys: signingKeys(parts.config.signingKeysFile, parts.clock, parts.log),
  deliveryCounts: new DeliveryCounts(),
  ...(parts.connectionFolders && { connectionsHome: connectionsHome(parts, parts.connectionFolders) }),
})

export async function assemble(ctx: Context, token: string, options: AssembleOptions = {}): Promise<Assembled> {
  const { store, clock, config, log } = ctx
  const auth = authenticator(token)
  const people = keyDirectory(ctx)
  const sessions = consoleSessions(store, clock, token, people)
  const stream = eventStream(ctx)
  const metrics = createMetrics()
  const keys = idempotency(store, clock)
  const app = buildApp({ ...ctx, auth, sessions, people, stream })
  const deps: HttpDeps = {
    handlers: app.handlers,
    refusalRecorders: app.refusalRecorders,
    checkGuard: app.checkGuard,
    guardExemptions: app.guardExemptions,
    auth,
    sessions,
    people,
    idempotency: keys,
    metrics,
    clock,
    log,
    publicUrl: config.publicUrl,
    get currency() {
      return config.currency
    },
    rateLimitPerMinute: config.rateLimitPerMinute,
    trustedProxy: config.trustedProxy,
    mcp: config.mcp,
    hasOauth: config.hasOauth,
    connectionLimits: options.connectionLimits,
    signingKeys: ctx.signingKeys,
  }
  const server = await buildServer(deps)
  server.addHook('onClose', (_instance, done) => {
    people.close()
    done()
  })
  mountHooks(server, { ctx, handlers: app.handlers, checkGuard: app.checkGuard })
  mountInbound(server, { ...ctx, vendors: ctx.vendors })
  if (config.hasOauth) mountOauth(server, { store, clock, log, config, people, sessions })
  mountDeliveryMetrics(metrics, ctx)
  // The disk of a PostgreSQL server cannot be read from here.
  const isFile = store.kind === 'sqlite' && config.databaseUrl !== 'sqlite::memory:'
  const readDiskSpace = isFile ? () => measureDiskSpace(databaseFolder(config)) : undefined
  mountPages(server, { store, config, metrics, diskSpace: options.diskSpace ?? readDiskSpace })
  mountPictures(server, ctx)
  await mountWebSocket(server, { store, config, log, stream, metrics })

  const purge = { name: 'purge-idempotency', everyMs: HOUR, run: async () => void (await keys.purge()) }
  const all = [...app.jobs, ...operatorJobs(ctx, localCaller(deps), operatorTools(deps)), purge]
  const jobs = jobRunner(ctx, all, { onFailure: (job, err) => log.error({ job, err }, 'job failed') })
  return { app: { ...app, jobs: all }, server, stream, jobs, people, sessions }
}
