/**
 * How goods get into a machine without anyone asking: the route man who came before the service did, and who still
 * comes when a demo would otherwise run dry.
 */
import { DAY, HOUR, MINUTE } from '../../kernel/clock.ts'
import { startOfDayNumber } from './local-time.ts'
import type { MachineSpec } from './machines.ts'
import { stream } from './random.ts'

/**
 * After the service took over:
 * - `route`  the route man keeps his rounds
 * - `rescue` advice is carried out the next day; a machine nobody filled for some days gets a visit (staging)
 * - `none`   nothing arrives but what is delivered (closed-loop tests)
 */
export type Restocking = 'route' | 'rescue' | 'none'

export const RESCUE_AFTER = 5 * DAY

/** Whether the route man's round of a day has a stop at the machine. Now and then he does not make it. */
export const routeStops = (seed: number, machine: MachineSpec, day: number): boolean =>
  (day + machine.index) % machine.visitEvery === 0 && !stream(seed, 'missed visit', machine.id, day).chance(0.07)

/** The time of day at which a van passes the machine, whether or not it stops. */
export const roundOn = (seed: number, machine: MachineSpec, day: number): number =>
  startOfDayNumber(day) + 9 * HOUR + stream(seed, 'round', machine.id, day).between(0, 7 * 60) * MINUTE

/** How much he loads into each lane: mostly full, sometimes less, and some goods were not on the van. */
export function load(
  seed: number,
  machine: MachineSpec,
  at: number,
  lanes: readonly { readonly stock: number; readonly capacity: number }[],
): readonly number[] {
  const random = stream(seed, 'load', machine.id, at)
  return lanes.map(({ stock, capacity }) => {
    const skipped = random.chance(0.08)
    const level = Math.ceil(capacity * (random.chance(0.7) ? 1 : 0.75))
    return skipped ? 0 : Math.max(0, level - stock)
  })
}

/** Advice is carried out on the next day's round. */
export const adviceDue = (seed: number, machine: MachineSpec, at: number, batchNo: string): number =>
  at + 18 * HOUR + stream(seed, 'advice', machine.id, batchNo).between(0, 8 * 60) * MINUTE
