/**
 * Puts secrets in the place of their references. In a settings file a secret is only ever `{"env": NAME}` or `{"file": PATH}`,
 * so that the file can be shown, copied and kept under version control.
 */
import { isFields } from './fields.ts'

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
