/** What sales and syncs of many machines cost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DAY } from '../src/kernel/clock.ts'
import { openStore } from '../src/store/open.ts'
import { type Sample, type Shot, type Subject, median, shoot, table, verdict, BEARER, startService } from './harness.ts'
import { MACHINES_AT_ONCE } from '../src/route/locations/sync/sync.ts'
import { startSimulated } from './subjects/simulator.ts'

/** A page of 100 sales out of a thousand and out of a million: the time must not depend on the size of the ledger. */
const SMALL = 1000
const LARGE = 1_000_000
const TARGET = 2
const MACHINES = 50
const PAGE = 100

/** Fills the tables of the mirror directly, with a year of sales; the temporary file needs no journal. */
async function fill(file: string, trades: number): Promise<void> {
  await (await openStore(`sqlite:${file}`)).close()
  const now = Date.now()
  const step = Math.floor((360 * DAY) / trades)
  const lines = JSON.stringify([{ vendorSku: 'G-1', priceFen: 250, costFen: 120, status: 'paid', since: now }])
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000; begin')
  database
    .prepare(
      `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${trades - 1})
      insert into sale_transaction (namespace, order_no, location, location_name, status, status_label, settled, total_fen, created_at,
        created_at_raw, lines, first_seen_at, changed_at, to_announce)
      select 'acme-machine', 'T' || (2000000000 - i), 'M' || (i % ${MACHINES}), 'Hall', 'TRADE_SUCCESS', '交易成功',
        case when i % 10 = 9 then 0 else 1 end, 250, ${now} - i * ${step}, '', ?, ${now}, ${now}, 0 from n`,
    )
    .run(lines)
  database.exec(`insert into ledger_mirror (namespace, covered_from, covered_to, announce_from, read_at, writes)
    values ('acme-machine', 0, ${now}, ${now}, ${now}, 0); commit`)
  database.close()
}

const day = (daysAgo: number) => encodeURIComponent(new Date(Date.now() - daysAgo * DAY).toISOString())

async function cursorAfter(subject: Subject, path: string, pages: number): Promise<string> {
  let cursor = ''
  for (let i = 0; i < pages; i++) {
    const at = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await fetch(`${subject.url}${path}${at}`, { headers: BEARER })
    const { pagination } = (await answer.json()) as { pagination: { cursor?: string } }
    cursor = pagination.cursor ?? cursor
  }
  return `${path}&cursor=${encodeURIComponent(cursor)}`
}

async function shotsFor(subject: Subject): Promise<Readonly<Record<string, Shot>>> {
  const path = `/ucp/v1/orders?kind=sale&limit=${PAGE}`
  return {
    'newest page': { path },
    'a later page': { path: await cursorAfter(subject, path, 5) },
    'every status': { path: `${path}&trade_status=all` },
    'since 300 days': { path: `${path}&from=${day(300)}` },
    'by id': { path: '/', paths: (i) => `/ucp/v1/orders/T${2_000_000_000 - (i % SMALL)}` },
  }
}

export async function sales({ amount = 200, rounds = 5 } = {}): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-sales-'))
  const over = async (trades: number) => {
    const file = join(folder, `${trades}.db`)
    await fill(file, trades)
    return startService({ databaseUrl: `sqlite:${file}` })
  }
  const [small, large] = [await over(SMALL), await over(LARGE)]
  try {
    const few = await shotsFor(small)
    const rows: string[][] = []
    for (const [name, shot] of Object.entries(await shotsFor(large))) {
      const pairs: { few: Sample; many: Sample }[] = []
      for (let i = 0; i <= rounds; i++)
        pairs.push({
          few: await shoot(small, few[name] as Shot, amount, BEARER, 1),
          many: await shoot(large, shot, amount, BEARER, 1),
        })
      // The first pair is the warm-up.
      const [a, b] = (['few', 'many'] as const).map((which) => median(pairs.slice(1).map((pair) => pair[which].cpuUs)))
      const waits = median(pairs.slice(1).map(({ few: one, many }) => one.perSecond / many.perSecond))
      const ratio = median(pairs.slice(1).map(({ few: one, many }) => many.cpuUs / one.cpuUs))
      const us = (value = 0) => `${value.toFixed(0)} µs`
      rows.push([name, us(a), us(b), ratio.toFixed(2), waits.toFixed(2), verdict(waits, TARGET)])
    }
    table(
      `${PAGE} sales out of ${SMALL.toLocaleString('en')} and out of ${LARGE.toLocaleString('en')}`,
      ['', 'CPU, few', 'CPU, many', 'CPU ratio', 'time ratio', 'target'],
      rows,
    )
  } finally {
    await small.stop()
    await large.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Duration of a sync with upstreams that take 50 ms per call, compared with the bound set by its limits. */
const LATENCY_MS = 50
const SYNC_TARGET = 1.5

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
        verdict(ms / bound, SYNC_TARGET),
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
