/** One operation asked over REST and as a tool, the whole answer: answers are the same texts; refusals have the same codes, in words of the tool. */
import { expect } from 'vitest'
import type { OperationId } from '../../src/contract/handlers.ts'
import { TOOLS } from '../../src/contract/tools.ts'
import type { Tool } from '../../src/contract/tools.ts'
import { TOOLSETS } from '../../src/kernel/toolsets.ts'
import { callTool, toArguments, toRest } from '../support/mcp.ts'
import type { OperationCall, Posted } from '../support/mcp.ts'
import type { Answered, Json, Service } from '../support/service.ts'

export const EVERYTHING = { mcp: { toolsets: new Set(TOOLSETS), readOnly: false } }
const toolOf = (id: OperationId): Tool => TOOLS.find(({ operationId }) => operationId === id) as Tool

interface Pair {
  readonly rest: Service
  readonly mcp: Service
  /** Whose key is used; without it, the operator token. */
  readonly tokens?: { readonly rest: string; readonly mcp: string }
}

/** Calls both ways; the answers are compared, that of REST is returned. `other`: the call over MCP, where ids differ. */
export const expectBothOf =
  ({ rest, mcp, tokens }: Pair) =>
  async (id: OperationId, call: OperationCall = {}, other = call): Promise<Answered> => {
    const tool = toolOf(id)
    // Over MCP a list has 20 entries unless the caller names a number.
    const limit = tool.queryNames.includes('limit') ? { limit: id === 'getPlan' ? 30 : 20 } : {}
    const details = tool.brief ? { details: true } : {}
    const same = tool.queryNames.includes('details') ? details : {}
    const { method, path, body } = toRest(tool, { ...call, query: { ...limit, ...same, ...call.query } })
    const request = { ...(body === undefined ? {} : { body }), ...(tokens ? { token: tokens.rest } : {}) }
    const expected = await rest.call(method, path, request)
    const answer = await callTool(
      mcp,
      tool.name,
      { ...details, ...toArguments(tool, other) },
      tokens ? { token: tokens.mcp } : {},
    )
    expectSame(tool, answer, expected)
    for (const service of [rest, mcp]) service.clock.advance(1000)
    return expected
  }

/** Ids and keys that are random. */
const RANDOM = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|vk_[\w-]{43}|per_\w+|#[\w-]{20,}/g
const mask = (text: string): string => text.replaceAll(RANDOM, '*')

/** Refusals of the caller or the service; everything else is an outcome an agent acts on. */
const isProtocolError = ({ status, body }: Answered): boolean =>
  [401, 403, 413, 429, 500, 503].includes(status) ||
  (status === 409 && body.messages[0].code.startsWith('idempotency_'))

const wordless = ({ path: _path, content: _content, ...message }: Json): Json => message

/** Paths begin at the arguments of the tool, and no text speaks of REST. */
function expectSameRefusal(tool: Tool, given: Json, { body, text }: Answered): void {
  const label = `${tool.name} ${text.slice(0, 300)}`
  expect({ ...given, messages: given.messages.map(wordless) }, label).toEqual({
    ...body,
    messages: body.messages.map(wordless),
  })
  for (const { path, content } of given.messages) {
    if (path !== undefined && path !== '$') expect(tool.argumentNames, label).toContain(/^\$\.(\w+)/.exec(path)?.[1])
    expect(content, label).not.toMatch(/\bJSON\b|\bbody\b|\bheader\b| \/[a-z-]+\/[a-z]/)
  }
}

function expectSame(tool: Tool, answer: Posted, expected: Answered): void {
  const id = tool.operationId
  const label = `${id} ${expected.status} ${expected.text.slice(0, 300)}`
  expect(Number('result' in answer.body) + Number('error' in answer.body), label).toBe(1)
  if (isProtocolError(expected)) {
    expect(answer.status, label).toBe(expected.status)
    const { type: _type, severity: _severity, ...said } = expected.body.messages[0]
    const { retry_after: retryAfter, ...data } = answer.body.error.data
    expect({ ...answer.body.error, data }, label).toEqual({
      code: expected.status === 500 ? -32603 : -32000,
      message: said.content,
      data: said,
    })
    expect(retryAfter?.toString(), label).toBe(expected.headers['retry-after'])
    return
  }
  expect(answer.status, label).toBe(200)
  const { content, structuredContent, isError } = answer.body.result
  if (isError) expectSameRefusal(tool, structuredContent, expected)
  else expect(mask(content[0].text), label).toBe(mask(expected.text))
  expect(structuredContent, label).toEqual(JSON.parse(content[0].text))
  expect(isError ?? false, label).toBe(expected.body.ucp.status === 'error')
}
