/** An answer on its way out: as text, or as bytes in pieces that leave from where they lie. */
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { HttpReply } from './response.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

export function sendReply(reply: FastifyReply, answer: HttpReply): FastifyReply {
  reply.code(answer.status)
  reply.header('cache-control', 'no-store')
  for (const name in answer.headers) reply.header(name, answer.headers[name])
  // What the caller has already is described by the answer that brought it.
  if (answer.status === 304) return reply.send()
  reply.header('content-type', JSON_TYPE)
  const { body } = answer
  if (typeof body === 'string') return reply.send(body)
  if (Symbol.asyncIterator in body) return reply.send(Readable.from(body, { objectMode: false }))
  return sendPieces(reply, body)
}

/** Above this the pieces go out one by one: handing over tens of megabytes at once keeps everybody waiting. */
const AT_ONCE_BYTES = 2 ** 20

function sendPieces(reply: FastifyReply, pieces: readonly Uint8Array[]): FastifyReply {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  reply.header('content-length', length)
  return length <= AT_ONCE_BYTES
    ? sendTogether(reply, pieces)
    : reply.send(Readable.from(pieces, { objectMode: false }))
}

/**
 * Handed to the system in one go, each from where it lies. Joining them first would cost more, and leave a copy of every
 * answer outside the heap until the next full cleaning.
 */
function sendTogether(reply: FastifyReply, pieces: readonly Uint8Array[]): FastifyReply {
  const { raw } = reply.hijack()
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders)
  raw.cork()
  for (const piece of pieces) raw.write(piece)
  raw.end()
  return reply
}
