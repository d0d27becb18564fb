/** A score on the wire. */
import type { Score as WireScore, ScoreReport } from '../../../contract/shapes/score.ts'
import { rfc3339 } from '../../../kernel/clock.ts'
import type { Report, Score } from './score.ts'

export function scoreView(score: Score, timeZone: string): Omit<WireScore, 'ucp'> {
  const time = (ms: number | null) => (ms === null ? null : rfc3339(ms, timeZone))
  const report = (from: Report): ScoreReport => ({
    scored: from.scored,
    excluded: from.excluded,
    partly_empty: from.partlyEmpty,
    units: from.units,
    mae: from.mae,
    wape: from.wape,
    bias: from.bias,
    rel_mae: from.relMae,
    naive_wape: from.naiveWape,
    coverage_p95: from.coverageP95,
    first_made_at: time(from.firstMadeAt),
    last_made_at: time(from.lastMadeAt),
  })
  const { bySpeed, byMeasured } = score
  return {
    horizon_days: score.horizonDays,
    total_forecasts: score.totalForecasts,
    pending: score.pending,
    reports: {
      overall: report(score.overall),
      by_location: Object.fromEntries(Object.entries(score.byLocation).map(([id, from]) => [id, report(from)])),
      by_speed: { slow: report(bySpeed.slow), mid: report(bySpeed.mid), fast: report(bySpeed.fast) },
      by_measured: { measured: report(byMeasured.measured), inferred: report(byMeasured.inferred) },
      slots: score.slots.map(({ slotId, location, scored, mae, bias, last }) => ({
        slot_id: slotId,
        location,
        scored,
        mae,
        bias,
        last: last && {
          made_at: rfc3339(last.madeAt, timeZone),
          forecast: last.forecast,
          actual: last.actual,
          available_days: last.availableDays,
        },
      })),
    },
  }
}
