/** Logging in to a service, so that commands find its address and token by themselves. */
import { createClient } from '../../../client/index.ts'
import type { Command } from '../../command.ts'
import type { Context } from '../../context.ts'
import { normalizeUrl } from '../../connect.ts'
import { CommandFailure, EXIT, UsageError } from '../../exit.ts'
import { DEFAULT_PROFILE, readProfiles, writeProfiles } from '../../profiles.ts'

/** Typed without being shown, or the first line of standard input; never an option, which the shell would remember. */
async function askToken(context: Context, url: string): Promise<string> {
  const typed = await context.terminal.askSecret(`Token for ${url}: `)
  if (typed !== undefined) return typed.trim()
  let text = ''
  for await (const chunk of context.terminal.input) {
    text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk)
    if (text.includes('\n')) break
  }
  return text.split('\n')[0]?.trim() ?? ''
}

const NAME = /^[\w.-]{1,64}$/

const login: Command = {
  name: 'login',
  summary: 'store the address and token of a service',
  args: [{ name: 'url' }],
  options: { as: { kind: 'text', value: 'NAME', summary: `name of the profile (default ${DEFAULT_PROFILE})` } },
  details:
    'Asks for the token without showing it, or reads it from standard input, and checks it before anything is stored.\nThe file is ~/.config/vendops/profiles.json, readable by you alone. A token is only sent to the address it is stored for.',
  examples: [
    ['vendops login https://vending.example.com', 'later commands use this service'],
    ['vendops login https://test.example.com --as test < token.txt', 'a second one: vendops status --profile test'],
  ],
  async run(context, args) {
    const url = normalizeUrl(args.arg('url'))
    const as = args.text('as')
    const name = as ?? DEFAULT_PROFILE
    if (!NAME.test(name)) throw new UsageError(`"${name}" is not a name; use letters, digits, dots and dashes`)
    const token = await askToken(context, url)
    if (token === '') throw new CommandFailure('no token given; nothing was stored', { exit: EXIT.unauthorized })
    const client = context.connectTo?.(url, token) ?? createClient({ baseUrl: url, token, attempts: 1 })
    await client.listNamespaces()
    const known = readProfiles(context.env)
    const profiles = { ...known.profiles, [name]: { url, token } }
    // A second service is used where it is named, so that no later command goes to it by mistake.
    const file = writeProfiles(context.env, { ...known, ...(as === undefined && { current: name }), profiles })
    await context.writeJson({ profile: name, url })
    await context.writeLines([`logged in to ${url} as profile ${name}; stored in ${file}`])
    if (as === undefined) context.suggest('status', 'shows an overview of the route')
    else context.suggest(`status --profile ${as}`, `uses it once; vendops profiles ${as}   from now on`)
  },
}

const logout: Command = {
  name: 'logout',
  summary: 'forget a stored login',
  args: [{ name: 'name', optional: true }],
  examples: [['vendops logout test', 'without a name: the profile in use']],
  async run(context, args) {
    const { current, profiles } = readProfiles(context.env)
    const name = args.optional('name') ?? current ?? DEFAULT_PROFILE
    if (!Object.hasOwn(profiles, name)) throw new CommandFailure(`no profile ${name}`, { hint: 'vendops profiles' })
    const { [name]: _, ...rest } = profiles
    const next = current === name ? Object.keys(rest)[0] : current
    writeProfiles(context.env, { ...(next === undefined ? {} : { current: next }), profiles: rest })
    await context.writeJson({ removed: name, current: next ?? null })
    await context.writeLines([`logged out of ${name}${next === undefined ? '' : `; now using ${next}`}`])
  },
}

const list: Command = {
  name: 'profiles',
  summary: 'stored logins',
  csv: true,
  args: [{ name: 'use', optional: true }],
  examples: [
    ['vendops profiles', 'all profiles and which one is in use'],
    ['vendops profiles test', 'uses the profile test from now on'],
  ],
  async run(context, args) {
    const known = readProfiles(context.env)
    const use = args.optional('use')
    if (use !== undefined) {
      if (!Object.hasOwn(known.profiles, use))
        throw new CommandFailure(`no profile ${use}`, { hint: 'vendops profiles' })
      writeProfiles(context.env, { ...known, current: use })
    }
    const current = use ?? known.current
    const rows = Object.entries(known.profiles).map(([name, { url }]) => ({ name, url, current: name === current }))
    await context.writeJson({ profiles: rows })
    if (rows.length === 0) await context.writeLines(['no profiles'])
    else
      await context.writeTable(rows, [
        { title: 'PROFILE', cell: ({ name }) => name },
        { title: 'URL', cell: ({ url }) => url },
        { title: 'IN USE', cell: (row) => (row.current ? 'yes' : '') },
      ])
    if (rows.length === 0) context.suggest('login <url>', 'stores the address and token of a service')
  },
}

export const LOGIN: readonly Command[] = [login, logout, list]
