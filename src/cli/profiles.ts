/** Services that a person has logged in to, by name, in a file that only this person can read. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Static, Type } from 'typebox'
import { parseJson } from '../lib/json.ts'
import { validator } from '../lib/validator.ts'
import { replaceFile } from './replace-file.ts'

import { CommandFailure } from './exit.ts'

export type Environment = Readonly<Record<string, string | undefined>>

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
  const read = validator(Profiles)(parseJson(text))
  if (!read.ok) throw new CommandFailure(`${file} is damaged`, { hint: `delete it and log in again` })
  return read.value
}

/** The token is never readable by others. */
export function writeProfiles(env: Environment, profiles: Profiles): string {
  const file = profilesFile(env)
  if (file === undefined) throw new CommandFailure('no home folder to store the login in; set OPERATOR_TOKEN instead')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  replaceFile(file, `${JSON.stringify(profiles, null, 2)}\n`, 0o600)
  return file
}
