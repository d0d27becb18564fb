/**
 * The log as JSON lines, or on a terminal as lines for people, written in batches of 100 ms: writing each line alone costs more than formatting it. `close()`
 * flushes on shutdown, an exit handler otherwise.
 */
import { isatty } from 'node:tty'
import { pino } from 'pino'
import { systemClock } from './kernel/clock.ts'
import type { Log } from './kernel/log.ts'
import { logSink } from './log-sink.ts'
import { terminalLine } from './log-line.ts'

const FLUSH_LENGTH = 8192
const FLUSH_MS = 100

export interface Logger {
  readonly log: Log
  close(): Promise<void>
}

export function logger(level: string, fd: number): Logger {
  const output = logSink(fd)
  let lines = ''
  const flush = () => {
    const waiting = lines
    lines = ''
    if (waiting !== '') output.write(waiting)
  }
  const toLine = isatty(fd) ? terminalLine(level) : (line: string) => line
  const write = (line: string) => {
    lines += toLine(line)
    if (lines.length >= FLUSH_LENGTH) flush()
  }
  const log = pino({ level, base: null, timestamp: timeField() }, { write })
  const flushTimer = setInterval(flush, FLUSH_MS).unref()
  process.once('exit', flush)
  return {
    log,
    async close() {
      clearInterval(flushTimer)
      process.off('exit', flush)
      flush()
      await output.finish()
    },
  }
}

/** The time field, formatted once per millisecond: a busy service writes many lines within one. */
function timeField(): () => string {
  let at = Number.NaN
  let field = ''
  return () => {
    const now = systemClock.now()
    if (now !== at) field = `,"time":"${new Date((at = now)).toISOString()}"`
    return field
  }
}
