/** Real processes of the service on one database, with one supplier that outlives them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { audit } from '../../src/views/audit/audit.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { silentLog } from '../../src/kernel/log.ts'
import { startSimulator } from '../../src/simulator/start.ts'
import { openStore } from '../../src/store/open.ts'
import { connectionNeeds } from '../../src/route/connections/index.ts'
import { configuredConnections } from '../../src/vendors/connections/configured-connections.ts'
import { deployVendors } from '../../src/vendors/deployment.ts'
import { WORKED_PARAMS } from '../../src/acts/replenishment/planner/inputs.test-support.ts'
import { databaseUrl } from '../support/database.ts'
import { RULES, TOKEN } from '../support/service.ts'
import type { Json } from '../support/service.ts'
import { builtInstance } from './build-instance.ts'
import { freePort } from '../support/free-port.ts'

/** Short, because recovery waits for several of them. */
const TIMEOUT_MS = 1000
const START_WITHIN_MS = 90_000
const LAST_WORDS = 2000

interface Running {
  readonly gone: Promise<unknown>
  readonly kill: () => void
  /** SIGSTOP suspends it, as a paused virtual machine is; SIGCONT lets it go on. */
  readonly signal: (signal: NodeJS.Signals) => void
  readonly call: (
    method: string,
    path: string,
    body?: object,
    key?: string,
  ) => Promise<{ readonly status: number; readonly body: Json; readonly retryAfter: string | null }>
  /** The status of /readyz; 0 when nobody answers. */
  readonly ready: () => Promise<number>
}

export async function startDeployment({
  timeoutMs = TIMEOUT_MS,
  database,
  connections,
  env = {},
}: {
  readonly timeoutMs?: number
  readonly database?: string
  /** Beside the simulated supplier; paths in them are relative to `folder`. */
  readonly connections?: readonly object[]
  readonly env?: Readonly<Record<string, string>>
} = {}) {
  const simulator = await startSimulator({ seed: 1, clock: systemClock })
  const folder = mkdtempSync(join(tmpdir(), 'vendops-processes-'))
  const guardrails = join(folder, 'guardrails.json')
  writeFileSync(guardrails, JSON.stringify(RULES))
  const vendorsFile = connections && join(folder, 'vendors.json')
  if (vendorsFile !== undefined) writeFileSync(vendorsFile, JSON.stringify({ connections }))
  const url = database ?? (await databaseUrl())
  onTestFinished(async () => {
    await simulator.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const good = simulator.world.products.find(
    ({ supply }) => supply.onShelf && supply.stockNum > 100 && supply.packPriceFen < 20_000,
  )
  if (!good) throw new Error('the simulated supplier has nothing to sell')

  const environment: Readonly<Record<string, string>> = {
    VENDOPS_ENV: 'live',
    OPERATOR_TOKEN: TOKEN,
    PLAN_PARAMS: JSON.stringify(WORKED_PARAMS),
    DATABASE_URL: url,
    DATA_DIR: folder,
    GUARDRAILS_FILE: guardrails,
    ...(vendorsFile !== undefined && { VENDORS_FILE: vendorsFile }),
    ACME_SUPPLY_URL: simulator.supplyUrl,
    ACME_SUPPLY_APP_KEY: simulator.supply.appKey,
    ACME_SUPPLY_APP_SECRET: simulator.supply.appSecret,
    UPSTREAM_TIMEOUT_MS: String(timeoutMs),
    LOG_LEVEL: 'silent',
    // Hundreds of purchases in seconds: more than any caller may ask for.
    RATE_LIMIT_PER_MINUTE: '0',
    ...env,
  }

  /** Somebody else may take the free port first; then the process ends by itself and the next one is tried. */
  async function start(killAt = '', triesLeft = 5): Promise<Running> {
    const port = await freePort()
    const program = await builtInstance()
    const child = spawn(process.execPath, [program], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        // From the second start on nothing is compiled, as with `vendops serve`.
        NODE_COMPILE_CACHE: join(dirname(program), 'compiled'),
        ...environment,
        PORT: String(port),
        KILL_AT: killAt,
      },
    })
    let said = ''
    child.stderr?.on('data', (text: Buffer) => void (said = (said + text.toString()).slice(-LAST_WORDS)))
    const gone = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await gone
    })
    const root = `http://127.0.0.1:${port}`
    const isReady = until(async () => (await fetch(`${root}/readyz`)).ok, START_WITHIN_MS).then(() => 'ready' as const)
    const outcome = await Promise.race([isReady, gone.then(() => 'gone' as const)])
    if (outcome === 'gone') {
      isReady.catch(() => {})
      if (triesLeft <= 1) throw new Error(`the process does not start: ${said}`)
      return start(killAt, triesLeft - 1)
    }
    return {
      gone,
      kill: () => void child.kill('SIGKILL'),
      signal: (signal) => void child.kill(signal),
      ready: () =>
        fetch(`${root}/readyz`).then(
          ({ status }) => status,
          () => 0,
        ),
      call: async (method, path, body, key) => {
        const answer = await fetch(`${root}/ucp/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${TOKEN}`,
            'content-type': 'application/json',
            ...(key === undefined ? {} : { 'idempotency-key': key }),
          },
          ...(body ? { body: JSON.stringify(body) } : {}),
        })
        return { status: answer.status, body: await answer.json(), retryAfter: answer.headers.get('retry-after') }
      },
    }
  }

  return {
    url,
    folder,
    /** For the command line on the same host. */
    environment,
    simulator,
    start,
    /** A body that makes a session ready at once. */
    basket: {
      line_items: [{ item: { id: `acme-supply:${good.supply.goodsNo}` }, quantity: 2 }],
      fulfillment: {
        methods: [
          {
            type: 'shipping',
            destinations: [{ street_address: '上海市世纪大道 100 号', first_name: '伟', phone_number: '13800000000' }],
          },
        ],
      },
    },
    problems: async () => {
      const store = await openStore(url)
      const needs = { clock: systemClock, log: silentLog, timeoutMs: 5000, ...connectionNeeds(store, silentLog) }
      const acmeSupply = { url: simulator.supplyUrl, ...simulator.supply }
      const deployed = { env: 'live', currency: 'CNY', timeZone: 'Asia/Shanghai', vendorsFile, acmeSupply } as const
      const configured = configuredConnections({ ...deployed, acmeMachine: undefined }, {})
      if (!configured.ok) throw new Error(configured.problems.join('; '))
      const deployment = deployVendors(configured.connections, needs)
      const report = await audit(
        { store, vendors: deployment.vendors, config: { currency: 'CNY' } },
        { askSupplier: true },
      )
      await deployment.close()
      await store.close()
      return report.problems
    },
  }
}

export async function until(isSo: () => Promise<boolean>, withinMs: number): Promise<void> {
  const giveUp = performance.now() + withinMs
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > giveUp) throw new Error(`not so within ${withinMs} ms`)
    await sleep(50)
  }
}
