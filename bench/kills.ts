/**
 * Ninety days of a route through a service that is killed (SIGKILL) at random moments, and its records compared with what
 * the supplier and the machines saw: `node bench/kills.ts [days] [machines]`. Takes about half an hour.
 */
import { playKilledDays } from '../test/simulation/killed-days.ts'

const [days = 90, machines = 12] = process.argv.slice(2).map(Number)
const began = performance.now()
const { outcome, comparison, kills, failures } = await playKilledDays({
  days,
  machines,
  seed: 1,
  killShare: 0.15,
  onDay: (date) => console.log(date, `${Math.round((performance.now() - began) / 1000)} s`),
})
const { total, accounts, orderedTwice } = outcome
console.log({ kills: Object.fromEntries(kills), ...comparison, orderedTwice, failures })
console.log({ ...total, profitFen: accounts.profitFen })
const isRight = comparison.problems.length === 0 && orderedTwice === 0 && failures.length === 0
console.log(isRight ? 'nothing ordered twice, nothing received twice, nothing lost' : 'NOT RIGHT')
process.exitCode = isRight ? 0 : 1
