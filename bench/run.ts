/** Runs all benchmarks, or a selection: `npm run bench -- read-side plan`. */
import { missedTargets } from './harness.ts'

const parts: Readonly<Record<string, () => Promise<void>>> = {
  'read-side': async () => (await import('./reads.ts')).readSide(),
  mcp: async () => (await import('./reads.ts')).mcp(),
  memory: async () => (await import('./memory.ts')).memory(),
  'catalog-size': async () => (await import('./reads.ts')).catalogSize(),
  money: async () => (await import('./writes.ts')).money(),
  chain: async () => (await import('./writes.ts')).chain(),
  sales: async () => (await import('./machines.ts')).sales(),
  sync: async () => (await import('./machines.ts')).sync(),
  'price-list': async () => (await import('./files.ts')).priceList(),
  'dex-folder': async () => (await import('./files.ts')).dexFolder(),
  plan: async () => (await import('./plan.ts')).planTable(),
  trips: async () => (await import('./trips.ts')).benchTrips(),
  layouts: async () => (await import('./layouts.ts')).benchLayouts(),
  trials: async () => (await import('./trials.ts')).benchTrials(),
  'swap-trials': async () => (await import('./swap-trials.ts')).benchSwapTrials(),
  earning: async () => (await import('./earning.ts')).benchEarning(),
  'console-pages': async () => (await import('./console-pages.ts')).benchConsolePages(),
  profit: async () => (await import('./profit.ts')).benchProfit(1000, 1_000_000),
  'plan-service': async () => {
    const { benchReplenishmentService } = await import('./plan-service.ts')
    for (const slots of [1000, 10_000, 100_000]) await benchReplenishmentService(slots, 0)
  },
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in parts))
if (unknown.length > 0) {
  console.error(`unknown benchmark ${unknown.join(', ')}; known are ${Object.keys(parts).join(', ')}`)
  process.exit(2)
}
for (const [name, run] of Object.entries(parts)) if (wanted.length === 0 || wanted.includes(name)) await run()
const missed = missedTargets()
console.log(missed === 0 ? '\nall targets met' : `\n${missed} target${missed === 1 ? '' : 's'} missed`)
