/** The checks of the host: configuration, token, database, guardrails, time zone, disk. */
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import { parseRules, InvalidRules } from '../../capabilities/guardrails/index.ts'
import { configWarnings, readConfig } from '../../config.ts'
import type { Config, ConfigResult } from '../../config.ts'
import { rfc3339, SECOND, systemClock } from '../../kernel/clock.ts'
import { dataFolder } from '../../operator-token.ts'
import { tokenFile } from '../connect.ts'
import type { Environment } from '../connect.ts'
import { yuan } from '../format.ts'
import { databaseFile, openExisting } from '../host.ts'
import { fail, ok, skipped, warn } from './check.ts'
import type { Finding } from './check.ts'

const NODE_MAJOR = 26
const SKEW_WARN_MS = 2 * SECOND
const SKEW_FAIL_MS = 60 * SECOND
const DISK_WARN_BYTES = 1e9
const DISK_FAIL_BYTES = 1e8
/** Write permission for group or others. */
const SHARED_WRITE = 0o022
const SHARED_READ = 0o077

export const readHostConfig = (env: Environment): ConfigResult => readConfig(env, existsSync)

export function checkConfiguration(read: ConfigResult): Finding[] {
  if (read.ok)
    return [
      ok('configuration', `${read.config.env}, ${read.config.publicUrl}`),
      ...configWarnings(read.config).map((found) => warn('network', found, 'see TRUSTED_PROXY and HOST in the README')),
    ]
  return read.problems.map((problem) => {
    const [variable = ''] = problem.split(' ')
    return fail('configuration', problem, `change or unset ${variable} in the environment of the service`)
  })
}

export function checkRuntime(version: string): Finding {
  const major = Number(version.split('.')[0])
  return major >= NODE_MAJOR
    ? ok('runtime', `Node ${version}`)
    : fail('runtime', `Node ${version}`, 'run npm ci in the project: it brings Node 26 along')
}

export function checkToken(env: Environment, config: Config): Finding {
  if (config.operatorToken !== undefined) return ok('token', 'from OPERATOR_TOKEN')
  const file = tokenFile(env)
  if (!existsSync(file)) return warn('token', `${file} is not there yet`, 'start the service once: vendops serve')
  if (statSync(file).mode & SHARED_READ) return fail('token', `${file} is readable by others`, `chmod 600 ${file}`)
  return ok('token', file)
}

export function checkGuardrails({ guardrailsFile: file, env }: Config): Finding {
  const check = 'guardrails'
  if (file === undefined)
    return warn(check, 'no file; staging goes by its demo rules', 'write guardrails.json to try your own')
  if (!existsSync(file))
    return fail(check, `${file} is not there; every purchase and price change is refused`, `create ${file}, see docs`)
  try {
    const rules = parseRules(readFileSync(file, 'utf8'))
    if (env === 'live' && statSync(file).mode & SHARED_WRITE)
      return fail(check, `${file} can be changed by others`, `chmod 644 ${file}`)
    if (rules.killSwitchEngaged)
      return warn(check, `${file} holds the emergency stop`, 'set killSwitchEngaged to false once the reason is gone')
    if (env === 'live' && rules.administrators.length === 0)
      return warn(check, 'no administrator is named, so nobody can decide by chat', 'add administrators to the file')
    return ok(check, `${file}: ${yuan(rules.spendingLimitPerRun)} a run, cap ${yuan(rules.priceCapPerItem)} an item`)
  } catch (problem) {
    const why = problem instanceof InvalidRules ? problem.message : 'it cannot be read'
    return fail(
      check,
      `${file}: ${why}; every purchase and price change is refused`,
      `mend ${file}; it is read anew each time`,
    )
  }
}

/** Also tells the database's idea of the time, where it has one of its own. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const file = databaseFile(config)
  const where = file ?? 'PostgreSQL'
  if (file !== undefined && file !== ':memory:' && !existsSync(file))
    return [warn('database', `${file} is not there yet`, 'it is made at the first start: vendops serve')]
  try {
    const store = await openExisting(config)
    try {
      await store.ping()
      const pending = await store.pendingMigrations()
      const found =
        pending.length === 0
          ? ok('database', where)
          : warn('database', `${where} lacks ${pending.join(', ')}`, 'restart the service: it migrates when it starts')
      return store.kind === 'postgres' ? [found, await databaseClock(store.db)] : [found]
    } finally {
      await store.close()
    }
  } catch {
    // The driver's words may hold the password of the URL.
    return [fail('database', `${where} does not answer`, 'check DATABASE_URL, and that the server runs and lets us in')]
  }
}

async function databaseClock(db: Awaited<ReturnType<typeof openExisting>>['db']): Promise<Finding> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db)
  return skewFinding('clock (database)', systemClock.now() - Number(rows[0]?.now))
}

export function skewFinding(check: string, skewMs: number): Finding {
  const seconds = `${(Math.abs(skewMs) / SECOND).toFixed(1)} s ${skewMs > 0 ? 'ahead' : 'behind'}`
  const mend = 'turn on time synchronisation (timedatectl set-ntp true)'
  if (Math.abs(skewMs) > SKEW_FAIL_MS) return fail(check, `this host is ${seconds}; signed calls are refused`, mend)
  return Math.abs(skewMs) > SKEW_WARN_MS ? warn(check, `this host is ${seconds}`, mend) : ok(check, 'in step')
}

export function checkTimeZone({ timeZone }: Config): Finding {
  return ok('time zone', `${timeZone}, now ${rfc3339(systemClock.now(), timeZone).slice(0, 16).replace('T', ' ')}`)
}

export function checkDisk(config: Config): Finding {
  const check = 'disk'
  const folder = [dataFolder(config), dirname(dataFolder(config)), '.'].find((path) => existsSync(path)) ?? '.'
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    const found = `${(free / 1e9).toFixed(1)} GB free at ${folder}`
    const mend = 'free some space, or move DATABASE_URL to a larger disk'
    if (free < DISK_FAIL_BYTES) return fail(check, found, mend)
    return free < DISK_WARN_BYTES ? warn(check, found, mend) : ok(check, found)
  } catch {
    return skipped(check, `the free space at ${folder} cannot be read`)
  }
}
