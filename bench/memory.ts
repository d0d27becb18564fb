/** Resident memory of the service as started by `npm start`: live configuration, upstreams in another process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Shot, fire, table, verdict, BEARER, SPENDING_LIMIT_FEN, TOKEN } from './harness.ts'
import { queryOf } from './reads.ts'
import { startSimulated } from './subjects/simulator.ts'
import { freePort } from '../test/support/free-port.ts'

const TARGET_MB = 140
const PRODUCTS = 5000
const START_WITHIN_MS = 60_000

/** A mix of requests, mostly searches, none of them repeated in a row. */
const requests = (ids: readonly string[]): readonly Shot[] => [
  { method: 'POST', path: '/ucp/v1/catalog/search', bodies: (i) => ({ ...queryOf(i), pagination: { limit: 20 } }) },
  {
    method: 'POST',
    path: '/ucp/v1/catalog/lookup',
    bodies: (i) => ({ ids: Array.from({ length: 50 }, (_, k) => ids[(i * 50 + k) % ids.length]) }),
  },
  { path: '/.well-known/ucp' },
  { path: '/', paths: (i) => `/ucp/v1/skus/${ids[i % ids.length]}` },
  { path: '/ucp/v1/events?limit=20' },
]
const SHARES = [0.6, 0.1, 0.1, 0.15, 0.05]

async function startReal(upstreams: Awaited<ReturnType<typeof startSimulated>>['upstreams']) {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-memory-'))
  const guardrails = join(folder, 'guardrails.json')
  const rules = {
    spendingLimitPerRun: SPENDING_LIMIT_FEN,
    priceCapPerItem: 100,
    hardNoGos: [],
    killSwitchEngaged: false,
  }
  writeFileSync(guardrails, JSON.stringify({ rules }))
  const port = await freePort()
  const bin = fileURLToPath(new URL('../bin/vendops.js', import.meta.url))
  const child = spawn(process.execPath, [bin, 'serve'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      VENDOPS_ENV: 'live',
      PORT: String(port),
      OPERATOR_TOKEN: TOKEN,
      DATABASE_URL: `sqlite:${join(folder, 'vendops.db')}`,
      GUARDRAILS_FILE: guardrails,
      // No rate limits: a benchmark exceeds them.
      RATE_LIMIT_PER_MINUTE: '0',
      ACME_SUPPLY_URL: upstreams.acmeSupply?.url,
      ACME_SUPPLY_APP_KEY: upstreams.acmeSupply?.appKey,
      ACME_SUPPLY_APP_SECRET: upstreams.acmeSupply?.appSecret,
      ACME_MACHINE_URL: upstreams.acmeMachine?.url,
      ACME_MACHINE_CLIENT_ID: upstreams.acmeMachine?.clientId,
      ACME_MACHINE_CLIENT_SECRET: upstreams.acmeMachine?.clientSecret,
    },
  })
  const url = `http://127.0.0.1:${port}`
  const giveUp = performance.now() + START_WITHIN_MS
  while (
    !(await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (performance.now() > giveUp || child.exitCode !== null) throw new Error('the service did not start')
    await sleep(50)
  }
  return {
    url,
    async residentMb(): Promise<number> {
      const text = await (await fetch(`${url}/metrics`, { headers: BEARER })).text()
      return Number(/^vendops_process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 2 ** 20
    },
    async stop() {
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function post(url: string, path: string, method: string, body: unknown): Promise<unknown> {
  const answer = await fetch(url + path, {
    method,
    headers: { ...BEARER, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.json()
}

export async function memory({ amount = 100_000, parts = 5 } = {}): Promise<void> {
  // `npm start` builds first.
  await import(new URL('../scripts/build-server.mjs', import.meta.url).href)
  const simulated = await startSimulated({ products: PRODUCTS })
  // The first start fills the compile cache and is not measured.
  await (await startReal(simulated.upstreams)).stop()
  const service = await startReal(simulated.upstreams)
  try {
    const idle = await service.residentMb()
    for (const { id, name, profile } of simulated.roster)
      await post(service.url, `/ucp/v1/locations/${id}`, 'PUT', { name, profile })
    await post(service.url, '/ucp/v1/locations/sync', 'POST', {})
    const { products } = (await post(service.url, '/ucp/v1/catalog/search', 'POST', {
      pagination: { limit: 100 },
    })) as {
      products: readonly { id: string }[]
    }
    const ids = products.map(({ id }) => id)
    const readings = [await service.residentMb()]
    for (let part = 0; part < parts; part++) {
      for (const [k, shot] of requests(ids).entries())
        await fire(service.url, shot, Math.round((amount / parts) * (SHARES[k] ?? 0)), BEARER, 16)
      readings.push(await service.residentMb())
    }
    const mb = (value: number) => `${value.toFixed(0)} MB`
    const [first = 0, last = 0] = [readings[2], readings.at(-1)]
    table(
      `resident memory of \`npm start\`, live, ${PRODUCTS.toLocaleString('en')} products, ${amount.toLocaleString('en')} requests`,
      ['started', ...readings.map((_, i) => `${(100 * i) / parts} %`), 'at the end', 'highest', 'growth since 40 %'],
      [[mb(idle), ...readings.map(mb), verdict(last, TARGET_MB, ' MB'), mb(Math.max(...readings)), mb(last - first)]],
    )
  } finally {
    await service.stop()
    await simulated.stop()
  }
}

if (import.meta.main) await memory()
