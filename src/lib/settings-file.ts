/**
 * A JSON file of settings with one list in it, such as VENDORS_FILE: read as a whole. Secrets are references, and their
 * files are relative to its folder.
 */
import { dirname, resolve } from 'node:path'
import { findDuplicateName } from './duplicate-name.ts'
import { isFields } from './fields.ts'
import type { SecretSources } from './secrets.ts'

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 64))

/** `others`: names of the members beside the list. */
export function readSettingsFile(
  path: string,
  { list, others = [] }: { readonly list: string; readonly others?: readonly string[] },
  sources: SecretSources,
) {
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
    ok: true as const,
    fields,
    entries: fields[list] as readonly unknown[],
    folder,
    /** For the secrets of the entries. */
    sources: { ...sources, readFile: (file: string) => sources.readFile(resolve(folder, file)) },
    /** Fields that nobody knows; the entries can still be checked. */
    problems: unknown.map((name) => `has an unknown field ${quoteName(name)}`),
  }
}

/** How a problem names an entry: `connections[0] (us-machine)`. */
export function describeEntry(list: string, index: number, entry: unknown, nameMember: string): string {
  const name = isFields(entry) ? entry[nameMember] : undefined
  return `${list}[${index}]${typeof name === 'string' ? ` (${name.slice(0, 64)})` : ''}`
}
