/**
 * What a machine platform reports about one product in one machine. A product may lie in several lanes, each with its own
 * price and level; callers see one slot per product, with the lanes beside it. Null is unknown, never zero.
 */
import type { MachineLane, MachineSlot } from './machine-vendor.ts'

/** Its price is that of the first lane that has one. */
export interface LaneSlot extends Omit<MachineSlot, 'capacity' | 'asOf' | 'lanes'> {
  readonly capacity: number | null
  /** When the stock was counted: of several lanes, the newest count. Null when one of them has no date. */
  readonly asOf: number | null
  readonly lanes: readonly MachineLane[]
}

/** One unknown part makes the sum unknown: a partial sum would pass for the whole. */
export const sumKnown = (parts: readonly (number | null)[]): number | null =>
  parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0)

/** The newest of several times, null when one is unknown: what has no date was counted now. */
export const newestKnown = (times: readonly (number | null)[]): number | null =>
  times.reduce<number | null>(
    (newest, time) => (newest === null || time === null ? null : Math.max(newest, time)),
    times.length === 0 ? null : -Infinity,
  )

/** As the contract has it, where what is unknown is absent. */
export const toMachineSlot = ({ capacity, asOf, lanes, ...slot }: LaneSlot): MachineSlot => ({
  ...slot,
  ...(asOf === null ? {} : { asOf }),
  ...(capacity === null ? {} : { capacity }),
  ...(lanes.length === 0 ? {} : { lanes }),
})
