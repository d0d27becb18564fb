/** The answer of a tool, cut to what an agent can hold. A page is read again with fewer entries, so that its cursor leads to the next one. */
import type { Tool, ToolCall } from '../../contract/tools.ts'
import { type Cut, cutToFit, selectFields } from './fields.ts'
import { isObject } from './protocol.ts'

export interface ToolAnswer {
  readonly text: string
  /** What was left out. */
  readonly cuts?: readonly Cut[]
  /** How to get it. */
  readonly advice?: string
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

const ADVICE_PAGE = 'The cursor leads to the next ones.'

/** What the caller can do about a list without pages, with the arguments that its tool has. */
const adviceOf = ({ ucp, readOnly }: Tool): string =>
  ucp || !readOnly ? 'Read a smaller part.' : 'Name the members you need in fields, or read a smaller part.'

/** Of a page, the cut of the list that the pages are of. */
const pageCut = ({ body, cuts }: ReturnType<typeof cutToFit>): Cut | undefined =>
  isObject(body['pagination']) ? cuts.find(({ member }) => Object.hasOwn(body, member)) : undefined

/**
 * An answer that is too long, shortened.
 * @param read runs the operation and answers with the members that the caller asked for
 */
export async function cutAnswer(
  text: string,
  tool: Tool,
  call: ToolCall,
  read: (call: ToolCall) => Promise<string>,
): Promise<ToolAnswer> {
  let cut = cutToFit(parse(text))
  const total = pageCut(cut)?.total
  let page: Cut | undefined
  // A cursor must lead to the first entry that is not shown, so the page is read again with only the entries that fit.
  for (let shorter = pageCut(cut); shorter; shorter = pageCut(cut)) {
    const smaller = callForPage(tool, call, shorter.kept)
    if (!smaller) break
    page = { ...shorter, total: total ?? shorter.total }
    cut = cutToFit(parse(await read(smaller)))
  }
  const { cuts } = cut
  const advice = [...(page ? [ADVICE_PAGE] : []), ...(cuts.length > 0 ? [adviceOf(tool)] : [])].join(' ')
  return { text: cut.text, cuts: page ? [page, ...cuts] : cuts, advice }
}
