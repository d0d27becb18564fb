/** Files: written durably, and settings and secrets in them. */
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { findDuplicateName } from './json.ts'
import { isFields } from './objects.ts'

/** Appends (`a`), or writes in place of what is there (`w`). */
export async function writeDurably(path: string, text: string, flags: 'a' | 'w', mode?: number): Promise<void> {
  const file = await open(path, flags, mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A new name is on disk once its folder is. Windows cannot do this and needs no such call. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * A JSON file of settings with one list in it, such as VENDORS_FILE: read as a whole. Secrets are references, and their
 * files are relative to its folder.
 */
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

/**
 * Puts secrets in the place of their references. In a settings file a secret is only ever `{"env": NAME}` or `{"file": PATH}`,
 * so that the file can be shown, copied and kept under version control.
 */
export interface SecretSources {
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The text of a file; throws when it cannot be read. */
  readFile(path: string): string
}

const PLACEHOLDER = 'unresolved'

/** `paths` as in AdapterModule.secrets. A member that is missing stays missing: whether it is needed is the adapter's decision. */
export function resolveSecrets(given: unknown, paths: readonly string[], sources: SecretSources) {
  const problems: string[] = []
  /** Paths whose secret could not be found; what stands there now is a placeholder. */
  const unresolved: string[] = []
  const secrets: string[] = []
  const settings = structuredClone(given)
  for (const path of paths) {
    const names = path.split('.')
    const last = names.pop() ?? ''
    const holder = names.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), settings)
    if (!isFields(holder) || !Object.hasOwn(holder, last)) continue
    const found = readSecret(holder[last], sources)
    if ('problem' in found) {
      problems.push(`${path} ${found.problem}`)
      unresolved.push(path)
    } else secrets.push(found.secret)
    Object.assign(holder, { [last]: 'problem' in found ? PLACEHOLDER : found.secret })
  }
  return { settings, problems, unresolved, secrets }
}

type FoundSecret = { readonly secret: string } | { readonly problem: string }

function readSecret(reference: unknown, sources: SecretSources): FoundSecret {
  const entries = isFields(reference) ? Object.entries(reference) : []
  const [kind, name] = entries[0] ?? []
  if (entries.length !== 1 || (kind !== 'env' && kind !== 'file') || typeof name !== 'string' || name === '')
    return { problem: 'must be {"env": NAME} or {"file": PATH}: secrets are not written into this file' }
  if (kind === 'env') {
    const secret = withoutLineEnd(sources.variables[name] ?? '')
    return secret === '' ? { problem: `names the variable ${name}, which is not set` } : { secret }
  }
  try {
    const secret = withoutLineEnd(sources.readFile(name))
    return secret === '' ? { problem: `names the file ${name}, which is empty` } : { secret }
  } catch {
    return { problem: `names the file ${name}, which cannot be read` }
  }
}

/** Editors and `echo` end a file with one line end. */
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
