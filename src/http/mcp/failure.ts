/** Errors of the protocol: what is wrong with a message, its caller or the service. */
import { type Era, type RpcError, CODE } from './protocol.ts'
import type { HttpReply } from '../response.ts'

export class RpcFailure extends Error {
  readonly error: RpcError
  readonly headers: Readonly<Record<string, string>>

  constructor(error: RpcError, headers: Readonly<Record<string, string>> = {}) {
    super(error.message)
    this.error = error
    this.headers = headers
  }
}

/** An error of the parameters: the older era answers it with status 200, as every JSON-RPC error. */
export const paramsFailure = (era: Era, message: string, data?: unknown): RpcFailure =>
  new RpcFailure({
    status: era === 'modern' ? 400 : 200,
    code: CODE.params,
    message,
    ...(data === undefined ? {} : { data }),
  })

export interface FirstMessage {
  readonly code?: string
  readonly content?: string
  readonly path?: string
  readonly params?: object
}

/** A reply that is an error of the protocol, not an outcome an agent acts on. Status and headers are those of REST. */
export function refusalError({ status, headers, body }: HttpReply<string>): {
  error: RpcError
  headers: HttpReply['headers']
} {
  const { messages } = JSON.parse(body) as { readonly messages?: readonly FirstMessage[] }
  const { code = 'internal', content = 'Internal error', path, params } = messages?.[0] ?? {}
  const retryAfter = headers['retry-after']
  return {
    headers,
    error: {
      status,
      code: status === 500 ? CODE.internal : CODE.refused,
      message: content,
      data: {
        code,
        content,
        ...(path === undefined ? {} : { path }),
        ...(params === undefined ? {} : { params }),
        ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }),
      },
    },
  }
}

export function toFailure(refused: HttpReply<string>): RpcFailure {
  const { error, headers } = refusalError(refused)
  return new RpcFailure(error, headers)
}
