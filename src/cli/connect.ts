/** Finds the service and its token from the same environment variables as the service itself. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient } from '../client/index.ts'
import { PRODUCT_VERSION } from '../contract/version.ts'
import { dataFolder } from '../operator-token.ts'
import { CommandFailure, EXIT, UsageError } from './exit.ts'
import { type Environment, type Profile, readProfiles } from './profiles.ts'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/
/** Few attempts: an error is shown quickly to the person waiting. */
const ATTEMPTS = 3

/** What the command line says about the service. */
export interface Target {
  readonly url?: string | undefined
  readonly profile?: string | undefined
}

export function normalizeUrl(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`"${url}" is not an http or https URL`)
  return url.replace(/\/+$/, '')
}

/** Any of these says which service is meant, so no stored login is. */
const ADDRESS_VARIABLES = ['VENDOPS_URL', 'PUBLIC_URL', 'PORT', 'OPERATOR_TOKEN']

/** A profile that is named, else the one in use where neither options nor environment say which service is meant. */
function profileOf(env: Environment, { url, profile }: Target): Profile | undefined {
  const named = profile ?? env['VENDOPS_PROFILE']
  if (!named && (url !== undefined || ADDRESS_VARIABLES.some((name) => env[name]))) return undefined
  const { current, profiles } = readProfiles(env)
  const name = named || current
  const found = name !== undefined && Object.hasOwn(profiles, name) ? profiles[name] : undefined
  if (named && !found)
    throw new CommandFailure(`no profile ${named}`, { hint: 'vendops profiles   lists them; vendops login adds one' })
  return found
}

export function serviceUrl(env: Environment, target: Target = {}): string {
  const stated = target.url ?? profileOf(env, target)?.url
  return normalizeUrl(stated ?? env['VENDOPS_URL'] ?? env['PUBLIC_URL'] ?? `http://127.0.0.1:${env['PORT'] ?? '8080'}`)
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
export function findToken(env: Environment, url: string, target: Target = {}): string | undefined {
  // A profile that is named wins over a token that the shell happens to have.
  if (target.profile ?? env['VENDOPS_PROFILE']) return storedToken(env, target, url)
  if (env['OPERATOR_TOKEN']) return env['OPERATOR_TOKEN']
  // The file in this folder may belong to another service on this machine; a login was for this address.
  const stored = storedToken(env, target, url)
  if (stored !== undefined || !isLocal(url)) return stored
  try {
    return readFileSync(tokenFile(env), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** The token of a stored login for exactly this address; another service never gets it. */
function storedToken(env: Environment, target: Target, url: string): string | undefined {
  const named = profileOf(env, target)
  if (named) return named.url === url ? named.token : undefined
  return Object.values(readProfiles(env).profiles).find((profile) => profile.url === url)?.token
}

/** The address of the service, and its token. */
export function endpoint(env: Environment, target: Target = {}): { readonly url: string; readonly token: string } {
  const url = serviceUrl(env, target)
  const token = findToken(env, url, target)
  if (token === undefined)
    throw new CommandFailure(`no token configured for ${url}`, {
      exit: EXIT.unauthorized,
      hint: isLocal(url)
        ? `vendops login ${url}, or set OPERATOR_TOKEN, or start the service here once (vendops serve), which creates ${tokenFile(env)}`
        : `vendops login ${url}   stores its token; or set OPERATOR_TOKEN`,
    })
  return { url, token }
}

export function connect(env: Environment, target: Target = {}): Client {
  const { url, token } = endpoint(env, target)
  return createClient({ baseUrl: url, token, userAgent: `vendops-cli/${PRODUCT_VERSION}`, attempts: ATTEMPTS })
}
