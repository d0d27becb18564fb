/** An entry of the hash chain and its hash. Pure. */
import { hash } from 'node:crypto'
import type { PersonRole } from '../../kernel/person.ts'

/** `stop` and `release` have no row that could be rewritten; the others do. */
export const CHAIN_KINDS = [
  'decision',
  'attempt',
  'price_change',
  'stop',
  'release',
  'person',
  'pack',
  'connection',
  'rules',
  'settings',
  'shift',
  'shift_step',
] as const
export type ChainKind = (typeof CHAIN_KINDS)[number]

/** What a row says, as plain values. */
export type Facts = Readonly<Record<string, string | number | null>>

/** Who caused an entry: a caller, or somebody on the server, such as `root@host`. */
export interface ChainActor {
  readonly name: string
  readonly role: PersonRole | 'host'
}

export interface ChainEntry {
  readonly seq: number
  readonly at: number
  readonly kind: ChainKind
  /** The row that changed, such as `dec-1789000000000-7`. */
  readonly subject: string
  readonly by: ChainActor | undefined
  /** JSON of the facts, as it was hashed. */
  readonly facts: string
  readonly previous: string
  readonly hash: string
}

/** What the first entry has as `previous`. */
export const NO_HASH = '0'.repeat(64)

/** With sorted names, so that the same facts always have the same text. */
export function factsText(facts: Facts): string {
  // 5 instead of 7 µs with pairs of names and values.
  const sorted: Record<string, Facts[string]> = {}
  for (const name of Object.keys(facts).toSorted()) sorted[name] = facts[name] ?? null
  return JSON.stringify(sorted)
}

/** What an entry says, without its place in the chain, as it is hashed. */
export const contentText = ({ at, kind, subject, by, facts }: Omit<ChainEntry, 'seq' | 'previous' | 'hash'>): string =>
  JSON.stringify([at, kind, subject, by?.name ?? null, by?.role ?? null, facts]).slice(1, -1)

/** Over every field and the hash before, so that no entry can be changed, removed or inserted without changing all that follow. */
export const entryHash = (entry: Omit<ChainEntry, 'hash'>): string =>
  hash('sha256', `[${entry.seq},${contentText(entry)},${JSON.stringify(entry.previous)}]`, 'hex')

/** Why an entry does not follow the one before it; undefined when it does. */
export function entryProblem(entry: ChainEntry, before: Pick<ChainEntry, 'seq' | 'hash'>): string | undefined {
  if (entry.seq !== before.seq + 1) return `entry ${before.seq + 1} is missing`
  if (entry.previous !== before.hash) return 'it does not name the hash of the entry before it'
  return entry.hash === entryHash(entry) ? undefined : 'its content does not fit its hash'
}
