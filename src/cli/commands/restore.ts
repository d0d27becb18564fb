/** Put a backup in the place of the database. */
import { resolve } from 'node:path'
import { systemClock } from '../../kernel/clock.ts'
import type { Command } from '../command.ts'
import { YES } from '../command.ts'
import { CommandFailure, EXIT } from '../exit.ts'
import { databaseFile, hostConfig } from '../host.ts'

/** `20260910T080102Z`, for names of files. */
const stampOf = (epochMs: number): string => new Date(epochMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')

export const restore: Command = {
  name: 'restore',
  group: 'On the host',
  summary: 'replace the database with a backup; the service must be stopped',
  args: [{ name: 'file' }],
  options: { yes: YES },
  details: 'The present database is kept beside it. An emergency stop noted beside the database stays pulled.',
  examples: [
    ['vendops restore /backups/vendops-2026-09-10.db', 'checks the backup first, then run vendops audit --repair'],
  ],
  async run(context, given) {
    const { restoreDatabase, RestoreRefused } = await import('../../store/restore.ts')
    const database = databaseFile(hostConfig(context.env))
    if (database === undefined || database === ':memory:')
      throw new CommandFailure('only an SQLite database in a file can be restored by this command', {
        hint: 'for PostgreSQL see docs/backup-and-restore.md: pg_restore, then vendops audit --repair',
      })
    const backup = resolve(given.arg('file'))
    await context.say([`${backup} will replace ${database}`])
    await context.confirm('Type restore to go on: ', (answer) => answer === 'restore', given.flag('yes'))
    try {
      const { previousFile, unreadable } = restoreDatabase(backup, database, stampOf(systemClock.now()))
      await context.data({ database, backup, kept: previousFile ?? null })
      await context.say([
        `${database} restored from ${backup}`,
        ...(previousFile === undefined ? [] : [`the former database is ${previousFile}`]),
        ...(unreadable ? ['it could not be read: make sure that no service has it open'] : []),
        'Orders placed after the backup was made are known to the suppliers only.',
      ])
      context.next(
        'audit --repair',
        'books the orders that the suppliers have and the backup lacks; run it before the service',
      )
      return EXIT.ok
    } catch (failure) {
      if (failure instanceof RestoreRefused) throw new CommandFailure(`${failure.message}; nothing was changed`)
      throw failure
    }
  },
}
