/**
 * A simulation: a seeded world, the real adapters and the real service in this process, and a manual clock. The client
 * calls the service without a socket, through the same checks as any request.
 */
import { assemble } from '../../assemble.ts'
import { connectionNeeds } from '../../capabilities/connections/index.ts'
import { createContext } from '../../capabilities/context.ts'
import { addPerson } from '../../capabilities/people/index.ts'
import { createClient } from '../../client/index.ts'
import type { Client } from '../../client/index.ts'
import { readConfig } from '../../config.ts'
import { manualClock } from '../../kernel/clock.ts'
import { silentLog } from '../../kernel/log.ts'
import type { Log } from '../../kernel/log.ts'
import type { Restocking } from '../../simulator/world/restocking.ts'
import { startSimulator } from '../../simulator/start.ts'
import type { Simulator } from '../../simulator/start.ts'
import { claimCurrency } from '../../store/claim-currency.ts'
import { openStore } from '../../store/open.ts'
import { acmeConnections } from '../../vendors/connections/connection.ts'
import { deployVendors } from '../../vendors/deployment.ts'
import type { Environment } from '../connect.ts'
import { CommandFailure } from '../exit.ts'
import { fetchInto } from './fetch-into.ts'

interface SimulationOptions {
  readonly env: Environment
  readonly startMs: number
  readonly stepMs: number
  readonly seed: number
  readonly machines: number | undefined
  readonly traffic: number
  readonly restocking: Restocking
  /** Orders from the simulated supplier instead of the built-in placeholder. */
  readonly checkouts: boolean
  /** Database file to keep; in memory if undefined. */
  readonly database: string | undefined
  /** Where an agent finds the service; without one nobody can. */
  readonly publicUrl?: string | undefined
}

export interface Simulation {
  readonly client: Client
  /** Sends a request to the service, as the client does. */
  readonly fetch: typeof fetch
  readonly clock: ReturnType<typeof manualClock>
  readonly simulator: Simulator
  readonly timeZone: string
  readonly currency: string
  readonly statedLeadDays: number
  /** Errors that the service logged; any of them is a bug. */
  readonly failures: readonly string[]
  /** A key of the role operator with this name. */
  addOperator(name: string): Promise<string>
  /** Advances the clock and the world, then runs the due jobs. */
  advance(ms: number): Promise<void>
  close(): Promise<void>
}

const TOKEN = 'simulation-without-a-socket'
const WAREHOUSE = {
  first_name: '模拟',
  phone_number: '13800000000',
  street_address: '张江路 88 号',
  address_locality: '上海',
}
/** Large enough that the supplier never refuses an order for lack of credit. */
const CREDIT_FEN = 10_000_000_000

export async function openSimulation(options: SimulationOptions): Promise<Simulation> {
  const { startMs, stepMs, seed, machines, traffic, restocking } = options
  const configuration = readConfig(
    {
      DEFAULT_DESTINATION: JSON.stringify(WAREHOUSE),
      ...options.env,
      VENDOPS_ENV: 'staging',
      VENDOPS_CLOCK: undefined,
      VENDOPS_SEED: String(seed),
      OPERATOR_TOKEN: TOKEN,
      DATABASE_URL: options.database === undefined ? 'sqlite::memory:' : `sqlite:${options.database}`,
      SYNC_INTERVAL_MS: String(stepMs),
      RATE_LIMIT_PER_MINUTE: '0',
      SIMULATED_PURCHASING: String(!options.checkouts),
      ...(options.publicUrl === undefined ? {} : { PUBLIC_URL: options.publicUrl }),
    },
    () => false,
  )
  if (!configuration.ok) throw new CommandFailure(`invalid configuration: ${configuration.problems.join('; ')}`)
  const { config } = configuration

  const clock = manualClock(startMs)
  const failures: string[] = []
  const log: Log = { ...silentLog, error: (fields, message) => void failures.push(`${message}: ${causeOf(fields)}`) }
  const simulator = await startSimulator({
    seed,
    clock,
    traffic,
    restocking,
    creditLimitFen: CREDIT_FEN,
    ...(machines === undefined ? {} : { machines }),
  })
  const store = await openStore(config.databaseUrl)
  await claimCurrency(store, config.currency)
  const connections = acmeConnections({
    ...config,
    acmeSupply: { url: simulator.supplyUrl, ...simulator.supply },
    acmeMachine: { url: simulator.machineUrl, ...simulator.machine },
  })
  const timeoutMs = config.upstreamTimeoutMs
  const deployment = deployVendors(connections, { clock, log, timeoutMs, ...connectionNeeds(store, log) })
  const ctx = createContext({ store, clock, vendors: deployment.vendors, config, log })
  const { server, jobs, stream, people } = await assemble(ctx, TOKEN)
  await server.ready()
  const fetchFromService = fetchInto(server)
  const client = createClient({ token: TOKEN, fetch: fetchFromService, attempts: 1 })

  return {
    client,
    fetch: fetchFromService,
    clock,
    simulator,
    timeZone: config.timeZone,
    currency: config.currency,
    statedLeadDays: config.statedLeadDays,
    failures,
    async addOperator(name) {
      const added = await addPerson(ctx, { name, role: 'operator', expiresAt: undefined })
      if (!added.ok) throw new CommandFailure(added.refusal.messages.map(({ content }) => content).join('; '))
      await people.refresh()
      return added.value.key
    },
    async advance(ms) {
      clock.advance(ms)
      simulator.advance()
      await jobs.tick()
    },
    async close() {
      await server.close()
      await jobs.stop()
      await stream.close()
      await deployment.close()
      await simulator.close()
      await store.close()
    },
  }
}

function causeOf(fields: object): string {
  const { job, err, why } = fields as { job?: string; err?: unknown; why?: string }
  return [job, err instanceof Error ? err.message : why].filter((part) => part !== undefined).join(', ')
}
