/** Looks at everything that is usually wrong, and says how to mend it. */
import type { Client } from '../../client/index.ts'
import type { Command } from '../command.ts'
import { serviceUrl } from '../connect.ts'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT } from '../exit.ts'
import { count } from '../format.ts'
import type { Finding } from '../doctor/check.ts'

export const DOCTOR: Command = {
  name: 'doctor',
  group: 'On the host',
  summary: 'find what is wrong, and how to mend it',
  details:
    'Checks the configuration, token, database, guardrails file, service, each vendor, no-go list, clock, time zone\nand disk. Exit code 1 when anything fails; warnings alone are 0.',
  examples: [
    ['vendops doctor', 'the first thing to run when something is odd'],
    ['vendops doctor --json | jq \'.findings[] | select(.state == "fail")\'', 'for monitoring'],
  ],
  async run(context) {
    const findings = await context.during('looking', () => examine(context))
    await context.data({ findings })
    const { style } = context
    const marks = { ok: style.green('✓'), warn: style.yellow('!'), fail: style.red('✗'), skipped: style.dim('·') }
    for (const { check, state, found, mend } of findings) {
      await context.say([`${marks[state]} ${style.bold(check)}  ${found}`])
      if (mend !== undefined) await context.say([style.dim(`    → ${mend}`)])
    }
    const failed = findings.filter(({ state }) => state === 'fail').length
    const warned = findings.filter(({ state }) => state === 'warn').length
    await context.say([
      failed + warned === 0 ? 'all is well' : `${count(failed, 'failure')}, ${count(warned, 'warning')}`,
    ])
    if (failed === 0) context.next('status', 'the route at a glance')
    return failed === 0 ? EXIT.ok : EXIT.failed
  },
}

async function examine(context: Context): Promise<Finding[]> {
  const host = await import('../doctor/host-checks.ts')
  const service = await import('../doctor/service-checks.ts')
  const { env } = context
  const url = serviceUrl(env, context.url)
  const read = host.readHostConfig(env)
  const local = read.ok
    ? [
        host.checkToken(env, read.config),
        ...(await host.checkDatabase(read.config)),
        host.checkGuardrails(read.config),
        host.checkTimeZone(read.config),
        host.checkDisk(read.config),
      ]
    : []
  const upstreams = read.ok ? service.upstreamUrls(read.config) : []
  // The demo rules are not the reader's spelling to check.
  const hasDemoRules = read.ok && read.config.guardrailsFile === undefined
  const running = await service.checkService(url)
  const answers = running.every(({ state }) => state === 'ok')
  return [
    host.checkRuntime(process.versions.node),
    ...host.checkConfiguration(read),
    ...local,
    ...running,
    ...(answers ? [await service.checkClock(`${url}/healthz`, 'clock (service)')] : []),
    ...(await Promise.all(upstreams.map(([name, upstream]) => service.checkClock(upstream, `clock (${name})`)))),
    ...(answers ? await service.checkVendors(clientOf(context)) : []),
    ...(answers && !hasDemoRules ? await service.checkNoGos(clientOf(context)) : []),
  ]
}

function clientOf(context: Context): Client | undefined {
  try {
    return context.client
  } catch (problem) {
    if (problem instanceof CommandFailure) return undefined
    throw problem
  }
}
