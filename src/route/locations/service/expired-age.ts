/** How long units were in a slot before a driver took them out as expired. Pure. */
import { DAY } from '../../../kernel/clock.ts'

/** Units that spoil within a day were put in expired, or the reason is a slip of the finger. */
const AGE_MIN_DAYS = 2

/**
 * Whole days since the youngest of the expired units was loaded: so long at most does the product keep. The oldest units
 * of a slot expire first. Undefined where the loads do not say when they came.
 * @param loads of the slot, the latest first
 */
export function expiredAgeDays(
  levelBefore: number,
  expiredUnits: number,
  loads: readonly { readonly at: number; readonly units: number }[],
  at: number,
): number | undefined {
  const kept = levelBefore - expiredUnits
  if (kept < 0) return undefined
  let younger = 0
  for (const load of loads) {
    younger += load.units
    if (younger <= kept) continue
    const days = Math.floor((at - load.at) / DAY)
    return days >= AGE_MIN_DAYS ? days : undefined
  }
  return undefined
}
