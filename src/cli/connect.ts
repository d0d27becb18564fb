/** Finds the service and its token from the same environment variables as the service itself. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from '../client/index.ts'
import type { Client } from '../client/index.ts'
import { PRODUCT_VERSION } from '../contract/version.ts'
import { dataFolder } from '../operator-token.ts'
import { CommandFailure, EXIT, UsageError } from './exit.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
/** Few attempts: an error is shown quickly to the person waiting. */
const ATTEMPTS = 3

export function serviceUrl(env: Environment, stated?: string): string {
  const url = stated ?? env['VENDOPS_URL'] ?? env['PUBLIC_URL'] ?? `http://127.0.0.1:${env['PORT'] ?? '8080'}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`"${url}" is not an http or https URL`)
  return url.replace(/\/+$/, '')
}

const isLocal = (url: string): boolean => LOOPBACK.test(new URL(url).hostname)

export const tokenFile = (env: Environment): string =>
  join(
    dataFolder({
      databaseUrl: env['DATABASE_URL'] || 'sqlite:./data/vendops.db',
      dataDir: env['DATA_DIR'] || undefined,
    }),
    'operator-token',
  )

/** The token file of staging is only used for a service on this machine, never sent elsewhere. */
export function findToken(env: Environment, url: string): string | undefined {
  if (env['OPERATOR_TOKEN']) return env['OPERATOR_TOKEN']
  if (!isLocal(url)) return undefined
  try {
    return readFileSync(tokenFile(env), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** The address of the service, and its token. */
export function endpoint(env: Environment, stated?: string): { readonly url: string; readonly token: string } {
  const url = serviceUrl(env, stated)
  const token = findToken(env, url)
  if (token === undefined)
    throw new CommandFailure(`no token configured for ${url}`, {
      exit: EXIT.unauthorized,
      hint: isLocal(url)
        ? `set OPERATOR_TOKEN, or start the service here once (vendops serve), which creates ${tokenFile(env)}`
        : 'set OPERATOR_TOKEN to the token of that service',
    })
  return { url, token }
}

export function connect(env: Environment, stated?: string): Client {
  const { url, token } = endpoint(env, stated)
  return createClient({ baseUrl: url, token, userAgent: `vendops-cli/${PRODUCT_VERSION}`, attempts: ATTEMPTS })
}
