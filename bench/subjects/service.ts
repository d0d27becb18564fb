/**
 * Our service as a subject: the real server, store and capabilities. Its upstreams are in memory, so that only our own
 * work counts, unless addresses of real ones are given.
 */
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assemble, createContext } from '../../src/assemble.ts'
import { readConfig } from '../../src/config.ts'
import { mountConsole } from '../../src/http/console.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { fen } from '../../src/kernel/fen.ts'
import type { Namespace } from '../../src/kernel/ids.ts'
import { logger } from '../../src/logger.ts'
import { openStore } from '../../src/store/open.ts'
import { cachedMachine, cachedSupply } from '../../src/vendors/cache/cached-vendors.ts'
import { deployVendors } from '../../src/vendors/deployment.ts'
import { type AcmeUpstreams, acmeConnections } from '../../src/vendors/connections/connection.ts'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { registerLive, registry } from '../../src/vendors/registry.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply } from '../../test/support/scripted-vendors.ts'
import { type ServiceBench, attend, SPENDING_LIMIT_FEN, TOKEN } from '../harness.ts'

const { products = 0, machines = 0, databaseUrl, upstreams } = JSON.parse(process.argv[2] ?? '{}') as ServiceBench
const folder = mkdtempSync(join(tmpdir(), 'vendops-bench-'))
const guardrails = join(folder, 'guardrails.json')
writeFileSync(
  guardrails,
  JSON.stringify({
    rules: {
      spendingLimitPerRun: SPENDING_LIMIT_FEN,
      priceCapPerItem: 100,
      hardNoGos: ['烟草'],
      killSwitchEngaged: false,
    },
    administrators: [],
    administratorChats: [],
  }),
)
// Without rate limits: a benchmark sends more requests than any caller may.
const environment = { OPERATOR_TOKEN: TOKEN, GUARDRAILS_FILE: guardrails, RATE_LIMIT_PER_MINUTE: '0' }
const read = readConfig(environment, () => true)
if (!read.ok) throw new Error(read.problems.join())
const { config } = read
const store = await openStore(databaseUrl ?? `sqlite:${join(folder, 'vendops.db')}`)
const { log } = logger('info', openSync('/dev/null', 'w'))

function scripted() {
  const brands = ['农夫山泉', '可口可乐', '乐事', '康师傅', '统一', '旺旺', '伊利', '蒙牛']
  const supply = scriptedSupply(
    Array.from({ length: products }, (_, i) =>
      supplyProduct(`SP${i}`, {
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
  // The same result every time: building one of 5,000 products would be the supplier's work, not ours.
  const catalog = supply.vendor.catalog()
  const supplier = { ...supply.vendor, catalog: () => catalog }
  const shelf = Array.from({ length: 20 }, (_, i) => machineSlot(`G-${i}`, { priceFen: fen(250 + i) }))
  const machine = scriptedMachine(Object.fromEntries(Array.from({ length: machines }, (_, m) => [`M${m}`, [...shelf]])))
  return {
    vendors: registry([
      registerLive('acme-supply' as Namespace, cachedSupply(supplier, systemClock)),
      registerLive('acme-machine' as Namespace, cachedMachine(machine.vendor, systemClock)),
    ]),
    // The scripted vendors record every call, which would count as our memory.
    forget: () => void (supply.script.calls.splice(0), machine.script.calls.splice(0)),
    close: async () => {},
  }
}

const deployed = (addresses: AcmeUpstreams) => ({
  ...deployVendors(acmeConnections(addresses), {
    clock: systemClock,
    log,
    timeoutMs: config.upstreamTimeoutMs,
    ...connectionNeeds(store, log),
  }),
  forget: () => {},
})

const upstream = upstreams ? deployed(upstreams) : scripted()
const { server, stream, sessions } = await assemble(
  createContext({ store, clock: systemClock, vendors: upstream.vendors, config, log }),
  TOKEN,
)
mountConsole(server, sessions)
attend(await server.listen({ host: '127.0.0.1', port: 0 }), { forget: upstream.forget }, async () => {
  await server.close()
  await stream.close()
  await upstream.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})
