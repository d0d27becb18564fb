import type { HandlersOf } from '../../contract/handlers.ts'
import type { Context } from '../context.ts'
import { resolve } from './resolve.ts'

export const skusHandlers = (ctx: Context): HandlersOf<'resolveSkus'> => ({
  resolveSkus: ({ body }) => resolve(ctx, body),
})
