/** Delivery time and the days between runs, measured from past runs; the configured values until there are enough. */
import { DAY } from '../../../../kernel/clock.ts'
import type { LeadTime } from '../input.ts'

/** What the planner reads of a run. */
export interface RunRecord {
  readonly status: string
  readonly placedAt: number | null
  readonly deliveredAt: number | null
  readonly lines: readonly { readonly slotId: string; readonly quantity: number }[]
  readonly delivered: readonly { readonly slotId: string; readonly quantity: number }[]
}

const SAMPLES_MIN = 5
const SAMPLES_MAX = 20
const LEAD_DAYS_MAX = 30

/** The mean of the latest deliveries once there are five; the stated days before that. */
export function leadTime(runs: readonly RunRecord[], statedDays: number, now = Infinity): LeadTime {
  const samples: { at: number; days: number }[] = []
  for (const { status, placedAt, deliveredAt, delivered } of runs) {
    if (status !== 'delivered' || placedAt === null || deliveredAt === null || deliveredAt > now) continue
    const days = (deliveredAt - placedAt) / DAY
    const hasUnits = delivered.some(({ quantity }) => quantity > 0)
    if (hasUnits && days >= 0 && days <= LEAD_DAYS_MAX) samples.push({ at: deliveredAt, days })
  }
  if (samples.length < SAMPLES_MIN) return { days: statedDays, source: 'stated', samples: samples.length }
  const latest = samples.toSorted((a, b) => a.at - b.at || a.days - b.days).slice(-SAMPLES_MAX)
  const mean = latest.reduce((total, { days }) => total + days, 0) / latest.length
  return { days: Math.round(mean * 100) / 100, source: 'measured', samples: samples.length }
}

const RUNS = 6

/** Median days between the latest runs, canceled and rejected ones included: 1 to 7, and 1 while unknown. */
export function reviewDays(createdAt: readonly number[]): number {
  const latest = createdAt.toSorted((a, b) => a - b).slice(-RUNS)
  const gaps = latest.slice(1).map((at, i) => (at - latest[i]!) / DAY)
  if (gaps.length === 0) return 1
  const ordered = gaps.toSorted((a, b) => a - b)
  const middle = ordered.length >> 1
  const median = ordered.length % 2 ? ordered[middle]! : (ordered[middle - 1]! + ordered[middle]!) / 2
  return Math.min(7, Math.max(1, Math.round(median)))
}
