/** The files under `docs/generated` and `skills`: a change of the API shows up as a diff to review. */
import { skillFiles } from './agent-skill.ts'
import type { JsonSchema } from './json-schema.ts'
import { contentOf, openapi, refusals } from './openapi.ts'
import type { Operation } from '../contract/operation.ts'
import { OPERATIONS, operationIds } from '../contract/operations.ts'
import { TOOLS } from '../contract/tools.ts'
import { URL_PREFIX } from '../contract/version.ts'

/** Keywords that the notation has signs for, and those that explain without deciding anything. */
const NOTED = new Set([
  '$ref',
  'type',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'anyOf',
  'enum',
  'const',
])
const EXPLAINING = new Set(['description', 'example', 'examples'])

const members = ({ properties = {}, required = [] }: JsonSchema): string =>
  Object.entries(properties)
    .map(([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${schemaText(schema)}`)
    .join(', ')

/** What a published schema demands, on one line: `{ id: string, limit?: integer(minimum 1) }`. */
function schemaText(schema: JsonSchema): string {
  const { $ref, anyOf, items, additionalProperties, type, properties } = schema
  const rest = Object.entries(schema)
    .filter(([name]) => !NOTED.has(name) && !EXPLAINING.has(name))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const limits = rest.length > 0 ? `(${rest.join(', ')})` : ''
  if ($ref !== undefined) return ($ref.split('/').at(-1) ?? '') + limits
  if (schema.enum || 'const' in schema) {
    const values = (schema.enum ?? [schema.const]).map((value) => JSON.stringify(value))
    return values.join(' | ') + limits
  }
  if (anyOf) return anyOf.map(schemaText).join(' | ') + limits
  const types = [type ?? 'any'].flat().map((name) => {
    if (name === 'array') return `[${items ? schemaText(items) : 'any'}]`
    if (name !== 'object') return name
    const others = additionalProperties ? `*: ${schemaText(additionalProperties)}` : ''
    return `{ ${[properties ? members(schema) : '', others].filter((text) => text !== '').join(', ')} }`
  })
  return types.join(' | ') + limits
}

/**
 * The API in one list: a line per operation (method, path, operationId, status, codes, then its MCP tool, query, body and
 * answer) and a line per shape. Read from the published document, so that it shows what callers are told.
 */
export function operationsText(): string {
  const document = openapi('http://localhost:8080')
  const lines = operationIds.map((id) => {
    const operation: Operation = OPERATIONS[id]
    const described = document.paths[operation.path]?.[operation.method.toLowerCase()]
    const path = (operation.hostRoot ? '' : URL_PREFIX) + operation.path
    const codes = [...refusals(operation)].map(([status, refused]) => `${status}:${refused.join(',')}`)
    const query = (described?.parameters ?? []).flatMap((parameter) =>
      'in' in parameter && parameter.in === 'query'
        ? [`${parameter.name}${parameter.required ? '' : '?'}: ${schemaText(parameter.schema)}`]
        : [],
    )
    const body = described?.requestBody
    const answer = described?.responses[operation.status]
    const tool = TOOLS.find(({ operationId }) => operationId === id)
    const parts = [
      [operation.method, path, id, operation.status, ...codes].join(' '),
      tool ? `tool ${tool.name} (${tool.toolset})` : '',
      query.length > 0 ? `query { ${query.join(', ')} }` : '',
      body ? `body${body.required ? '' : '?'} ${schemaText(contentOf(body).schema)}` : '',
      answer && 'content' in answer ? `answer ${schemaText(answer.content['application/json'].schema)}` : '',
    ]
    return parts.filter((part) => part !== '').join(' · ')
  })
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) => `${name} ${schemaText(schema)}`)
  return [...lines.toSorted(), '', ...shapes, ''].join('\n')
}

/** Path in the project → content. */
export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'docs/generated/operations.txt': operationsText(),
  ...Object.fromEntries(Object.entries(skillFiles()).map(([path, text]) => [`skills/vendops/${path}`, text])),
})
