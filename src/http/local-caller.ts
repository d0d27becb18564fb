/** Calls operations inside the process as the holder of a key: the same checks of role, shape, key, guard and rules as a request. */
import { randomUUID } from 'node:crypto'
import { describeTool } from '../api-docs/tools.ts'
import type { OperationId } from '../contract/handlers.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { isInPreset } from '../contract/presets.ts'
import { type Tool, DETAILS, FIELDS, META, toCall, TOOLS } from '../contract/tools.ts'
import { URL_PREFIX } from '../contract/version.ts'
import type { CallAs, OperatorTools } from '../views/operator/index.ts'
import { roleRefusal } from './access/authorize.ts'
import { rateLimits } from './access/rate-limit.ts'
import type { HttpDeps } from './deps.ts'
import { cutAnswer, selectText } from './mcp/answer.ts'
import { briefText } from './mcp/brief.ts'
import { isShortEnough } from './mcp/fields.ts'
import { findArgumentProblems, toToolWords } from './mcp/words.ts'
import { errorReply, readWholeText } from './response.ts'
import { type Run, operationRunner } from './runner.ts'

const toolOf = (name: string): Tool | undefined =>
  TOOLS.find((tool) => tool.name === name && isInPreset('operator', tool.operationId))

const nameOf = (operation: OperationId): string | undefined =>
  TOOLS.find(({ operationId }) => operationId === operation && isInPreset('operator', operationId))?.name

export function localCaller(deps: HttpDeps): CallAs {
  const limits = rateLimits(deps.rateLimitPerMinute, deps.clock)
  const runs = new Map<OperationId, Run>()
  const runOf = (id: OperationId): Run => {
    const run = runs.get(id) ?? operationRunner(deps, id, OPERATIONS[id], limits)
    runs.set(id, run)
    return run
  }
  return async (by, { operation: id, params = {}, query = {}, body, tool: called }, key) => {
    if (!Object.hasOwn(OPERATIONS, id)) throw new Error(`no operation ${id}`)
    const operation: Operation = OPERATIONS[id]
    const denied = roleRefusal(operation, by, deps.people.hasSeparationOfDuties())
    const tool = called && toolOf(called.name)
    const path = URL_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const send = async (request: { params: object; query: object; body: unknown }) => {
      const raw = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body))
      const reply = denied
        ? errorReply(denied, operation.capabilities)
        : await runOf(id)({
            params: { ...request.params },
            query: { ...request.query },
            body: request.body,
            context: {
              requestId: randomUUID(),
              by,
              agent: by.name,
              headers: {},
              ...(key === undefined ? {} : { idempotencyKey: key }),
            },
            caller: by.keyId ?? by.name,
            key,
            ...(called && tool
              ? { problems: findArgumentProblems(tool, called.args), reword: toToolWords(tool, called.args) }
              : {}),
            keyScope: () => ({ method: operation.method, path, raw }),
          })
      return { status: reply.status, text: await readWholeText(reply.body) }
    }
    const { status, text } = await send({ params, query, body })
    const reply = { status, body: JSON.parse(text) }
    if (!called || !tool) return reply
    if (status >= 300) return { ...reply, text }
    const isBrief = tool.brief && called.args[DETAILS] !== true && !Array.isArray(called.args[FIELDS])
    const wanted = (whole: string) =>
      isBrief ? briefText(whole, tool, nameOf) : selectText(whole, tool, called.args[FIELDS])
    if (isShortEnough(wanted(text))) return { ...reply, text: wanted(text) }
    const cut = await cutAnswer(wanted(text), tool, { params, query, body }, async (page) =>
      wanted((await send(page)).text),
    )
    return { ...reply, text: `${cut.text}\n${cut.advice ?? ''}` }
  }
}

type Schema = ReturnType<typeof describeTool>['inputSchema']

/** A model gives no key: the shift and the step are the key. */
const withoutMeta = ({ properties, ...schema }: Schema) => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(properties ?? {}).filter(([name]) => name !== META)),
})

export const operatorTools = (deps: Pick<HttpDeps, 'currency'>): OperatorTools => ({
  list: () =>
    TOOLS.filter(({ operationId }) => isInPreset('operator', operationId)).map((tool) => {
      const { name, description, inputSchema } = describeTool(tool, deps.currency)
      return { name, description, schema: withoutMeta(inputSchema) }
    }),
  toRequest(name, args) {
    const tool = toolOf(name)
    if (!tool) return undefined
    const { params, query, body } = toCall(tool, args)
    const given = { params: params as Record<string, string>, query: query as Record<string, string> }
    return {
      request: { operation: tool.operationId, ...given, ...(body === undefined ? {} : { body }) },
      isWrite: !tool.readOnly,
    }
  },
})
