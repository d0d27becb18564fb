/**
 * MCP over standard input and output, for hosts that start a program. A pipe to the service, not a second server: each line
 * is posted as it is, and each answer written as one line.
 */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { encodeHeader, nameInHeader, VERSION_META } from '../../../contract/mcp-headers.ts'
import { MCP_PATH } from '../../../contract/version.ts'
import { parseJson } from '../../../lib/json.ts'
import type { Command } from '../../command.ts'
import { endpoint } from '../../connect.ts'
import type { Context } from '../../context.ts'

/** JSON-RPC: parse error, and an error of the server. */
const PARSE_ERROR = -32_700
const SERVER_ERROR = -32_000

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>>; readonly [name: string]: unknown }
}

/** Since 2026-07-28 a request repeats version, method and name in headers. */
function protocolHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION_META]
  if (!params || typeof version !== 'string' || typeof method !== 'string') return {}
  const name = nameInHeader(method, params)
  return {
    'mcp-protocol-version': encodeHeader(version),
    'mcp-method': encodeHeader(method),
    ...(name === undefined ? {} : { 'mcp-name': encodeHeader(name) }),
  }
}

function parse(line: string): Message | undefined {
  const message = parseJson(line)
  return typeof message === 'object' && message !== null ? message : undefined
}

/** Why the service refused the request as a whole, such as one that is too large. */
function errorIn(reply: Message | undefined): string | undefined {
  const { error } = (reply ?? {}) as { readonly error?: { readonly message?: unknown } }
  return typeof error?.message === 'string' ? error.message : undefined
}

const failure = (id: unknown, code: number, message: string): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    error: { code, message },
  })

async function pipe(context: Context, headers: Readonly<Record<string, string>>, path: string): Promise<void> {
  const { terminal, signal, env } = context
  const { url, token } = endpoint(env, context)
  const open = new Set<Promise<void>>()

  async function answer(line: string): Promise<string | undefined> {
    const message = parse(line)
    if (message === undefined) return failure(undefined, PARSE_ERROR, 'Not valid JSON')
    // A notification has no id and gets no answer, also when it fails.
    const fail = (text: string) => (Object.hasOwn(message, 'id') ? failure(message.id, SERVER_ERROR, text) : undefined)
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          'user-agent': 'vendops-mcp',
          authorization: `Bearer ${token}`,
          ...headers,
          ...protocolHeaders(message),
        },
        body: line,
        signal,
      })
      const text = await response.text()
      if (response.status === 202) return undefined
      const reply = parse(text)
      if (reply && 'jsonrpc' in reply && reply.id === message.id) return text
      // An answer without our id leaves the host waiting. It comes from something in between, or refuses the whole request.
      return fail(errorIn(reply) ?? `${url} answered with status ${response.status}`)
    } catch {
      return fail(`The service at ${url} cannot be reached`)
    }
  }

  async function writeAnswer(line: string): Promise<void> {
    const text = await answer(line)
    if (text !== undefined) await terminal.out(`${text.replaceAll(/[\r\n]+/g, ' ')}\n`)
  }

  const lines = createInterface({ input: Readable.from(terminal.input), crlfDelay: Infinity })
  for await (const line of lines) {
    if (line.trim() === '') continue
    // Concurrent: a host may ask for several things at a time.
    const work = writeAnswer(line)
    open.add(work)
    void work.finally(() => open.delete(work))
  }
  await Promise.all(open)
}

export const MCP: Command = {
  name: 'mcp',
  summary: 'MCP over standard input and output, for agents',
  options: {
    'read-only': { kind: 'flag', summary: 'offer only tools that change nothing' },
    toolsets: { kind: 'text', value: 'NAMES', summary: 'offer only these toolsets, separated by commas' },
  },
  details:
    'Passes each message to the service and writes its answer. Hosts such as Claude Desktop start it; docs/agents.md has the lines for their settings. Approving is not among the tools unless the service is started with the toolset owner.',
  examples: [
    ['vendops mcp', 'for a host on this computer'],
    ['VENDOPS_URL=https://vending.example.com OPERATOR_TOKEN=… vendops mcp --read-only', 'look, do not touch'],
  ],
  async run(context, args) {
    const toolsets = args.text('toolsets')
    const path = args.flag('read-only') ? `${MCP_PATH}/readonly` : MCP_PATH
    await pipe(context, toolsets === undefined ? {} : { 'x-mcp-toolsets': toolsets }, path)
  },
}
