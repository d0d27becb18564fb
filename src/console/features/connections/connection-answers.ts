/** Answers to the questions of a connection, and the settings that they make. */
import type { ConnectionDetails, ConnectionKind } from '../../../contract/shapes/connections/hosted.ts'
import { clearMember, memberAt, setMember } from '../../../lib/members.ts'

export type Prompt = ConnectionKind['prompts'][number]
/** By path, what was typed; null: a secret is taken away. */
export type Typed = Readonly<Record<string, string | null>>
type Saved = Pick<ConnectionDetails, 'settings' | 'secrets'>

/** The questions that are asked with these answers. Of `saved` only what is typed anew changes. */
export function answersOf(prompts: readonly Prompt[], answers: Typed, saved?: Saved) {
  const isSet = ({ path }: Pick<Prompt, 'path'>): boolean => saved?.secrets.includes(path) === true
  // Secrets are never shown: an empty field keeps them.
  const typed = Object.fromEntries(Object.entries(answers).filter(([path, text]) => text !== '' || !isSet({ path })))
  const wasShown = saved && shownAmong(prompts, (path) => savedText(saved, path))
  const isShown = shownAmong(prompts, (path) => typed[path] ?? (saved && savedText(saved, path)))
  // What a file states is changed with the file, and machines are chosen from a list.
  const answered = prompts.filter(({ in_file: isInFile = false, kind }) => !isInFile && kind !== 'machines')
  const asked = answered.filter(isShown)
  const textOf = (prompt: Prompt): string => {
    const { path } = prompt
    if (saved && wasShown?.(prompt)) return typed[path] ?? (isSet(prompt) ? '' : textAt(saved.settings, path))
    return typed[path] ?? prompt.default ?? ''
  }
  const apply = (to: Record<string, unknown>): Record<string, unknown> => {
    for (const { path } of answered.filter((prompt) => !asked.some((other) => other.path === prompt.path)))
      if (isSet({ path })) setMember(to, path, null)
      else clearMember(to, path)
    for (const prompt of asked) {
      const { path } = prompt
      if (typed[path] === null) {
        setMember(to, path, null)
        continue
      }
      const text = textOf(prompt)
      if (typed[path] === undefined && (text === '' || wasShown?.(prompt))) continue
      if (text === '') clearMember(to, path)
      else setMember(to, path, valueOf(prompt, text))
    }
    return to
  }
  return { asked, textOf, isSet, apply }
}

const savedText = ({ settings, secrets }: Saved, path: string): string =>
  secrets.includes(path) ? 'set' : textAt(settings, path)

function textAt(settings: Saved['settings'], path: string): string {
  const value = memberAt(settings, path)
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** A question depends on the answer of another one, which has to be asked itself. */
function shownAmong(prompts: readonly Prompt[], textAtPath: (path: string) => string | undefined) {
  const isShown = ({ only_if: condition }: Prompt): boolean => {
    if (!condition) return true
    const other = prompts.find((prompt) => prompt.path === condition.path && isShown(prompt))
    const value = other ? (textAtPath(condition.path) ?? other.default ?? '') : ''
    return condition.is_one_of ? condition.is_one_of.includes(value) : value !== ''
  }
  return isShown
}

function valueOf({ kind }: Prompt, text: string): unknown {
  if (kind === 'number') return Number.isFinite(Number(text)) ? Number(text) : text
  if (kind === 'boolean') return text === 'true'
  if (kind !== 'list') return text
  return text
    .split(/[,\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** What a person types, as the name of a connection: `Tri-County 2` is tricounty2. */
export const shortNameOf = (typed: string): string =>
  typed
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '')
    .replace(/^\d+/, '')

/** What a change states beside the settings, as it is. */
export const basicsOf = (saved: ConnectionDetails | undefined) => ({
  ...(saved && { read_only: saved.read_only }),
  ...(saved?.time_zone !== undefined && { time_zone: saved.time_zone }),
  ...(saved?.id_prefix !== undefined && { id_prefix: saved.id_prefix }),
})
