/**
 * The numbers of all orders that were sent from this host, whatever the supplier, in a file outside the database: a
 * restored database assigns numbers again, and callers may choose one again. Processes of a host share the file. It is not
 * flushed: a killed process loses nothing, and what a crash of the host takes is known to the suppliers that can be asked and
 * to the journal of those that cannot (ADR 36).
 */
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

declare module '../../../context.ts' {
  interface Context {
    readonly sentNumbers: SentNumbers
  }
}

const OWNER_ONLY = 0o600
const FOLDER_OWNER_ONLY = 0o700

export interface SentNumbers {
  /** Throws when it cannot be written. */
  add(number: string): void
  /** Throws when the file cannot be read. */
  has(number: string): boolean
  list(): ReadonlySet<string>
}

function readFrom(path: string, offset: number): string {
  const handle = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(fstatSync(handle).size - offset, 0))
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(handle)
  }
}

/** Without a prefix (a database in memory) nothing is kept. */
export function sentNumbers(sidecarPrefix: string | undefined): SentNumbers {
  const known = new Set<string>()
  if (sidecarPrefix === undefined) return { add: () => {}, has: () => false, list: () => known }
  const path = `${sidecarPrefix}.numbers`
  let readBytes = 0

  /** Reads what was appended since, by this process or another one. */
  function refresh(): void {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size === readBytes) return
    for (const line of readFrom(path, size < readBytes ? 0 : readBytes).split('\n')) if (line !== '') known.add(line)
    readBytes = size
  }

  return {
    add(number) {
      if (statSync(path, { throwIfNoEntry: false }) === undefined)
        mkdirSync(dirname(path), { recursive: true, mode: FOLDER_OWNER_ONLY })
      // It begins with a line end: the process before may have died in the middle of a line.
      appendFileSync(path, `\n${number}\n`, { mode: OWNER_ONLY })
    },
    has(number) {
      refresh()
      return known.has(number)
    },
    list() {
      refresh()
      return known
    },
  }
}
