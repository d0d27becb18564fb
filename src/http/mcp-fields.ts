/** Keeps answers small enough for an agent: only the members it asks for, and never more than it can hold. Pure. */

/**
 * Characters of an answer, about 25,000 tokens of JSON: hosts cut longer ones, usually in the middle of a value.
 */
export const ANSWER_CHARS_MAX = 60_000

/** Members that stay whatever is asked for: they say whether the rest can be used, and how to go on. */
const ALWAYS: ReadonlySet<string> = new Set(['ucp', 'messages', 'pagination', 'continue_url', 'actions'])

type Body = Record<string, unknown>

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first list of objects that is not `messages`: what an answer is about, where it has one. */
function mainList(body: Body): string | undefined {
  return Object.keys(body).find(
    (name) => name !== 'messages' && Array.isArray(body[name]) && (body[name] as []).every(isObject),
  )
}

const only = (value: Body, names: ReadonlySet<string>): Body =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)))

/** Of the entries where a name is one of theirs, else of the answer. */
export function selectFields(body: Body, fields: readonly string[]): Body {
  const names = new Set(fields)
  const list = mainList(body)
  const entries = list === undefined ? [] : (body[list] as Body[])
  const ofEntries = entries.some((entry) => fields.some((name) => Object.hasOwn(entry, name)))
  const top = new Set([...ALWAYS, ...names, ...(ofEntries && list !== undefined ? [list] : [])])
  const kept = only(body, top)
  if (ofEntries && list !== undefined && !names.has(list)) kept[list] = entries.map((entry) => only(entry, names))
  return kept
}

/** A list that was shortened; `member` is its path in the answer, as in `runs[0].line_items`. */
export interface Cut {
  readonly member: string
  readonly kept: number
  readonly total: number
}

interface FoundList {
  readonly path: string
  readonly entries: unknown[]
  readonly size: number
}

/** Every list of the answer that has an entry to spare. Messages stay: they say what to do. */
function listsOf(value: unknown, path: string): readonly FoundList[] {
  if (Array.isArray(value)) {
    const inner = value.flatMap((entry, index) => listsOf(entry, `${path}[${index}]`))
    return value.length > 1 ? [{ path, entries: value, size: JSON.stringify(value).length }, ...inner] : inner
  }
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'messages' ? [] : listsOf(member, path === '' ? name : `${path}.${name}`),
  )
}

/** Drops entries from the end until `excess` characters are gone; the first one stays. */
function shorten(entries: unknown[], excess: number): void {
  let left = excess
  while (left > 0 && entries.length > 1) left -= JSON.stringify(entries.pop()).length + 1
}

/** Shortens the longest list, then the next longest, until the answer fits. */
export function cutToFit(body: Body, max: number): { readonly body: Body; readonly cuts: readonly Cut[] } {
  const copy = structuredClone(body)
  const cuts = new Map<string, Cut>()
  for (;;) {
    const excess = JSON.stringify(copy).length - max
    const [longest] = excess > 0 ? listsOf(copy, '').toSorted((a, b) => b.size - a.size) : []
    if (!longest) return { body: copy, cuts: [...cuts.values()] }
    const { path, entries } = longest
    const total = cuts.get(path)?.total ?? entries.length
    shorten(entries, excess)
    cuts.set(path, { member: path, kept: entries.length, total })
  }
}
