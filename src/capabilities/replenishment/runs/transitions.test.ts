import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunStatus } from '../../../contract/replenishment.ts'
import { NEXT, NOT_TO_CANCEL, NOT_TO_PLACE, NOT_TO_RECEIVE } from './transitions.ts'
import type { Trigger } from './transitions.ts'

const statuses = Object.keys(NEXT) as RunStatus[]
const triggers: Trigger[] = ['approve', 'reject', 'place', 'hold', 'cancel', 'receive']

test('3.2 place, cancel and receive refuse exactly where the table has no way on', () => {
  for (const status of statuses) {
    expect(NOT_TO_PLACE[status] === undefined).toBe('place' in NEXT[status])
    expect(!(status in NOT_TO_CANCEL)).toBe('cancel' in NEXT[status])
    expect(NOT_TO_RECEIVE[status] === undefined).toBe('receive' in NEXT[status])
  }
})

test('3.2 whatever happens, a run is delivered only after it was placed, and placed only when approved', () => {
  const walk = fc.array(fc.constantFrom(...triggers), { maxLength: 30 })
  fc.assert(
    fc.property(fc.constantFrom<RunStatus>('pending_approval', 'approved'), walk, (begins, steps) => {
      let status = begins
      for (const trigger of steps) {
        const next = (NEXT[status] as Partial<Record<Trigger, RunStatus>>)[trigger]
        if (!next) continue
        if (next === 'placed') expect(status).toBe('approved')
        if (next === 'delivered') expect(status).toBe('placed')
        expect(['rejected', 'delivered', 'blocked', 'nothing_to_do']).not.toContain(status)
        status = next
      }
    }),
  )
})
