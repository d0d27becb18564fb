/** What "empty", "low" and "not reporting" mean, the same on every page of the console, in the plan and in the command line. */
import { HOUR } from './clock.ts'

/** In stock, but expected to be sold out within this many days. */
const LOW_DAYS = 1

export type StockState = 'unknown' | 'empty' | 'low' | 'ok'

/** `daysOfCover`: as planned; null where no stock-out is expected, undefined where there is no plan for the slot. */
export function stockState(stock: number | null, daysOfCover: number | null | undefined): StockState {
  if (stock === null) return 'unknown'
  if (stock <= 0) return 'empty'
  return typeof daysOfCover === 'number' && daysOfCover < LOW_DAYS ? 'low' : 'ok'
}

/** Machines are synced every hour; a machine that missed two syncs is not reporting. */
const NOT_REPORTING_AFTER_MS = 2 * HOUR

export const PRESENCES = ['online', 'offline', 'not_reporting', 'never', 'unknown'] as const
export type Presence = (typeof PRESENCES)[number]

interface Seen {
  /** Undefined: nobody can say it. */
  readonly online: boolean | undefined
  readonly lastSyncedAt: number | undefined
}

export function presenceOf({ online, lastSyncedAt }: Seen, now: number): Presence {
  if (lastSyncedAt === undefined) return 'never'
  if (online === false) return 'offline'
  if (now - lastSyncedAt > NOT_REPORTING_AFTER_MS) return 'not_reporting'
  // The platform cannot know.
  return online === undefined ? 'unknown' : 'online'
}

/** Machines of which nothing is reported by design are not among them: an export cannot say whether a machine is online. */
export const isReporting = (presence: Presence): boolean => presence === 'online' || presence === 'unknown'
