import type { HandlersOf } from '../../contract/handlers.ts'
import type { Floor } from '../context.ts'
import { resolve } from './resolve.ts'

export const skusHandlers = (floor: Floor): HandlersOf<'resolveSkus'> => ({
  resolveSkus: ({ body }) => resolve(floor, body),
})
