/**
 * Ninety days of a route through a service that is killed (SIGKILL) at random moments, and its records compared with what
 * the supplier and the machines saw: `node bench/kills.ts [days] [machines] [shared|alone]`. Takes about
 * half an hour.
 */
import { playKilledDays } from '../test/simulation/killed-days.ts'

const [days = 90, machines = 12] = process.argv.slice(2, 4).map(Number)
const sharedTrips = process.argv[4] !== 'alone'
const began = performance.now()
const { outcome, comparison, kills, failures } = await playKilledDays({
  days,
  machines,
  seed: 1,
  // About one kill a day, however many stops are received.
  killShare: 1.8 / machines,
  sharedTrips,
  onDay: (date) => console.log(date, `${Math.round((performance.now() - began) / 1000)} s`),
})
const { total, accounts, orderedTwice, refusals } = outcome
console.log({ kills: Object.fromEntries(kills), ...comparison, orderedTwice, failures, refusals })
console.log({ ...total, profitFen: accounts.profitFen })
const isRight = comparison.problems.length === 0 && orderedTwice === 0 && failures.length === 0
console.log(isRight ? 'nothing ordered twice, nothing received twice, nothing lost' : 'NOT RIGHT')
process.exitCode = isRight ? 0 : 1
