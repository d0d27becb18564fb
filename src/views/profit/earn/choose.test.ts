/** Which steps are shown. */
import { describe, expect, test } from 'vitest'
import type { EarnStep } from '../../../contract/shapes/money/earn.ts'
import { chooseSteps, roughly } from './choose.ts'

const item = (id: string) => ({ id, title: id })
const swap = (location: string, id: string, gain: number): EarnStep => ({
  step: 'swap',
  expected: roughly(gain),
  location,
  slot_id: `${location}-${id}`,
  item: item(id),
  in: item('better'),
})

describe('the best next steps', () => {
  test('the largest gain first, ten at most, nothing that loses', () => {
    const steps = Array.from({ length: 14 }, (_, i) => swap(`M${i}`, 'a', i - 1))
    const gains = chooseSteps(steps).map(({ expected }) => expected.gain)
    expect(gains).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
    expect(chooseSteps([swap('M1', 'a', 0), swap('M2', 'a', -5)])).toEqual([])
  })

  test('of steps that change the same slot, price or machine only the best', () => {
    const dead = { ...swap('M1', 'a', 3), step: 'dead_stock' as const }
    const lanes = [{ lane: '1', now: item('a'), proposed: item('b') }]
    const layout: EarnStep = { step: 'layout', expected: roughly(5), location: 'M1', lanes }
    const price = (gain: number): EarnStep => ({ step: 'price', expected: roughly(gain), item: item('a') })
    const machine = (step: 'remove' | 'fewer_visits', gain: number): EarnStep => ({
      step,
      expected: roughly(gain),
      location: 'M1',
    })
    const chosen = chooseSteps([
      dead,
      swap('M1', 'a', 4),
      layout,
      price(2),
      price(9),
      machine('remove', 1),
      machine('fewer_visits', 2),
      swap('M2', 'a', 1),
    ])
    expect(chosen.map(({ step, expected }) => `${step} ${expected.gain}`)).toEqual([
      'price 9',
      'layout 5',
      'fewer_visits 2',
      'swap 1',
    ])
  })
})
