/** Services that a person has logged in to, by name, in a file that only this person can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Static, Type } from 'typebox'
import { validator } from '../lib/validator.ts'
import type { Environment } from './connect.ts'
import { CommandFailure } from './exit.ts'

const Profile = Type.Object({ url: Type.String(), token: Type.String() })
export type Profile = Static<typeof Profile>

const Profiles = Type.Object({
  /** The one that commands use while none is named. */
  current: Type.Optional(Type.String()),
  profiles: Type.Record(Type.String(), Profile),
})
export type Profiles = Static<typeof Profiles>

export const DEFAULT_PROFILE = 'default'
const NONE: Profiles = { profiles: {} }

/** Undefined where there is no home folder, as in some containers. */
function profilesFile(env: Environment): string | undefined {
  const folder = env['XDG_CONFIG_HOME'] || (env['HOME'] && join(env['HOME'], '.config')) || env['APPDATA']
  return folder ? join(folder, 'vendops', 'profiles.json') : undefined
}

export function readProfiles(env: Environment): Profiles {
  const file = profilesFile(env)
  if (file === undefined) return NONE
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return NONE
  }
  const read = parseProfiles(text)
  if (!read) throw new CommandFailure(`${file} is damaged`, { hint: `delete it and log in again` })
  return read
}

function parseProfiles(text: string): Profiles | undefined {
  try {
    const read = validator(Profiles)(JSON.parse(text))
    return read.ok ? read.value : undefined
  } catch {
    return undefined
  }
}

/** Written to another file first, so that no reader sees half of it; the token is never readable by others. */
export function writeProfiles(env: Environment, profiles: Profiles): string {
  const file = profilesFile(env)
  if (file === undefined) throw new CommandFailure('no home folder to store the login in; set OPERATOR_TOKEN instead')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  return file
}
