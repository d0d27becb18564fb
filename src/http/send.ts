/** Sends a reply: a string, chunks of bytes without joining them, or a stream. */
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpReply } from './response.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Shorter replies fit into a few packets as they are. */
const COMPRESSED_FROM_BYTES = 4096
/** More would cost several times the work for a tenth fewer bytes. */
const LEVEL = 1

const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers['accept-encoding'] ?? '')

/** `mayCompress`: only what is read, since a signature covers the bytes of a reply as they are. */
export function sendReply(
  reply: FastifyReply,
  { status, headers, body }: HttpReply,
  mayCompress = false,
): FastifyReply {
  reply.code(status)
  reply.header('cache-control', 'no-store')
  for (const name in headers) reply.header(name, headers[name])
  if (status === 304) return reply.send()
  reply.header('content-type', JSON_TYPE)
  if (mayCompress && !(typeof body === 'object' && Symbol.asyncIterator in body)) {
    const chunks = typeof body === 'string' ? [Buffer.from(body)] : body
    if (lengthOf(chunks) >= COMPRESSED_FROM_BYTES && takesGzip(reply.request)) return sendCompressed(reply, chunks)
  }
  if (typeof body === 'string') return reply.send(body)
  if (Symbol.asyncIterator in body) return reply.send(Readable.from(body, { objectMode: false }))
  return sendChunks(reply, body)
}

const lengthOf = (chunks: readonly Uint8Array[]): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

/** As a stream, which is compressed beside the event loop. */
const sendCompressed = (reply: FastifyReply, chunks: readonly Uint8Array[]): FastifyReply =>
  reply
    .headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' })
    .send(Readable.from(chunks, { objectMode: false }).pipe(createGzip({ level: LEVEL })))

/** Larger replies are sent as a stream: writing tens of megabytes at once would block the event loop. */
const CORKED_BYTES_MAX = 2 ** 20

function sendChunks(reply: FastifyReply, chunks: readonly Uint8Array[]): FastifyReply {
  const length = lengthOf(chunks)
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
