/** The service over a given context, not yet listening: handlers, server, live stream and jobs joined once for all users. */
import { buildApp } from './app.ts'
import type { App } from './app.ts'
import { eventStream } from './capabilities/events/index.ts'
import type { EventStream } from './capabilities/events/index.ts'
import type { Context } from './capabilities/context.ts'
import { authenticator } from './http/auth.ts'
import { idempotency } from './http/idempotency.ts'
import { metrics as makeMetrics } from './http/metrics.ts'
import { mountPages } from './http/pages.ts'
import { buildServer } from './http/server.ts'
import { sessions as consoleSessions } from './http/sessions.ts'
import { mountWebSocket } from './http/websocket.ts'
import { jobRunner } from './jobs/runner.ts'
import type { JobRunner } from './jobs/runner.ts'
import { HOUR } from './kernel/clock.ts'
import { dataFolder } from './operator-token.ts'
import { diskSpace } from './store/disk.ts'

export interface Assembled {
  readonly app: App
  readonly server: Awaited<ReturnType<typeof buildServer>>
  readonly stream: EventStream
  readonly jobs: JobRunner
}

export async function assemble(ctx: Context, token: string): Promise<Assembled> {
  const { store, clock, config, log } = ctx
  const auth = authenticator(token)
  const sessions = consoleSessions(store, clock, token)
  const stream = eventStream(ctx)
  const metrics = makeMetrics()
  const keys = idempotency(store, clock)
  const app = buildApp({ ...ctx, auth, sessions, stream })
  const server = await buildServer({
    handlers: app.handlers,
    refusalRecorders: app.refusalRecorders,
    checkGuard: app.checkGuard,
    guardExemptions: app.guardExemptions,
    auth,
    sessions,
    idempotency: keys,
    metrics,
    clock,
    log,
    publicUrl: config.publicUrl,
    rateLimitPerMinute: config.rateLimitPerMinute,
    trustedProxy: config.trustedProxy,
  })
  // PostgreSQL's disk is not ours to look at.
  const onDisk = store.kind === 'sqlite' && config.databaseUrl !== 'sqlite::memory:'
  mountPages(server, { store, config, metrics, space: onDisk ? () => diskSpace(dataFolder(config)) : undefined })
  await mountWebSocket(server, { store, config, stream, metrics })

  const purge = { name: 'purge-idempotency', everyMs: HOUR, run: async () => void (await keys.purge()) }
  const jobs = jobRunner(ctx, [...app.jobs, purge], { failed: (job, err) => log.error({ job, err }, 'a job failed') })
  return { app, server, stream, jobs }
}
