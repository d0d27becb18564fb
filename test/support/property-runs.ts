/** How many random cases a property is tried with: one variable for all of them. */

/** `PROPERTY_RUNS` is a share of each count: 1 tries all, 0.2 a fifth. `npm test` sets it, see `vitest.config.ts`. */
const share = Number(process.env['PROPERTY_RUNS'] ?? 1)
if (!(share > 0)) throw new Error(`PROPERTY_RUNS is "${process.env['PROPERTY_RUNS']}", not a number above 0`)

/** A smaller share does not go below this. */
const FEWEST = 25

export const propertyRuns = (all: number): number => Math.max(Math.min(all, FEWEST), Math.round(all * share))
