/**
 * The best common plan of a route whose demand is known in advance, found by the solver HiGHS. An arc z[m,a,b] says that b is
 * machine m's next visit after a, y[d] that somebody drives on day d.
 */
import loadHighs from 'highs'
import { type ExactRoute, gainsOf } from './optimum.test-support.ts'

// Its types describe the CommonJS file; an import gets the ES module, whose default is the function itself.
const highs = await (loadHighs as unknown as typeof loadHighs.default)()

interface BestPlan {
  readonly earnedFen: number
  readonly tripDays: ReadonlySet<number>
}

/** No plan earns more, and visits on these trip days earn as much. */
export function solveExactly(route: ExactRoute): BestPlan {
  // By default the solver stops within 0.01 % of the optimum.
  const { Status, ObjectiveValue, Columns } = highs.solve(programOf(route), { output_flag: false, mip_rel_gap: 0 })
  if (Status !== 'Optimal') throw new Error(`The solver ended with: ${Status}`)
  const days = Array.from({ length: route.days }, (_, day) => day)
  return { earnedFen: ObjectiveValue, tripDays: new Set(days.filter((day) => Columns[`y${day}`]!.Primal > 0.5)) }
}

/** In the LP text format, one term per line because the length of lines is limited. Nodes are those of `gainsOf`. */
function programOf({ machines, days, tripFen, stopFen }: ExactRoute): string {
  const trips = Array.from({ length: days }, (_, day) => `y${day}`)
  const earned = trips.map((trip) => `- ${tripFen} ${trip}`)
  const rules: string[] = []
  machines.forEach((slots, m) => {
    const arriving: string[][] = Array.from({ length: days + 2 }, () => [])
    const leaving: string[][] = Array.from({ length: days + 2 }, () => [])
    gainsOf(slots, days).forEach((row, from) => {
      for (let to = from + 1; to <= days + 1; to++) {
        const arc = `z${m}_${from}_${to}`
        const fen = row[to]! - (to <= days ? stopFen : 0)
        earned.push(`${fen < 0 ? '-' : '+'} ${Math.abs(fen)} ${arc}`)
        leaving[from]!.push(arc)
        arriving[to]!.push(arc)
      }
    })
    rules.push(`${sum('+', leaving[0]!)} = 1`)
    trips.forEach((trip, day) => {
      rules.push(`${sum('+', arriving[day + 1]!)} ${sum('-', leaving[day + 1]!)} = 0`)
      rules.push(`${sum('+', leaving[day + 1]!)} - ${trip} <= 0`)
    })
  })
  // With whole trip days, each machine's best way along the arcs is whole by itself.
  return ['Maximize', 'earned:', ...earned, 'Subject To', ...rules, 'Binary', ...trips, 'End'].join('\n')
}

function sum(sign: '+' | '-', names: readonly string[]): string {
  return names.map((name) => `${sign} ${name}`).join('\n')
}
