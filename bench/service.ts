/** Our service as a subject: the real server, store and capabilities, with upstreams in memory so that only our own work counts. */
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { buildApp } from '../src/app.ts'
import { eventStream } from '../src/capabilities/events/stream.ts'
import { readConfig } from '../src/config.ts'
import { authenticator } from '../src/http/auth.ts'
import { idempotency } from '../src/http/idempotency.ts'
import { metrics } from '../src/http/metrics.ts'
import { buildServer } from '../src/http/server.ts'
import { systemClock } from '../src/kernel/clock.ts'
import { fen } from '../src/kernel/fen.ts'
import type { Namespace } from '../src/kernel/ids.ts'
import { openStore } from '../src/store/db.ts'
import { cachedMachine, cachedSupply } from '../src/vendors/cached.ts'
import { live, registry } from '../src/vendors/registry.ts'
import { good, machineSlot, scriptedMachine, scriptedSupply } from '../test/support/scripted-vendors.ts'
import { attend } from './harness.ts'

export interface ServiceBench {
  readonly goods: number
  readonly machines?: number
  readonly databaseUrl?: string
}

export const TOKEN = 'bench-token-0123456789'

const { goods, machines = 10, databaseUrl } = JSON.parse(process.argv[2] ?? '{}') as ServiceBench
const folder = mkdtempSync(join(tmpdir(), 'vendops-bench-'))
const guardrails = join(folder, 'guardrails.json')
writeFileSync(
  guardrails,
  JSON.stringify({
    rules: { spendingLimitPerRun: 1_000_000_000, priceCapPerItem: 100, hardNoGos: [], killSwitchEngaged: false },
    administrators: [],
    administratorChats: [],
  }),
)
const read = readConfig({ OPERATOR_TOKEN: TOKEN, GUARDRAILS_FILE: guardrails }, () => true)
if (!read.ok) throw new Error(read.problems.join())
const config = read.config
const store = await openStore(databaseUrl ?? `sqlite:${join(folder, 'vendops.db')}`)
const log = pino({ level: 'info', base: null }, pino.destination({ fd: openSync('/dev/null', 'w'), sync: false }))

const brands = ['农夫山泉', '可口可乐', '乐事', '康师傅', '统一', '旺旺', '伊利', '蒙牛']
const supply = scriptedSupply(
  Array.from({ length: goods }, (_, i) =>
    good(`SP${i}`, {
      title: `${brands[i % brands.length]} 饮料 ${i} 550ml`,
      brand: brands[i % brands.length] ?? '',
      category: i % 2 ? '饮料' : '零食',
      spec: '550ml*24',
      stock: 1_000_000_000,
      imageUrl: `https://img.example/${i}.jpg`,
    }),
  ),
  [{ id: 'S01', name: '浦东自提仓', address: '上海市浦东新区' }],
)
const machine = scriptedMachine(
  Object.fromEntries(
    Array.from({ length: machines }, (_, m) => [
      `M${m}`,
      Array.from({ length: 20 }, (_slot, i) => machineSlot(`G-${i}`, { priceFen: fen(250 + i) })),
    ]),
  ),
)
const vendors = registry([
  live('acme-supply' as Namespace, cachedSupply(supply.vendor, systemClock)),
  live('acme-machine' as Namespace, cachedMachine(machine.vendor, systemClock)),
])
const floor = { store, clock: systemClock, vendors, config, log }
const auth = authenticator(TOKEN)
const stream = eventStream(floor)
const app = buildApp({ ...floor, auth, stream })
const server = await buildServer({
  handlers: app.handlers,
  auth,
  idempotency: idempotency(store, systemClock),
  metrics: metrics(),
  clock: systemClock,
  log,
  publicUrl: config.publicUrl,
  rateLimitPerMinute: 0,
})
attend(
  await server.listen({ host: '127.0.0.1', port: 0 }),
  // The scripts remember every call; over a million requests that would be measured as ours.
  { forget: () => void (supply.script.calls.splice(0), machine.script.calls.splice(0)) },
  async () => {
    await server.close()
    await stream.close()
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  },
)
