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

export interface Cut {
  readonly body: Body
  readonly member: string
  readonly kept: number
  readonly total: number
}

/** The longest list of the answer, shortened until the answer fits; undefined when that does not help. */
export function cutToFit(body: Body, max: number): Cut | undefined {
  const lists = Object.keys(body).filter((name) => Array.isArray(body[name]))
  const sizeOf = (name: string) => JSON.stringify(body[name]).length
  const [member] = lists.toSorted((a, b) => sizeOf(b) - sizeOf(a))
  if (member === undefined) return undefined
  const entries = body[member] as readonly unknown[]
  const rest = JSON.stringify({ ...body, [member]: [] }).length
  let size = rest
  let kept = 0
  for (const entry of entries) {
    size += JSON.stringify(entry).length + 1
    if (size > max) break
    kept += 1
  }
  return rest > max
    ? undefined
    : { body: { ...body, [member]: entries.slice(0, kept) }, member, kept, total: entries.length }
}
