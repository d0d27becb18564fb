/** The files under `docs/generated`: a change of the API shows up as a diff to review. */
import { openapi, refusals } from './openapi.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS, operationIds } from '../contract/operations.ts'
import { URL_PREFIX } from '../contract/version.ts'

/** One line per operation: method, path, operationId, status, codes. */
export function operationsText(): string {
  const lines = operationIds.map((id) => {
    const operation: Operation = OPERATIONS[id]
    const path = (operation.hostRoot ? '' : URL_PREFIX) + operation.path
    const codes = [...refusals(operation)].map(([status, refused]) => `${status}:${refused.join(',')}`)
    return [operation.method, path, id, operation.status, ...codes].join(' ')
  })
  return `${lines.toSorted().join('\n')}\n`
}

export const openapiText = (): string => `${JSON.stringify(openapi('http://localhost:8080'), null, 2)}\n`

/** File name → content. */
export const generated = (): Readonly<Record<string, string>> => ({
  'operations.txt': operationsText(),
  'openapi.json': openapiText(),
})
