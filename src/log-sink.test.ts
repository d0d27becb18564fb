import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { logSink, toPipe } from './log-sink.ts'

test('a file gets every line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vendops-log-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'log')
  const output = logSink(openSync(file, 'w'))
  output.write('{"n":1}\n')
  output.write('{"n":2}\n')
  await output.finish()
  expect(readFileSync(file, 'utf8')).toBe('{"n":1}\n{"n":2}\n')
})

test('a full disk only loses lines', async () => {
  const output = logSink(openSync('/dev/full', 'w'))
  expect(() => output.write('{"n":1}\n')).not.toThrow()
  expect(() => output.write('{"n":2}\n')).not.toThrow()
  await output.finish()
})

test('a stalled reader loses the lines beyond the buffer, and their number is logged when it continues', async () => {
  const taken: string[] = []
  let goOn: (() => void) | undefined
  const reader = new Writable({
    decodeStrings: false,
    write(chunk: string, _encoding, done) {
      taken.push(chunk)
      if (goOn === undefined) goOn = done
      else done()
    },
  })
  const output = toPipe(reader)
  const line = `${'x'.repeat(2 ** 20)}\n`
  for (let n = 0; n < 10; n++) output.write(line)
  expect(reader.writableLength).toBeLessThan(6 * 2 ** 20)
  expect(taken).toHaveLength(1)
  goOn?.()
  await expect.poll(() => reader.writableLength).toBe(0)
  output.write('{"n":1}\n')
  await output.finish()
  const [report, last] = (taken.at(-1) ?? '').split('\n')
  const kept = taken.filter((one) => one === line).length
  expect(kept).toBeGreaterThan(1)
  expect(JSON.parse(report ?? '')).toMatchObject({ level: 40, lost: 10 - kept, msg: 'log lines could not be written' })
  expect(last).toBe('{"n":1}')
})

test('a reader that went away is not an error', async () => {
  const reader = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  const output = toPipe(reader)
  output.write('{"n":1}\n')
  await expect.poll(() => reader.destroyed).toBe(true)
  output.write('{"n":2}\n')
  await output.finish()
})
