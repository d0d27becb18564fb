/** Commands that run on the server, and the emergency stop. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ChainReport } from '../../../record/hash-chain/index.ts'
import { rfc3339, systemClock } from '../../../kernel/clock.ts'
import { silentLog } from '../../../kernel/log.ts'
import { type Command, YES } from '../../command.ts'
import type { Context } from '../../context.ts'
import { environmentHelp } from '../../environment-help.ts'
import { CommandFailure, EXIT } from '../../exit.ts'
import { formatTime } from '../../format.ts'
import { count } from '../../../kernel/text.ts'
import { actor, hostConfig, allConnections, withDatabase } from '../../host.ts'
import { migrate } from '../../../store/migrate.ts'
import { restore } from './restore.ts'

const serve: Command = {
  name: 'serve',
  summary: 'run the service',
  details: 'Configured by environment variables. Without any, it starts a staging service with simulated vendors.',
  sections: () => [['Environment variables', environmentHelp()]],
  examples: [
    ['vendops serve', 'staging on http://localhost:8080/; cannot spend money'],
    ['VENDOPS_ENV=live OPERATOR_TOKEN=… vendops serve', 'live, with real vendors'],
  ],
  async run() {
    const { main } = await import('../../../main.ts')
    await main()
    return process.exitCode === 1 ? EXIT.failed : EXIT.ok
  },
}

export const STOP: Command = {
  name: 'stop',
  summary: 'pull the emergency stop: blocks purchases and price changes',
  args: [{ name: 'reason', many: true }],
  examples: [
    ['vendops stop prices look wrong', 'takes effect at once on every instance; an owner or the server releases it'],
  ],
  async run(context, args) {
    const response = await context.client.pullEmergencyStop({ body: { reason: args.rest('reason').join(' ') } })
    await context.writeJson(response)
    const { since, by, reason } = response.emergency_stop
    await context.writeLines(['emergency stop is on: purchases and price changes are blocked'])
    await context.writeFields([
      ['since', formatTime(since)],
      ['by', by],
      ['reason', reason],
    ])
    context.writeMessages(response.messages)
    context.suggest('release', 'on the server, once the reason is resolved')
  },
}

const release: Command = {
  name: 'release',
  summary: 'release the emergency stop, on the server; owners can also do it in the console',
  args: [{ name: 'reason', optional: true, many: true }],
  options: { yes: YES },
  examples: [['vendops release checked with the supplier', 'allows purchases and price changes again']],
  async run(context, args) {
    const { releaseKillSwitch, findKillSwitch, readGuardrails, rulesReader } =
      await import('../../../rules/guardrails/index.ts')
    return withDatabase(context.env, async (store, config) => {
      const stop = await findKillSwitch(store)
      if (stop) {
        await context.writeLines([`pulled by ${stop.by ?? 'unknown'}: ${stop.reason ?? 'unknown'}`])
        await context.confirm('Type release to continue: ', (answer) => answer === 'release', args.flag('yes'))
        const reason = args.rest('reason').join(' ') || 'Released on the server'
        await releaseKillSwitch({ store, clock: systemClock }, { by: actor(), reason })
      }
      const guardrails = await readGuardrails({
        store,
        readRules: rulesReader({ config, log: silentLog, store, clock: systemClock }),
      })
      const engaged = !guardrails.ok || guardrails.value.killSwitch.engaged
      await context.writeJson({ released: stop !== undefined, engaged })
      if (!guardrails.ok)
        throw new CommandFailure('the rules file cannot be read, so writes stay blocked', {
          exit: EXIT.guarded,
        })
      if (engaged) {
        await context.writeLines([`killSwitchEngaged is still true in ${config.guardrailsFile ?? 'the rules file'}`])
        return EXIT.guarded
      }
      await context.writeLines([stop ? 'emergency stop released' : 'the emergency stop was not on'])
      context.suggest('status', 'shows an overview of the route')
    })
  },
}

const backup: Command = {
  name: 'backup',
  summary: 'copy the database while the service runs',
  args: [{ name: 'file' }],
  examples: [['vendops backup "/backups/vendops-$(date +%F).db"', 'a complete, verified copy; never overwrites']],
  async run(context, args) {
    const file = resolve(args.arg('file'))
    if (existsSync(file)) throw new CommandFailure(`${file} already exists; a backup never overwrites a file`)
    return withDatabase(
      context.env,
      async (store) => {
        if (!store.backup)
          throw new CommandFailure('this command only backs up SQLite; the database is PostgreSQL', {
            hint: 'pg_dump --format=custom "$DATABASE_URL" > vendops.dump',
          })
        const copy = store.backup
        const { bytes } = await context
          .withProgress('copying', () => copy(file))
          .catch((failure: Error) => {
            throw new CommandFailure(`${file} could not be written: ${failure.message}`)
          })
        await context.writeJson({ file, bytes })
        await context.writeLines([`${file}  ${(bytes / 1e6).toFixed(1)} MB, verified`])
        context.suggest('audit', 'checks the purchase records')
        return EXIT.ok
      },
      'use',
    )
  },
}

export const OPENAPI: Command = {
  name: 'openapi',
  summary: 'print the API description (OpenAPI 3.1)',
  examples: [['vendops openapi > openapi.json', 'does not need a running service']],
  async run(context) {
    const [{ openapi: describe }, { publicUrl, currency }] = [
      await import('../../../api-docs/openapi.ts'),
      hostConfig(context.env),
    ]
    await context.terminal.out(`${JSON.stringify(describe(publicUrl, currency), null, 2)}\n`)
  },
}

const DAYS_BACK = 7
const DAYS_MAX = 60

const audit: Command = {
  name: 'audit',
  summary: 'check the purchase records and the hash chain, also against the suppliers',
  details: `Looks up every attempted order at its supplier, and also the unused purchase order numbers of the last days. After
a restore, --repair records the orders that the suppliers have and the database lost. It never sends an order.`,
  options: {
    offline: { kind: 'flag', summary: 'do not contact the suppliers' },
    repair: { kind: 'flag', summary: 'record orders that the suppliers have and the database lost' },
    days: { kind: 'number', value: 'N', summary: `days of purchase order numbers to look up (default ${DAYS_BACK})` },
    head: { kind: 'text', value: 'HASH', summary: 'a head hash of an earlier export; the chain must still contain it' },
    yes: YES,
  },
  examples: [
    ['vendops audit || mail -s "vendops audit" owner@example.com', 'nightly; exit code 1 if there is a problem'],
    ['vendops audit --repair --days 3', 'after restoring a backup that is two days old'],
  ],
  async run(context, args) {
    const { audit: check, auditChain, findLostOrders, repair } = await import('../../../views/audit/index.ts')
    const { deployVendors } = await import('../../../vendors/deployment.ts')
    const { connectionNeeds } = await import('../../../route/connections/index.ts')
    const { readDatabaseId } = await import('../../../store/database-id.ts')
    return withDatabase(
      context.env,
      async (store, config) => {
        const log = silentLog
        const clock = systemClock
        // In staging the suppliers are simulated inside the service process and cannot be reached from here.
        const askSuppliers = config.env === 'live' && !args.flag('offline')
        const days = args.wholeNumber('days', DAYS_BACK, 1, DAYS_MAX)
        if (args.flag('repair') && !askSuppliers)
          throw new CommandFailure('--repair has to contact the suppliers, which staging and --offline do not')
        if (args.flag('repair')) {
          await context.writeLines(['orders that the suppliers have and the database lost will be recorded'])
          await context.confirm('Type repair to continue: ', (answer) => answer === 'repair', args.flag('yes'))
          // A backup may be older than this version; the service that would migrate it must not run before the repair.
          await migrate(store)
        }
        const deployment = deployVendors(await allConnections(context.env, config, store), {
          clock,
          log,
          timeoutMs: config.upstreamTimeoutMs,
          ...connectionNeeds(store, log, await readDatabaseId(store.db)),
        })
        const ctx = { store, clock, vendors: deployment.vendors, config, log }
        try {
          const repaired = args.flag('repair')
            ? await context.withProgress('contacting the suppliers', () => repair(ctx, { days, by: actor() }))
            : undefined
          const [records, lost] = await context.withProgress('checking the records', async () => [
            await check(ctx, { askSupplier: askSuppliers }),
            askSuppliers ? await findLostOrders(ctx, days) : { problems: [] },
          ])
          const chain = await context.withProgress('verifying the hash chain', () =>
            auditChain(store, args.text('head')),
          )
          const report = { checked: records.checked, problems: [...records.problems, ...lost.problems] }
          await context.writeJson({ ...report, ...repaired, chain: chainReport(chain) })
          await context.writeLines([
            ...(repaired?.booked ?? []).map(({ checkout, label }) => `recorded  ${checkout}: order ${label}`),
            ...(repaired?.unbooked ?? []).map(({ checkout, text }) => `not recorded  ${checkout}: ${text}`),
            `${count(report.checked, 'purchase')} checked, ${count(report.problems.length, 'problem')}`,
            ...report.problems.map(({ code, checkout, text }) => `${context.style.red(code)}  ${checkout}: ${text}`),
            ...chainLines(context, chain),
          ])
          if (chain.problems.length > 0 || chain.containsExpected === false) return EXIT.failed
          if (report.problems.length > 0) {
            const isLost = report.problems.some(
              ({ code }) => code.startsWith('supplier_has_') && code.endsWith('_order'),
            )
            if (isLost && !repaired) context.suggest('audit --repair', 'records the orders that the database lost')
            return EXIT.failed
          }
          if (repaired && repaired.unbooked.length > 0) {
            context.suggest('audit --repair', 'tries again to record the rest')
            return EXIT.failed
          }
          context.suggest('backup <file>', 'copies the database')
          return EXIT.ok
        } finally {
          await deployment.close()
        }
      },
      args.flag('repair') ? 'use' : 'refuse',
    )
  },
}

const chainReport = ({ entries, head, problems, containsExpected }: ChainReport) => ({
  entries,
  head,
  problems,
  ...(containsExpected === undefined ? {} : { holds_expected_head: containsExpected }),
})

const chainLines = ({ style }: Context, { entries, problems, containsExpected }: ChainReport): string[] => [
  `hash chain: ${count(entries, 'entry', 'entries')}, ${count(problems.length, 'problem')}`,
  ...problems.map(({ seq, kind, subject, text }) => {
    const where = [seq === undefined ? undefined : `entry ${seq}`, kind, subject].filter((part) => part !== undefined)
    return `${style.red('chain')}  ${where.join(' ')}: ${text}`
  }),
  ...(containsExpected === false ? [`${style.red('chain')}  the given head hash is not part of the chain`] : []),
]

const auditExport: Command = {
  name: 'audit export',
  summary: 'write the hash chain as JSON lines, with the head hash at the end',
  details: `One line for each decision, attempt, price change, stop, release and key, each with the hash of the line before. Keep a copy
elsewhere: \`vendops audit --head HASH\` later tells whether the end of the chain was cut off or rewritten.`,
  examples: [
    ['vendops audit export > "chain-$(date +%F).jsonl"', 'weekly, to a place that the server cannot write to'],
  ],
  async run(context) {
    const { readChain } = await import('../../../record/hash-chain/index.ts')
    return withDatabase(context.env, async (store, config) => {
      let head = { seq: 0, hash: '0'.repeat(64) }
      for await (const { seq, at, kind, subject, by, facts, previous, hash } of readChain(store.db)) {
        // `at` and `facts` as they were hashed, so that anybody can compute the hash.
        const line = { seq, at, kind, subject, by: by ?? null, facts, previous, hash }
        await context.terminal.out(`${JSON.stringify(line)}\n`)
        head = { seq, hash }
      }
      const exportedAt = rfc3339(systemClock.now(), config.timeZone)
      await context.terminal.out(`${JSON.stringify({ head: head.hash, entries: head.seq, exported_at: exportedAt })}\n`)
    })
  },
}

export const HOST: readonly Command[] = [serve, release, backup, restore, audit, auditExport]
