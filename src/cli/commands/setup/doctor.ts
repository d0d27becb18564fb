/** Runs all checks and prints a fix for each problem. */
import type { Client } from '../../../client/index.ts'
import type { Command } from '../../command.ts'
import { serviceUrl } from '../../connect.ts'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../exit.ts'
import { count } from '../../../kernel/text.ts'
import type { Finding } from '../../doctor/check.ts'

export const DOCTOR: Command = {
  name: 'doctor',
  summary: 'diagnose problems and suggest fixes',
  details:
    'Checks the configuration, token, database, rules file, service, vendors, webhooks, blocked products, clocks, time zone and disk.\nEach connection in live is tested with one read, and its capabilities are listed.\nThe exit code is 1 if a check fails; warnings do not count.',
  examples: [
    ['vendops doctor', 'run this first when something looks wrong'],
    ['vendops doctor --json | jq \'.findings[] | select(.state == "fail")\'', 'for monitoring'],
  ],
  async run(context) {
    const findings = await context.withProgress('running checks', () => runChecks(context))
    // `mend` is the former name of `fix`; scripts may still read it.
    await context.writeJson({ findings: findings.map((finding) => ({ ...finding, mend: finding.fix })) })
    const { style } = context
    const marks = { ok: style.green('✓'), warn: style.yellow('!'), fail: style.red('✗'), skipped: style.dim('·') }
    for (const { check, state, found, fix } of findings) {
      await context.writeLines([`${marks[state]} ${style.bold(check)}  ${found}`])
      if (fix !== undefined) await context.writeLines([style.dim(`    → ${fix}`)])
    }
    const failed = findings.filter(({ state }) => state === 'fail').length
    const warned = findings.filter(({ state }) => state === 'warn').length
    await context.writeLines([
      failed + warned === 0 ? 'no problems found' : `${count(failed, 'failure')}, ${count(warned, 'warning')}`,
    ])
    if (failed === 0) context.suggest('status', 'shows an overview of the route')
    return failed === 0 ? EXIT.ok : EXIT.failed
  },
}

async function runChecks(context: Context): Promise<Finding[]> {
  const host = await import('../../doctor/host-checks.ts')
  const service = await import('../../doctor/service-checks.ts')
  const { checkConnections, storedConnections } = await import('../../doctor/connection-checks.ts')
  const webhooks = await import('../../doctor/webhook-checks.ts')
  const { configuredConnections } = await import('../../../vendors/connections/configured-connections.ts')
  const { env } = context
  const url = serviceUrl(env, context)
  const configuration = host.readHostConfig(env)
  const local = configuration.ok
    ? [
        host.checkToken(env, configuration.config),
        ...(await host.checkDatabase(configuration.config)),
        ...(await host.checkPeople(configuration.config)),
        host.checkGuardrails(configuration.config),
        ...host.checkLimits(configuration.config),
        host.checkTimeZone(configuration.config),
        host.checkDisk(configuration.config),
      ]
    : []
  const vendors = configuration.ok ? configuredConnections(configuration.config, env) : undefined
  const fixed = vendors?.ok ? vendors.connections : []
  const stored = configuration.ok ? await storedConnections(configuration.config, fixed) : { opened: [], findings: [] }
  const connections = [...fixed, ...stored.opened]
  const upstreams = service.upstreamUrls(connections)
  // The demo rules of staging were not written by the user.
  const hasDemoRules = configuration.ok && configuration.config.guardrailsFile === undefined
  const running = await service.checkService(url)
  const isReady = running.every(({ state }) => state === 'ok')
  return [
    host.checkRuntime(process.versions.node),
    ...host.checkConfiguration(configuration),
    ...(configuration.ok && vendors ? host.checkVendorsFile(configuration.config, vendors) : []),
    ...local,
    ...running,
    ...(isReady ? [await service.checkClock(`${url}/healthz`, 'clock (service)')] : []),
    ...(await Promise.all(upstreams.map(([name, upstream]) => service.checkClock(upstream, `clock (${name})`)))),
    ...(configuration.ok ? await checkConnections(connections, configuration.config.upstreamTimeoutMs) : []),
    ...stored.findings,
    ...(isReady
      ? await service.checkVendors(
          clientOf(context),
          connections.map(({ basics }) => basics.namespace),
        )
      : []),
    ...(configuration.ok
      ? [
          ...webhooks.checkSigningKeys(configuration.config),
          ...webhooks.checkNotifyFile(configuration.config, env),
          ...(await webhooks.checkWebhookTargets(configuration.config)),
        ]
      : []),
    ...(isReady && !hasDemoRules ? await service.checkNoGos(clientOf(context)) : []),
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
