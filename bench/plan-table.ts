/** The plan benchmark as a table. */
import { table } from './harness.ts'
import { benchPlan } from './plan.ts'

export async function planTable(): Promise<void> {
  const ms = (value: number) => `${value.toFixed(0)} ms`
  const rows = (await benchPlan()).map(({ name, ms: wall, cpuMs, longestBlockMs, heapMb }) => [
    name,
    ms(cpuMs),
    ms(wall),
    ms(longestBlockMs),
    `${Math.max(0, heapMb).toFixed(0)} MB`,
  ])
  table('replenishment', ['', 'work', 'wall', 'longest block', 'heap'], rows)
}

if (import.meta.main) await planTable()
