/** A planner's state as `vendops plan --stdin` reads it, and the configuration of a service that would plan the same. */
import { readConfig } from '../../src/config.ts'
import type { Config } from '../../src/config.ts'

interface Line {
  readonly slot_id: string
  readonly quantity: number
}
export interface PlannerSlot {
  readonly slot_id: string
  readonly location: string
  readonly sku: string
  readonly price: number
  readonly stock: number
  readonly capacity?: number | null
  readonly locked?: boolean
  readonly first_seen?: string
}
export interface PlannerRun {
  readonly status: string
  readonly placed_at: string
  readonly delivered_at?: string | null
  readonly lines: readonly Line[]
  readonly delivered?: readonly Line[]
}
export interface PlannerState {
  readonly now: string
  readonly timezone_offset_min: number
  readonly stated_lead_days: number
  readonly params?: Readonly<Record<string, unknown>>
  readonly slots: readonly PlannerSlot[]
  readonly ledger: readonly { readonly ts: string; readonly slot_id: string; readonly status: string }[]
  readonly runs: readonly PlannerRun[]
  readonly stock_log: readonly {
    readonly slot_id: string
    readonly ts: string
    readonly stock: number
    readonly receipt?: boolean
  }[]
}

/** Zones without summer time: their days are those of the offset. */
const ZONES: Readonly<Record<number, string>> = { 480: 'Asia/Shanghai', 540: 'Asia/Tokyo' }

export const nowOf = (state: PlannerState): number => Date.parse(state.now)

/** What the operator of this route would have set, read as the program reads it. */
export function configFor(state: PlannerState, env: Readonly<Record<string, string>> = {}): Config {
  const { visit_cost, ...params } = state.params ?? {}
  const timeZone = ZONES[state.timezone_offset_min]
  if (timeZone === undefined) throw new RangeError(`no zone for an offset of ${state.timezone_offset_min} minutes`)
  const read = readConfig(
    {
      OPERATOR_TOKEN: 'parity-token-0123456789',
      TIMEZONE: timeZone,
      STATED_LEAD_DAYS: String(state.stated_lead_days),
      PLAN_PARAMS: JSON.stringify(params),
      ...(typeof visit_cost === 'number' ? { VISIT_COST_FEN: String(visit_cost) } : {}),
      ...env,
    },
    () => false,
  )
  if (!read.ok) throw new RangeError(read.problems.join('; '))
  return read.config
}
