/**
 * A JSON file of settings with one list in it, such as VENDORS_FILE: read as a whole. Secrets are references, and their
 * files are relative to its folder.
 */
import { dirname, resolve } from 'node:path'
import { findDuplicateName } from './duplicate-name.ts'
import { type Fields, isFields } from './fields.ts'
import type { SecretSources } from './secrets.ts'

export interface SettingsFile {
  readonly ok: true
  readonly fields: Fields
  readonly entries: readonly unknown[]
  readonly folder: string
  /** For the secrets of the entries. */
  readonly sources: SecretSources
  /** Fields that nobody knows; the entries can still be checked. */
  readonly problems: readonly string[]
}

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 64))

/** `others`: names of the members beside the list. */
export function readSettingsFile(
  path: string,
  { list, others = [] }: { readonly list: string; readonly others?: readonly string[] },
  sources: SecretSources,
): SettingsFile | { readonly ok: false; readonly problem: string } {
  const refuseFile = (problem: string) => ({ ok: false, problem }) as const
  let json: string
  try {
    json = sources.readFile(path)
  } catch {
    return refuseFile('cannot be read')
  }
  let fields: unknown
  try {
    fields = JSON.parse(json)
  } catch {
    return refuseFile('is not JSON')
  }
  const twice = findDuplicateName(json)
  if (twice !== undefined) return refuseFile(`has the field ${quoteName(twice)} twice in one object`)
  if (!isFields(fields) || !Array.isArray(fields[list])) return refuseFile(`must have a list "${list}"`)
  const unknown = Object.keys(fields).filter((name) => name !== list && !others.includes(name))
  const folder = dirname(resolve(path))
  return {
    ok: true,
    fields,
    entries: fields[list],
    folder,
    sources: { ...sources, readFile: (file) => sources.readFile(resolve(folder, file)) },
    problems: unknown.map((name) => `has an unknown field ${quoteName(name)}`),
  }
}

/** How a problem names an entry: `connections[0] (us-machine)`. */
export function describeEntry(list: string, index: number, entry: unknown, nameMember: string): string {
  const name = isFields(entry) ? entry[nameMember] : undefined
  return `${list}[${index}]${typeof name === 'string' ? ` (${name.slice(0, 64)})` : ''}`
}
