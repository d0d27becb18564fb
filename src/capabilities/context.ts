/** What every capability gets. A function names the part it needs: `Pick<Context, 'store' | 'clock'>`. */
import type { Config } from '../config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/store.ts'
import type { Registry } from '../vendors/registry.ts'

export interface Context {
  readonly store: Store
  readonly clock: Clock
  readonly vendors: Registry
  readonly config: Config
  readonly log: Log
  /** Staging only: puts what was received into the simulated machines, as a person would into real ones. */
  readonly fillMachines?: (loads: readonly MachineLoad[]) => void
}

export interface MachineLoad {
  readonly location: string
  readonly vendorSku: string
  readonly quantity: number
}
