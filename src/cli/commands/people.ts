/** People and their keys, on the server: against the database, with the service running or not. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type PersonRole, PERSON_ROLES } from '../../kernel/person.ts'
import { DAY, HOUR, rfc3339, systemClock } from '../../kernel/clock.ts'
import type { Outcome } from '../../kernel/outcome.ts'
import type { Config } from '../../config.ts'
import type { PersonWithKey } from '../../rules/people/index.ts'
import type { PersonEntry } from '../../contract/shapes/people.ts'
import type { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { CommandFailure, EXIT } from '../exit.ts'
import { formatTime } from '../format.ts'
import { actor, withDatabase } from '../host.ts'
import type { ParsedArgs } from '../parsed-args.ts'
import type { Column } from '../table.ts'
import { renderUnicodeCompact } from 'uqr'

/** A QR code for a terminal, two rows of modules in each line. */
export const qrLines = (text: string): string[] => renderUnicodeCompact(text, { border: 2, ecc: 'L' }).split('\n')

const EXPIRES = { kind: 'text', value: '90d', summary: 'when the key expires: 12h, 90d' } as const

function parseExpiry(args: ParsedArgs, now: number): number | undefined {
  const text = args.text('expires')
  if (text === undefined) return undefined
  const [, amount, unit] = /^(\d{1,4})([hd])$/.exec(text) ?? []
  if (amount === undefined || Number(amount) === 0)
    throw new CommandFailure(`--expires ${text} is not a duration`, {
      hint: 'for example 12h or 90d',
      exit: EXIT.usage,
    })
  return now + Number(amount) * (unit === 'h' ? HOUR : DAY)
}

function valueOf<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value
  throw new CommandFailure(outcome.refusal.messages.map(({ content }) => content).join('; '))
}

const time = (at: number | undefined, { timeZone }: Config) => (at === undefined ? null : rfc3339(at, timeZone))

/** The only place where the key is ever shown. */
async function showKey(context: Context, config: Config, { person, key, signInUrl }: PersonWithKey): Promise<void> {
  const { id, name, role } = person
  const expires_at = time(person.expiresAt, config)
  const autonomous = person.isAutonomous ? { autonomous: true } : {}
  await context.writeJson({ id, name, role, key, sign_in_url: signInUrl ?? null, expires_at, ...autonomous })
  await context.writeFields([
    ['name', name],
    ['role', person.isAutonomous ? `${role}, autonomous` : role],
    ['key', key],
    ['expires', formatTime(expires_at)],
    ['sign in', signInUrl],
  ])
  await context.writeLines(['', 'The key is shown only once. The link works once, for ten minutes.'])
  // A QR code in a pipe is of no use to anybody.
  if (signInUrl !== undefined && context.terminal.width !== undefined)
    await context.writeLines(['', ...qrLines(signInUrl)])
}

const add: Command = {
  name: 'people add',
  summary: 'create a key for a person or program',
  details: `The first owner is created here, or with the link of the first start. From then on only owners, and bridges for what an administrator pressed in a chat,
resolve approvals; the operator token no longer does. This stays so, also when the last owner is revoked.`,
  args: [{ name: 'name' }],
  options: {
    role: { kind: 'text', value: 'ROLE', summary: PERSON_ROLES.join(', '), choices: PERSON_ROLES },
    expires: EXPIRES,
    autonomous: {
      kind: 'flag',
      summary: 'with the role operator: agree in advance to what the rules allow, so that it need not ask each time',
    },
    'rate-limit': { kind: 'number', value: 'N', summary: 'requests per minute of this key' },
  },
  examples: [
    ['vendops people add Wang --role owner', 'prints the key and a sign-in link with a QR code'],
    ['vendops people add buyer-agent --role operator --expires 90d', 'a program with its own name'],
    ['vendops people add night-agent --role operator --autonomous', 'a program that buys within the rules by itself'],
  ],
  async run(context, args) {
    const role = args.text('role') as PersonRole | undefined
    if (role === undefined)
      throw new CommandFailure('--role is required', { hint: PERSON_ROLES.join(', '), exit: EXIT.usage })
    const { addPerson } = await import('../../rules/people/index.ts')
    return withDatabase(context.env, async (store, config) => {
      const clock = systemClock
      const limit = args.wholeNumber('rate-limit', 0, 0, 1_000_000)
      const person = {
        name: args.arg('name'),
        role,
        expiresAt: parseExpiry(args, clock.now()),
        rateLimitPerMinute: limit === 0 ? undefined : limit,
        isAutonomous: args.flag('autonomous'),
      }
      await showKey(context, config, valueOf(await addPerson({ store, clock, config }, person, actor())))
    })
  },
}

const COLUMNS: readonly Column<PersonEntry>[] = [
  { title: 'NAME', cell: ({ name }) => name, flexible: true },
  { title: 'ROLE', cell: ({ role, autonomous }) => (autonomous ? `${role}, autonomous` : role) },
  { title: 'CREATED', cell: (person) => formatTime(person.created_at) },
  { title: 'LAST USED', cell: (person) => formatTime(person.last_used_at) },
  { title: 'EXPIRES', cell: (person) => formatTime(person.expires_at) },
  { title: 'REVOKED', cell: (person) => formatTime(person.revoked_at) },
]

const list: Command = {
  name: 'people list',
  alias: 'people',
  summary: 'list the people and programs that have or had a key',
  csv: true,
  examples: [['vendops people list', 'names, roles, last use']],
  async run(context) {
    const { listPeople, personView } = await import('../../rules/people/index.ts')
    return withDatabase(context.env, async (store, config) => {
      const people = (await listPeople(store.db)).map((person) => personView(person, config.timeZone))
      await context.writeJson({ people })
      await context.writeTable(people, COLUMNS, { none: 'no keys yet: only the operator token works' })
    })
  },
}

const revoke: Command = {
  name: 'people revoke',
  summary: 'revoke a key: every instance refuses it, its sign-ins end',
  args: [{ name: 'name' }],
  options: { last: { kind: 'flag', summary: 'also the last owner' } },
  examples: [['vendops people revoke buyer-agent', 'when it ends, every instance refuses the key']],
  async run(context, args) {
    const { findPersonByName, FRESH_MS, personView, revokePerson } = await import('../../rules/people/index.ts')
    return withDatabase(context.env, async (store, config) => {
      const name = args.arg('name')
      const person = await findPersonByName(store.db, name)
      if (!person) throw new CommandFailure(`no key named "${name}"`, { hint: 'vendops people list' })
      const options = { last: args.flag('last') }
      const revoked = await revokePerson({ store, clock: systemClock, config }, person.id, options, actor())
      if (!revoked.ok && !options.last && person.role === 'owner')
        throw new CommandFailure('this is the last owner; without one nobody can approve anything', {
          hint: 'make another first, or add --last',
        })
      const view = personView(valueOf(revoked), config.timeZone)
      // When this command ends, no instance accepts the key any more.
      await sleep(FRESH_MS)
      await context.writeJson(view)
      await context.writeLines([`${person.name} revoked`])
    })
  },
}

const rotate: Command = {
  name: 'people rotate',
  summary: 'replace a key; every instance refuses the old one',
  args: [{ name: 'name' }],
  options: { expires: EXPIRES },
  examples: [['vendops people rotate Wang', 'prints the new key and a sign-in link']],
  async run(context, args) {
    const { FRESH_MS, rotateKey } = await import('../../rules/people/index.ts')
    return withDatabase(context.env, async (store, config) => {
      const clock = systemClock
      const expiresAt = parseExpiry(args, clock.now())
      const rotated = await rotateKey({ store, clock, config }, args.arg('name'), { expiresAt }, actor())
      const withKey = valueOf(rotated)
      // When this command ends, no instance accepts the old key any more.
      await sleep(FRESH_MS)
      await showKey(context, config, withKey)
    })
  },
}

export const PEOPLE: readonly Command[] = [add, list, revoke, rotate]
