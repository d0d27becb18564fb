/** The answer of a tool, cut to what an agent can hold. A page is read again with fewer entries, so that its cursor leads to the next one. */
import type { Tool, ToolCall } from '../contract/tools.ts'
import { ANSWER_CHARS_MAX, cutToFit, selectFields } from './mcp-fields.ts'
import type { Cut } from './mcp-fields.ts'
import { isObject } from './mcp-protocol.ts'

export interface ToolAnswer {
  readonly text: string
  /** What was left out, and how to get it. */
  readonly cut?: Pick<Cut, 'member' | 'kept' | 'total'> & { readonly advice: string }
}

const parse = (text: string) => JSON.parse(text) as Record<string, unknown>

/** The members that the caller asked for. UCP tools have no such argument. */
export function selectText(text: string, tool: Tool, fields: unknown): string {
  if (!tool.readOnly || tool.ucp || !Array.isArray(fields)) return text
  const wanted = fields.filter((name) => typeof name === 'string')
  return wanted.length === 0 ? text : JSON.stringify(selectFields(parse(text), wanted))
}

/** The same call for fewer entries; undefined where the operation has no pages. */
function callForPage(tool: Tool, call: ToolCall, limit: number): ToolCall | undefined {
  if (!tool.readOnly) return undefined
  if (tool.queryNames.includes('limit')) return { ...call, query: { ...call.query, limit } }
  const { body = {} } = call
  if (!isObject(body)) return undefined
  const pagination = isObject(body['pagination']) ? body['pagination'] : {}
  return { ...call, body: { ...body, pagination: { ...pagination, limit } } }
}

/** `read`: runs the operation and answers with the members that the caller asked for. */
export async function fitAnswer(
  text: string,
  tool: Tool,
  call: ToolCall,
  read: (call: ToolCall) => Promise<string>,
): Promise<ToolAnswer> {
  if (text.length <= ANSWER_CHARS_MAX) return { text }
  const cut = cutToFit(parse(text), ANSWER_CHARS_MAX)
  if (!cut) return { text }
  const { member, kept, total, body } = cut
  const smaller = kept > 0 && isObject(body['pagination']) ? callForPage(tool, call, kept) : undefined
  const page = smaller && (await read(smaller))
  if (page !== undefined && page.length <= ANSWER_CHARS_MAX)
    return { text: page, cut: { member, kept, total, advice: 'The cursor leads to the next ones.' } }
  const advice = tool.ucp
    ? 'Ask for fewer at a time.'
    : 'Ask for fewer at a time, or name the members you need in fields.'
  return { text: JSON.stringify(body), cut: { member, kept, total, advice } }
}
