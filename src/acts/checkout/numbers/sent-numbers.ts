/**
 * The numbers of all orders that were sent from this host, whatever the supplier, in a file outside the database: a
 * restored database assigns numbers again, and callers may choose one again. Processes of a host share the file. It is not
 * flushed: a killed process loses nothing, and what a crash of the host takes is known to the suppliers that can be asked and
 * to the journal of those that cannot (ADR 36). While it cannot be read, or has a line that is no number, nothing is bought:
 * it may be the number that would be used again.
 */
import { appendFileSync, closeSync, fstatSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { isPoNumber } from '../../../kernel/ids.ts'

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
  /** Throws NumbersUnreadable. */
  has(number: string): boolean
  /** Throws NumbersUnreadable. */
  list(): ReadonlySet<string>
}

/** The message is written for the person who administers the server. */
export class NumbersUnreadable extends Error {
  override readonly name = 'NumbersUnreadable'
}

function readFrom(path: string, offset: number): Buffer {
  const handle = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(fstatSync(handle).size - offset, 0))
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, offset))
  } finally {
    closeSync(handle)
  }
}

export const numbersFile = (sidecarPrefix: string): string => `${sidecarPrefix}.numbers`

/** Without a prefix (a database in memory) nothing is kept. */
export function sentNumbers(sidecarPrefix: string | undefined): SentNumbers {
  const known = new Set<string>()
  if (sidecarPrefix === undefined) return { add: () => {}, has: () => false, list: () => known }
  const path = numbersFile(sidecarPrefix)
  let readBytes = 0

  /** Reads what was appended since, by this process or another one. A line that is not whole yet is read next time. */
  function refresh(): void {
    try {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size === readBytes) return
      const from = size < readBytes ? 0 : readBytes
      const bytes = size === 0 ? Buffer.alloc(0) : readFrom(path, from)
      const end = bytes.lastIndexOf('\n') + 1
      const lines = bytes.toString('latin1', 0, end).split('\n')
      const damaged = lines.find((line) => line !== '' && !isPoNumber(line))
      if (damaged !== undefined)
        throw new NumbersUnreadable(
          `${path} has a line that is no order number: ${JSON.stringify(damaged.slice(0, 40))}`,
        )
      for (const line of lines) if (line !== '') known.add(line)
      readBytes = from + end
    } catch (failure) {
      if (failure instanceof NumbersUnreadable) throw failure
      const { code, message } = failure as NodeJS.ErrnoException
      throw new NumbersUnreadable(`${path} cannot be read (${code ?? message})`, { cause: failure })
    }
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
