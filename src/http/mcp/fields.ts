/** Keeps answers small enough for an agent: only the members it asks for, and never more than it can hold. Pure. */

/**
 * Bytes of an answer, about 25,000 tokens: hosts cut longer ones, usually in the middle of a value. Bytes, because a Chinese
 * character has three of them and is a token or more, while a letter is less than half of one.
 */
const ANSWER_BYTES_MAX = 60_000
const BYTES_PER_CHAR_MAX = 3

export const isShortEnough = (text: string): boolean =>
  text.length * BYTES_PER_CHAR_MAX <= ANSWER_BYTES_MAX || Buffer.byteLength(text) <= ANSWER_BYTES_MAX

/** Members that stay whatever is asked for: they say whether the rest can be used, and how to go on. */
const ALWAYS: ReadonlySet<string> = new Set(['ucp', 'messages', 'pagination', 'continue_url', 'actions'])

type Body = Record<string, unknown>

const isObject = (value: unknown): value is Body => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The lists of objects but `messages`, in the order of the answer: the first is what it is about. */
const listsOf = (body: Body): readonly (readonly [name: string, entries: readonly Body[]])[] =>
  Object.entries(body).flatMap(([name, value]) =>
    name !== 'messages' && Array.isArray(value) && value.every(isObject) ? [[name, value] as const] : [],
  )

const pickMembers = (value: Body, names: ReadonlySet<string>): Body =>
  Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)))

/** Of the entries of the first list where a name is one of theirs, and of the answer. */
export function selectFields(body: Body, fields: readonly string[]): Body {
  const names = new Set(fields)
  const lists = listsOf(body)
  const listWith = (field: string) => lists.find(([, entries]) => entries.some((entry) => Object.hasOwn(entry, field)))
  const chosen = new Set(fields.map(listWith))
  const shortened = Object.fromEntries(
    lists
      .filter((list) => chosen.has(list) && !names.has(list[0]))
      .map(([name, entries]) => [name, entries.map((entry) => pickMembers(entry, names))]),
  )
  const kept = new Set([...ALWAYS, ...names, ...Object.keys(shortened)])
  return { ...pickMembers(body, kept), ...shortened }
}

/** Lists that were shortened. `member` is their path, as in `runs[].line_items`; `total`: entries of the longest of them. */
export interface Cut {
  readonly member: string
  readonly kept: number
  readonly total: number
}

interface Shortened {
  readonly body: Body
  readonly text: string
  readonly cuts: readonly Cut[]
}

/** A copy in which no list has more than `max` entries, but for the members that are spared. */
function withLists(body: Body, max: number, spared: ReadonlySet<string>): Shortened {
  const cuts = new Map<string, Cut>()
  const copyOf = (value: unknown, path: string): unknown => {
    if (Array.isArray(value)) {
      if (value.length > max)
        cuts.set(path, { member: path, kept: max, total: Math.max(value.length, cuts.get(path)?.total ?? 0) })
      return value.slice(0, max).map((entry) => copyOf(entry, `${path}[]`))
    }
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        spared.has(name) ? member : copyOf(member, path === '' ? name : `${path}.${name}`),
      ]),
    )
  }
  const copy = copyOf(body, '') as Body
  return { body: copy, text: JSON.stringify(copy), cuts: [...cuts.values()] }
}

function longestList(value: unknown): number {
  if (Array.isArray(value)) return Math.max(value.length, ...value.map(longestList))
  return isObject(value) ? Math.max(0, ...Object.values(value).map(longestList)) : 0
}

const SPARED: ReadonlySet<string> = new Set(['ucp', 'messages'])
const NONE_SPARED: ReadonlySet<string> = new Set(['ucp'])

/** Shortens all lists to the same length, the largest that fits. Messages only where nothing else helps: they say what to do. */
export function cutToFit(body: Body): Shortened {
  const spared = isShortEnough(withLists(body, 1, SPARED).text) ? SPARED : NONE_SPARED
  let low = 1
  let high = longestList(body)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isShortEnough(withLists(body, middle, spared).text)) low = middle
    else high = middle - 1
  }
  return withLists(body, low, spared)
}
