/** `vendops keys`: the keys that sign webhooks. They are in a file on the server and never leave it. */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import {
  type StoredKey,
  createKey,
  currentKey,
  publishedKeys,
  readKeysFile,
  retireKey,
  writeKeys,
} from '../../../record/outbox/index.ts'
import { rfc3339, systemClock } from '../../../kernel/clock.ts'
import type { Command } from '../../command.ts'
import type { Environment } from '../../profiles.ts'
import { CommandFailure } from '../../exit.ts'
import { formatTime } from '../../format.ts'
import { hostConfig } from '../../host.ts'
import { replaceFile } from '../../replace-file.ts'

const PRIVATE = 0o600

/** Read from the environment directly: the rest of it may be invalid until there is a key. */
function keysFile(env: Environment): string {
  const file = env['SIGNING_KEYS_FILE']
  if (file === undefined || file === '')
    throw new CommandFailure('SIGNING_KEYS_FILE is not set', {
      hint: 'set it to the path of the file, for example /etc/vendops/signing-keys.json',
    })
  return file
}

function readKeys(file: string): readonly StoredKey[] {
  const read = readKeysFile(file)
  if (!read.ok) throw new CommandFailure(`${file} ${read.problem}`)
  return read.keys
}

/** Keys that are no longer published are left out. */
function saveKeys(file: string, keys: readonly StoredKey[]): void {
  mkdirSync(dirname(file), { recursive: true })
  replaceFile(file, writeKeys(publishedKeys(keys, systemClock.now())), PRIVATE)
}

const keyView = ({ kid, createdAt, retiredAt }: StoredKey, signing: StoredKey | undefined) => ({
  kid,
  created_at: rfc3339(createdAt),
  ...(retiredAt === undefined ? {} : { retired_at: rfc3339(retiredAt) }),
  signs: kid === signing?.kid,
})

const newKey: Command = {
  name: 'keys new',
  summary: 'create a signing key for webhooks',
  details: `Writes it to SIGNING_KEYS_FILE, which only its owner can read. The running service publishes it at once in its
profile and signs with it after 10 minutes, when no cached profile is older. The first key signs at once.`,
  examples: [['vendops keys new', 'then, after 10 minutes, vendops keys retire OLD_KID']],
  async run(context) {
    const file = keysFile(context.env)
    const key = createKey(systemClock.now())
    const known = existsSync(file) ? readKeys(file) : []
    saveKeys(file, [key, ...known])
    await context.writeJson(keyView(key, currentKey([key, ...known], systemClock.now())))
    await context.writeLines([`${key.kid}  written to ${file}`])
    context.suggest('keys list', 'shows which key signs')
  },
}

const list: Command = {
  name: 'keys list',
  alias: 'keys',
  summary: 'list the signing keys',
  examples: [['vendops keys', 'shows which key signs and which are only published']],
  async run(context) {
    hostConfig(context.env)
    const keys = readKeys(keysFile(context.env))
    const signing = currentKey(keys, systemClock.now())
    const views = keys.map((key) => keyView(key, signing))
    await context.writeJson({ keys: views })
    await context.writeTable(
      views,
      [
        { title: 'KEY', cell: ({ kid }) => kid },
        { title: 'CREATED', cell: ({ created_at: created }) => formatTime(created) },
        { title: 'RETIRED', cell: ({ retired_at: retired }) => formatTime(retired), ifFilled: true },
        {
          title: 'USE',
          cell: ({ retired_at: retired, signs }) => (retired ? 'retired' : signs ? 'signs' : 'published'),
        },
      ],
      { none: 'no keys' },
    )
  },
}

const PROBLEMS = {
  unknown: 'there is no key with this id',
  retired: 'this key is retired already',
  last: 'this is the only key; create another one first: vendops keys new',
  successor_too_new: 'the other keys are younger than 10 minutes, so receivers may not know them yet; try again later',
} as const

const retire: Command = {
  name: 'keys retire',
  summary: 'stop signing with a key; it stays published for 7 days',
  args: [{ name: 'kid' }],
  examples: [['vendops keys retire xZ3…', 'the next key of the file signs from now on']],
  async run(context, args) {
    const file = keysFile(context.env)
    const retired = retireKey(readKeys(file), args.arg('kid'), systemClock.now())
    if (!retired.ok) throw new CommandFailure(PROBLEMS[retired.problem])
    saveKeys(file, retired.keys)
    await context.writeJson({ kid: args.arg('kid') })
    await context.writeLines([`${args.arg('kid')} no longer signs`])
    context.suggest('keys list', 'shows which key signs')
  },
}

export const KEYS: readonly Command[] = [newKey, list, retire]
