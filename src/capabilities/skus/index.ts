import type { HandlersOf } from '../../contract/handlers.ts'
import type { Context } from '../context.ts'
import { resolveSkus } from './resolve.ts'

export const skusHandlers = (ctx: Context): HandlersOf<'resolveSkus'> => ({
  resolveSkus: ({ body }) => resolveSkus(ctx, body),
})
