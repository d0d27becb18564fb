/** The real service over the simulated vendors of a world, with the clock and the configuration of a simulation. */
import { assemble, createContext } from '../../assemble.ts'
import { connectionNeeds } from '../../route/connections/index.ts'
import type { ContextParts } from '../../context.ts'
import { type Config, readConfig } from '../../config.ts'
import type { Driving } from '../../kernel/driving.ts'
import type { PlanParams } from '../../kernel/plan-params.ts'
import type { Simulator } from '../../simulator/start.ts'
import { claimCurrency } from '../../store/claim-currency.ts'
import { openStore } from '../../store/open.ts'
import { acmeConnections } from '../../vendors/connections/connection.ts'
import { deployVendors } from '../../vendors/deployment.ts'
import type { Environment } from '../profiles.ts'
import { sellCases } from '../../vendors/sell-cases.ts'
import { CommandFailure } from '../exit.ts'

export interface SimulatedServiceOptions {
  readonly env: Environment
  readonly stepMs: number
  readonly seed: number
  /** Orders from the simulated supplier instead of the built-in placeholder. */
  readonly checkouts: boolean
  /** The supplier sells whole cases only. */
  readonly cases?: boolean
  /** Database file to keep; in memory if undefined. */
  readonly database: string | undefined
  /** False: the planner gets no cost of trips, and decides each machine as if it were a drive of its own. */
  readonly sharedTrips?: boolean
  /** Where an agent finds the service; without one nobody can. */
  readonly publicUrl?: string | undefined
}

export const SIMULATION_TOKEN = 'simulation-without-a-socket'
const WAREHOUSE = {
  first_name: '模拟',
  phone_number: '13800000000',
  street_address: '张江路 88 号',
  address_locality: '上海',
}

export interface DrivingCosts extends Driving {
  readonly tripCostFen: number
  readonly stopCostFen: number
}

/** `driving`: what it costs, whatever the planner knows about it. */
export function simulatedConfig(options: SimulatedServiceOptions): {
  readonly config: Config
  readonly driving: DrivingCosts
} {
  const read = readConfig(
    {
      DEFAULT_DESTINATION: JSON.stringify(WAREHOUSE),
      ...options.env,
      VENDOPS_ENV: 'staging',
      VENDOPS_CLOCK: undefined,
      VENDOPS_SEED: String(options.seed),
      OPERATOR_TOKEN: SIMULATION_TOKEN,
      DATABASE_URL: options.database === undefined ? 'sqlite::memory:' : `sqlite:${options.database}`,
      SYNC_INTERVAL_MS: String(options.stepMs),
      RATE_LIMIT_PER_MINUTE: '0',
      SIMULATED_PURCHASING: String(!options.checkouts),
      ...(options.publicUrl === undefined ? {} : { PUBLIC_URL: options.publicUrl }),
    },
    () => false,
  )
  if (!read.ok) throw new CommandFailure(`invalid configuration: ${read.problems.join('; ')}`)
  const { config } = read
  const driving = drivingCosts(config)
  return { driving, config: options.sharedTrips === false ? { ...config, planParams: apartParams(config) } : config }
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

/** Where the simulated vendors are, and their credentials. */
export type Upstreams = Pick<Simulator, 'supplyUrl' | 'machineUrl' | 'supply' | 'machine'>

/** Does not listen yet. */
export async function assembleSimulatedService(
  parts: Pick<ContextParts, 'config' | 'clock' | 'log' | 'onCheckpoint'>,
  { supplyUrl, machineUrl, supply, machine }: Upstreams,
  cases = false,
) {
  const { config, clock, log } = parts
  const store = await openStore(config.databaseUrl)
  await claimCurrency(store, config.currency)
  const connections = acmeConnections({
    ...config,
    acmeSupply: { url: supplyUrl, ...supply },
    acmeMachine: { url: machineUrl, ...machine },
  })
  const timeoutMs = config.upstreamTimeoutMs
  const deployment = deployVendors(connections, { clock, log, timeoutMs, ...connectionNeeds(store, log) })
  const vendors = cases ? sellCases(deployment.vendors, () => true) : deployment.vendors
  const ctx = createContext({ ...parts, store, vendors })
  const { server, jobs, stream, people } = await assemble(ctx, SIMULATION_TOKEN)
  await server.ready()
  return {
    ctx,
    server,
    jobs,
    people,
    async close() {
      await server.close()
      await jobs.stop()
      await stream.close()
      await deployment.close()
      await store.close()
    },
  }
}
