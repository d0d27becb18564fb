/** The states of a run. */
import type { Static } from 'typebox'
import { oneOf } from '../schema-helpers.ts'

export const RunStatus = oneOf(
  ['blocked', 'nothing_to_do', 'pending_approval', 'approved', 'rejected', 'placed', 'delivered'],
  { title: 'RunStatus' },
)
export type RunStatus = Static<typeof RunStatus>
