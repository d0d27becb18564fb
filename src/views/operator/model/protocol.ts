/** The two protocols, each one POST: what is sent, and what a reply means. Pure. */
import type { ModelSettings } from '../../../config/operator-model.ts'
import type { ToolDescription } from '../caller.ts'
import type { Entry } from './records.ts'

/** Tokens of one reply: a few calls and a report need no more. */
export const REPLY_TOKENS_MAX = 4096

export interface ModelCall {
  readonly id: string
  readonly name: string
  /** As the model wrote them; undefined: not JSON. */
  readonly args: unknown
}

export interface ModelReply {
  readonly end: 'calls' | 'done' | 'cut' | 'refused'
  readonly calls: readonly ModelCall[]
  readonly text: string
  readonly input: number
  readonly output: number
}

// oxlint-disable-next-line typescript/no-explicit-any -- what an endpoint answers is read member by member
type Json = any

interface Conversation {
  readonly system: string
  readonly tools: readonly ToolDescription[]
  readonly entries: readonly Entry[]
}

interface Protocol {
  readonly path: (url: string) => string
  readonly headers: (key: string | undefined) => Readonly<Record<string, string>>
  readonly body: (model: string, conversation: Conversation) => object
  /** Throws, or returns undefined, where it is none. */
  readonly read: (body: Json) => ModelReply | undefined
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** Replies, each with the results of its calls after it. */
const turnsOf = (entries: readonly Entry[]) => {
  const turns: { reply: Json; results: Entry[] }[] = []
  for (const entry of entries) {
    if (entry.kind === 'reply') turns.push({ reply: JSON.parse(entry.content), results: [] })
    if (entry.kind === 'result') turns.at(-1)?.results.push(entry)
  }
  return turns
}

const briefOf = (entries: readonly Entry[]): string => entries.find(({ kind }) => kind === 'brief')?.content ?? ''

const withVersion = (url: string): string => (/\/v\d+$/.test(url) ? url : `${url}/v1`)

const anthropic: Protocol = {
  path: (url) => `${withVersion(url)}/messages`,
  headers: (key) => ({ 'anthropic-version': '2023-06-01', ...(key === undefined ? {} : { 'x-api-key': key }) }),
  body: (model, { system, tools, entries }) => ({
    model,
    max_tokens: REPLY_TOKENS_MAX,
    system,
    tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
    messages: [
      { role: 'user', content: briefOf(entries) },
      ...turnsOf(entries).flatMap(({ reply, results }) => [
        { role: 'assistant', content: reply.content },
        {
          role: 'user',
          content: results.map(({ call, content }) => ({ type: 'tool_result', tool_use_id: call, content })),
        },
      ]),
    ],
  }),
  read({ content, stop_reason: reason, usage }) {
    const blocks = content as readonly Json[]
    const calls = blocks
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id, name, args: input }))
    const input = [usage.input_tokens, usage.cache_creation_input_tokens ?? 0, usage.cache_read_input_tokens ?? 0]
    const end = { tool_use: 'calls', end_turn: 'done', stop_sequence: 'done', max_tokens: 'cut', refusal: 'refused' }
    return {
      end: (end as Json)[reason],
      calls,
      text: blocks.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n'),
      input: input.every(isCount) ? input.reduce((sum, count) => sum + count, 0) : Number.NaN,
      output: usage.output_tokens,
    }
  },
}

const parsed = (text: unknown): unknown => {
  try {
    return isText(text) ? JSON.parse(text === '' ? '{}' : text) : undefined
  } catch {
    return undefined
  }
}

const openai: Protocol = {
  path: (url) => `${withVersion(url)}/chat/completions`,
  headers: (key): Readonly<Record<string, string>> => (key === undefined ? {} : { authorization: `Bearer ${key}` }),
  body: (model, { system, tools, entries }) => ({
    model,
    max_completion_tokens: REPLY_TOKENS_MAX,
    tools: tools.map(({ name, description, schema }) => ({
      type: 'function',
      function: { name, description, parameters: schema },
    })),
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: briefOf(entries) },
      ...turnsOf(entries).flatMap(({ reply, results }) => {
        // Endpoints differ in what else they say of a message, and refuse what others say.
        const { content = null, tool_calls: calls } = reply.choices[0].message
        return [
          { role: 'assistant', content, ...(calls ? { tool_calls: calls } : {}) },
          ...results.map(({ call, content: result }) => ({ role: 'tool', tool_call_id: call, content: result })),
        ]
      }),
    ],
  }),
  read({ choices, usage }) {
    const { message, finish_reason: reason } = choices[0]
    const calls = ((message.tool_calls ?? []) as readonly Json[]).map(
      ({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        args: parsed(args),
      }),
    )
    const isRefused = isText(message.refusal) && message.refusal !== ''
    const end = { tool_calls: 'calls', stop: 'done', length: 'cut', content_filter: 'refused' }
    return {
      // Some endpoints stop where others call.
      end: isRefused ? 'refused' : reason === 'stop' && calls.length > 0 ? 'calls' : (end as Json)[reason],
      calls,
      text: isRefused ? message.refusal : isText(message.content) ? message.content : '',
      input: usage.prompt_tokens,
      output: usage.completion_tokens,
    }
  },
}

export const protocolOf = ({ protocol }: Pick<ModelSettings, 'protocol'>): Protocol =>
  protocol === 'anthropic' ? anthropic : openai

/** Undefined: not what the protocol says a reply is. Without a count of tokens no limit would hold. */
export function readReply(protocol: Protocol, text: string): ModelReply | undefined {
  let reply: ModelReply | undefined
  try {
    reply = protocol.read(JSON.parse(text))
  } catch {
    return undefined
  }
  if (!reply || reply.end === undefined || !isCount(reply.input) || !isCount(reply.output)) return undefined
  const { calls, end } = reply
  if (!calls.every(({ id, name }) => isText(id) && id !== '' && isText(name)) || !isText(reply.text)) return undefined
  if (new Set(calls.map(({ id }) => id)).size !== calls.length) return undefined
  return end === 'calls' && calls.length === 0 ? undefined : reply
}
