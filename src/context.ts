/** What every capability gets, one per process. A function names the part it needs: `WriteContext`. */
import type { Config } from './config.ts'
import type { Clock } from './kernel/clock.ts'
import type { Log } from './kernel/log.ts'
import type { Store } from './store/store.ts'
import type { ConnectionFolders } from './vendors/deployment.ts'
import type { Registry } from './vendors/registry.ts'

/** Steps at which tests kill the process: of a purchase, of a delivered message, of engaging the kill switch. */
type Checkpoint =
  | 'assessed'
  | 'claimed'
  | 'answered'
  | 'settled'
  | 'message_due'
  | 'message_sent'
  | 'stop_written'
  | 'stop_booked'

export interface ContextParts {
  readonly store: Store
  readonly clock: Clock
  readonly vendors: Registry
  readonly config: Config
  readonly log: Log
  /** Absent: nobody can add connections, as in staging. */
  readonly connectionFolders?: ConnectionFolders
  /**
   * Staging only: puts what was received into the simulated machines, as a person would into real ones; takes out what is
   * below 0.
   */
  readonly fillMachines?: (loads: readonly MachineLoad[]) => void
  /** Tests only: kills the process at a step of a purchase or of a delivery. */
  readonly onCheckpoint?: (at: Checkpoint) => void
}

/**
 * The parts, and the state that the capabilities keep between requests. Each capability adds its member where the member's
 * type stands (`declare module`), so that this file imports none of them; `createContext` in assemble.ts makes them all.
 */
export interface Context extends ContextParts {}

/** What a row and its event are written with. */
export type WriteContext = Pick<Context, 'store' | 'clock'>

export interface MachineLoad {
  readonly location: string
  readonly vendorSku: string
  readonly quantity: number
}
