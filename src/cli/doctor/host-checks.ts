/** Checks of the server: runtime, configuration, token, database, rules file, time zone, disk. */
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from 'kysely'
import { NumbersUnreadable, numbersFile, sentNumbers } from '../../acts/checkout/index.ts'
import { findMissingLimits, InvalidRules, missingLimitsText, parseRules } from '../../rules/guardrails/index.ts'
import { countOwners, hasSeparationOfDuties } from '../../rules/people/index.ts'
import { type Config, type ConfigResult, configWarnings, readConfig } from '../../config.ts'
import { rfc3339, SECOND, systemClock } from '../../kernel/clock.ts'
import { databaseFolder } from '../../operator-token.ts'
import { countOthersOrders } from '../../route/connections/index.ts'
import { readStoredCurrency } from '../../store/claim-currency.ts'
import { readDatabaseId } from '../../store/database-id.ts'
import { findDatabaseRefusal } from '../../store/migrate.ts'
import type { Store } from '../../store/store.ts'
import type { ConnectionsResult } from '../../vendors/connections/read-connections.ts'
import { tokenFile } from '../connect.ts'
import type { Environment } from '../profiles.ts'
import { formatAmount } from '../../kernel/currency.ts'
import { count } from '../../kernel/text.ts'
import { databaseFile, openDatabase } from '../host.ts'
import { type Finding, fail, pass, skippedFinding, warn } from './check.ts'

const NODE_MAJOR = 26
const SKEW_WARN_MS = 2 * SECOND
const SKEW_FAIL_MS = 60 * SECOND
const DISK_WARN_BYTES = 1e9
const DISK_FAIL_BYTES = 1e8
/** Write permission for group or others. */
const SHARED_WRITE = 0o022
const SHARED_READ = 0o077
const BLOCKED = 'purchases and price changes are blocked'

export const readHostConfig = (env: Environment): ConfigResult => readConfig(env, existsSync)

export function checkConfiguration(result: ConfigResult): Finding[] {
  if (result.ok)
    return [
      pass('configuration', `${result.config.env}, ${result.config.publicUrl}`),
      ...configWarnings(result.config).map((found) =>
        warn('network', found, 'see TRUSTED_PROXY in docs/configuration.md'),
      ),
    ]
  return result.problems.map((problem) => {
    const [variable = ''] = problem.split(' ')
    return fail('configuration', problem, `change or unset ${variable} in the environment of the service`)
  })
}

/** VENDORS_FILE, which is read in live only. */
export function checkVendorsFile(config: Config, result: ConnectionsResult): Finding[] {
  const check = 'connections'
  const file = config.vendorsFile
  if (file === undefined) return []
  if (config.env === 'staging') return [skippedFinding(check, `${file} is not used in staging`)]
  if (!result.ok)
    return result.problems.map((problem) => fail(check, problem, `correct ${file}, then restart the service`))
  return [pass(check, `${file}: ${count(result.connections.length, 'connection')} with those of ACME_*`)]
}

export function checkRuntime(version: string): Finding {
  const major = Number(version.split('.')[0])
  return major >= NODE_MAJOR
    ? pass('runtime', `Node ${version}`)
    : fail('runtime', `Node ${version}`, 'run npm ci in the project folder; it installs Node 26')
}

export function checkToken(env: Environment, config: Config): Finding {
  if (config.operatorToken !== undefined) return pass('token', 'from OPERATOR_TOKEN')
  const file = tokenFile(env)
  if (!existsSync(file)) return warn('token', `${file} does not exist yet`, 'start the service once: vendops serve')
  if (statSync(file).mode & SHARED_READ) return fail('token', `${file} is readable by other users`, `chmod 600 ${file}`)
  return pass('token', file)
}

export function checkGuardrails({
  guardrailsFile: file,
  isGuardrailsFileNamed: isNamed,
  env,
  currency,
}: Config): Finding {
  const check = 'guardrails'
  if (file === undefined)
    return warn(check, 'no rules file; staging uses demo rules', 'create guardrails.json to try your own rules')
  if (!existsSync(file) && !isNamed)
    return warn(
      check,
      `${file} does not exist; only rules that an owner set hold, and a database that ever read a file is blocked`,
      'vendops guardrails shows them',
    )
  if (!existsSync(file))
    return fail(check, `${file} does not exist; ${BLOCKED}`, `create ${file}; docs/configuration.md has an example`)
  try {
    const rules = parseRules(readFileSync(file, 'utf8'))
    if (env === 'live' && statSync(file).mode & SHARED_WRITE)
      return fail(check, `${file} is writable by other users`, `chmod 644 ${file}`)
    if (rules.killSwitchEngaged)
      return warn(check, `the emergency stop is on in ${file}`, 'set killSwitchEngaged to false to release it')
    if (env === 'live' && rules.administrators.length === 0)
      return warn(check, 'no administrators, so nobody can approve by chat', 'add administrators to the rules file')
    const [limit, cap] = [rules.spendingLimitPerRun, rules.priceCapPerItem].map((amount) =>
      formatAmount(amount, currency),
    )
    return pass(check, `${file}: limit ${limit}, price cap ${cap}`)
  } catch (problem) {
    const reason = problem instanceof InvalidRules ? problem.message : 'cannot be read'
    return fail(check, `${file}: ${reason}; ${BLOCKED}`, `correct ${file}; it is re-read before every write`)
  }
}

/** In live: whether small purchases and price steps may add up without a limit. Rules that cannot be read say nothing. */
export function checkLimits({ guardrailsFile: file, env }: Config): Finding[] {
  if (file === undefined || env !== 'live') return []
  try {
    const missing = missingLimitsText(findMissingLimits(parseRules(readFileSync(file, 'utf8'))))
    return missing === undefined ? [] : [warn('limits', missing, `set them in ${file}; docs/guardrails.md`)]
  } catch {
    return []
  }
}

/** Orders of another database in the journal are not ours, and nobody sees them here. */
async function checkJournal({ db, sidecarPrefix }: Store): Promise<Finding[]> {
  const databaseId = await readDatabaseId(db)
  if (sidecarPrefix === undefined || databaseId === undefined) return []
  const others = countOthersOrders(sidecarPrefix, databaseId)
  if (others === 0) return []
  return [
    warn(
      'journal of orders',
      `${sidecarPrefix}.orders has ${count(others, 'order')} of another database: not taken for orders of this one`,
      'give each database a data folder (DATA_DIR) of its own; docs/backup-and-restore.md',
    ),
  ]
}

/** Without the numbers of the orders that were sent nothing is bought. */
function checkNumbers({ sidecarPrefix }: Store): Finding[] {
  const check = 'order numbers'
  if (sidecarPrefix === undefined) return []
  const file = numbersFile(sidecarPrefix)
  try {
    sentNumbers(sidecarPrefix).list()
    if (existsSync(file)) accessSync(file, constants.W_OK)
    return []
  } catch (failure) {
    const why = failure instanceof NumbersUnreadable ? failure.message : `${file} cannot be written`
    return [fail(check, `${why}; nothing is bought`, NUMBERS_FIX)]
  }
}

const NUMBERS_FIX =
  'give the file to the user of the service (mode 600). Damaged: remove the lines that are no order numbers, then run vendops audit --repair'

/** For PostgreSQL also compares the clocks. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const file = databaseFile(config)
  const where = file ?? 'PostgreSQL'
  if (file !== undefined && file !== ':memory:' && !existsSync(file))
    return [warn('database', `${file} does not exist yet`, 'it is created at the first start: vendops serve')]
  try {
    const store = await openDatabase(config)
    try {
      await store.ping()
      const refusal = await findDatabaseRefusal(store.db)
      if (refusal) return [fail('database', `${where} ${refusal.problem}`, refusal.remedy)]
      const pending = await store.pendingMigrations()
      const found =
        pending.length === 0
          ? checkCurrency(where, config, await readStoredCurrency(store.db))
          : warn('database', `${where} needs ${pending.join(', ')}`, 'restart the service; it migrates at the start')
      return [
        found,
        ...(store.kind === 'postgres' ? [await checkDatabaseClock(store.db)] : []),
        ...(pending.length === 0 ? await checkJournal(store) : []),
        ...checkNumbers(store),
      ]
    } finally {
      await store.close()
    }
  } catch {
    // The error of the driver may contain the password of the URL.
    return [fail('database', `${where} does not respond`, 'check DATABASE_URL and that the database server runs')]
  }
}

/** Which of the two holds: one token for everything, or owners who decide. */
export async function checkPeople(config: Config): Promise<Finding[]> {
  const check = 'approvals'
  const file = databaseFile(config)
  if (file !== undefined && (file === ':memory:' || !existsSync(file))) return []
  try {
    const store = await openDatabase(config)
    try {
      if ((await store.pendingMigrations()).length > 0) return []
      if (!(await hasSeparationOfDuties(store.db)))
        return [
          warn(
            check,
            'no owner key exists, so the operator token also approves what it asks for',
            'vendops people add NAME --role owner',
          ),
        ]
      const owners = await countOwners(store.db, systemClock.now())
      return owners === 0
        ? [fail(check, 'no owner key works, so nobody can approve anything', 'vendops people add NAME --role owner')]
        : [pass(check, `only owners decide (${count(owners, 'owner')}); the operator token does not`)]
    } finally {
      await store.close()
    }
  } catch {
    return []
  }
}

const checkCurrency = (
  where: string,
  { currency: own, setOnServer }: Pick<Config, 'currency' | 'setOnServer'>,
  stored = own,
): Finding =>
  stored === own || !setOnServer.has('currency')
    ? pass('database', where)
    : fail(
        'database',
        `${where} has amounts in ${stored}, but CURRENCY is ${own}; the service does not start`,
        `set CURRENCY=${stored}, or use a new database`,
      )

async function checkDatabaseClock(db: Awaited<ReturnType<typeof openDatabase>>['db']): Promise<Finding> {
  const { rows } = await sql<{ now: number }>`select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db)
  return skewFinding('clock (database)', systemClock.now() - Number(rows[0]?.now))
}

export function skewFinding(check: string, skewMs: number): Finding {
  const seconds = `${(Math.abs(skewMs) / SECOND).toFixed(1)} s ${skewMs > 0 ? 'ahead' : 'behind'}`
  const fix = 'turn on time synchronization (timedatectl set-ntp true)'
  if (Math.abs(skewMs) > SKEW_FAIL_MS) return fail(check, `this server is ${seconds}; vendors refuse its calls`, fix)
  return Math.abs(skewMs) > SKEW_WARN_MS ? warn(check, `this server is ${seconds}`, fix) : pass(check, 'in sync')
}

export const checkTimeZone = ({ timeZone }: Config): Finding =>
  pass('time zone', `${timeZone}, now ${rfc3339(systemClock.now(), timeZone).slice(0, 16).replace('T', ' ')}`)

export function checkDisk(config: Config): Finding {
  const check = 'disk'
  const folder = [databaseFolder(config), dirname(databaseFolder(config)), '.'].find((path) => existsSync(path)) ?? '.'
  try {
    const { bavail, bsize } = statfsSync(folder)
    const free = bavail * bsize
    const found = `${(free / 1e9).toFixed(1)} GB free at ${folder}`
    const fix = 'free some space, or move the database to a larger disk'
    if (free < DISK_FAIL_BYTES) return fail(check, found, fix)
    return free < DISK_WARN_BYTES ? warn(check, found, fix) : pass(check, found)
  } catch {
    return skippedFinding(check, `cannot read the free space of ${folder}`)
  }
}
