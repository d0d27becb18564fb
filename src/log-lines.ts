/**
 * The log on a file descriptor, as JSON lines. A write for each line costs more than making it, so a tenth of a second
 * of them goes out in one; whoever ends the process in order closes the log first, and an exit in disorder flushes it.
 */
import { pino } from 'pino'
import type { Log } from './kernel/log.ts'

const FLUSH_LENGTH = 8192
const FLUSH_MS = 100

export interface LogLines {
  readonly log: Log
  close(): void
}

export function logLines(level: string, fd: number): LogLines {
  const output = pino.destination({ dest: fd, sync: true })
  let lines = ''
  const flush = () => {
    const waiting = lines
    lines = ''
    if (waiting !== '') output.write(waiting)
  }
  const write = (line: string) => {
    lines += line
    if (lines.length >= FLUSH_LENGTH) flush()
  }
  const log = pino({ level, base: null, timestamp: timeField() }, { write })
  const regularly = setInterval(flush, FLUSH_MS).unref()
  const flushAll = () => {
    flush()
    output.flushSync()
  }
  process.once('exit', flushAll)
  return {
    log,
    close() {
      clearInterval(regularly)
      flushAll()
      process.off('exit', flushAll)
    },
  }
}

/** The time as a field of a line; a busy service writes many lines within one millisecond. */
function timeField(): () => string {
  let at = Number.NaN
  let field = ''
  return () => {
    const now = Date.now()
    if (now !== at) field = `,"time":"${new Date((at = now)).toISOString()}"`
    return field
  }
}
