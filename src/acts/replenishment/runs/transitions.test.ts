import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RunStatus } from '../../../contract/shapes/run-status.ts'
import { type Trigger, NEXT, CANCEL_REFUSALS, PLACE_REFUSALS, RECEIVE_REFUSALS } from './transitions.ts'

const statuses = Object.keys(NEXT) as RunStatus[]
const triggers: Trigger[] = ['approve', 'reject', 'place', 'hold', 'cancel', 'receive']

test('3.2 place, cancel and receive are refused exactly where the table has no next status', () => {
  for (const status of statuses) {
    expect(PLACE_REFUSALS[status] === undefined).toBe('place' in NEXT[status])
    expect(!(status in CANCEL_REFUSALS)).toBe('cancel' in NEXT[status])
    expect(RECEIVE_REFUSALS[status] === undefined).toBe('receive' in NEXT[status])
  }
})

test('3.2 whatever happens, a run is delivered only after it was placed, and placed only when approved', () => {
  const steps = fc.array(fc.constantFrom(...triggers), { maxLength: 30 })
  fc.assert(
    fc.property(fc.constantFrom<RunStatus>('pending_approval', 'approved'), steps, (first, taken) => {
      let status = first
      for (const trigger of taken) {
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
