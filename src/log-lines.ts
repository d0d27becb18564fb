/**
 * The log on a file descriptor, as JSON lines. A write for each line costs more than making it, so a tenth of a second
 * of them goes out in one; whoever ends the process in order closes the log first, and an exit in disorder flushes it.
 */
import { pino } from 'pino'
import type { Log } from './kernel/log.ts'

const FLUSH_BYTES = 8192
const FLUSH_MS = 100

export interface LogLines {
  readonly log: Log
  close(): void
}

export function logLines(level: string, fd: number): LogLines {
  const output = pino.destination({ dest: fd, sync: true, minLength: FLUSH_BYTES, periodicFlush: FLUSH_MS })
  const log = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output)
  const flush = () => output.flushSync()
  process.once('exit', flush)
  return {
    log,
    close() {
      flush()
      process.off('exit', flush)
    },
  }
}
