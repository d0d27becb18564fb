/** Duration of a sync with upstreams that take 50 ms per call, compared with the bound set by its limits. */
import { MACHINES_AT_ONCE } from '../src/route/locations/sync/sync.ts'
import { table, verdict } from './harness.ts'
import { startSimulated } from './simulator.ts'
import { BEARER, startService } from './subject.ts'

const LATENCY_MS = 50
const TARGET = 1.5

async function send(url: string, method: 'PUT' | 'POST', path: string, body: unknown): Promise<void> {
  const headers = { ...BEARER, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/ucp/v1${path}`, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

/** The bound: machines in parallel up to the limit, pages of the ledger one after the other, both at the same time. */
function boundMs(machines: number, calls: Readonly<Record<string, number>>): number {
  const pages = Object.entries(calls).flatMap(([route, n]) => (route.includes('trades') ? [n] : []))
  const turns = Math.max(Math.ceil(machines / MACHINES_AT_ONCE), ...pages)
  return turns * LATENCY_MS
}

export async function sync(): Promise<void> {
  const rows: string[][] = []
  for (const machines of [10, 100, 1000]) {
    const simulated = await startSimulated({ machines, latencyMs: LATENCY_MS, historyDays: machines > 100 ? 2 : 7 })
    const subject = await startService({ upstreams: simulated.upstreams })
    try {
      for (const { id, name, profile } of simulated.roster)
        await send(subject.url, 'PUT', `/locations/${id}`, { name, profile })
      // The first sync mirrors the history once; the second is the hourly one.
      await send(subject.url, 'POST', '/locations/sync', {})
      await simulated.calls()
      const cpu = await subject.cpuUs()
      const started = performance.now()
      await send(subject.url, 'POST', '/locations/sync', {})
      const ms = performance.now() - started
      const cpuMs = ((await subject.cpuUs()) - cpu) / 1000
      const bound = boundMs(machines, await simulated.calls())
      rows.push([
        machines.toLocaleString('en'),
        `${ms.toFixed(0)} ms`,
        `${bound} ms`,
        (ms / bound).toFixed(2),
        verdict(ms / bound, TARGET),
        `${cpuMs.toFixed(0)} ms`,
      ])
    } finally {
      await subject.stop()
      await simulated.stop()
    }
  }
  table(
    `sync, upstreams with ${LATENCY_MS} ms latency, ${MACHINES_AT_ONCE} machines at once`,
    ['machines', 'took', 'bound', 'ratio', 'target', 'our CPU'],
    rows,
  )
}

if (import.meta.main) await sync()
