/** From answers to the members of a connection in VENDORS_FILE. */
import type { AdapterModule, SettingPrompt } from '../../vendors/adapter-module.ts'
import { memberAt } from '../../lib/members.ts'

type Json = Record<string, unknown>

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
