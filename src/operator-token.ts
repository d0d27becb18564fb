/** The operator token. Staging generates one at the first start and stores it beside the database, readable by its owner only. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from './config.ts'

/** The folder for files of the deployment that have no setting of their own. */
export const dataFolder = (config: Pick<Config, 'databaseUrl' | 'dataDir'>): string =>
  config.dataDir ?? databaseFolder(config)

/** With PostgreSQL several instances may run, and only SECRETS_DIR can say which folder they share. */
export const connectionPlaces = (config: Pick<Config, 'databaseUrl' | 'dataDir' | 'secretsDir'>) => ({
  secretsDir:
    config.secretsDir ?? (config.databaseUrl.startsWith('sqlite:') ? join(dataFolder(config), 'secrets') : undefined),
  filesDir: join(dataFolder(config), 'connections'),
})

export const databaseFolder = (config: Pick<Config, 'databaseUrl'>): string =>
  config.databaseUrl.startsWith('sqlite:') && config.databaseUrl !== 'sqlite::memory:'
    ? dirname(config.databaseUrl.slice('sqlite:'.length))
    : './data'

export function operatorToken(config: Pick<Config, 'operatorToken' | 'databaseUrl' | 'dataDir'>): string {
  if (config.operatorToken !== undefined) return config.operatorToken
  const file = join(dataFolder(config), 'operator-token')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ENOENT') throw failure
  }
  const token = randomBytes(24).toString('base64url')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(file, `${token}\n`, { mode: 0o600 })
  return token
}
