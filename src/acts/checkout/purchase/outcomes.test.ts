import { expect, test } from 'vitest'
import { HOUR } from '../../../kernel/clock.ts'
import { supplierWaitMs } from './outcomes.ts'
import type { Session } from '../session.ts'

const NOW = 10 * HOUR
const since = NOW - HOUR / 4

const cases: readonly (readonly [string, Pick<Session, 'handoff' | 'outcomeUnknown'>, canBeAsked: boolean, number])[] =
  [
    ['handed to a person', { handoff: { url: 'https://shop.example.com' } }, true, 0],
    ['only a person knows', { outcomeUnknown: { since, text: '', onlyPersonKnows: true } }, true, 0],
    ['the supplier cannot be asked', { outcomeUnknown: { since, text: '' } }, false, 0],
    [
      'the supplier does not know for a quarter of an hour',
      { outcomeUnknown: { since, text: '' } },
      true,
      (HOUR * 3) / 4,
    ],
    ['the supplier does not know for an hour', { outcomeUnknown: { since: NOW - HOUR, text: '' } }, true, 0],
    ['nothing is known to be missing yet', {}, true, HOUR],
  ]

test.each(cases)('%s: its answer is still awaited for a while, or a person may say', (_, session, canBeAsked, left) =>
  expect(supplierWaitMs(session, NOW, canBeAsked)).toBe(left),
)
