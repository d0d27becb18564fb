/**
 * POST /ucp/mcp and /ucp/mcp/readonly: MCP over HTTP. One message per request, always answered as JSON. Checked in this
 * order: origin (403), token (401), rate (429), then the message.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { OperationId } from '../../contract/handlers.ts'
import type { ToolAccess } from '../../contract/tools.ts'
import { isPreset, PRESETS } from '../../contract/presets.ts'
import { BODY_BYTES_MAX } from '../../contract/limits.ts'
import { MCP_PATH } from '../../contract/version.ts'
import { type Refusal, refuse } from '../../kernel/outcome.ts'
import { parseToolsets } from '../../kernel/toolsets.ts'
import { agentOf } from '../agent.ts'
import type { Authorize } from '../access/authorize.ts'
import type { Denied } from '../access/auth.ts'
import type { HttpDeps } from '../deps.ts'
import { mcpServer } from './mcp.ts'
import { RESOURCE_METADATA_PATH } from '../oauth/route.ts'
import { refusalError, RpcFailure } from './failure.ts'
import { type Id, type RpcError, CODE, errorText, parseMessage, readId } from './protocol.ts'
import { errorReply } from '../response.ts'
import type { Run } from '../runner.ts'
import { sendReply } from '../send.ts'

/** The id of a message that is refused anyway is read up to this size only. */
const REFUSED_BYTES_MAX = 64 * 1024
const NO_HEADERS = {}

const WRONG_ORIGIN: Denied = { refusal: refuse('forbidden', 'This origin may not use MCP').refusal }

/** A page that a browser resolved to this host must not reach it, so only the public origin counts, never the Host header. */
const isForeign = (origin: string | undefined, publicUrl: string): boolean =>
  origin !== undefined && (!URL.canParse(origin) || new URL(origin).origin !== new URL(publicUrl).origin)

/** A request may narrow what the deployment offers, never widen it. A text: what is wrong with its headers. */
function accessOf({ headers }: FastifyRequest, offered: ToolAccess): ToolAccess | string {
  const named = headers['x-mcp-toolsets']
  const only = headers['x-mcp-readonly'] ?? 'false'
  // Any other value could be meant as yes, and would leave the tools that write.
  if (only !== 'true' && only !== 'false') return 'X-MCP-Readonly must be true or false'
  const readOnly = offered.readOnly || only === 'true'
  if (named === undefined) return { toolsets: offered.toolsets, readOnly }
  if (typeof named === 'string' && isPreset(named)) return { toolsets: offered.toolsets, readOnly, preset: named }
  const wanted = typeof named === 'string' ? parseToolsets(named) : undefined
  if (!wanted) return `X-MCP-Toolsets names an unknown toolset; presets: ${PRESETS.join(', ')}`
  return { toolsets: offered.toolsets.intersection(wanted), readOnly }
}

interface Checks {
  readonly checkOperation: Authorize['checkOperation']
  readonly mayCall: Authorize['mayCall']
  readonly failureRefusal: (failure: unknown, requestId: string) => Refusal
}

export async function mountMcp(
  server: FastifyInstance,
  deps: HttpDeps,
  runs: Readonly<Record<OperationId, Run>>,
  { checkOperation, mayCall, failureRefusal }: Checks,
): Promise<void> {
  const oauthChallenge = `Bearer realm="ucp", resource_metadata="${deps.publicUrl}${RESOURCE_METADATA_PATH}${MCP_PATH}"`
  const answer = mcpServer({ runs, deps })

  const sendError = (reply: FastifyReply, id: Id | undefined, error: RpcError, headers = NO_HEADERS) =>
    sendReply(reply, { status: error.status, headers, body: errorText(id, error) })

  function sendRefusal(reply: FastifyReply, id: Id | undefined, refusal: Refusal): FastifyReply {
    const { error, headers } = refusalError(errorReply(refusal))
    // Only where it leads somewhere: hosts drop a key that was given to them as soon as they hear of another way.
    const challenge = error.status === 401 && deps.hasOauth ? { 'www-authenticate': oauthChallenge } : NO_HEADERS
    return sendError(reply, id, error, { ...headers, ...challenge })
  }

  async function handle(request: FastifyRequest, reply: FastifyReply, offered: ToolAccess): Promise<FastifyReply> {
    const raw = request.raw_body ?? Buffer.alloc(0)
    request.mcp = { era: 'legacy' }
    request.route_name = 'mcp'
    const denied = isForeign(request.headers.origin, deps.publicUrl) ? WRONG_ORIGIN : request.denied
    if (denied) {
      if (denied.delayMs) await sleep(denied.delayMs)
      return sendRefusal(reply, raw.length <= REFUSED_BYTES_MAX ? readId(raw) : undefined, denied.refusal)
    }
    const parsed = parseMessage(raw, request.headers)
    if (parsed.kind !== 'request') {
      const tooMany = checkOperation(request, undefined)
      if (tooMany) return sendRefusal(reply, parsed.kind === 'error' ? parsed.id : undefined, tooMany.refusal)
      return parsed.kind === 'notification' ? reply.code(202).send() : sendError(reply, parsed.id, parsed.error)
    }
    const rpc = parsed.request
    request.mcp = { era: rpc.era }
    const access = accessOf(request, offered)
    if (typeof access === 'string') {
      const tooMany = checkOperation(request, undefined)
      if (tooMany) return sendRefusal(reply, rpc.id, tooMany.refusal)
      return sendError(reply, rpc.id, { status: 400, code: CODE.request, message: access })
    }
    try {
      const result = await answer(rpc, {
        access,
        caller: request.caller,
        perMinute: request.key?.rateLimitPerMinute,
        by: request.by,
        isAutonomous: request.key?.isAutonomous ?? false,
        requestId: request.id,
        headers: request.headers,
        agent: agentOf(request),
        mayCall: (operation) => mayCall(request, operation),
        admit: (operation) => checkOperation(request, operation)?.refusal,
        onTool: (tool, agent) => {
          request.route_name = tool.operationId
          request.agent = agent
          request.mcp = { era: rpc.era, tool: tool.name }
        },
      })
      return sendReply(reply, result)
    } catch (failure) {
      if (failure instanceof RpcFailure) return sendError(reply, rpc.id, failure.error, failure.headers)
      return sendRefusal(reply, rpc.id, failureRefusal(failure, request.id))
    }
  }

  await server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // Read by the handler: a message that is not JSON gets an error of the protocol, too.
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, raw: Buffer, done) => {
      request.raw_body = raw
      done(null, undefined)
    })
    scope.setErrorHandler(async (failure: Error & { code?: string }, request, reply) => {
      request.mcp = { era: 'legacy' }
      request.route_name = 'mcp'
      const { denied } = request
      if (denied) {
        if (denied.delayMs) await sleep(denied.delayMs)
        return sendRefusal(reply, undefined, denied.refusal)
      }
      const tooMany = checkOperation(request, undefined)
      if (tooMany) return sendRefusal(reply, undefined, tooMany.refusal)
      if (failure.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
        return sendRefusal(
          reply,
          undefined,
          refuse('request_too_large', `The message is larger than ${BODY_BYTES_MAX} bytes`, '$', { status: 413 })
            .refusal,
        )
      if (failure.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
        return sendError(reply, undefined, {
          status: 415,
          code: CODE.request,
          message: 'The content type must be application/json',
        })
      return sendRefusal(reply, undefined, failureRefusal(failure, request.id))
    })
    const routes = { [MCP_PATH]: deps.mcp, [`${MCP_PATH}/readonly`]: { ...deps.mcp, readOnly: true } }
    for (const [url, offered] of Object.entries(routes))
      scope.route({
        method: 'POST',
        url,
        config: { mcp: true },
        handler: (request, reply) => handle(request, reply, offered),
      })
  })
}
