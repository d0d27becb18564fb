/** Path parameters that operations of several files have. */
import { Type } from 'typebox'
import { LocationId } from '../common.ts'
import { WORD_MAX } from '../limits.ts'
import { text } from '../schema-helpers.ts'

export const IdParams = Type.Object({ id: text(WORD_MAX) })
export const LocationParams = Type.Object({ id: LocationId })
