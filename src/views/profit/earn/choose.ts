/** Which steps of the route to show: the largest gain first, and no two that change the same slot or machine. Pure. */
import { GAIN_ERROR_SHARE } from '../../../acts/replenishment/index.ts'
import type { EarnStep } from '../../../contract/shapes/money/earn.ts'

const SHOWN = 10

/** Steps that change what a slot holds, sells or costs exclude each other there; those of a machine as a whole do, too. */
function subjectsOf({ step, location = '', slot_id: slotId, item, lanes = [] }: EarnStep): readonly string[] {
  if (step === 'price') return [`price ${item?.id ?? ''}`]
  if (step === 'layout')
    return lanes.flatMap(({ now, proposed }) => [`${location} ${now.id}`, `${location} ${proposed.id}`])
  // What the place takes does not change what the machine does.
  if (step === 'renegotiate') return [`place ${location}`]
  return slotId === undefined ? [location] : [`${location} ${item?.id ?? slotId}`]
}

export function chooseSteps(steps: readonly EarnStep[]): readonly EarnStep[] {
  const taken = new Set<string>()
  const chosen: EarnStep[] = []
  for (const step of steps.filter(({ expected }) => expected.gain > 0).toSorted(byGain)) {
    if (chosen.length === SHOWN) break
    const subjects = subjectsOf(step)
    if (subjects.some((subject) => taken.has(subject))) continue
    for (const subject of subjects) taken.add(subject)
    chosen.push(step)
  }
  return chosen
}

const byGain = (a: EarnStep, b: EarnStep): number => b.expected.gain - a.expected.gain || (keyOf(a) < keyOf(b) ? -1 : 1)
const keyOf = (step: EarnStep): string => [step.step, ...subjectsOf(step)].join(' ')

export const roughly = (gain: number): EarnStep['expected'] => ({
  gain: Math.round(gain),
  error: Math.round(Math.abs(gain) * GAIN_ERROR_SHARE),
})
