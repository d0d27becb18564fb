/**
 * Writes log lines. Logging must never stop or slow down the service: nothing here throws, blocks on a slow reader, or
 * buffers without limit. Lost lines are counted and reported as soon as writing works again.
 */
import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { systemClock } from './kernel/clock.ts'

/** About ten thousand lines. */
const BUFFERED_BYTES_MAX = 4 * 2 ** 20
const FINISH_TIMEOUT_MS = 1000
const STDOUT = 1

export interface LogSink {
  write(lines: string): void
  /** Resolves when everything is written, or after a timeout. */
  finish(): Promise<void>
}

export function logSink(fd: number): LogSink {
  const stat = fstatSync(fd)
  const isPipe = stat.isFIFO() || stat.isSocket()
  return fd === STDOUT && isPipe ? toPipe(process.stdout) : toFile(fd)
}

const countLines = (lines: string): number => lines.split('\n').length - 1

function lostLine(lost: number): string {
  const time = new Date(systemClock.now()).toISOString()
  return `${JSON.stringify({ level: 40, time, lost, msg: 'log lines could not be written' })}\n`
}

/** A write to a file succeeds at once or fails (full disk). */
function toFile(fd: number): LogSink {
  let lost = 0
  return {
    write(lines) {
      try {
        let rest = Buffer.from(lost > 0 ? lostLine(lost) + lines : lines)
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
        lost = 0
      } catch {
        lost += countLines(lines)
      }
    },
    finish: async () => {},
  }
}

/** The program that reads may be slow or gone. */
export function toPipe(stream: Writable): LogSink {
  let lost = 0
  stream.on('error', () => {})
  return {
    write(lines) {
      if (stream.destroyed) return
      if (stream.writableLength > BUFFERED_BYTES_MAX) {
        lost += countLines(lines)
        return
      }
      stream.write(lost > 0 ? lostLine(lost) + lines : lines)
      lost = 0
    },
    finish: () =>
      new Promise((resolve) => {
        if (stream.destroyed || stream.writableLength === 0) return resolve()
        const timer = setTimeout(resolve, FINISH_TIMEOUT_MS)
        stream.write('', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}
