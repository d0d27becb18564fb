/**
 * The journal of orders as a file outside the database, append-only, one JSON line for each entry. Processes of a host share
 * it: each appends whole lines, and reads what the others have appended. Two databases may share it as well: a line names
 * the database it belongs to.
 */
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Namespace } from '../../kernel/ids.ts'
import type { Log } from '../../kernel/log.ts'
import { syncFolder, writeDurably } from '../../lib/files.ts'
import { type JournalEntry, type OrderJournal, isLater } from '../../vendors/order-journal.ts'

const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700

type Members = Readonly<Record<string, unknown>>

interface Line extends Omit<JournalEntry, 'order'> {
  readonly namespace: Namespace
  /** The id of the database. Lines of earlier versions have none and count for every database. */
  readonly database?: string
  /** What differs from the earlier entries of the attempt. */
  readonly order: Members
}

const journalPath = (sidecarPrefix: string): string => `${sidecarPrefix}.orders`

/** For all connections of a process. Without the id of the database every line counts as one of it. */
export function orderJournals(
  sidecarPrefix: string,
  log: Log,
  databaseId?: string,
): (namespace: Namespace) => OrderJournal {
  const path = journalPath(sidecarPrefix)
  const entries = new Map<string, JournalEntry>()
  const othersOrders = new Set<string>()
  let isWarned = false
  let offset = 0
  const keyOf = (namespace: Namespace, ref: string) => `${namespace} ${ref}`

  /** Reads what was appended since. A line that is not whole yet is read next time. */
  function refresh(): void {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size === offset) return
    if (size < offset) {
      entries.clear()
      othersOrders.clear()
      offset = 0
    }
    if (size === 0) return
    const bytes = readFrom(path, offset)
    const end = bytes.lastIndexOf('\n') + 1
    for (const line of bytes.subarray(0, end).toString().split('\n')) if (line !== '') addLine(line)
    offset += end
    if (othersOrders.size === 0 || isWarned) return
    isWarned = true
    log.warn(
      { file: path, orders: othersOrders.size },
      'the journal has orders of another database; they are not taken for orders of this one, and their numbers are not used',
    )
  }

  function addLine(text: string): void {
    try {
      const { namespace, database, ...entry } = JSON.parse(text) as Line
      const key = keyOf(namespace, entry.ref)
      if (isOther(database)) {
        othersOrders.add(key)
        return
      }
      const known = entries.get(key)
      if (!isLater(entry, known)) return
      const order = { ...sameAttempt(known, entry), ...entry.order } as JournalEntry['order']
      entries.set(key, { ...entry, order })
    } catch {
      log.error({ file: path }, 'a line of the journal of orders cannot be read')
    }
  }

  const isOther = (database: string | undefined): boolean =>
    database !== undefined && databaseId !== undefined && database !== databaseId

  return (namespace) => ({
    async append(entry) {
      refresh()
      const known = sameAttempt(entries.get(keyOf(namespace, entry.ref)), entry)
      const line: Line = {
        namespace,
        ...(databaseId !== undefined && { database: databaseId }),
        ...entry,
        order: changedMembers(entry.order, known),
      }
      // It begins with a line end: the process before may have died in the middle of a line.
      await appendDurably(path, `\n${JSON.stringify(line)}\n`)
    },
    find(ref) {
      refresh()
      return entries.get(keyOf(namespace, ref))
    },
    isOfAnotherDatabase(ref) {
      refresh()
      return othersOrders.has(keyOf(namespace, ref))
    },
    refs(sinceMs) {
      refresh()
      return [...entries].flatMap(([key, { ref, order }]) =>
        key === keyOf(namespace, ref) && order.startedAt >= sinceMs ? [ref] : [],
      )
    },
  })
}

/** How many orders in the journal are of another database; for the person who checks the host. Throws when it cannot be read. */
export function countOthersOrders(sidecarPrefix: string, databaseId: string): number {
  const path = journalPath(sidecarPrefix)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return 0
  const others = new Set<string>()
  for (const text of readFrom(path, 0).toString().split('\n')) {
    try {
      const { namespace, ref, database } = JSON.parse(text) as Partial<Line>
      if (database !== undefined && database !== databaseId) others.add(`${namespace} ${ref}`)
    } catch {
      // A line that is not whole: the service reports it.
    }
  }
  return others.size
}

/** Entries of one attempt state only what changed. */
const sameAttempt = (known: JournalEntry | undefined, { attempt }: Pick<JournalEntry, 'attempt'>): Members =>
  known?.attempt === attempt ? known.order : {}

const changedMembers = (order: Members, known: Members): Members =>
  Object.fromEntries(
    Object.entries(order).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name])),
  )

function readFrom(path: string, offset: number): Buffer {
  const handle = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(fstatSync(handle).size - offset)
    let read = 0
    while (read < bytes.length) {
      const count = readSync(handle, bytes, read, bytes.length - read, offset + read)
      if (count === 0) break
      read += count
    }
    return bytes.subarray(0, read)
  } finally {
    closeSync(handle)
  }
}

async function appendDurably(path: string, text: string): Promise<void> {
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
  if (isNew) await mkdir(dirname(path), { recursive: true, mode: FOLDER_OWNER_ONLY })
  await writeDurably(path, text, 'a', OWNER_ONLY)
  if (isNew) await syncFolder(dirname(path))
}
