/** Verifies the hash chain: that its entries follow each other, and that the rows still say what their last entries say. */
import { hash } from 'node:crypto'
import type { Store, Queryable } from '../../store/store.ts'
import { type ChainEntry, type ChainKind, type Facts, entryProblem, factsText, NO_HASH } from './entry.ts'
import { chainAfter, chainHead } from './records.ts'

const BATCH_SIZE = 1000

/** A row as its owner reads it. */
export interface ChainedRow {
  readonly subject: string
  readonly facts: Facts
}

/** Reads rows in a fixed order, in batches; `after` is the subject of the last one read. */
export type ChainedRows = (db: Queryable, after: string | undefined, limit: number) => Promise<readonly ChainedRow[]>

export interface ChainProblem {
  /** The entry, where the chain itself is broken. */
  readonly seq?: number
  readonly kind?: ChainKind
  readonly subject?: string
  readonly text: string
}

export interface ChainReport {
  readonly entries: number
  /** Hash of the last entry. Whoever has a copy of it elsewhere can tell whether the end was cut off. */
  readonly head: string
  /** The first entry that does not fit, or the rows that do not say what the chain says. */
  readonly problems: readonly ChainProblem[]
  /** Whether the expected hash is part of the chain; undefined when none was given. */
  readonly containsExpected: boolean | undefined
}

/** From the entry after `seq` on, oldest first. */
export async function* readChain(db: Queryable, seq = 0): AsyncGenerator<ChainEntry> {
  let after = seq
  while (true) {
    const entries = await chainAfter(db, after, BATCH_SIZE)
    yield* entries
    const last = entries.at(-1)
    if (!last || entries.length < BATCH_SIZE) return
    after = last.seq
  }
}

const shortHash = (facts: string) => hash('sha256', facts, 'base64url')
const keyOf = (kind: ChainKind, subject: string) => `${kind} ${subject}`

interface LastEntry {
  readonly facts: string
  readonly kind: ChainKind
  readonly subject: string
}

/** Stops at the first entry that does not fit: nothing after it can be trusted. */
export async function verifyChain(
  { db }: Pick<Store, 'db'>,
  rows: Readonly<Partial<Record<ChainKind, ChainedRows>>>,
  expected?: string,
): Promise<ChainReport> {
  // Read first: entries that arrive while we read are then part of what we read.
  const head = await chainHead(db)
  let before = { seq: 0, hash: NO_HASH }
  let headSeen = head.seq === 0 && head.hash === NO_HASH
  let containsExpected = expected === undefined ? undefined : expected === NO_HASH
  const last = new Map<string, LastEntry>()
  const brokenReport = (problem: ChainProblem): ChainReport => ({
    entries: before.seq,
    head: before.hash,
    problems: [problem],
    containsExpected,
  })
  for await (const entry of readChain(db)) {
    const problem = entryProblem(entry, before)
    const { seq, kind, subject } = entry
    if (problem !== undefined) return brokenReport({ seq, kind, subject, text: problem })
    if (entry.seq === head.seq && entry.hash === head.hash) headSeen = true
    if (entry.hash === expected) containsExpected = true
    last.set(keyOf(kind, subject), { facts: shortHash(entry.facts), kind, subject })
    before = entry
  }
  if (!headSeen) return brokenReport({ seq: before.seq, text: `the chain ends before its head, entry ${head.seq}` })
  return {
    entries: before.seq,
    head: before.hash,
    problems: await compareRows(db, rows, last),
    containsExpected,
  }
}

async function compareRows(
  db: Queryable,
  rows: Readonly<Partial<Record<ChainKind, ChainedRows>>>,
  last: ReadonlyMap<string, LastEntry>,
): Promise<ChainProblem[]> {
  const problems: ChainProblem[] = []
  const seen = new Set<string>()
  const mismatches: { kind: ChainKind; subject: string; text: string }[] = []
  for (const [name, read] of Object.entries(rows)) {
    const kind = name as ChainKind
    let after: string | undefined
    while (true) {
      const batch = await read(db, after, BATCH_SIZE)
      for (const { subject, facts } of batch) {
        const key = keyOf(kind, subject)
        seen.add(key)
        const entry = last.get(key)
        if (entry && entry.facts !== shortHash(factsText(facts)))
          mismatches.push({ kind, subject, text: 'the row was changed without an entry' })
        if (!entry) mismatches.push({ kind, subject, text: 'the row was added without an entry' })
      }
      after = batch.at(-1)?.subject
      if (batch.length < BATCH_SIZE) break
    }
  }
  // The service may have written while we compared: what it wrote has an entry by now.
  const later = new Map<string, string>()
  if (mismatches.length > 0)
    for await (const { kind, subject, facts } of readChain(db)) later.set(keyOf(kind, subject), shortHash(facts))
  for (const mismatch of mismatches) {
    const key = keyOf(mismatch.kind, mismatch.subject)
    if (later.get(key) === last.get(key)?.facts) problems.push(mismatch)
  }
  for (const [key, { kind, subject }] of last)
    if (rows[kind] && !seen.has(key)) problems.push({ kind, subject, text: 'the row was removed' })
  return problems
}
