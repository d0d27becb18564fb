/** Start and stop: configuration, database, vendors, server, jobs, and graceful shutdown on SIGTERM. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { App } from './app.ts'
import { assemble, createContext } from './assemble.ts'
import { connectionNeeds, rememberAccounts } from './route/connections/index.ts'
import { raiseOrderNumbers } from './acts/checkout/index.ts'
import type { Context, ContextParts, MachineLoad } from './context.ts'
import { type KeyDirectory, offerFirstOwner } from './rules/people/index.ts'
import { findMissingLimits, keepMarker, missingLimitsText, readStoredRules } from './rules/guardrails/index.ts'
import { configuredNotify } from './views/notifications/index.ts'
import { readKeysFile } from './record/outbox/index.ts'
import { listLocations, saveSlotSettings } from './route/locations/index.ts'
import { type Config, configWarnings, readConfig } from './config.ts'
import { mountConsole } from './http/console.ts'
import { type Clock, MINUTE, SECOND, startingAt, systemClock } from './kernel/clock.ts'
import { type Logger, logger } from './logger.ts'
import { connectionPlaces, dataFolder, operatorToken } from './operator-token.ts'
import { claimCurrency, readStoredCurrency } from './store/claim-currency.ts'
import { readDatabaseId } from './store/database-id.ts'
import { openStore, whenAvailable } from './store/open.ts'
import { StoreUnusable } from './store/unavailable.ts'
import { deployVendors } from './vendors/deployment.ts'
import { sellCases } from './vendors/sell-cases.ts'
import { configuredConnections } from './vendors/connections/configured-connections.ts'
import { type Connection, acmeConnections } from './vendors/connections/connection.ts'

const STDOUT = 1
const STOP_TIMEOUT_MS = 15_000
/** The database may be starting at the same time as the service. */
const DATABASE_WAIT_MS = 60_000

export interface Running {
  readonly url: string
  readonly token: string
  readonly ctx: Context
  readonly app: App
  readonly people: KeyDirectory
  /** For what is left of the start: a step is repeated until the database answers. */
  readonly repeat: <T>(step: () => Promise<T>) => Promise<T>
  stop(): Promise<void>
}

/** At each machine: with twelve machines about one sale a minute. */
const DEMO_SHOPPERS_PER_HOUR = 8

/** The simulated platform may be asked often: what was filled and sold is to be seen within minutes. */
const demoIntervals = (env: NodeJS.ProcessEnv): Partial<Config> => ({
  ...(env['SYNC_INTERVAL_MS'] === undefined ? { syncIntervalMs: 5 * MINUTE } : {}),
  ...(env['LEDGER_POLL_INTERVAL_MS'] === undefined ? { ledgerPollIntervalMs: 15 * SECOND } : {}),
})

/** The names of the demo follow the reader: Chinese where the terminal is, else English. */
const demoLanguage = (env: NodeJS.ProcessEnv): Pick<Config, 'demoLanguage'> | undefined =>
  env['DEMO_LANGUAGE'] === undefined
    ? { demoLanguage: /^zh/i.test(env['LC_ALL'] || env['LC_MESSAGES'] || env['LANG'] || '') ? 'zh' : 'en' }
    : undefined

const DEMO_CASE = 12

/** Some products of the demo come in whole cases only, so that a newcomer sees the store room at work. */
const isDemoCase = ({ packSize }: { readonly packSize: number }): boolean => packSize === DEMO_CASE

/** Staging uses a simulated world, which the real adapters call over HTTP. */
async function startSimulation(config: Config, clock: Clock) {
  const { startSimulator } = await import('./simulator/start.ts')
  const isPersistent = config.clockStart === undefined && config.databaseUrl !== 'sqlite::memory:'
  const simulator = await startSimulator({
    seed: config.seed,
    clock,
    ...(config.demoLanguage === 'zh' ? {} : { language: config.demoLanguage }),
    ...(isPersistent
      ? { journalFile: join(dataFolder(config), 'simulated-world.jsonl'), demoShoppersPerHour: DEMO_SHOPPERS_PER_HOUR }
      : {}),
  })
  const connections = acmeConnections({
    ...config,
    acmeSupply: { url: simulator.supplyUrl, ...simulator.supply },
    acmeMachine: { url: simulator.machineUrl, ...simulator.machine },
  })
  /** One delivery per machine, written to the journal, so that it survives a restart. */
  const fillMachines = (loads: readonly MachineLoad[]) => {
    simulator.advance()
    for (const [location, own] of Map.groupBy(loads, (load) => load.location))
      simulator.world.deliver(
        location,
        own.map(({ vendorSku, quantity }) => ({ goodsCode: vendorSku, quantity })),
      )
  }
  const roster = simulator.world.machines.map(({ id, name, profile, geo, slots }) => ({
    id,
    name,
    profile,
    geo,
    // Two lanes of a product are one slot.
    capacities: [...Map.groupBy(slots, ({ product }) => product.machine?.goodsCode ?? '')].map(
      ([vendorSku, lanes]) => ({ vendorSku, capacity: lanes.reduce((sum, { capacity }) => sum + capacity, 0) }),
    ),
  }))
  return { connections, fillMachines, roster, close: () => simulator.close() }
}

/** In each row of the front of a simulated machine. */
const SLOTS_A_ROW = 6

/**
 * Registers the simulated machines on the first start, so that a new user sees a route of machines. Capacities and
 * positions are stated as by an operator: without them the plan would go on ordering for a machine that is full.
 */
async function registerRoster(app: App, ctx: Context, roster: Awaited<ReturnType<typeof startSimulation>>['roster']) {
  if ((await listLocations(ctx.store.db)).length > 0) return
  const context = { requestId: 'start', headers: {} }
  for (const { id, name, profile, geo } of roster)
    await app.handlers.putLocation({ params: { id }, query: {}, body: { name, profile, geo }, context })
  await ctx.store.transaction(async (tx) => {
    for (const { id: location, capacities } of roster)
      for (const [i, { vendorSku, capacity }] of capacities.entries()) {
        const position = { row: String.fromCodePoint(65 + Math.floor(i / SLOTS_A_ROW)), column: (i % SLOTS_A_ROW) + 1 }
        await saveSlotSettings(
          tx,
          { location, vendorSku },
          { capacity, par: null, position, isPinned: false },
          ctx.clock.now(),
        )
      }
  })
  await app.handlers.syncLocations({ params: {}, query: {}, body: {}, context })
}

/** What tests and the configuration add to the context. */
export type ServeOptions = Pick<ContextParts, 'onCheckpoint' | 'notify'>

/** `connections`: those of live; staging connects to its simulator. */
export async function serve(
  config: Config,
  connections: readonly Connection[],
  output: Logger = logger(config.logLevel, STDOUT),
  options: ServeOptions = {},
): Promise<Running> {
  const clock = config.clockStart === undefined ? systemClock : startingAt(config.clockStart)
  const { log } = output
  const token = operatorToken(config)
  let lastReason: string | undefined
  const wait = {
    waitMs: DATABASE_WAIT_MS,
    deadline: performance.now() + DATABASE_WAIT_MS,
    onWait: (reason: string) => {
      if (reason !== lastReason) log.warn({ reason }, 'waiting for the database')
      lastReason = reason
    },
  }
  const store = await openStore(config.databaseUrl, { wait, dataFolder: dataFolder(config) })
  // It may go down during the start, too.
  const repeat = <T>(step: () => Promise<T>): Promise<T> => whenAvailable(store, wait, step)
  let databaseId: string | undefined
  try {
    // Without CURRENCY, that of the database holds.
    const known = config.setOnServer.has('currency') ? undefined : await repeat(() => readStoredCurrency(store.db))
    await repeat(() => claimCurrency(store, known ?? config.currency))
    databaseId = await repeat(() => readDatabaseId(store.db))
  } catch (failure) {
    await store.close()
    throw failure
  }
  const staging = config.env === 'staging' ? await startSimulation(config, clock) : undefined
  if (staging && config.vendorsFile !== undefined)
    log.warn({ file: config.vendorsFile }, 'VENDORS_FILE is ignored in staging, which cannot spend')
  const deployment = deployVendors(staging?.connections ?? connections, {
    clock,
    log,
    timeoutMs: config.upstreamTimeoutMs,
    ...connectionNeeds(store, log, databaseId),
  })

  const ctx = createContext({
    store,
    clock,
    vendors: staging ? sellCases(deployment.vendors, isDemoCase) : deployment.vendors,
    config,
    log,
    ...(staging
      ? { fillMachines: staging.fillMachines }
      : { connectionFolders: { deployment, ...connectionPlaces(config) } }),
    ...options,
  })
  // Before anything is opened with a currency or a zone.
  await repeat(() => ctx.settings.refresh())
  ctx.settings.start()
  // Before anything asks who is connected.
  const { connectionsHome: home } = ctx
  if (home)
    await repeat(async () => {
      await rememberAccounts(ctx, home.fixed)
      await home.refresh()
    })
  home?.start()
  // A restored database may lack an emergency stop that was pulled.
  const markerKeeper = await repeat(() => keepMarker(ctx))
  // And orders, whose numbers must not be assigned again.
  await repeat(() => raiseOrderNumbers(ctx))
  const { app, server, stream, jobs, people, sessions } = await repeat(() => assemble(ctx, token))
  await repeat(() => people.refresh())
  mountConsole(server, sessions)

  // Before listening, so that the first request already finds the machines.
  if (staging) await repeat(() => registerRoster(app, ctx, staging.roster))
  await server.listen({ host: config.host, port: config.port })
  jobs.start()

  return {
    url: config.publicUrl,
    token,
    ctx,
    app,
    people,
    repeat,
    async stop() {
      // In reverse order of dependencies: server, jobs, stream, vendors, store.
      await server.close()
      await jobs.stop()
      await markerKeeper.stop()
      await stream.close()
      home?.close()
      ctx.settings.close()
      await deployment.close()
      await staging?.close()
      await store.close()
      await output.close()
    },
  }
}

/** Why the service cannot listen, and what to do about it. */
function listenProblem({ host, port }: Config, code: string | undefined): string {
  const problem = `configuration: cannot listen on ${host}:${port} (${code})`
  if (code === 'EADDRINUSE')
    return `${problem}\n→ another program, perhaps another vendops, uses port ${port}. Stop it, or choose another: PORT=${port + 1} vendops serve`
  if (code === 'EACCES')
    return `${problem}\n→ ports below 1024 need privileges. Choose another: PORT=8080 vendops serve`
  return problem
}

function refuseStart(problems: readonly string[]): void {
  for (const problem of problems) console.error(`configuration: ${problem}`)
  process.exitCode = 1
}

export async function main(options?: ServeOptions): Promise<void> {
  const read = readConfig(process.env, existsSync)
  if (!read.ok) return refuseStart(read.problems)
  const isDemo = read.config.env === 'staging' && read.config.clockStart === undefined
  const config = isDemo ? { ...read.config, ...demoIntervals(process.env), ...demoLanguage(process.env) } : read.config
  const keys = config.signingKeysFile === undefined ? undefined : readKeysFile(config.signingKeysFile)
  if (keys && !keys.ok) return refuseStart([`SIGNING_KEYS_FILE ${config.signingKeysFile} ${keys.problem}`])
  const notify = configuredNotify(config, process.env)
  if (notify && !notify.ok) return refuseStart(notify.problems)
  const vendors = configuredConnections(config, process.env)
  if (!vendors.ok) return refuseStart(vendors.problems)
  const output = logger(config.logLevel, STDOUT)
  const given = { ...options, notify: notify?.settings }
  const starting = serve(config, vendors.connections, output, given).catch((failure: NodeJS.ErrnoException) => {
    if (failure instanceof StoreUnusable) console.error(`database: ${failure.message}`)
    else if (failure.syscall === 'listen') console.error(listenProblem(config, failure.code))
    else throw failure
    return process.exit(1)
  })
  // Installed before the service has started: a signal must not interrupt its first writes.
  let isStopping = false
  const stop = (signal: string) => {
    if (isStopping) return
    isStopping = true
    output.log.info({ signal }, 'stopping')
    // Work that takes longer is cut off: everything that matters is written to disk before it is acted on.
    setTimeout(() => process.exit(0), STOP_TIMEOUT_MS).unref()
    void starting.then(async (started) => {
      await started.stop()
      process.exit(0)
    })
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(signal))

  const running = await starting
  running.ctx.log.info({ env: config.env, host: config.host, port: config.port }, 'listening')
  const isSeparated = running.people.hasSeparationOfDuties()
  running.ctx.log.info(
    { separation_of_duties: isSeparated },
    isSeparated
      ? 'approvals are resolved with owner and bridge keys only'
      : 'no owner key exists: the operator token also resolves approvals (vendops people add NAME --role owner)',
  )
  if (config.env === 'live') await showFirstOwnerLink(running)
  for (const warning of configWarnings(config)) {
    running.ctx.log.warn({ host: config.host }, warning)
    console.error(`warning: ${warning}`)
  }
  const { rules } =
    config.env === 'live'
      ? running.ctx.readRules(await running.repeat(() => readStoredRules(running.ctx.store.db)))
      : { rules: undefined }
  const missingLimits = rules ? findMissingLimits(rules) : []
  if (missingLimits.length > 0)
    running.ctx.log.warn({ missing_limits: missingLimits }, missingLimitsText(missingLimits) ?? '')
  if (config.env === 'staging')
    console.log(
      `\nvendops is ready (staging, simulated vendors)\n  console  ${running.url}/\n  token    ${shownToken(config, running.token)}\n`,
    )
}

/** On the terminal, else in a file that only its owner reads: who has it becomes the owner, so it is in no log. */
async function showFirstOwnerLink({ ctx, repeat }: Running): Promise<void> {
  const link = await repeat(() => offerFirstOwner(ctx))
  if (link === undefined) return
  const sentence = 'becomes the first owner. It works once, for 15 minutes'
  if (process.stdout.isTTY) return console.log(`\nThe person who opens this link ${sentence}:\n  ${link}\n`)
  const file = join(dataFolder(ctx.config), FIRST_OWNER_FILE)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  // A new file: one that is there could be readable by others, or a link to another place.
  rmSync(file, { force: true })
  writeFileSync(file, `${link}\n`, { mode: 0o600, flag: 'wx' })
  ctx.log.info({ file }, `no owner exists: the person who opens the link in this file ${sentence}`)
}

const FIRST_OWNER_FILE = 'first-owner-link'

/** Only the generated token of a demo is shown; one that was configured may be used elsewhere, too. */
const shownToken = ({ operatorToken: configured }: Config, token: string): string =>
  configured === undefined ? token : 'as set in OPERATOR_TOKEN'

if (import.meta.main) await main()
