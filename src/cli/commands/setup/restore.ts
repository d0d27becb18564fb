/** Replaces the database with a backup. */
import { resolve } from 'node:path'
import { systemClock } from '../../../kernel/clock.ts'
import { type Command, YES } from '../../command.ts'
import { CommandFailure, EXIT } from '../../exit.ts'
import { databaseFile, hostConfig } from '../../host.ts'

/** `20260910T080102Z`, for file names. */
const fileTimestamp = (epochMs: number): string => new Date(epochMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')

export const restore: Command = {
  name: 'restore',
  summary: 'replace the database with a backup; the service must be stopped',
  args: [{ name: 'file' }],
  options: { yes: YES },
  details:
    'Keeps the current database under another name. An emergency stop and orders recorded next to the database stay known.',
  examples: [
    [
      'vendops restore /backups/vendops-2026-09-10.db',
      'verifies the backup first; run vendops audit --repair afterwards',
    ],
  ],
  async run(context, args) {
    const { restoreDatabase, RestoreRefused } = await import('../../../store/restore.ts')
    const config = hostConfig(context.env)
    const database = databaseFile(config)
    const isLive = config.env === 'live'
    if (database === undefined || database === ':memory:')
      throw new CommandFailure('this command only restores an SQLite database file', {
        hint: 'for PostgreSQL see docs/backup-and-restore.md: pg_restore, then vendops audit --repair',
      })
    const backup = resolve(args.arg('file'))
    await context.writeLines([`${backup} will replace ${database}`])
    await context.confirm('Type restore to continue: ', (answer) => answer === 'restore', args.flag('yes'))
    try {
      const { previousFile: kept, unreadable } = restoreDatabase(backup, database, fileTimestamp(systemClock.now()))
      await context.writeJson({ database, backup, kept: kept ?? null })
      await context.writeLines([
        `${database} restored from ${backup}`,
        ...(kept === undefined ? [] : [`the previous database was kept as ${kept}`]),
        ...(unreadable ? ['the previous database could not be read: make sure that no service has it open'] : []),
        ...(isLive ? ['Only the suppliers know the orders placed after the backup.'] : []),
      ])
      if (isLive) context.suggest('audit --repair', 'records those orders; run it before starting the service')
      else context.suggest('serve', 'starts the service')
      return EXIT.ok
    } catch (failure) {
      if (failure instanceof RestoreRefused) throw new CommandFailure(`${failure.message}; nothing was changed`)
      throw failure
    }
  },
}
