/** Run the service, look after its data, and the emergency stop. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../../kernel/clock.ts'
import { silentLog } from '../../kernel/log.ts'
import type { Command } from '../command.ts'
import { YES } from '../command.ts'
import { CommandFailure, EXIT } from '../exit.ts'
import { count, when } from '../format.ts'
import { actor, hostConfig, withDatabase } from '../host.ts'
import { restore } from './restore.ts'

const serve: Command = {
  name: 'serve',
  group: 'On the host',
  summary: 'run the service',
  details: 'Configured by environment variables; without any it is a staging service with simulated vendors.',
  examples: [
    ['vendops serve', 'staging on http://localhost:8080/, nothing can be bought'],
    ['VENDOPS_ENV=live OPERATOR_TOKEN=… vendops serve', 'the real thing'],
  ],
  async run() {
    const { main } = await import('../../main.ts')
    await main()
    return process.exitCode === 1 ? EXIT.failed : EXIT.ok
  },
}

const stop: Command = {
  name: 'stop',
  group: 'Decide',
  summary: 'pull the emergency stop: nothing is bought or repriced any more',
  args: [{ name: 'reason', many: true }],
  examples: [['vendops stop prices look wrong', 'at once, for every instance; released only on the host']],
  async run(context, given) {
    const answer = await context.client.pullEmergencyStop({ body: { reason: given.rest('reason').join(' ') } })
    await context.data(answer)
    const { since, by, reason } = answer.emergency_stop
    await context.say(['the emergency stop is on'])
    await context.fields([
      ['since', when(since)],
      ['by', by],
      ['reason', reason],
    ])
    context.messages(answer.messages)
    context.next('release', 'on the host, once the reason is gone')
  },
}

const release: Command = {
  name: 'release',
  group: 'On the host',
  summary: 'release the emergency stop; only here, never over the interface',
  args: [{ name: 'reason', optional: true, many: true }],
  options: { yes: YES },
  examples: [['vendops release checked with the supplier', 'purchases and price changes go on']],
  async run(context, given) {
    const { releaseKillSwitch, findKillSwitch, readGuardrails, rulesReader } =
      await import('../../capabilities/guardrails/index.ts')
    return withDatabase(context.env, async (store, config) => {
      const pulled = await findKillSwitch(store)
      if (pulled) {
        await context.say([`pulled by ${pulled.by ?? 'unknown'}: ${pulled.reason ?? 'unknown'}`])
        await context.confirm('Type release to go on: ', (answer) => answer === 'release', given.flag('yes'))
        const reason = given.rest('reason').join(' ') || 'released on the host'
        await releaseKillSwitch({ store, clock: systemClock }, { by: actor(), reason })
      }
      const guard = await readGuardrails({ store, readRules: rulesReader({ config, log: silentLog }) })
      const engaged = !guard.ok || guard.value.killSwitch.engaged
      await context.data({ released: pulled !== undefined, engaged })
      if (!guard.ok)
        throw new CommandFailure('the guardrails file cannot be read, so writes stay refused', { exit: EXIT.guarded })
      if (engaged) {
        await context.say([`${config.guardrailsFile ?? 'the guardrails file'} still says killSwitchEngaged`])
        return EXIT.guarded
      }
      await context.say([pulled ? 'the emergency stop is released' : 'the emergency stop was not pulled'])
      context.next('status', 'the route at a glance')
      return EXIT.ok
    })
  },
}

const backup: Command = {
  name: 'backup',
  group: 'On the host',
  summary: 'copy the database while the service runs',
  args: [{ name: 'file' }],
  examples: [['vendops backup "/backups/vendops-$(date +%F).db"', 'a whole, checked copy; never overwrites']],
  async run(context, given) {
    const file = resolve(given.arg('file'))
    if (existsSync(file)) throw new CommandFailure(`${file} is already there; a backup never overwrites`)
    return withDatabase(context.env, async (store) => {
      if (!store.backup)
        throw new CommandFailure('this database is PostgreSQL', {
          hint: 'pg_dump --format=custom "$DATABASE_URL" > vendops.dump',
        })
      const copy = store.backup
      const { bytes } = await context
        .during('copying', () => copy(file))
        .catch((failure: Error) => {
          throw new CommandFailure(`${file} could not be written: ${failure.message}`)
        })
      await context.data({ file, bytes })
      await context.say([`${file}  ${(bytes / 1e6).toFixed(1)} MB, checked`])
      context.next('audit', 'checks that the books agree')
      return EXIT.ok
    })
  },
}

const openapi: Command = {
  name: 'openapi',
  group: 'Tools',
  summary: 'print the interface description (OpenAPI 3.1)',
  examples: [['vendops openapi > openapi.json', 'needs no service']],
  async run(context) {
    const [{ openapi: describe }, { publicUrl }] = [await import('../../api-docs/openapi.ts'), hostConfig(context.env)]
    await context.terminal.out(`${JSON.stringify(describe(publicUrl), null, 2)}\n`)
  },
}

const DAYS_BACK = 7
const DAYS_MAX = 60

const audit: Command = {
  name: 'audit',
  group: 'On the host',
  summary: 'check that the books agree with each other and with the suppliers',
  details: `Asks the suppliers about every session with an attempt, and about the numbers of the last days that no attempt
explains. After a restore, --repair books what they have and the records lost; nothing is ever sent.`,
  options: {
    offline: { kind: 'flag', summary: 'do not ask the suppliers' },
    repair: { kind: 'flag', summary: 'book orders the suppliers have and the records lost' },
    days: { kind: 'number', value: 'N', summary: `days of purchase order numbers to ask about (${DAYS_BACK})` },
    yes: YES,
  },
  examples: [
    ['vendops audit || mail -s "vendops audit" owner@example.com', 'in a nightly job; exit code 1 on any problem'],
    ['vendops audit --repair --days 3', 'after restoring a backup of the day before yesterday'],
  ],
  async run(context, given) {
    const { audit: check, findLostOrders, repair } = await import('../../capabilities/audit/index.ts')
    const { deployVendors } = await import('../../vendors/deployment.ts')
    return withDatabase(context.env, async (store, config) => {
      const log = silentLog
      const clock = systemClock
      const deployment = deployVendors(config, { clock, log, timeoutMs: config.upstreamTimeoutMs })
      try {
        // Staging's suppliers live inside the service's own process: there is nobody to ask from here.
        const askSupplier = config.env === 'live' && !given.flag('offline')
        const days = given.whole('days', DAYS_BACK, 1, DAYS_MAX)
        const ctx = { store, clock, vendors: deployment.vendors, config, log }
        if (given.flag('repair') && !askSupplier)
          throw new CommandFailure('a repair has to ask the suppliers, which staging and --offline do not')
        if (given.flag('repair')) {
          await context.say([
            'orders the suppliers have under our numbers, and the records lost, are booked as purchases',
          ])
          await context.confirm('Type repair to go on: ', (answer) => answer === 'repair', given.flag('yes'))
        }
        const repaired = given.flag('repair')
          ? await context.during('asking the suppliers', () => repair(ctx, { days, by: actor() }))
          : undefined
        const [books, lost] = await context.during('reading the books', async () => [
          await check(ctx, { askSupplier }),
          askSupplier ? await findLostOrders(ctx, days) : { problems: [] },
        ])
        const report = { checked: books.checked, problems: [...books.problems, ...lost.problems] }
        await context.data({ ...report, ...repaired })
        await context.say([
          ...(repaired?.booked ?? []).map(({ checkout, label }) => `booked  ${checkout}: order ${label}`),
          ...(repaired?.unbooked ?? []).map(({ checkout, text }) => `not booked  ${checkout}: ${text}`),
          `${count(report.checked, 'purchase')} checked, ${count(report.problems.length, 'problem')}`,
          ...report.problems.map(({ code, checkout, text }) => `${context.style.red(code)}  ${checkout}: ${text}`),
        ])
        if (report.problems.length > 0) {
          const isLost = report.problems.some(({ code }) => code.startsWith('supplier_has_') && code.endsWith('_order'))
          if (isLost && !repaired) context.next('audit --repair', 'books what the suppliers have and the records lost')
          return EXIT.failed
        }
        if (repaired && repaired.unbooked.length > 0) {
          context.next('audit --repair', 'asks again about what could not be booked')
          return EXIT.failed
        }
        context.next('backup <file>', 'copies the database')
        return EXIT.ok
      } finally {
        await deployment.close()
      }
    })
  },
}

export const HOST: readonly Command[] = [serve, stop, release, backup, restore, audit, openapi]
