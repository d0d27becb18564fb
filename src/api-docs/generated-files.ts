/** The files under `docs/generated` and `skills`: a change of the API shows up as a diff to review. */
import { skillFiles } from './agent-skill.ts'
import { openapi, refusals } from './openapi.ts'
import { toolsText } from './tools.ts'
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

/** Path in the project → content. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'docs/generated/operations.txt': operationsText(),
  'docs/generated/openapi.json': openapiText(),
  'docs/generated/tools.json': toolsText(),
  ...Object.fromEntries(Object.entries(skillFiles()).map(([path, text]) => [`skills/vendops/${path}`, text])),
})
