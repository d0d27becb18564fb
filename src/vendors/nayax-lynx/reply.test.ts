import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMachines } from './machines.ts'
import { failureOfStatus, readAccessToken, readWriteReply } from './reply.ts'
import { readUtc } from './utc-time.ts'

describe('times', () => {
  test.each([
    ['2026-09-19T10:20:30', 0],
    ['2026-09-19T10:20:30Z', 0],
    ['2026-09-19T10:20:30.8', 800],
    ['2026-09-19T10:20:30.76', 760],
    ['2026-09-19T10:20:30.317', 317],
    ['2026-09-19T10:20:30.3174999Z', 317],
    ['2026-09-19T10:20:30.123456789012', 123],
    ['2026-09-19T12:20:30+02:00', 0],
    [' 2026-09-19 10:20:30 ', 0],
  ])('%s is UTC', (text, ms) => {
    expect(readUtc(text)).toBe(Date.UTC(2026, 8, 19, 10, 20, 30) + ms)
  })

  test.each([
    '0001-01-01T00:00:00',
    '2026-02-30T10:00:00',
    '2026-09-19T25:00:00',
    '2026-09-19',
    'string',
    '',
    1_789_000_000_000,
    null,
    undefined,
    {},
  ])('%j is no time', (value) => {
    expect(readUtc(value)).toBeNull()
  })

  test('any fraction, with or without Z, is cut to milliseconds', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^\d{1,20}$/), fc.boolean(), (fraction, zulu) => {
        const at = readUtc(`2026-09-19T10:20:30.${fraction}${zulu ? 'Z' : ''}`)
        expect(at).toBe(Date.UTC(2026, 8, 19, 10, 20, 30) + Number(fraction.padEnd(3, '0').slice(0, 3)))
      }),
    )
  })
})

describe('refusals', () => {
  test('Ok: false with HTTP 200 is a rejection in the words of the platform', () => {
    const reply = { Ok: false, Message: 'No such machine', SystemMessage: 'x', code: 'E7' }
    expect(readMachines(reply)).toMatchObject({
      ok: false,
      reason: 'rejected',
      message: 'No such machine',
      raw: 'E7',
    })
    expect(readMachines({ Ok: false, Message: null })).toMatchObject({ ok: false, reason: 'rejected' })
  })

  test('a write is done unless its reply says otherwise', () => {
    expect([undefined, {}, { Ok: true }, { MachineProductID: 3 }].map((json) => readWriteReply(json).ok)).toEqual([
      true,
      true,
      true,
      true,
    ])
    expect(readWriteReply({ Ok: false, Message: 'no' })).toMatchObject({ reason: 'rejected', message: 'no' })
  })

  test.each([{ Ok: true }, {}, null, 'text', 7, { Ok: 'false' }])('%j is no listing', (reply) => {
    expect(readMachines(reply)).toMatchObject({ ok: false, reason: 'unknown' })
  })

  test.each([
    [200, false, undefined],
    [204, true, undefined],
    [401, false, 'unauthorized'],
    [403, true, 'unauthorized'],
    [429, false, 'limited'],
    [400, true, 'rejected'],
    [404, true, 'rejected'],
    [400, false, 'unknown'],
    [404, false, 'unknown'],
    [409, true, 'unknown'],
    [422, true, 'unknown'],
    [500, true, 'unknown'],
    [503, false, 'unknown'],
  ])('HTTP %s (write: %s) is %s', (status, isWrite, reason) => {
    expect(failureOfStatus(status, undefined, { isWrite })?.reason).toBe(reason)
  })

  test('an inner 400 in a 500 does not make it a rejection', () => {
    const body = { Ok: false, Message: 'Response status code does not indicate success: 400' }
    expect(failureOfStatus(500, body, { isWrite: true })?.reason).toBe('unknown')
  })

  test('the message of the body and the wait are kept', () => {
    expect(failureOfStatus(404, { Message: 'Product not found' }, { isWrite: true })?.message).toBe('Product not found')
    expect(failureOfStatus(429, undefined, { isWrite: false, retryAfter: 30 })?.retryAfter).toBe(30)
  })
})

describe('access tokens', () => {
  test('are used for 23 of their 24 hours', () => {
    expect(readAccessToken({ Token: 'ey.abc' })).toEqual({
      ok: true,
      value: { token: 'ey.abc', lifetimeSeconds: 82_800 },
    })
  })

  test('a refused refresh token is about the credentials', () => {
    expect(readAccessToken({ Ok: false, Message: 'expired' })).toMatchObject({
      reason: 'unauthorized',
      unauthorized: true,
    })
  })

  test.each([{}, { Token: null }, { Token: 7 }, { Token: 'a\nb' }, [], null, 'ey.abc'])(
    '%j holds no token',
    (reply) => {
      expect(readAccessToken(reply)).toMatchObject({ ok: false, reason: 'unknown' })
    },
  )
})
