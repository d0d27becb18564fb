/**
 * Starts the simulator: two upstreams on loopback ports with their credentials, over one world that follows the clock.
 * Staging connects the real adapters to these addresses.
 */
import type { Server } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { createMachineApi } from './upstreams/acme-machine-api.ts'
import { type ServerOptions, type Traffic, createAcmeServer } from './upstreams/acme-server.ts'
import { createSupplyApi } from './upstreams/acme-supply-api.ts'
import { createControl } from './upstreams/control.ts'
import { type Upstream, createFaults } from './upstreams/faults.ts'
import { worldFromJournal } from './world/journal.ts'
import { hash } from './world/random.ts'
import { type WorldOptions, createWorld } from './world/world.ts'

export interface SimulatorOptions extends Omit<WorldOptions, 'takeoverMs'> {
  readonly clock: Clock
  /** The supplier's port; the machine platform takes the next one. 0, the default, lets the system choose both. */
  readonly port?: number
  /** Delay of every call before the upstream handles it. */
  readonly latencyMs?: number
  /** Unknown devices answer with another machine's products, as some firmware does. */
  readonly defaultList?: boolean
  /** Keeps the world over restarts; without it every start creates a new world. */
  readonly journalFile?: string
}

export type Simulator = Awaited<ReturnType<typeof startSimulator>>

export async function startSimulator(options: SimulatorOptions) {
  const { clock, port = 0, latencyMs = 0, defaultList = false, journalFile, ...rest } = options
  const worldOptions: WorldOptions = { ...rest, takeoverMs: clock.now() }
  const world = journalFile === undefined ? createWorld(worldOptions) : worldFromJournal(journalFile, worldOptions)
  /** Advances the world to the clock's time, as every request does. */
  const advance = () => world.advanceTo(clock.now())
  advance()

  const supply = { appKey: `sim-${options.seed}`, appSecret: secretOf(options.seed, 'supply') }
  const machine = { clientId: `sim-${options.seed}`, clientSecret: secretOf(options.seed, 'machine') }
  const faults = createFaults()
  const traffic: Traffic = { calls: new Map(), peak: new Map() }
  let latency = latencyMs
  const setLatency = (ms: number) => void (latency = ms)
  const machineApi = createMachineApi(world, machine, clock, { defaultList })
  const common: Omit<ServerOptions, 'api'> = {
    faults,
    traffic,
    latencyMs: () => latency,
    advance,
    expireTokens: () => machineApi.expireTokens(),
    control: createControl({ world, faults, traffic, advance, setLatency }),
  }
  const supplyServer = createAcmeServer({ ...common, api: createSupplyApi(world, supply, clock) })
  const machineServer = createAcmeServer({ ...common, api: machineApi })
  const supplyUrl = await listen(supplyServer, port)
  const machineUrl = await listen(machineServer, port === 0 ? 0 : port + 1)

  return {
    supplyUrl,
    machineUrl,
    supply,
    machine,
    /** Call `advance` first when acting on the world directly. */
    world,
    faults,
    advance,
    /** Every order the supplier accepted, oldest first. */
    orders: () => world.supplier.orders(),
    machines: () => world.machines.map(({ id, name, profile, geo }) => ({ id, name, profile, geo })),
    /** Calls per route since the start or the last reset, such as `POST /open/orders`. */
    calls: (): Readonly<Record<string, number>> => Object.fromEntries(traffic.calls),
    /** The highest number of concurrent calls at an upstream. */
    peak: (upstream: Upstream) => traffic.peak.get(upstream) ?? 0,
    resetCounts(): void {
      traffic.calls.clear()
      traffic.peak.clear()
    },
    setLatency,
    close: async () => void (await Promise.all([stop(supplyServer), stop(machineServer)])),
  }
}

/** Not a real secret, but shaped like one, and the same after a restart. */
const secretOf = (seed: number, label: string): string =>
  [1, 2, 3, 4].map((part) => hash(seed, label, part).toString(16).padStart(8, '0')).join('')

/** Loopback only. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the simulator has no port')
  return `http://127.0.0.1:${address.port}`
}

const stop = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
