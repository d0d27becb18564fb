/** From answers to the members of a connection in VENDORS_FILE. */
import type { AdapterModule, SettingPrompt } from '../../vendors/adapter-module.ts'
import { isFields } from '../../vendors/upstream/read-json.ts'

type Json = Record<string, unknown>

/** Puts a value at a path such as `catalog.file`. */
export function setMember(target: Json, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let holder = target
  for (const name of names) {
    const inner = Object.hasOwn(holder, name) ? holder[name] : undefined
    const next: Json = isFields(inner) ? inner : {}
    holder[name] = next
    holder = next
  }
  holder[last] = value
}

/** Also what held it, once nothing else is in there. */
export function clearMember(target: Json, path: string): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const holder = names.length === 0 ? target : memberAt(target, names.join('.'))
  if (!isFields(holder)) return
  delete (holder as Json)[last]
  if (names.length > 0 && Object.keys(holder).length === 0) clearMember(target, names.join('.'))
}

export const hasMember = (target: Json, path: string): boolean => memberAt(target, path) !== undefined

export function memberAt(target: Json, path: string): unknown {
  let holder: unknown = target
  for (const name of path.split('.')) {
    if (!isFields(holder) || !Object.hasOwn(holder, name)) return undefined
    holder = holder[name]
  }
  return holder
}

/** Whether the answers so far make the question apply. */
export function isAsked({ onlyIf }: SettingPrompt, settings: Json): boolean {
  if (!onlyIf) return true
  const answer = memberAt(settings, onlyIf.path)
  const { isOneOf } = onlyIf
  return isOneOf ? typeof answer === 'string' && isOneOf.includes(answer) : answer !== undefined
}

/** `env:NAME`, `file:PATH`, or the name of a variable alone. */
export function secretReference(answer: string): { readonly env: string } | { readonly file: string } {
  const text = answer.trim()
  if (text.startsWith('file:')) return { file: text.slice('file:'.length) }
  return { env: text.startsWith('env:') ? text.slice('env:'.length) : text }
}

/** An answer that is not of its kind stays text; the adapter's check names it. */
export function answerValue(
  answer: string,
  { kind = 'text', parse }: Pick<SettingPrompt, 'kind' | 'parse'> = {},
): unknown {
  const text = answer.trim()
  if (parse) return parse(text)
  if (kind === 'list')
    return text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
  if (kind === 'number') return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  if (kind === 'boolean') return /^(yes|true)$/i.test(text) || (/^(no|false)$/i.test(text) ? false : text)
  return text
}

/** The value of `--set`: a secret by reference, a prompt's kind where there is one, otherwise JSON or text. */
export function optionValue(module: AdapterModule, path: string, text: string): unknown {
  if (module.secrets.includes(path)) return secretReference(text)
  const prompt = module.prompts?.find((each) => each.path === path)
  // A script may also write a list of objects as it is in the file.
  if (prompt && !(prompt.parse && /^[[{]/.test(text.trim()))) return answerValue(text, prompt)
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
