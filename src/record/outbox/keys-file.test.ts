import { expect, test } from 'vitest'
import { DAY, MINUTE } from '../../kernel/clock.ts'
import { createKey, currentKey, parseKeys, publishedKeys, retireKey, thumbprint, writeKeys } from './keys-file.ts'

const NOW = Date.parse('2026-09-10T08:00:00+08:00')

test('the kid is the thumbprint of RFC 7638', () => {
  // The example of RFC 7517, A.1, whose thumbprint is well known.
  expect(
    thumbprint({ x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4', y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM' }),
  ).toBe('cn-I_WNMClehiVp51i_0VpOENW1upEerA8sEam5hn-s')
})

test('what is written is read again, and only the owner of the private part can write it', () => {
  const keys = [createKey(NOW), { ...createKey(NOW - DAY), retiredAt: NOW }]
  const read = parseKeys(writeKeys(keys))
  expect(read.ok && read.keys.map(({ kid, createdAt, retiredAt }) => [kid, createdAt, retiredAt])).toEqual(
    keys.map(({ kid, createdAt, retiredAt }) => [kid, createdAt, retiredAt]),
  )
})

test.each([
  ['no JSON', 'nonsense', 'is not JSON'],
  ['no list', '{}', 'must have a list "keys"'],
  ['no keys', '{"keys":[]}', 'has no key that is in use'],
  [
    'a public key',
    writeKeys([createKey(NOW)]).replace(/\s*"d": "[^"]+",/, ''),
    'has no private P-256 key with its created_at at keys[0]',
  ],
  [
    'no time',
    writeKeys([createKey(NOW)]).replace(/,\s*"created_at": "[^"]+"/, ''),
    'has no private P-256 key with its created_at at keys[0]',
  ],
  [
    'another kid',
    writeKeys([createKey(NOW)]).replace(/"kid": "[^"]+"/, '"kid": "mine"'),
    'has another kid than the RFC 7638 thumbprint at keys[0]',
  ],
  ['only retired keys', writeKeys([{ ...createKey(NOW), retiredAt: NOW }]), 'has no key that is in use'],
])('%s makes the file invalid, and the problem quotes nothing of it', (_name, text, problem) => {
  expect(parseKeys(text)).toEqual({ ok: false, problem })
})

test('a new key signs 10 minutes after it was published; the first one at once', () => {
  const [old, next] = [createKey(NOW - DAY), createKey(NOW)]
  expect(currentKey([next], NOW)).toBe(next)
  expect(currentKey([next, old], NOW + 9 * MINUTE)).toBe(old)
  expect(currentKey([next, old], NOW + 10 * MINUTE)).toBe(next)
})

test('a retired key stays published for 7 days; the one that signs is retired only when another can', () => {
  const [old, next] = [createKey(NOW - DAY), createKey(NOW)]
  expect(retireKey([old], old.kid, NOW)).toEqual({ ok: false, problem: 'last' })
  expect(retireKey([next, old], old.kid, NOW + MINUTE)).toEqual({ ok: false, problem: 'successor_too_new' })
  expect(retireKey([next, old], 'other', NOW)).toEqual({ ok: false, problem: 'unknown' })
  const at = NOW + 10 * MINUTE
  const retired = retireKey([next, old], old.kid, at)
  if (!retired.ok) throw new Error(retired.problem)
  expect(retireKey(retired.keys, old.kid, at)).toEqual({ ok: false, problem: 'retired' })
  expect(publishedKeys(retired.keys, at + 7 * DAY - 1)).toHaveLength(2)
  expect(publishedKeys(retired.keys, at + 7 * DAY)).toEqual([next])
})
