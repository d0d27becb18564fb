/** How accurate past forecasts were. */
import { type Static, Type } from 'typebox'
import { Count, ENVELOPE, NullableNumber, Timestamp } from '../common.ts'
import { SCORE_HORIZON_DAYS_DEFAULT, SCORE_HORIZON_DAYS_MAX } from '../limits.ts'
import { answer, list, nullable, request } from '../schema-helpers.ts'

/** Metrics over zero forecasts are null, never 0. */
export const ScoreReport = answer('ScoreReport', {
  scored: Count,
  excluded: Count,
  partly_empty: Count,
  units: Count,
  mae: NullableNumber,
  wape: NullableNumber,
  bias: NullableNumber,
  rel_mae: NullableNumber,
  naive_wape: NullableNumber,
  coverage_p95: NullableNumber,
  first_made_at: nullable(Timestamp),
  last_made_at: nullable(Timestamp),
})
export type ScoreReport = Static<typeof ScoreReport>

export const SlotScore = answer('SlotScore', {
  slot_id: Type.String(),
  location: Type.String(),
  scored: Count,
  mae: NullableNumber,
  bias: NullableNumber,
  last: nullable(
    answer('LastForecast', {
      made_at: Timestamp,
      forecast: Type.Number(),
      actual: Type.Number(),
      available_days: Type.Number(),
    }),
  ),
})
export type SlotScore = Static<typeof SlotScore>

const ScoreReports = answer('ScoreReports', {
  overall: ScoreReport,
  by_location: Type.Record(Type.String(), ScoreReport),
  by_speed: answer('ScoreBySpeed', { slow: ScoreReport, mid: ScoreReport, fast: ScoreReport }),
  by_measured: answer('ScoreByMeasured', { measured: ScoreReport, inferred: ScoreReport }),
  slots: list(SlotScore),
})
export type ScoreReports = Static<typeof ScoreReports>

export const Score = answer('Score', {
  ...ENVELOPE,
  horizon_days: Type.Integer({ minimum: 1 }),
  total_forecasts: Count,
  pending: Type.Integer({ minimum: 0, description: 'Too recent to be scored.' }),
  reports: ScoreReports,
})
export type Score = Static<typeof Score>

export const ScoreQuery = request('ScoreQuery', {
  horizon_days: Type.Optional(
    Type.Integer({ minimum: 1, maximum: SCORE_HORIZON_DAYS_MAX, default: SCORE_HORIZON_DAYS_DEFAULT }),
  ),
})
export type ScoreQuery = Static<typeof ScoreQuery>
