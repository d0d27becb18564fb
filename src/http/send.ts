/** Sends a reply: a string, chunks of bytes without joining them, or a stream. */
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { HttpReply } from './response.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export function sendReply(reply: FastifyReply, { status, headers, body }: HttpReply): FastifyReply {
  reply.code(status)
  reply.header('cache-control', 'no-store')
  for (const name in headers) reply.header(name, headers[name])
  if (status === 304) return reply.send()
  reply.header('content-type', JSON_TYPE)
  if (typeof body === 'string') return reply.send(body)
  if (Symbol.asyncIterator in body) return reply.send(Readable.from(body, { objectMode: false }))
  return sendChunks(reply, body)
}

/** Larger replies are sent as a stream: writing tens of megabytes at once would block the event loop. */
const CORKED_BYTES_MAX = 2 ** 20

function sendChunks(reply: FastifyReply, chunks: readonly Uint8Array[]): FastifyReply {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  reply.header('content-length', length)
  return length <= CORKED_BYTES_MAX
    ? sendCorked(reply, chunks)
    : reply.send(Readable.from(chunks, { objectMode: false }))
}

/**
 * Writes all chunks in one system call. Joining them first would cost more, and leave a copy of every reply outside the
 * heap until the next full garbage collection.
 */
function sendCorked(reply: FastifyReply, chunks: readonly Uint8Array[]): FastifyReply {
  const { raw } = reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  raw.cork()
  for (const chunk of chunks) raw.write(chunk)
  raw.end()
  return reply
}
