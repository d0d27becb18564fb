/** How long goods take, and how often somebody asks. Both are learnt from past runs and stated until then. */
import { DAY } from '../../../kernel/clock.ts'
import type { LeadTime } from './input.ts'

/** What a plan needs to know of a run. */
export interface RunRecord {
  readonly status: string
  readonly placedAt: number | null
  readonly deliveredAt: number | null
  readonly lines: readonly { readonly slotId: string; readonly quantity: number }[]
  readonly delivered: readonly { readonly slotId: string; readonly quantity: number }[]
}

const ENOUGH = 5
const LATEST = 20
const LONGEST_DAYS = 30

/** The mean of the latest deliveries once there are five of them; what was stated before that. */
export function leadTime(runs: readonly RunRecord[], statedDays: number, now = Infinity): LeadTime {
  const samples: { at: number; days: number }[] = []
  for (const { status, placedAt, deliveredAt, delivered } of runs) {
    if (status !== 'delivered' || placedAt === null || deliveredAt === null || deliveredAt > now) continue
    const days = (deliveredAt - placedAt) / DAY
    const brought = delivered.some(({ quantity }) => quantity > 0)
    if (brought && days >= 0 && days <= LONGEST_DAYS) samples.push({ at: deliveredAt, days })
  }
  if (samples.length < ENOUGH) return { days: statedDays, source: 'stated', samples: samples.length }
  const latest = samples.toSorted((a, b) => a.at - b.at || a.days - b.days).slice(-LATEST)
  const mean = latest.reduce((sum, { days }) => sum + days, 0) / latest.length
  return { days: Math.round(mean * 100) / 100, source: 'measured', samples: samples.length }
}

const CALLS = 6

/** Whole days between the latest calls that built runs, whatever came of them: 1 to 7, and 1 until known. */
export function reviewDays(createdAt: readonly number[]): number {
  const calls = createdAt.toSorted((a, b) => a - b).slice(-CALLS)
  const gaps = calls.slice(1).map((at, i) => (at - calls[i]!) / DAY)
  if (gaps.length === 0) return 1
  const ordered = gaps.toSorted((a, b) => a - b)
  const middle = ordered.length >> 1
  const median = ordered.length % 2 ? ordered[middle]! : (ordered[middle - 1]! + ordered[middle]!) / 2
  return Math.min(7, Math.max(1, Math.round(median)))
}
