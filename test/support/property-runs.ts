/** How many random cases a property is tried with: one variable for all of them. */

/** A share of each count: 1 tries all, as `npm run test:all` does, 0.2 a fifth. */
const asked = process.env['PROPERTY_RUNS']
const share = asked === undefined ? undefined : Number(asked)
if (share !== undefined && !(share > 0)) throw new Error(`PROPERTY_RUNS is "${asked}", not a number above 0`)

/** A smaller share does not go below this. */
const FEWEST = 25

/** `usual`: the share of `npm test`. */
export const propertyRuns = (all: number, usual = 0.2): number =>
  Math.max(Math.min(all, FEWEST), Math.round(all * (share ?? usual)))
