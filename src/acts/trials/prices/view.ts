/** Price trials as callers see them. */
import type { Experiment, ExperimentList } from '../../../contract/shapes/planning/experiments.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import type { Estimate } from '../measure/effect.ts'
import type { Member, Trial } from '../records.ts'
import type { PriceProposal } from './propose.ts'

const gainView = ({ mean, error }: Estimate) => ({ gain: Math.round(mean), error: Math.round(error) })

const round2 = (value: number): number => Math.round(value * 100) / 100
const elasticityView = ({ mean, error }: Estimate) => ({ value: round2(mean), error: round2(error) })

const memberView = ({ location, locationName, role, priceFen, nextFen, state, why }: Member) => ({
  location,
  location_name: locationName,
  role,
  price: priceFen,
  ...(nextFen === undefined ? {} : { trial_price: nextFen }),
  ...(role === 'control' && state === 'changed' ? {} : { state }),
  ...(why === undefined ? {} : { why }),
})

export const experimentView = (trial: Trial, timeZone: string): Experiment => ({
  id: trial.id,
  status: trial.status,
  ...(trial.reason === undefined ? {} : { reason: trial.reason }),
  item: { id: trial.sku, title: trial.title },
  change: trial.stepFen,
  ...(trial.venueType === undefined ? {} : { venue_type: trial.venueType }),
  started_at: rfc3339(trial.createdAt, timeZone),
  ...(trial.endedAt === undefined ? {} : { ended_at: rfc3339(trial.endedAt, timeZone) }),
  expected: gainView(trial.expected),
  ...(trial.measured ? { measured: gainView(trial.measured) } : {}),
  ...(trial.judged ? { judged: gainView(trial.judged) } : {}),
  ...(trial.learned ? { elasticity: elasticityView(trial.learned) } : {}),
  machines: trial.members.map(memberView),
})

export function proposalView(proposal: PriceProposal, elasticity: Estimate): ExperimentList['proposals'][number] {
  const { sku, title, stepFen, venueType, gain, treated, controls } = proposal
  const machine = ({ location, locationName, priceFen }: PriceProposal['treated'][number]) => ({
    location,
    location_name: locationName,
    price: priceFen as number,
  })
  return {
    item: { id: sku, title },
    change: stepFen,
    ...(venueType === undefined ? {} : { venue_type: venueType }),
    expected: gainView(gain),
    elasticity: elasticityView(elasticity),
    machines: [
      ...treated.map((slot) => ({ ...machine(slot), role: 'treated' as const, trial_price: slot.priceFen + stepFen })),
      ...controls.map((slot) => ({ ...machine(slot), role: 'control' as const })),
    ],
  }
}
