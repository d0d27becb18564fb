import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckoutStatus } from '../../contract/shapes/checkout.ts'
import { type AssessedStatus, type Trigger, advance, NEXT } from './transitions.ts'

const TRIGGERS: readonly Trigger[] = [
  'edit',
  'cancel',
  'expire',
  'approve',
  'reject',
  'claim',
  'accept',
  'fail',
  'find',
]
const ASSESSED: readonly AssessedStatus[] = ['incomplete', 'requires_escalation', 'ready_for_complete']
const step = fc.tuple(fc.constantFrom(...TRIGGERS), fc.constantFrom(...ASSESSED))

describe('3.1 the table of states', () => {
  const rows: readonly (readonly [CheckoutStatus, Trigger, CheckoutStatus | undefined])[] = [
    ['requires_escalation', 'approve', 'ready_for_complete'],
    ['requires_escalation', 'reject', 'canceled'],
    ['ready_for_complete', 'claim', 'complete_in_progress'],
    ['complete_in_progress', 'accept', 'completed'],
    ['complete_in_progress', 'fail', 'ready_for_complete'],
    ['incomplete', 'cancel', 'canceled'],
    ['requires_escalation', 'cancel', 'canceled'],
    ['ready_for_complete', 'cancel', 'canceled'],
    ['incomplete', 'expire', 'canceled'],
    ['requires_escalation', 'expire', 'canceled'],
    ['ready_for_complete', 'expire', 'canceled'],
    ['complete_in_progress', 'cancel', undefined],
    ['complete_in_progress', 'expire', undefined],
    ['complete_in_progress', 'edit', undefined],
    ['incomplete', 'claim', undefined],
    ['requires_escalation', 'claim', undefined],
    ['incomplete', 'approve', undefined],
    ['ready_for_complete', 'approve', undefined],
  ]
  test.each(rows)('%s, %s: %s', (status, trigger, next) => expect(advance(status, trigger)).toBe(next))

  test.each(['completed', 'canceled'] as const)('%s is the end', (status) => expect(NEXT[status]).toEqual({}))

  test('an edit leads where the assessment says', () => {
    for (const assessed of ASSESSED) expect(advance('incomplete', 'edit', assessed)).toBe(assessed)
  })
})

test('3.1 whatever callers do, a checkout completes only through the supplier having the order', () => {
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      let status: CheckoutStatus = 'incomplete'
      for (const [trigger, assessed] of steps) {
        const next = advance(status, trigger, assessed)
        if (!next) continue
        if (next === 'completed') assert(trigger === 'accept' || trigger === 'find')
        if (next === 'complete_in_progress') assert.deepEqual([status, trigger], ['ready_for_complete', 'claim'])
        status = next
      }
    }),
  )
})

test('3.1 while the supplier has not answered, neither callers nor time move a checkout', () => {
  fc.assert(
    fc.property(fc.constantFrom<Trigger>('edit', 'cancel', 'expire', 'approve', 'reject', 'claim'), (trigger) => {
      expect(advance('complete_in_progress', trigger)).toBeUndefined()
    }),
  )
})
