/**
 * Refills that nobody orders: the route driver of the time before the service, who still comes in a demo when machines
 * would otherwise stay empty.
 */
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts'
import { startOfDayNumber } from './local-time.ts'
import type { MachineSpec } from './machines.ts'
import { stream } from './random.ts'

/**
 * After the service took over:
 * - `route`  the route driver keeps his rounds
 * - `rescue` advice is carried out the next day; a machine that was not filled for some days gets a visit (staging)
 * - `none`   only deliveries (closed-loop tests)
 */
export type Restocking = 'route' | 'rescue' | 'none'

export const RESCUE_AFTER = 5 * DAY

/** Whether the route driver stops at the machine on a day. Some visits are missed. */
export const isOnRoute = (seed: number, machine: MachineSpec, day: number): boolean =>
  (day + machine.index) % machine.visitEvery === 0 && !stream(seed, 'missed visit', machine.id, day).happens(0.07)

/** When the van passes the machine, whether or not it stops. */
export const roundTime = (seed: number, machine: MachineSpec, day: number): number =>
  startOfDayNumber(day) + 9 * HOUR + stream(seed, 'round', machine.id, day).between(0, 7 * 60) * MINUTE

/** Units loaded into each lane: usually to capacity, sometimes less, sometimes none. */
export function loadQuantities(
  seed: number,
  machine: MachineSpec,
  at: number,
  lanes: readonly { readonly stock: number; readonly capacity: number }[],
): readonly number[] {
  const random = stream(seed, 'load', machine.id, at)
  return lanes.map(({ stock, capacity }) => {
    const skipped = random.happens(0.08)
    const level = Math.ceil(capacity * (random.happens(0.7) ? 1 : 0.75))
    return skipped ? 0 : Math.max(0, level - stock)
  })
}

/** Advice is carried out on the next day's round. */
export const adviceDueAt = (seed: number, machine: MachineSpec, at: number, batchNo: string): number =>
  at + 18 * HOUR + stream(seed, 'advice', machine.id, batchNo).between(0, 8 * 60) * MINUTE
