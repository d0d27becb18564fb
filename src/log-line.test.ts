import { describe, expect, test } from 'vitest'
import { terminalLine } from './log-line.ts'

const line = (fields: object, level = 'info') =>
  terminalLine(level)(JSON.stringify({ level: 30, time: '2026-09-10T00:12:03.000Z', ...fields }))

describe('the log on a terminal', () => {
  test('is one readable line with the fields behind the sentence', () => {
    expect(line({ level: 40, msg: 'waiting for the database', reason: 'refused', tries: 3 })).toMatch(
      /^\d\d:12:03 WARN  waiting for the database {2}reason=refused {2}tries=3\n$/,
    )
    expect(line({ level: 50, msg: 'failed', err: { type: 'Error', message: 'no such file' } })).toContain(
      'ERROR failed  err=no such file',
    )
  })

  test('leaves out requests that succeeded, so that the address and token stay in sight', () => {
    const request = { msg: 'request completed', request_id: 'r1', operation: 'getPlan', ms: 3 }
    expect(line({ ...request, status: 200 })).toBe('')
    expect(line({ ...request, status: 200 }, 'debug')).toContain('operation=getPlan')
    expect(line({ ...request, status: 502 })).toContain('status=502')
  })

  test('cannot be changed by what callers send', () => {
    expect(line({ msg: 'agent', agent: 'a\u001b[2Jb\nc' })).toContain('agent=a [2Jb c')
  })
})
