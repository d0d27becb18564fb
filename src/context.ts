/** What every capability gets, one per process. A function names the part it needs: `WriteContext`. */
import type { Config } from './config.ts'
import type { Clock } from './kernel/clock.ts'
import type { Log } from './kernel/log.ts'
import type { Store } from './store/store.ts'
import type { Registry } from './vendors/registry.ts'
import { type SentNumbers, pickupCalendar, productIndex, sentNumbers } from './acts/checkout/index.ts'
import type { Checkpoint, PickupCalendar, ProductIndex } from './acts/checkout/index.ts'
import { type RulesReader, rulesReader } from './rules/guardrails/index.ts'
import type { NotifySettings } from './views/notifications/index.ts'
import { type SigningKeys, DeliveryCounts, signingKeys } from './record/outbox/index.ts'
import { LedgerReads } from './route/sales/index.ts'

export interface ContextParts {
  readonly store: Store
  readonly clock: Clock
  readonly vendors: Registry
  readonly config: Config
  readonly log: Log
  /** Undefined: nobody is notified. */
  readonly notify?: NotifySettings | undefined
  /**
   * Staging only: puts what was received into the simulated machines, as a person would into real ones; takes out what is
   * below 0.
   */
  readonly fillMachines?: (loads: readonly MachineLoad[]) => void
  /** Tests only: kills the process at a step of a purchase or of a delivery. */
  readonly onCheckpoint?: (at: Checkpoint | 'message_due' | 'message_sent' | 'stop_written' | 'stop_booked') => void
}

/** The parts, and the state that the capabilities keep between requests. */
export interface Context extends ContextParts {
  readonly readRules: RulesReader
  readonly pickupSlots: PickupCalendar
  readonly productIndex: ProductIndex
  readonly sentNumbers: SentNumbers
  readonly ledgerReads: LedgerReads
  readonly signingKeys: SigningKeys
  readonly deliveryCounts: DeliveryCounts
}

/** What a row and its event are written with. */
export type WriteContext = Pick<Context, 'store' | 'clock'>

export const createContext = (parts: ContextParts): Context => ({
  ...parts,
  readRules: rulesReader(parts),
  pickupSlots: pickupCalendar(parts.config),
  productIndex: productIndex(),
  sentNumbers: sentNumbers(parts.store.sidecarPrefix),
  ledgerReads: new LedgerReads(),
  signingKeys: signingKeys(parts.config.signingKeysFile, parts.clock, parts.log),
  deliveryCounts: new DeliveryCounts(),
})

export interface MachineLoad {
  readonly location: string
  readonly vendorSku: string
  readonly quantity: number
}
