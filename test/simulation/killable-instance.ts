/**
 * The service of a simulation as a process of its own, so that it can be killed. Its parent has the world and the clock,
 * and tells it the time, when to run jobs, and at which step of a write to end without any warning.
 */
import { assembleSimulatedService, simulatedConfig } from '../../src/cli/simulate/simulated-service.ts'
import type { SimulatedServiceOptions, Upstreams } from '../../src/cli/simulate/simulated-service.ts'
import { silentLog } from '../../src/kernel/log.ts'

export interface Birth {
  readonly options: SimulatedServiceOptions
  readonly upstreams: Upstreams
  readonly now: number
}

export interface Order {
  readonly id: number
  readonly now: number
  /** The step at which the process ends. */
  readonly killAt?: string | undefined
  readonly runJobs?: boolean
}

/**
 * A dead process is replaced after seconds of silence; nobody has to wait that long for it here. But however busy the
 * computer is, this process must not seem to have slept: then it would start to wait anew, or not send an order any more.
 */
const FASTER = 20
const STEP_MAX_MS = 3000

const { options, upstreams, now: bornAt } = JSON.parse(process.env['BIRTH'] ?? '') as Birth
let now = bornAt
let killAt: string | undefined
let readAt = performance.now()
let elapsedMs = 0
const clock = {
  now: () => now,
  elapsed() {
    const passed = FASTER * (performance.now() - readAt)
    readAt = performance.now()
    return now + (elapsedMs += Math.min(passed, STEP_MAX_MS))
  },
}
const say = (message: object) => void process.send?.(message)

const { config } = simulatedConfig(options)
const log = {
  ...silentLog,
  error: (fields: object, message: string) => {
    const { err, job } = fields as { err?: unknown; job?: string }
    say({ failure: `${message} ${job ?? ''} ${err instanceof Error ? err.message : ''}` })
  },
}
const { server, jobs } = await assembleSimulatedService(
  {
    config,
    clock,
    log,
    onCheckpoint: (at) => {
      if (at === killAt) process.kill(process.pid, 'SIGKILL')
    },
  },
  upstreams,
)
await server.listen({ host: '127.0.0.1', port: 0 })

process.on('message', (order: Order) => {
  now = Math.max(now, order.now)
  killAt = order.killAt
  void (order.runJobs ? jobs.tick() : Promise.resolve()).then(() => say({ id: order.id }))
})
process.on('disconnect', () => process.exit(0))
const address = server.server.address()
say({ port: typeof address === 'object' ? address?.port : undefined })
