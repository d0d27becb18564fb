/**
 * The MCP server: one JSON-RPC message in, one out, nothing kept in between. Tools run the operations of the table through
 * the same runner as REST: tools of the protocol answer byte for byte what REST sends, writes and lists of ours a smaller
 * part of it, and a refusal speaks of the arguments of the tool.
 */
import { describeTool, toolsTable } from '../../api-docs/tools.ts'
import { SKILL_TEXT, skillText } from '../../api-docs/agent-skill.ts'
import { agreementOf } from '../../contract/agreement.ts'
import type { CallContext, OperationId } from '../../contract/handlers.ts'
import { AGENT_MAX } from '../../contract/limits.ts'
import { type Tool, type ToolAccess, DETAILS, FIELDS, isOffered, META, toCall, TOOLS } from '../../contract/tools.ts'
import type { Guardrails } from '../../contract/shapes/guardrails.ts'
import { UCP_VERSION, PRODUCT_VERSION } from '../../contract/version.ts'
import type { CurrencyCode } from '../../kernel/currency.ts'
import { LOCATION_ID_PATTERN } from '../../kernel/ids.ts'
import type { Refusal } from '../../kernel/outcome.ts'
import type { Identity } from '../../kernel/person.ts'
import { BoundedMap } from '../../lib/caches.ts'
import { isIdempotencyKey } from '../idempotency.ts'
import { type ToolAnswer, cutAnswer, selectText } from './answer.ts'
import { briefText } from './brief.ts'
import { type FirstMessage, paramsFailure, RpcFailure, toFailure } from './failure.ts'
import { isShortEnough } from './fields.ts'
import { instructionsOf, PROMPTS } from './prompts.ts'
import {
  type Era,
  type Headers,
  type Params,
  type RpcRequest,
  type Id,
  CODE,
  isObject,
  LATEST_LEGACY,
  LEGACY_VERSIONS,
  MODERN_VERSION,
} from './protocol.ts'
import { findArgumentProblems, KEY_MEMBER, toToolWords } from './words.ts'
import { errorReply, readWholeText } from '../response.ts'
import type { Run } from '../runner.ts'
import { META_PREFIX } from '../../contract/mcp-headers.ts'

/** Results as the protocol has them. The newer era adds to each how long it may be kept and who answered. */
export const SERVER_INFO = { name: 'vendops', title: 'vendops', version: PRODUCT_VERSION }

/** How long lists and texts may be kept; they change only with the deployment. What a resource reads live may not. */
const TTL_MS = 300_000

export interface McpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | readonly Uint8Array[]
}

const NO_MEMBERS = {}

/** The JSON of an object without its last brace, so that members can follow. */
const openJson = (result: object): string => JSON.stringify(result).slice(0, -1)

const metaOf = (era: Era, more: object): string => {
  const meta = { ...(era === 'modern' ? { [`${META_PREFIX}serverInfo`]: SERVER_INFO } : {}), ...more }
  return Object.keys(meta).length === 0 ? '' : `,"_meta":${JSON.stringify(meta)}`
}

/** The members that the newer era adds to a result. */
const completion = (era: Era, more: object = NO_MEMBERS): string =>
  era === 'legacy' && more === NO_MEMBERS
    ? ''
    : `${era === 'modern' ? ',"resultType":"complete"' : ''}${metaOf(era, more)}`
const ttlHint = (era: Era, ttlMs = TTL_MS): string =>
  era === 'modern' ? `,"ttlMs":${ttlMs},"cacheScope":"private"` : ''

const reply = (id: Id, result: string): McpReply => ({
  status: 200,
  headers: {},
  body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`,
})
const replyOf = (id: Id, era: Era, result: object): McpReply => reply(id, `${openJson(result)}${completion(era)}}`)
const ttlReply = (id: Id, era: Era, result: object, ttlMs = TTL_MS): McpReply =>
  reply(id, `${openJson(result)}${ttlHint(era, ttlMs)}${completion(era)}}`)

const CAPABILITIES = { tools: {}, resources: {}, prompts: {} }
const LISTS_KEPT = 64
/** The longest page of a list. */
const ROUTE_MAX = 100
const JSON_MIME = 'application/json'
const MARKDOWN = 'text/markdown'

/** Who sent a message, what it may see, and how it may run an operation. */
export interface McpCall {
  readonly access: ToolAccess
  readonly caller: string
  readonly perMinute: number | undefined
  readonly by: Identity | undefined
  /** Its owner agreed in advance to what the rules allow. */
  readonly isAutonomous: boolean
  readonly requestId: string
  readonly headers: Headers
  /** From the header; a tool call may name its own. */
  readonly agent: string | undefined
  /** Whether its role allows an operation. */
  readonly mayCall: (operation: OperationId) => boolean
  /** Why the caller may not run this now; undefined: a message that runs no operation. */
  readonly admit: (operation: OperationId | undefined) => Refusal | undefined
  /** For logs. */
  readonly onTool: (tool: Tool, agent: string | undefined) => void
}

/** A read that an agent did not ask for itself. */
const READ: RunRequest = {
  params: {},
  query: {},
  body: undefined,
  key: undefined,
  keyScope: () => ({ method: 'mcp', path: '', raw: undefined }),
}

type RunRequest = Omit<Parameters<Run>[0], 'context' | 'caller' | 'perMinute'>

const PROMPT_LIST = PROMPTS.map(({ name, title, description, arguments: args }) => ({
  name,
  title,
  description,
  arguments: args,
}))
const BY_NAME: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]))
/** How the text of an answer with an error envelope begins. */
const ERROR_HEAD = `{"ucp":{"version":"${UCP_VERSION}","status":"error"`

/** Every message counts towards the rate of its caller, once. */
function requireAdmitted({ admit }: McpCall, operation: OperationId | undefined): void {
  const denied = admit(operation)
  if (denied) throw toFailure(errorReply(denied))
}

/**
 * Outcomes of the business are results, whatever their HTTP status: clients turn 409 and 502 into errors of their own.
 * The caller was admitted before, so 401 means that a supplier refuses our credentials; hosts would drop their own token.
 */
function isProtocolError(status: number, text: string): boolean {
  if (status <= 401 || status === 404 || status === 502) return false
  return status !== 409 || text.includes('"code":"idempotency_')
}

export function mcpServer({
  runs,
  deps,
}: {
  readonly runs: Readonly<Record<OperationId, Run>>
  readonly deps: { readonly currency: CurrencyCode }
}) {
  const lists = new BoundedMap<string, Buffer>(LISTS_KEPT)
  const descriptions = new Map<string, string>()

  /** The list of tools, kept as bytes: it is the largest answer, and every host asks for it. */
  function toolList(era: Era, { access, mayCall }: McpCall): Buffer {
    const offered = TOOLS.filter((tool) => isOffered(tool, access) && mayCall(tool.operationId))
    const { currency } = deps
    const key = `${currency} ${era} ${offered.map(({ name }) => name).join()}`
    const known = lists.get(key)
    if (known) return known
    const tools = offered.map((tool) => {
      const name = `${currency} ${tool.name}`
      const text = descriptions.get(name) ?? JSON.stringify(describeTool(tool, currency))
      descriptions.set(name, text)
      return text
    })
    const bytes = Buffer.from(`{"tools":[${tools.join()}]${ttlHint(era)}${completion(era)}}}`)
    lists.set(key, bytes)
    return bytes
  }

  /** Runs an operation for a tool or a resource. What is wrong with the caller or the service is thrown as an error. */
  async function runOperation(
    id: OperationId,
    request: RunRequest,
    { requestId, headers, caller, perMinute, by, agent: sender }: McpCall,
    agent = sender,
  ) {
    const context: CallContext = {
      requestId,
      // Of the request's headers only these mean something to an operation; a condition on a cached reply does not.
      headers: { host: headers['host'] },
      ...(agent === undefined ? {} : { agent }),
      ...(by === undefined ? {} : { by }),
      ...(typeof request.key === 'string' ? { idempotencyKey: request.key } : {}),
    }
    const result = await runs[id]({ ...request, context, caller, perMinute })
    const text = typeof result.body === 'string' ? result.body : await readWholeText(result.body)
    if (isProtocolError(result.status, text)) throw toFailure({ ...result, body: text })
    return { text, result }
  }

  async function callTool({ id, params, era }: RpcRequest, call: McpCall): Promise<McpReply> {
    const { name, arguments: args = {} } = params
    const tool = typeof name === 'string' ? BY_NAME.get(name) : undefined
    if (!tool || !isOffered(tool, call.access)) {
      requireAdmitted(call, undefined)
      throw paramsFailure(era, typeof name === 'string' ? `Unknown tool: ${name.slice(0, 64)}` : 'name is required')
    }
    if (!isObject(args)) {
      requireAdmitted(call, undefined)
      throw paramsFailure(era, 'arguments must be an object')
    }
    const meta = isObject(args[META]) ? args[META] : {}
    const agent = agentIn(meta) ?? call.agent
    call.onTool(tool, agent)
    const stated = meta[KEY_MEMBER]
    // One that is not valid is among the problems of the arguments.
    const key = isIdempotencyKey(stated) ? stated : stated === undefined ? call.headers[KEY_MEMBER] : undefined
    const request = toCall(tool, args)
    const given: RunRequest = {
      params: request.params,
      query: request.query,
      body: request.body,
      key,
      problems: findArgumentProblems(tool, args),
      reword: toToolWords(tool, args),
      keyScope: () => {
        // Who lost an answer may want the whole one.
        const { [META]: _meta, [DETAILS]: _details, ...bound } = args
        const path = `${tool.name} ${JSON.stringify(Object.values(request.params))}`
        return { method: 'mcp', path, raw: Buffer.from(JSON.stringify(bound)) }
      },
    }
    requireAdmitted(call, tool.operationId)
    const { text: whole, result } = await runOperation(tool.operationId, given, call, agent)
    const isError = whole.startsWith(ERROR_HEAD)
    if (isError && tool.name === 'lookup_catalog' && whole.includes('"code":"request_too_large"')) {
      const { messages } = JSON.parse(whole) as { readonly messages: readonly FirstMessage[] }
      throw paramsFailure(era, messages[0]?.content ?? 'Too many ids', messages[0])
    }
    const nameOf = (operation: OperationId) => {
      const found = TOOLS.find(({ operationId }) => operationId === operation)
      return found && isOffered(found, call.access) && call.mayCall(operation) ? found.name : undefined
    }
    const isBrief = tool.brief && args[DETAILS] !== true && !Array.isArray(args[FIELDS])
    const shape = (answered: string) =>
      isBrief ? briefText(answered, tool, nameOf) : selectText(answered, tool, args[FIELDS])
    const text = isError ? whole : shape(whole)
    if (isError || isShortEnough(text)) return reply(id, toolResult({ text }, era, result.isReplayed))
    const answer = await cutAnswer(text, tool, request, async (page) => {
      const again = await runOperation(tool.operationId, { ...given, ...page }, call, agent)
      return shape(again.text)
    })
    return reply(id, toolResult(answer, era, result.isReplayed))
  }

  function toolResult({ text, cuts = [], advice = '' }: ToolAnswer, era: Era, isReplayed = false): string {
    const isError = text.startsWith(ERROR_HEAD)
    let note = ''
    let truncated: object = NO_MEMBERS
    if (cuts.length > 0) {
      truncated = { 'vendops/truncated': cuts }
      const shown = cuts.map(
        ({ member, kept, total }) =>
          `Only the first ${kept} of ${member.includes('[]') ? 'up to ' : ''}${total} ${member} are shown.`,
      )
      note = `,{"type":"text","text":${JSON.stringify([...shown, advice].join(' '))}}`
    }
    const more = isReplayed ? { ...truncated, 'vendops/replayed': true } : truncated
    return `{"content":[{"type":"text","text":${JSON.stringify(text)}}${note}],"structuredContent":${text}${isError ? ',"isError":true' : ''}${completion(era, more)}}`
  }

  const RESOURCES = [
    {
      uri: 'vendops://guardrails',
      name: 'guardrails',
      description: 'The rules and the emergency stop.',
      mimeType: JSON_MIME,
    },
    {
      uri: 'vendops://route',
      name: 'route',
      description: `The first ${ROUTE_MAX} machines, with what their profile lacks; search_locations has the others.`,
      mimeType: JSON_MIME,
    },
    {
      uri: 'vendops://interface',
      name: 'interface',
      description: 'Every tool, its toolset and purpose.',
      mimeType: MARKDOWN,
    },
    {
      uri: 'skill://vendops/SKILL.md',
      name: 'skill',
      description: 'How to work with this service.',
      mimeType: MARKDOWN,
    },
  ]
  const TEMPLATES = [
    { uriTemplate: 'vendops://machines/{id}', name: 'machine', description: 'One machine.', mimeType: JSON_MIME },
  ]
  const MACHINE_URI = new RegExp(`^vendops://machines/(${LOCATION_ID_PATTERN.replace(/^\^|\$$/g, '')})$`)

  /** What the owner agreed to in advance. While the rules cannot be read that is nothing. */
  async function readAgreement(call: McpCall): Promise<string | undefined> {
    if (!call.isAutonomous || !call.by) return undefined
    try {
      const { text } = await runOperation('getGuardrails', READ, call)
      return agreementOf(JSON.parse(text) as Guardrails & { readonly currency: CurrencyCode }, call.by.name)
    } catch (failure) {
      if (failure instanceof RpcFailure) return undefined
      throw failure
    }
  }

  async function readResource({ id, params, era }: RpcRequest, call: McpCall): Promise<McpReply> {
    const { uri } = params
    const read = async (operation: OperationId, body?: object) => {
      requireAdmitted(call, operation)
      return (await runOperation(operation, { ...READ, body }, call)).text
    }
    const answer = (text: string, mimeType: string, ttlMs?: number) =>
      ttlReply(id, era, { contents: [{ uri, mimeType, text }] }, ttlMs)
    const liveAnswer = (text: string) => answer(text, JSON_MIME, 0)
    if (uri === 'vendops://guardrails') return liveAnswer(await read('getGuardrails'))
    if (uri === 'vendops://route')
      return liveAnswer(await read('searchLocations', { pagination: { limit: ROUTE_MAX } }))
    const machine = typeof uri === 'string' ? MACHINE_URI.exec(uri)?.[1] : undefined
    if (machine !== undefined) {
      const text = await read('lookupLocations', { ids: [machine] })
      const { locations } = JSON.parse(text) as { readonly locations?: readonly unknown[] }
      if (!locations?.length) throw paramsFailure(era, 'Unknown resource')
      return liveAnswer(text)
    }
    requireAdmitted(call, undefined)
    if (uri === 'vendops://interface') return answer(toolsTable(), MARKDOWN)
    if (uri === 'skill://vendops/SKILL.md') {
      const agreement = await readAgreement(call)
      return agreement === undefined ? answer(SKILL_TEXT, MARKDOWN) : answer(skillText(agreement), MARKDOWN, 0)
    }
    throw paramsFailure(era, 'Unknown resource')
  }

  function getPrompt({ id, params, era }: RpcRequest): McpReply {
    const prompt = PROMPTS.find(({ name }) => name === params['name'])
    if (!prompt) throw paramsFailure(era, 'Unknown prompt')
    const given = isObject(params['arguments']) ? params['arguments'] : {}
    const args: Record<string, string> = {}
    for (const { name, required } of prompt.arguments) {
      const value = Object.hasOwn(given, name) ? given[name] : undefined
      if (typeof value === 'string') args[name] = value
      else if (required) throw paramsFailure(era, `${name} is required`)
    }
    return replyOf(id, era, {
      description: prompt.description,
      messages: [{ role: 'user', content: { type: 'text', text: prompt.text(args) } }],
    })
  }

  const initialize = async ({ id, params }: RpcRequest, call: McpCall): Promise<McpReply> =>
    replyOf(id, 'legacy', {
      protocolVersion: LEGACY_VERSIONS.find((version) => version === params['protocolVersion']) ?? LATEST_LEGACY,
      capabilities: CAPABILITIES,
      serverInfo: SERVER_INFO,
      instructions: instructionsOf(await readAgreement(call)),
    })

  const discover = async ({ id }: RpcRequest, call: McpCall): Promise<McpReply> => {
    const agreement = await readAgreement(call)
    const result = {
      supportedVersions: [MODERN_VERSION],
      capabilities: CAPABILITIES,
      instructions: instructionsOf(agreement),
    }
    return ttlReply(id, 'modern', result, agreement === undefined ? TTL_MS : 0)
  }

  const listTools = ({ id, era }: RpcRequest, call: McpCall): McpReply => ({
    status: 200,
    headers: {},
    body: [Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`), toolList(era, call)],
  })

  type Method = (request: RpcRequest, call: McpCall) => McpReply | Promise<McpReply>

  const SHARED: Readonly<Record<string, Method>> = {
    'tools/list': listTools,
    'resources/list': ({ id, era }) => ttlReply(id, era, { resources: RESOURCES }),
    'resources/templates/list': ({ id, era }) => ttlReply(id, era, { resourceTemplates: TEMPLATES }),
    'prompts/list': ({ id, era }) => ttlReply(id, era, { prompts: PROMPT_LIST }),
    'prompts/get': getPrompt,
  }
  const ERAS: Readonly<Record<Era, Readonly<Record<string, Method>>>> = {
    legacy: { ...SHARED, initialize, ping: ({ id }) => reply(id, '{}') },
    modern: { ...SHARED, 'server/discover': discover },
  }
  /** These run operations, which have their own limits. */
  const RUNNING: Readonly<Record<string, Method>> = { 'tools/call': callTool, 'resources/read': readResource }

  /** Answers one request. An error of the protocol is thrown as an `RpcFailure`, a failure of the service as it is. */
  return function answer(request: RpcRequest, call: McpCall): McpReply | Promise<McpReply> {
    const { method, era } = request
    const running = Object.hasOwn(RUNNING, method) ? RUNNING[method] : undefined
    if (running) return running(request, call)
    requireAdmitted(call, undefined)
    const methods = ERAS[era]
    const found = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (found) return found(request, call)
    throw new RpcFailure({
      status: era === 'modern' ? 404 : 200,
      code: CODE.method,
      message: `Unknown method: ${method.slice(0, 64)}`,
    })
  }
}

function agentIn(meta: Params): string | undefined {
  const agent = meta['ucp-agent']
  const profile = isObject(agent) ? agent['profile'] : undefined
  return typeof profile === 'string' && profile !== '' ? profile.slice(0, AGENT_MAX) : undefined
}
