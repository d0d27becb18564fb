import { expect, test } from 'vitest'
import { isCounterBack, relyingParty } from './verify.ts'

test.each([
  ['http://vend.example.com', undefined],
  ['https://192.168.1.7', undefined],
  ['http://127.0.0.1:8080', undefined],
  ['https://[::1]', undefined],
  ['http://localhost.example.com', undefined],
  ['http://localhost:8080', 'localhost'],
  ['https://vend.example.com:8443', 'vend.example.com'],
])('passkeys at %s are for %s', (publicUrl, id) => {
  const party = relyingParty(publicUrl)
  expect(party.ok ? party.value : undefined).toEqual(id === undefined ? undefined : { id, origin: publicUrl })
})

test.each([
  [0, 0, false],
  [0, 1, false],
  [1, 2, false],
  [1, 1, true],
  [2, 1, true],
  [1, 0, true],
])('a counter from %i to %i goes back: %s', (before, now, isBack) => {
  expect(isCounterBack(before, now)).toBe(isBack)
})
