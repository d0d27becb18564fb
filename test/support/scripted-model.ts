/** An endpoint that speaks both protocols and answers, or misbehaves, as a test says. */
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ModelSettings } from '../../src/config/operator-model.ts'
import type { Json } from './service.ts'

export interface Seen {
  /** Answers before this one. */
  readonly turn: number
  readonly brief: string
  /** Of the last calls. */
  readonly results: readonly string[]
  readonly tools: readonly string[]
  readonly headers: Json
}

export interface Call {
  readonly name: string
  readonly args: unknown
}

export type Move =
  | { readonly calls: readonly Call[]; readonly tokens?: readonly [number, number] }
  | { readonly say: string }
  | { readonly refuse: string }
  | { readonly cutAtLimit: true }
  | { readonly raw: string }
  | { readonly status: number; readonly retryAfter?: string; readonly body?: string }
  | { readonly fault: 'silent' | 'cut off' | 'dropped' | 'no usage' }

export type Protocol = 'anthropic' | 'openai'

const TOKENS = [1000, 100] as const

function anthropicReply(move: Move, ids: () => string): object {
  const [input, output] = ('calls' in move ? move.tokens : undefined) ?? TOKENS
  const usage = { input_tokens: input, output_tokens: output }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'scripted' }
  const text = (value: string) => [{ type: 'text', text: value }]
  if ('say' in move) return { ...message, content: text(move.say), stop_reason: 'end_turn', usage }
  if ('refuse' in move) return { ...message, content: text(move.refuse), stop_reason: 'refusal', usage }
  if ('cutAtLimit' in move) return { ...message, content: text('I will'), stop_reason: 'max_tokens', usage }
  if ('fault' in move) return { ...message, content: text('hello'), stop_reason: 'end_turn' }
  const calls = 'calls' in move ? move.calls : []
  const uses = calls.map(({ name, args }) => ({ type: 'tool_use', id: ids(), name, input: args }))
  return { ...message, content: [...text('I look.'), ...uses], stop_reason: 'tool_use', usage }
}

function openaiReply(move: Move, ids: () => string): object {
  const [input, output] = ('calls' in move ? move.tokens : undefined) ?? TOKENS
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  const reply = (message: object, reason: string) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason: reason }],
  })
  if ('say' in move) return { ...reply({ content: move.say }, 'stop'), usage }
  if ('refuse' in move) return { ...reply({ content: null, refusal: move.refuse }, 'stop'), usage }
  if ('cutAtLimit' in move) return { ...reply({ content: 'I will' }, 'length'), usage }
  if ('fault' in move) return reply({ content: 'hello' }, 'stop')
  const calls = 'calls' in move ? move.calls : []
  const toolCalls = calls.map(({ name, args }) => ({
    id: ids(),
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
  return { ...reply({ content: null, tool_calls: toolCalls }, 'tool_calls'), usage }
}

function seenIn(protocol: Protocol, body: Json, headers: Json): Seen {
  const { messages, tools } = body
  const turn = messages.filter(({ role }: Json) => role === 'assistant').length
  if (protocol === 'anthropic') {
    const last = messages.at(-1).content
    const results = Array.isArray(last) ? last.map(({ content }: Json) => content) : []
    return { turn, brief: messages[0].content, results, tools: tools.map(({ name }: Json) => name), headers }
  }
  const lastAnswer = messages.findLastIndex(({ role }: Json) => role === 'assistant')
  const results = lastAnswer < 0 ? [] : messages.slice(lastAnswer + 1).map(({ content }: Json) => content)
  return { turn, brief: messages[1].content, results, tools: tools.map((tool: Json) => tool.function.name), headers }
}

export async function scriptedModel(protocol: Protocol, play: (seen: Seen) => Move | Promise<Move>) {
  const requests: Seen[] = []
  let calls = 0
  const ids = () => `call_${(calls += 1)}`
  const answer = (response: ServerResponse, status: number, text: string, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  const respond = async (request: IncomingMessage, response: ServerResponse, text: string) => {
    const wanted = protocol === 'anthropic' ? '/v1/messages' : '/v1/chat/completions'
    if (request.url !== wanted) return answer(response, 404, '{}')
    const seen = seenIn(protocol, JSON.parse(text), request.headers)
    requests.push(seen)
    const move = await play(seen)
    if ('fault' in move && move.fault === 'silent') return
    if ('fault' in move && move.fault === 'dropped') return request.socket.destroy()
    if ('status' in move) {
      const retry = move.retryAfter === undefined ? {} : { 'retry-after': move.retryAfter }
      return answer(response, move.status, move.body ?? '{"error":{"message":"scripted"}}', retry)
    }
    if ('raw' in move) return answer(response, 200, move.raw)
    const reply = JSON.stringify((protocol === 'anthropic' ? anthropicReply : openaiReply)(move, ids))
    if ('fault' in move && move.fault === 'cut off') {
      response.writeHead(200, { 'content-length': String(reply.length) })
      response.write(reply.slice(0, 20))
      return setImmediate(() => request.socket.destroy())
    }
    return answer(response, 200, reply)
  }
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => void respond(request, response, Buffer.concat(parts).toString()))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const settings: ModelSettings = {
    protocol,
    model: 'scripted',
    url: protocol === 'anthropic' ? url : `${url}/v1`,
    key: 'sk-scripted-0123456789',
    keyFile: undefined,
    timeoutMs: 1000,
    retryMs: 1,
    prices: { input: 300, output: 1500 },
    tokensMax: { shift: 1_000_000, day: 4_000_000 },
    costMax: { shift: 500, day: 2000 },
  }
  return { settings, requests, url, close }
}

/** Restocks as the brief says: trips, a run for each, order, buy, report. */
export function restocks({ turn, results }: Seen): Move {
  const parsed = results.map((text) => {
    try {
      return JSON.parse(text)
    } catch {
      return {}
    }
  })
  const [first] = parsed
  if (turn === 0)
    return {
      calls: [
        { name: 'vending_get_overview', args: {} },
        { name: 'vending_get_trips', args: {} },
      ],
    }
  const trips = parsed.find(({ trips: found }) => found)?.trips.filter(({ firm }: Json) => firm)
  if (trips?.length > 0)
    return {
      calls: trips.map(({ stops }: Json) => ({
        name: 'vending_create_run',
        args: { locations: stops.flatMap(({ locations }: Json) => locations.map(({ location }: Json) => location)) },
      })),
    }
  const runs = parsed.filter(({ id, status }) => String(id).startsWith('run') && status === 'approved')
  if (runs.length > 0) return { calls: runs.map(({ id }) => ({ name: 'vending_place_run', args: { id } })) }
  const checkouts = parsed.flatMap(({ checkouts: opened = [] }) => opened)
  if (checkouts.length > 0)
    return {
      calls: checkouts.map(({ id }: Json) => ({
        name: 'complete_checkout',
        args: { id, checkout: { confirm: true } },
      })),
    }
  return { say: first === undefined ? 'Nothing to do.' : 'I restocked what was due.' }
}
