/**
 * Orders that may have left, outside the database (ADR 36). The suppliers of some adapters cannot be asked about an order,
 * so only our own memory knows it; a restored database may be older than that memory.
 */
export interface OrderJournal {
  /** Resolves once the entry is on disk, and rejects when it may not be. */
  append(entry: JournalEntry): Promise<void>
  /** The furthest entry of an order. Throws when the journal cannot be read. */
  find(ref: string): JournalEntry | undefined
  /** Whether another database that uses the same file has sent an order of this number. Throws when it cannot be read. */
  isOfAnotherDatabase(ref: string): boolean
  /** Every order in it whose last attempt began since then. */
  refs(sinceMs: number): readonly string[]
}

export interface JournalEntry {
  readonly ref: string
  /** Counts from 1. */
  readonly attempt: number
  /** How far the attempt is: of two entries of an attempt the higher one is the later. */
  readonly step: number
  /** As its adapter stores it. */
  readonly order: Readonly<Record<string, unknown>> & { readonly startedAt: number }
}

/** The step of an order that the supplier certainly has: no attempt after it counts. */
export const PLACED = 9

type Position = Pick<JournalEntry, 'attempt' | 'step'>

export function isLater(one: Position, other: Position | undefined): boolean {
  if (!other) return true
  if (one.step === PLACED || other.step === PLACED) return other.step !== PLACED
  return one.attempt > other.attempt || (one.attempt === other.attempt && one.step > other.step)
}
