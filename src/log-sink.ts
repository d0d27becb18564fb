/**
 * Where log lines go. A log must not bring the service down, nor to a stand: nothing here throws, waits for a reader, or
 * keeps without end what nobody takes. What is lost that way is counted and told as soon as somebody reads again.
 */
import { fstatSync, writeSync } from 'node:fs'
import type { Writable } from 'node:stream'
import { systemClock } from './kernel/clock.ts'

/** About ten thousand lines. */
const WAITING_MAX = 4 * 2 ** 20
const FINISH_WITHIN_MS = 1000
const STDOUT = 1

export interface LogSink {
  write(lines: string): void
  /** Resolves when all is out, or nobody takes it. */
  finish(): Promise<void>
}

export function logSink(fd: number): LogSink {
  const stat = fstatSync(fd)
  const isRead = stat.isFIFO() || stat.isSocket()
  return fd === STDOUT && isRead ? toReader(process.stdout) : toFile(fd)
}

const count = (lines: string): number => lines.split('\n').length - 1

function tellLost(lost: number): string {
  const time = new Date(systemClock.now()).toISOString()
  return `${JSON.stringify({ level: 40, time, lost, msg: 'log lines could not be written' })}\n`
}

/** A file takes what it is given at once, or not at all (a full disk). */
function toFile(fd: number): LogSink {
  let lost = 0
  return {
    write(lines) {
      try {
        let rest = Buffer.from(lost > 0 ? tellLost(lost) + lines : lines)
        while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
        lost = 0
      } catch {
        lost += count(lines)
      }
    },
    finish: async () => {},
  }
}

/** Another program reads, or reads no more, or is slow. */
export function toReader(stream: Writable): LogSink {
  let lost = 0
  stream.on('error', () => {})
  return {
    write(lines) {
      if (stream.destroyed) return
      if (stream.writableLength > WAITING_MAX) {
        lost += count(lines)
        return
      }
      stream.write(lost > 0 ? tellLost(lost) + lines : lines)
      lost = 0
    },
    finish: () =>
      new Promise((resolve) => {
        if (stream.destroyed || stream.writableLength === 0) return resolve()
        const timer = setTimeout(resolve, FINISH_WITHIN_MS)
        stream.write('', () => {
          clearTimeout(timer)
          resolve()
        })
      }),
  }
}
