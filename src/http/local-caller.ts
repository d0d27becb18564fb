/** Calls operations inside the process as the holder of a key: the same checks of role, shape, key, guard and rules as a request. */
import { randomUUID } from 'node:crypto'
import type { OperationId } from '../contract/handlers.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { URL_PREFIX } from '../contract/version.ts'
import type { CallAs } from '../views/operator/index.ts'
import { roleRefusal } from './access/authorize.ts'
import { rateLimits } from './access/rate-limit.ts'
import type { HttpDeps } from './deps.ts'
import { errorReply, readWholeText } from './response.ts'
import { type Run, operationRunner } from './runner.ts'

export function localCaller(deps: HttpDeps): CallAs {
  const limits = rateLimits(deps.rateLimitPerMinute, deps.clock)
  const runs = new Map<OperationId, Run>()
  const runOf = (id: OperationId): Run => {
    const run = runs.get(id) ?? operationRunner(deps, id, OPERATIONS[id], limits)
    runs.set(id, run)
    return run
  }
  return async (by, { operation: id, params = {}, query = {}, body }, key) => {
    if (!Object.hasOwn(OPERATIONS, id)) throw new Error(`no operation ${id}`)
    const operation: Operation = OPERATIONS[id]
    const denied = roleRefusal(operation, by, deps.people.hasSeparationOfDuties())
    const raw = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const path = URL_PREFIX + operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const reply = denied
      ? errorReply(denied, operation.capabilities)
      : await runOf(id)({
          params: { ...params },
          query: { ...query },
          body,
          context: {
            requestId: randomUUID(),
            by,
            agent: by.name,
            headers: {},
            ...(key === undefined ? {} : { idempotencyKey: key }),
          },
          caller: by.keyId ?? by.name,
          key,
          keyScope: () => ({ method: operation.method, path, raw }),
        })
    return { status: reply.status, body: JSON.parse(await readWholeText(reply.body)) }
  }
}
