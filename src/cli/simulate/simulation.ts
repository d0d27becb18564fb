/**
 * A simulation: a seeded world, the real adapters and the real service in this process, and a manual clock. The client
 * calls the service without a socket, through the same checks as any request.
 */
import { addPerson } from '../../rules/people/index.ts'
import { createClient } from '../../client/index.ts'
import { type Clock, manualClock } from '../../kernel/clock.ts'
import { type Log, silentLog } from '../../kernel/log.ts'
import type { Restocking } from '../../simulator/world/restocking.ts'
import { type Simulator, startSimulator } from '../../simulator/start.ts'
import { CommandFailure } from '../exit.ts'
import {
  type SimulatedServiceOptions,
  assembleSimulatedService,
  simulatedConfig,
  SIMULATION_TOKEN,
} from './simulated-service.ts'
import type { Assembled } from '../../assemble.ts'

/** A `fetch` that injects requests into a server of this process: all checks of a request, no socket. */
export function fetchInto(server: Pick<Assembled['server'], 'inject'>): typeof fetch {
  const fetchFromServer = async (url: string, init: RequestInit = {}) => {
    const { body } = init
    const payload = body instanceof Blob ? Buffer.from(await body.arrayBuffer()) : body
    const response = await server.inject({
      method: (init.method ?? 'GET') as 'GET',
      url,
      headers: init.headers as Record<string, string>,
      ...(typeof payload === 'string' || payload instanceof Buffer ? { payload } : {}),
    })
    return new Response(response.body, {
      status: response.statusCode,
      headers: response.headers as Record<string, string>,
    })
  }
  return fetchFromServer as typeof fetch
}

export interface SimulationOptions extends SimulatedServiceOptions {
  readonly startMs: number
  readonly machines: number | undefined
  /** Of the world's range; undefined: as many as it usually has. */
  readonly products?: number | undefined
  readonly traffic: number
  readonly restocking: Restocking
}

export type Simulation = Awaited<ReturnType<typeof openSimulation>>

/** Large enough that the supplier never refuses an order for lack of credit. */
const CREDIT_FEN = 10_000_000_000

export const startWorld = (
  { seed, machines, products, traffic, restocking }: SimulationOptions,
  clock: Clock,
): Promise<Simulator> =>
  startSimulator({
    seed,
    clock,
    traffic,
    restocking,
    creditLimitFen: CREDIT_FEN,
    ...(machines === undefined ? {} : { machines }),
    ...(products === undefined ? {} : { products }),
  })

export async function openSimulation(options: SimulationOptions) {
  const { config, driving } = simulatedConfig(options)
  const clock = manualClock(options.startMs)
  const failures: string[] = []
  const log: Log = { ...silentLog, error: (fields, message) => void failures.push(`${message}: ${causeOf(fields)}`) }
  const simulator = await startWorld(options, clock)
  const service = await assembleSimulatedService({ config, clock, log }, simulator, options.cases)
  const { ctx, server, jobs, people } = service
  const fetchFromService = fetchInto(server)
  const client = createClient({ token: SIMULATION_TOKEN, fetch: fetchFromService, attempts: 1 })

  /** As `advanceTo` without jobs, for what happens on the road. */
  function travelTo(at: number): void {
    if (at > clock.now()) clock.set(at)
    simulator.advance()
  }

  return {
    client,
    /** Sends a request to the service, as the client does. */
    fetch: fetchFromService,
    clock,
    simulator,
    timeZone: config.timeZone,
    currency: config.currency,
    hasStoreroom: config.hasStoreroom,
    statedLeadDays: config.statedLeadDays,
    /** What driving costs, whatever the planner knows about it. */
    driving,
    /** Errors that the service logged; any of them is a bug. */
    failures: failures as readonly string[],
    async addOperator(name: string): Promise<string> {
      const added = await addPerson(ctx, { name, role: 'operator', expiresAt: undefined })
      if (!added.ok) throw new CommandFailure(added.refusal.messages.map(({ content }) => content).join('; '))
      await people.refresh()
      return added.value.key
    },
    /** Sets the clock and the world to an instant, then runs the due jobs; an instant that has passed changes nothing. */
    async advanceTo(at: number): Promise<void> {
      travelTo(at)
      await jobs.tick()
    },
    travelTo,
    async close(): Promise<void> {
      await service.close()
      await simulator.close()
    },
  }
}

function causeOf(fields: object): string {
  const { job, err, why } = fields as { job?: string; err?: unknown; why?: string }
  return [job, err instanceof Error ? err.message : why].filter((part) => part !== undefined).join(', ')
}
