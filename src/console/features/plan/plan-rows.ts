/** Which slots of the plan are shown, and in which order. */
import type { PlanEntry } from '../../../contract/shapes/replenishment.ts'
import { stockState } from '../../../kernel/stock-state.ts'
import { isComing, isLocked } from '../today/attention.ts'
import { locale } from '../../lib/text/i18n.ts'

type Show = 'all' | 'order' | 'empty' | 'low' | 'watch' | 'held'

const stateOf = ({ stock, days_of_cover: cover }: PlanEntry) => stockState(stock, cover)

/** As on Today: what is locked or comes with the next delivery needs nothing. */
const isOpen = (entry: PlanEntry): boolean => !isLocked(entry) && !isComing(entry)

export const SHOWS: Readonly<Record<Show, (entry: PlanEntry) => boolean>> = {
  all: () => true,
  order: ({ recommendation }) => recommendation.action === 'order',
  empty: (entry) => stateOf(entry) === 'empty' && isOpen(entry),
  low: (entry) => stateOf(entry) === 'low' && isOpen(entry),
  watch: ({ recommendation }) => recommendation.action === 'watch',
  held: (entry) => !isOpen(entry),
}
export const SHOW_NAMES = Object.keys(SHOWS) as Show[]
export const searchText = ({ item, slot_id: slot }: PlanEntry, machine: string): string =>
  `${item.title} ${slot} ${machine}`.toLowerCase()
export const showOf = (text: string): Show => (Object.hasOwn(SHOWS, text) ? (text as Show) : 'all')

const URGENCY = { order: 0, watch: 1, in_transit: 2, locked: 3, phase_out: 4, none: 5 } as const

const ENDLESS = Number.MAX_SAFE_INTEGER

type Key = (entry: PlanEntry) => number

/** The rank of each text in the order of the language: collating is slow, and many slots share a title. */
function ranks(texts: readonly string[]): (text: string) => number {
  const { compare } = new Intl.Collator(locale())
  const places = new Map([...new Set(texts)].toSorted(compare).map((text, index) => [text, index]))
  return (text) => places.get(text) ?? 0
}

export function sortKeys(entries: readonly PlanEntry[]): Readonly<Record<string, Key>> {
  const title = ranks(entries.map(({ item }) => item.title))
  return {
    item: ({ item }) => title(item.title),
    stock: ({ stock }) => stock,
    rate: ({ demand }) => demand.daily_rate,
    // What is empty longest comes first.
    cover: ({ stock, stockout_at: at, empty_since: since }) =>
      since !== undefined ? Date.parse(since) : stock === 0 ? 0 : at === null ? ENDLESS : Date.parse(at),
    action: ({ recommendation: { action, quantity } }) => URGENCY[action] * 10_000 - (quantity ?? 0),
  }
}

export function sortEntries(entries: readonly PlanEntry[], key: Key | undefined, down: boolean): readonly PlanEntry[] {
  if (!key) return entries
  const keyed = entries.map((entry) => ({ entry, at: key(entry) }))
  return keyed.toSorted((a, b) => (down ? b.at - a.at : a.at - b.at)).map(({ entry }) => entry)
}
