/**
 * Pictures of machine products and photos of machines, for the console. Of a product always an image: pages show a neutral
 * one where there is no picture.
 */
import type { FastifyInstance } from 'fastify'
import { loadPhoto, pictureLoader } from '../route/locations/index.ts'
import type { Context } from '../context.ts'
import { ROLES } from '../contract/roles.ts'
import { parseSkuId } from '../kernel/ids.ts'
import { refuse } from '../kernel/outcome.ts'
import { errorReply } from './response.ts'
import { sendReply } from './send.ts'

const HEADERS = {
  // Opened by itself it is still only an image.
  'content-security-policy': "default-src 'none'; style-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}
const KEPT = { ...HEADERS, 'cache-control': 'private, max-age=86400' }
const NEUTRAL = { ...HEADERS, 'cache-control': 'private, max-age=600' }

/** A grey bottle and can, readable on light and dark ground. */
const PLACEHOLDER = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" rx="8" fill="#808790" fill-opacity=".14"/><g fill="none" stroke="#808790" stroke-width="2" stroke-linejoin="round"><path d="M15 10h4v5l3 5v17a1.5 1.5 0 0 1-1.5 1.5h-7a1.5 1.5 0 0 1-1.5-1.5V20l3-5z"/><path d="M27 21l1.5-2h6l1.5 2v15l-1.5 2h-6l-1.5-2z"/></g></svg>`

export function mountPictures(server: FastifyInstance, ctx: Pick<Context, 'store' | 'clock' | 'config'>): void {
  const load = pictureLoader(ctx)
  const options = { config: { onlyFor: { roles: ROLES.routeReaders } } }
  server.get<{ Params: { sku_id: string } }>('/pictures/:sku_id', options, async (request, reply) => {
    const skuId = parseSkuId(request.params.sku_id)
    const picture = skuId && (await load(skuId))
    if (!picture) return reply.headers(NEUTRAL).type('image/svg+xml').send(PLACEHOLDER)
    return reply.headers(KEPT).type(picture.type).send(picture.bytes)
  })
  server.get<{ Params: { id: string } }>('/photos/:id', options, async (request, reply) => {
    const photo = await loadPhoto(ctx, request.params.id)
    if (!photo)
      return sendReply(reply, errorReply(refuse('not_found', 'No such photo, or not kept any longer').refusal))
    return reply.headers(KEPT).type(photo.type).send(photo.bytes)
  })
}
