/**
 * Ninety days of a route through a service that is killed (SIGKILL) at random moments, and its records compared with what
 * the supplier and the machines saw: `node bench/kills.ts [days] [machines] [shared|alone|operator]`. Takes about
 * half an hour. `operator`: the operator of the service runs the route under a rule of every kind, and dies at its work.
 */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { playKilledDays } from '../test/simulation/killed-days.ts'

/** Tight enough that each is met again and again on twelve machines. */
const RULES = {
  spendingLimitPerRun: 60_000,
  spendingLimitPerDay: 120_000,
  spendingLimitPerWeek: 400_000,
  spendingLimitBySupplier: { 'acme-supply': { perDay: 110_000, perWeek: 390_000 } },
  spendingLimitByKey: { vendops: { perRun: 55_000, perDay: 100_000, perWeek: 380_000 } },
  priceCapPerItem: 50,
  priceDriftPerWeek: 50,
  minimumMarginPercent: 30,
  hardNoGos: ['可乐'],
  killSwitchEngaged: false,
}

const [days = 90, machines = 12] = process.argv.slice(2, 4).map(Number)
const [, , , , mode = 'shared'] = process.argv
const seed = Number(process.env['SEED'] ?? '1')
const rulesFile = join(mkdtempSync(join(tmpdir(), 'vendops-rules-')), 'guardrails.json')
writeFileSync(rulesFile, JSON.stringify({ rules: RULES, administrators: [], administratorChats: [] }))
const began = performance.now()
const { outcome, comparison, kills, failures, lastShift, journal } = await playKilledDays({
  days,
  machines,
  seed,
  // About one kill a day, however many stops are received.
  killShare: (mode === 'operator' ? 0.3 : 1.8) / machines,
  ...(mode === 'operator' ? { jobKillShare: 0.4, rulesFile } : {}),
  sharedTrips: mode !== 'alone',
  onDay: (date) => console.log(date, `${Math.round((performance.now() - began) / 1000)} s`),
})
const { total, accounts, orderedTwice, refusals, operator } = outcome
const killed = [...kills.values()].reduce((sum, times) => sum + times, 0)
console.log({ killed, kills: Object.fromEntries(kills), ...comparison, orderedTwice, failures, refusals })
console.log({ ...total, profitFen: accounts.profitFen, lastShift: lastShift?.started_at, journal, ...operator })
const isRight =
  comparison.problems.length === 0 &&
  orderedTwice === 0 &&
  failures.length === 0 &&
  journal.length === 0 &&
  (operator?.violations ?? 0) === 0 &&
  operator?.supplierOrders === operator?.purchases
console.log(isRight ? 'nothing ordered twice, nothing received twice, nothing lost, no rule broken' : 'NOT RIGHT')
process.exitCode = isRight ? 0 : 1
