/**
 * Puts Prism, a validating proxy, between the adapter `nayax-lynx` and a stand-in of the platform: requests and replies are
 * both held to the vendor's own OpenAPI. The description is not ours to publish: `npm run check:nayax -- lynx.yaml`, or its
 * path in NAYAX_OPENAPI. Prism comes from the registry (npx, some 200 packages) and is not in the lock file.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../src/kernel/clock.ts'
import { fen } from '../src/kernel/fen.ts'
import type { Namespace } from '../src/kernel/ids.ts'
import type { Result, SendPermit } from '../src/vendors/contract.ts'
import type { MachineVendor } from '../src/vendors/machine-vendor.ts'
import { MACHINE } from '../src/vendors/nayax-lynx/fixtures.test-support.ts'
import { nayaxLynx } from '../src/vendors/nayax-lynx/index.ts'
import { processMemory } from '../src/vendors/process-memory.ts'
import { lynxUpstream, OPERATOR_ID, REFRESH_TOKEN } from '../test/contracts/lynx-upstream.ts'
import { freePort } from '../test/support/free-port.ts'

const PRISM = '@stoplight/prism-cli@5.16.0'
const READY_WITHIN_MS = 300_000
const TIMEOUT_MS = 20_000

const granted: SendPermit = async (write) => {
  write()
  return undefined
}

async function startPrism(description: string, upstream: string) {
  const port = await freePort()
  const words = ['--yes', PRISM, 'proxy', description, upstream, '--errors', '--host', '127.0.0.1', '--port', `${port}`]
  // A group of its own: npx starts Prism as a child, and both have to end.
  const child = spawn('npx', words, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => void (output += text.toString()))
  const gone = once(child, 'exit')
  const giveUpAt = performance.now() + READY_WITHIN_MS
  while (!output.includes('is listening')) {
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error(`Prism does not start:\n${output}`)
    await sleep(100)
  }
  const close = async () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
    await gone
  }
  return { url: `http://127.0.0.1:${port}`, output: () => output, close }
}

async function check(description: string): Promise<boolean> {
  const upstream = await lynxUpstream()
  // As described. The real times have no zone; the tests of the adapter have those.
  upstream.writesTimesWithZone = true
  upstream.alerts.set(MACHINE, [
    { EventCode: 5, EventDescription: 'Door', EventDateTimeGMT: '2026-09-19T20:00:00', EventLogID: 8 },
  ])
  const prism = await startPrism(description, `${upstream.url}/operational`)
  const connection = { namespace: 'lynx-machine' as Namespace, currency: 'USD', timeZone: 'UTC', isReadOnly: false }
  const settings = {
    url: prism.url,
    auth_url: upstream.url,
    refresh_token: REFRESH_TOKEN,
    operator_id: OPERATOR_ID,
    actor_id: 5,
    picklists: true,
  }
  const checked = nayaxLynx.check(settings, connection)
  if (!checked.ok) throw new Error(checked.problems.join('; '))
  const opened = nayaxLynx.open(checked.settings, {
    connection,
    memory: processMemory(),
    clock: systemClock,
    timeoutMs: TIMEOUT_MS,
    resolvePath: (path) => path,
    reportOlderSales: () => {},
  })
  const vendor = opened.vendor as MachineVendor
  let isPassed = true
  const report = (call: string, isExpected: boolean, found: string) => {
    isPassed &&= isExpected
    console.log(`${isExpected ? 'passed' : 'FAILED'}  ${call.padEnd(18)} ${found}`)
  }
  const expectAnswer = (call: string, result: Result<unknown> | undefined) =>
    report(call, result?.ok === true, result?.ok ? '' : `${result?.reason} ${result?.message} ${result?.raw ?? ''}`)
  try {
    expectAnswer('locations', await vendor.locations?.())
    expectAnswer('inventory', await vendor.inventory(MACHINE))
    expectAnswer('ledger', await vendor.ledger({ fromMs: 0, toMs: Date.parse('2100-01-01') }))
    expectAnswer('health', await vendor.health?.(MACHINE))
    expectAnswer(
      'updatePrices',
      await vendor.updatePrices(MACHINE, [{ vendorSku: '501', priceFen: fen(275) }], granted),
    )
    const advice = [{ vendorSku: '501', quantity: 4, reason: '' }]
    expectAnswer('restockRecommend', await vendor.restockRecommend(MACHINE, 'r', advice, granted))
    // A check that cannot fail shows nothing: without a token, and with a reply that is not as described.
    const withoutToken = await fetch(`${prism.url}/v1/machines?ResultsLimit=1&ResultsOffset=0`)
    report('no token', withoutToken.status === 401, `HTTP ${withoutToken.status}`)
    upstream.machines = upstream.machines.map((machine) => ({ ...machine, MachineID: 'not a number' }))
    const broken = await fetch(`${prism.url}/v1/machines?ResultsLimit=1&ResultsOffset=0`, {
      headers: { authorization: `Bearer ${upstream.tokensGiven.at(-1) ?? ''}` },
    })
    report('wrong reply', broken.status === 500, `HTTP ${broken.status}`)
    if (!isPassed) console.log(prism.output())
  } finally {
    await opened.vendor.close()
    await prism.close()
    await upstream.close()
  }
  return isPassed
}

const given = process.argv[2] ?? process.env['NAYAX_OPENAPI']
if (given === undefined || !existsSync(given)) {
  console.error('usage: npm run check:nayax -- PATH   the path of the OpenAPI file of Nayax Lynx')
  process.exitCode = 2
} else if (!(await check(resolve(given)))) process.exitCode = 1
