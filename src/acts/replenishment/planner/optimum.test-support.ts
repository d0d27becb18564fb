/**
 * The most that could be earned on a route whose demand is known in advance: each machine is filled on any days, a day with
 * a visit costs `tripFen`, each visit `stopFen`. The cost of a trip day is split over the machines by multipliers; with any
 * split, the machines' best plans by themselves earn together at least as much as any common plan, so every split gives an
 * upper limit. The split is improved until the limit is close to the best common plan.
 */

export interface ExactSlot {
  readonly capacity: number
  readonly initial: number
  readonly marginFen: number
  /** Units wanted on each day. */
  readonly demand: readonly number[]
}

export interface ExactRoute {
  readonly machines: readonly (readonly ExactSlot[])[]
  readonly days: number
  readonly tripFen: number
  readonly stopFen: number
}

/** `gains[a][b]`: margin from the morning of visit a to that of visit b; a = 0 is the start, with what is there. */
type Gains = readonly (readonly number[])[]

/** Nodes: 0 is the start, d + 1 a visit in the morning of day d, days + 1 the end. */
export function gainsOf(slots: readonly ExactSlot[], days: number): Gains {
  return Array.from({ length: days + 1 }, (_, a) => {
    const first = Math.max(0, a - 1)
    const left = slots.map(({ capacity, initial }) => (a === 0 ? initial : capacity))
    const row: number[] = []
    let total = 0
    for (let day = first; day <= days; day++) {
      row[day + 1] = total
      slots.forEach(({ demand, marginFen }, i) => {
        const sold = Math.min(left[i]!, demand[day] ?? 0)
        left[i]! -= sold
        total += sold * marginFen
      })
    }
    return row
  })
}

/** The best days for one machine when a visit on day d costs `costs[d]`. */
function bestVisits(gains: Gains, days: number, costs: readonly number[]) {
  const value: number[] = [0]
  const from: number[] = [0]
  for (let node = 1; node <= days + 1; node++) {
    value[node] = -Infinity
    for (let before = 0; before < node; before++) {
      const reached = value[before]! + gains[before]![node]!
      if (reached > value[node]!) [value[node], from[node]] = [reached, before]
    }
    if (node <= days) value[node]! -= costs[node - 1]!
  }
  const visits: number[] = []
  for (let node = from[days + 1]!; node > 0; node = from[node]!) visits.push(node - 1)
  return { earnedFen: value[days + 1]!, visits }
}

/** No common plan earns more. */
export function upperLimit({ machines, days, tripFen, stopFen }: ExactRoute, rounds = 400): number {
  const gains = machines.map((slots) => gainsOf(slots, days))
  const share = machines.map(() => Array.from({ length: days }, () => tripFen / machines.length))
  let limit = Infinity
  for (let round = 1; round <= rounds; round++) {
    const best = gains.map((own, m) =>
      bestVisits(
        own,
        days,
        share[m]!.map((cost) => cost + stopFen),
      ),
    )
    limit = Math.min(
      limit,
      best.reduce((total, { earnedFen }) => total + earnedFen, 0),
    )
    const step = tripFen / (2 + round / 4)
    for (let day = 0; day < days; day++) {
      // Who visits pays more of the day, who does not pays less; together they pay the trip.
      const wanted = best.map(({ visits }, m) => share[m]![day]! + (visits.includes(day) ? step : 0))
      projectOnto(wanted, tripFen).forEach((cost, m) => (share[m]![day] = cost))
    }
  }
  return limit
}

/** The nearest amounts that are not negative and add up to the total. */
function projectOnto(amounts: readonly number[], total: number): number[] {
  const sorted = amounts.toSorted((a, b) => b - a)
  let sum = 0
  let shift = 0
  sorted.forEach((amount, i) => {
    sum += amount
    const candidate = (sum - total) / (i + 1)
    if (amount > candidate) shift = candidate
  })
  return amounts.map((amount) => Math.max(0, amount - shift))
}

/** What the best visits earn when there are trips on these days and on no others. */
export function earnedOn({ machines, days, tripFen, stopFen }: ExactRoute, tripDays: ReadonlySet<number>): number {
  const costs = Array.from({ length: days }, (_, day) => (tripDays.has(day) ? stopFen : Infinity))
  const earned = machines.map((slots) => bestVisits(gainsOf(slots, days), days, costs).earnedFen)
  return earned.reduce((total, fen) => total + fen, -tripDays.size * tripFen)
}

/** The best common plan, by trying every set of trip days: for a few days only. */
export function bestPlan(route: ExactRoute): number {
  const days = Array.from({ length: route.days }, (_, day) => day)
  let best = -Infinity
  for (let set = 0; set < 2 ** route.days; set++) {
    best = Math.max(best, earnedOn(route, new Set(days.filter((day) => (set >> day) & 1))))
  }
  return best
}
