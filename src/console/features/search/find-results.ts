/** Search across everything that is already loaded. Pure. */
import { href } from '../../lib/router.ts'

const PER_GROUP = 6
const ORDER = [
  'open',
  'pages',
  'approvals',
  'machines',
  'connections',
  'people',
  'products',
  'runs',
  'orders',
  'sessions',
] as const
type ResultGroup = (typeof ORDER)[number]

export interface SearchResult {
  readonly group: ResultGroup
  readonly text: string
  readonly note?: string | undefined
  readonly href: string
}

/** Something that can be found: its words are searched, `text` is shown. */
export interface Findable extends SearchResult {
  /** Further words, such as an address or a status. */
  readonly words?: string | undefined
}

/** All words of the query occur; what begins with it comes first, be it the text or the id below it. */
function rankOf({ text, note = '', words = '' }: Findable, wanted: readonly string[]): number {
  const shown = [text.toLowerCase(), note.toLowerCase()]
  const all = `${shown.join(' ')} ${words}`.toLowerCase()
  if (!wanted.every((word) => all.includes(word))) return -1
  const first = wanted[0] ?? ''
  return shown.some((line) => line.startsWith(first)) ? 2 : shown.some((line) => line.includes(first)) ? 1 : 0
}

export function findResults(text: string, all: readonly Findable[]): readonly SearchResult[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return all.filter(({ group }) => group === 'pages')
  const direct = idResult(text.trim())
  const ranked = all
    // What a pasted id names comes before what only mentions it.
    .map((one) => ({ one, rank: one.href === direct?.href ? 3 : rankOf(one, wanted) }))
    .filter(({ rank }) => rank >= 0)
    .toSorted((a, b) => b.rank - a.rank)
  const groups = Map.groupBy(ranked, ({ one }) => one.group)
  const bestOf = (group: ResultGroup): number => groups.get(group)?.[0]?.rank ?? -1
  const order = ORDER.toSorted((a, b) => bestOf(b) - bestOf(a))
  const found = order.flatMap((group) => (groups.get(group) ?? []).slice(0, PER_GROUP).map(({ one }) => one))
  return direct && !found.some((one) => one.href === direct.href) ? [direct, ...found] : found
}

/** An id that was pasted opens its page, also when it is too old for the lists. */
function idResult(text: string): SearchResult | undefined {
  const open = (to: string): SearchResult => ({ group: 'open', text, href: to })
  if (/^run-\d+$/.test(text)) return open(href.run(text))
  if (/^po_[\w-]+$/i.test(text)) return open(href.purchase(text))
  if (/^dec-[\w-]+$/.test(text)) return open(href.approval(text))
  if (/^[a-z][a-z0-9-]*:\S+$/.test(text)) return open(href.sku(text))
  return undefined
}
