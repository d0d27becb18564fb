/** How many random cases a property is tried with: one variable for all of them. */

/** A share of each count: 1 tries all, as `npm run test:all` does, 0.2 a fifth. */
const share = Number(process.env['PROPERTY_RUNS'] ?? 0.2)
if (!(share > 0)) throw new Error(`PROPERTY_RUNS is "${process.env['PROPERTY_RUNS']}", not a number above 0`)

/** A smaller share does not go below this. */
const FEWEST = 25

export const propertyRuns = (all: number): number => Math.max(Math.min(all, FEWEST), Math.round(all * share))
