/** Seeds of a simulated world with and without one way to earn more, as a table. */
import { table, verdict } from './harness.ts'

export interface Outcome {
  readonly profitFen: number
  readonly visits: number
  /** Units thrown away. */
  readonly spoiled: number
  /** Trials that ended, or changes that were made. */
  readonly trials: number
  /** Undefined where nobody takes a change back. */
  readonly kept?: number
  /** Of all of them, a week. */
  readonly expectedFen: number
  /** Undefined where a change is not measured by itself. */
  readonly measuredFen?: number
}

type Play = (seed: number, isOn: boolean) => Outcome

interface Compared {
  readonly seed: number
  readonly without: Outcome
  readonly with: Outcome
  readonly gain: number
}

export const setting = (name: string, value: number): number => Number(process.env[name] ?? value)

export const percent = (share: number): string => `${(share * 100).toFixed(2)} %`
export const money = (amount: number | undefined): string => (amount === undefined ? '' : (amount / 100).toFixed(0))

const compareSeeds = (play: Play): Compared[] =>
  Array.from({ length: setting('SEEDS', 10) }, (_, i) => {
    const [without, changed] = [play(i + 1, false), play(i + 1, true)]
    return { seed: i + 1, without, with: changed, gain: changed.profitFen / without.profitFen - 1 }
  })

/** `isJudged`: the targets hold for it, above on eight of ten seeds and never more than 1 % below. */
export function benchSeeds(title: string, play: Play, isJudged = true): Compared[] {
  const rows = compareSeeds(play)
  table(
    `${title}, ${setting('MACHINES', 12)} machines, ${setting('DAYS', 180)} days`,
    ['seed', 'profit', 'gain', 'visits', 'spoiled', 'changes', 'kept', 'expected / week', 'measured / week'],
    rows.map(({ seed, without, with: changed, gain }) => [
      String(seed),
      `${money(without.profitFen)} → ${money(changed.profitFen)}`,
      percent(gain),
      `${without.visits} → ${changed.visits}`,
      `${without.spoiled} → ${changed.spoiled}`,
      String(changed.trials),
      String(changed.kept ?? ''),
      money(changed.expectedFen),
      money(changed.measuredFen),
    ]),
  )
  const lost = rows.filter(({ gain }) => gain <= 0).length
  const worst = Math.min(...rows.map(({ gain }) => gain))
  const mean = rows.reduce((sum, { gain }) => sum + gain, 0) / rows.length
  console.log(
    `\n${rows.length - lost} of ${rows.length} earn more${isJudged ? ` ${verdict(lost, rows.length / 5)}` : ''}; on average ${percent(mean)}, the worst ${percent(worst)} ${verdict(-100 * worst, 1)}`,
  )
  return rows
}
