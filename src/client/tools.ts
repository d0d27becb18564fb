/**
 * The service as tools of a language model, in the form that chat-completion APIs take: the list to send with a request, and
 * a function that runs what the model asks for. Schemas come from the service, so nothing of them is loaded here.
 *
 *     const { tools, run } = await toTools({ baseUrl, token, readOnly: true })
 *     const reply = await openai.chat.completions.create({ model, messages, tools })
 *     for (const call of reply.choices[0].message.tool_calls ?? [])
 *       messages.push({ role: 'tool', tool_call_id: call.id, content: await run(call.function.name, call.function.arguments) })
 */
import { type ClientOptions, newIdempotencyKey } from './call.ts'
import { type FailureCode, VendopsError } from './error.ts'

export interface ModelTool {
  readonly type: 'function'
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

export interface ToolOptions extends Pick<ClientOptions, 'baseUrl' | 'token' | 'fetch' | 'userAgent' | 'agentProfile'> {
  /** Only tools that change nothing. */
  readonly readOnly?: boolean
  /** Only these toolsets; the service may offer fewer. */
  readonly toolsets?: readonly string[]
}

export interface ModelTools {
  readonly tools: readonly ModelTool[]
  /** What to tell the model once, in its system message. */
  readonly instructions: string
  /** Runs a call of the model; the text is for the model, also when the service refuses. Arguments as text or as an object. */
  readonly run: (name: string, args: string | object) => Promise<string>
}

interface Reply {
  readonly result?: {
    readonly tools?: readonly {
      readonly name: string
      readonly description: string
      readonly inputSchema: object
      readonly annotations: { readonly readOnlyHint: boolean }
    }[]
    readonly instructions?: string
    readonly content?: readonly { readonly text: string }[]
  }
  readonly error?: { readonly message: string; readonly data?: { readonly code?: string; readonly content?: string } }
}

/** A purchase waits for the supplier, so this is longer than any answer takes. */
const TIMEOUT_MS = 120_000

/** With a key in `meta`, so that a call which is sent again is not done twice. A key of the model stays. */
function withKey(args: object): object {
  const { meta, ...others } = args as { readonly meta?: object }
  return { ...others, meta: { 'idempotency-key': newIdempotencyKey(), ...meta } }
}

export async function toTools(options: ToolOptions): Promise<ModelTools> {
  const send = options.fetch ?? ((url, init) => fetch(url, init))
  const url = `${(options.baseUrl ?? '').replace(/\/+$/, '')}/ucp/mcp${options.readOnly ? '/readonly' : ''}`
  let id = 0

  async function post(method: string, params: object): Promise<Reply> {
    let response: Response
    try {
      response = await send(url, {
        method: 'POST',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'user-agent': options.userAgent ?? 'vendops-client',
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...(options.agentProfile === undefined ? {} : { 'ucp-agent': `profile="${options.agentProfile}"` }),
          ...(options.toolsets ? { 'x-mcp-toolsets': options.toolsets.join() } : {}),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return (await response.json()) as Reply
    } catch (cause) {
      throw new VendopsError({
        operation: method,
        status: 0,
        code: 'unreachable',
        text: 'the service cannot be reached',
        cause,
      })
    }
  }

  const [list, opened] = await Promise.all([post('tools/list', {}), post('initialize', {})])
  const failed = list.error ?? opened.error
  if (failed)
    throw new VendopsError({
      operation: 'tools/list',
      status: 0,
      code: (failed.data?.code ?? 'unreadable') as FailureCode,
      text: failed.message,
    })
  const listed = list.result?.tools ?? []
  const readers = new Set(listed.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name))

  /** Once more after a lost answer. */
  async function call(name: string, args: object): Promise<Reply> {
    const params = { name, arguments: readers.has(name) ? args : withKey(args) }
    try {
      return await post('tools/call', params)
    } catch {
      return post('tools/call', params)
    }
  }

  return {
    tools: listed.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
    instructions: opened.result?.instructions ?? '',
    run: async (name, args) => {
      let parsed: unknown = args
      try {
        if (typeof args === 'string') parsed = args === '' ? {} : JSON.parse(args)
      } catch {
        return JSON.stringify({ error: 'The arguments are not valid JSON' })
      }
      if (typeof parsed !== 'object' || parsed === null)
        return JSON.stringify({ error: 'The arguments must be an object' })
      const lost: Reply = { error: { message: 'The service cannot be reached' } }
      const { result, error } = await call(name, parsed).catch(() => lost)
      if (error) return JSON.stringify({ error: error.data ?? error.message })
      return (result?.content ?? []).map(({ text }) => text).join('\n')
    },
  }
}
