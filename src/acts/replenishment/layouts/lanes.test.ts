import { expect, test } from 'vitest'
import type { SkuId, SlotId } from '../../../kernel/ids.ts'
import { hasKnownRoom, lanesAfterChanges } from './lanes.ts'

const slot = (capacity: number | null, capacitySource: 'told' | 'counted' | 'inferred' | null) => ({
  slotId: 'M1-1' as SlotId,
  skuId: 'm:1' as SkuId,
  lanes: undefined,
  capacity,
  capacitySource,
})

test.each([
  ['told by the platform', slot(8, 'told'), true],
  ['counted on site', slot(8, 'counted'), true],
  ['only the highest level ever seen', slot(8, 'inferred'), false],
  ['unknown', slot(null, null), false],
])('room that is %s', (_, of, isKnown) => {
  expect(hasKnownRoom(of)).toBe(isKnown)
  expect(lanesAfterChanges([of], [], 0).get('M1-1')).toEqual(isKnown ? [{ lane: 'M1-1', capacity: 8 }] : [])
})
