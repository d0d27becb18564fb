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
import type { Config } from '../../config.ts'
import { manualClock } from '../../kernel/clock.ts'
import type { Driving } from '../../kernel/driving.ts'
import { silentLog } from '../../kernel/log.ts'
import type { Log } from '../../kernel/log.ts'
import type { PlanParams } from '../../kernel/plan-params.ts'
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
  /** False: the planner gets no cost of trips, and decides each machine as if it were a drive of its own. */
  readonly sharedTrips?: boolean
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
  /** What driving costs, whatever the planner knows about it. */
  readonly driving: DrivingCosts
  /** Errors that the service logged; any of them is a bug. */
  readonly failures: readonly string[]
  /** A key of the role operator with this name. */
  addOperator(name: string): Promise<string>
  /** Sets the clock and the world to an instant, then runs the due jobs; an instant that has passed changes nothing. */
  advanceTo(at: number): Promise<void>
  /** The same without jobs, for what happens on the road. */
  travelTo(at: number): void
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
  const driving = drivingCosts(configuration.config)
  const config =
    options.sharedTrips === false
      ? { ...configuration.config, planParams: apartParams(configuration.config) }
      : configuration.config

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

  function travelTo(at: number): void {
    if (at > clock.now()) clock.set(at)
    simulator.advance()
  }

  return {
    client,
    fetch: fetchFromService,
    clock,
    simulator,
    timeZone: config.timeZone,
    currency: config.currency,
    statedLeadDays: config.statedLeadDays,
    driving,
    failures,
    async addOperator(name) {
      const added = await addPerson(ctx, { name, role: 'operator', expiresAt: undefined })
      if (!added.ok) throw new CommandFailure(added.refusal.messages.map(({ content }) => content).join('; '))
      await people.refresh()
      return added.value.key
    },
    async advanceTo(at) {
      travelTo(at)
      await jobs.tick()
    },
    travelTo,
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

export interface DrivingCosts extends Driving {
  readonly tripCostFen: number
  readonly stopCostFen: number
}

const drivingCosts = ({ driving, planParams: { trip_cost, stop_cost, visit_cost } }: Config): DrivingCosts => ({
  ...driving,
  tripCostFen: trip_cost ?? 0,
  stopCostFen: stop_cost ?? visit_cost ?? 0,
})

/** Each visit pays for a trip of its own. */
function apartParams(config: Config): PlanParams {
  const { tripCostFen, stopCostFen } = drivingCosts(config)
  return { ...config.planParams, trip_cost: null, stop_cost: null, visit_cost: tripCostFen + stopCostFen }
}

function causeOf(fields: object): string {
  const { job, err, why } = fields as { job?: string; err?: unknown; why?: string }
  return [job, err instanceof Error ? err.message : why].filter((part) => part !== undefined).join(', ')
}
