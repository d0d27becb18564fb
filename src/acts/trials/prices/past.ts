/** What earlier trials of prices mean for the next one. Pure. */
import { DAY } from '../../../kernel/clock.ts'
import type { Measured } from '../measure/elasticity.ts'
import { type Trial, isOpenTrial } from '../records.ts'
import type { PricePast, SlotPast } from './propose.ts'

/** What was taken back is not tried again for this long: seasons change, and so do customers. */
const TAKEN_BACK_MS = 60 * DAY
/** After a price was taken back, its days need so long to be comparable again. */
const RECOVERY_MS = 14 * DAY

export const measuredBy = (trials: readonly Trial[]): readonly Measured[] =>
  trials.flatMap(({ learned, sku, category, venueType }) => (learned ? [{ ...learned, sku, category, venueType }] : []))

export function pricePast(trials: readonly Trial[], now: number): PricePast {
  const slots = new Map<string, { keptFen: number; isBusy: boolean }>()
  for (const trial of trials) {
    const isOpen = isOpenTrial(trial)
    const isRecent = now - (trial.endedAt ?? now) < RECOVERY_MS
    for (const { slotId, role, state } of trial.members) {
      const slot = slots.getOrInsertComputed(slotId, () => ({ keptFen: 0, isBusy: false }))
      if (trial.status === 'kept' && role === 'treated' && state === 'changed') slot.keptFen += trial.stepFen
      if (isOpen || (isRecent && state === 'back')) slot.isBusy = true
    }
  }
  const taken = trials.filter(
    ({ status, reason, endedAt }) =>
      status === 'taken_back' && reason !== 'nobody_left' && now - (endedAt ?? now) < TAKEN_BACK_MS,
  )
  const UNTOUCHED: SlotPast = { keptFen: 0, isBusy: false }
  return {
    measured: measuredBy(trials),
    slot: (slotId) => slots.get(slotId) ?? UNTOUCHED,
    wasTakenBack: (sku, isRaise) => taken.some((trial) => trial.sku === sku && trial.stepFen > 0 === isRaise),
  }
}
