/**
 * Generates `src/client/routes.ts` from the operations table. The client contains these lines instead of the schemas, so
 * that a browser loads a few kilobytes and no validator.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { STREAM_PATH } from '../src/record/events/index.ts'
import type { Operation } from '../src/contract/operation.ts'
import { OPERATIONS } from '../src/contract/operations.ts'
import { ROLES } from '../src/contract/roles.ts'
import { URL_PREFIX } from '../src/contract/version.ts'

interface Properties {
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>
}

const members = (schema: unknown) => (schema as Properties | undefined)?.properties ?? {}

/** Where the cursor goes in the request, and which member of the reply holds the entries. */
function paging(operation: Operation): string | undefined {
  const cursor =
    'cursor' in members(operation.query) ? 'query' : 'pagination' in members(operation.body) ? 'body' : undefined
  if (cursor === undefined) return undefined
  const answer = members(operation.returns)
  const list = Object.keys(answer).find((name) => answer[name]?.type === 'array' && name !== 'messages')
  return `{ cursor: '${cursor}', list: '${list}' }`
}

/** Reads may be retried freely, writes with the same key; sign-in is sent once. */
const kindOf = (operation: Operation) =>
  operation.method === 'GET' || operation.safe ? 'read' : operation.write ? 'write' : 'once'

function row([id, operation]: [string, Operation]): string {
  const page = paging(operation)
  const fields = [
    `method: '${operation.method}'`,
    `path: '${operation.hostRoot ? '' : URL_PREFIX}${operation.path}'`,
    `kind: '${kindOf(operation)}'`,
    ...(operation.body ? ['body: true'] : []),
    ...(operation.upload ? ['upload: true'] : []),
    ...(page ? [`page: ${page}`] : []),
  ]
  const line = `  ${id}: { ${fields.join(', ')} },`
  return line.length <= 120 ? line : `  ${id}: {\n${fields.map((field) => `    ${field},`).join('\n')}\n  },`
}

export const routesText =
  (): string => `/** Generated from the operations table by \`npm run generate\`; a test fails when the two differ. */
import type { Route } from './route.ts'

export const ROUTES = {
${Object.entries<Operation>(OPERATIONS).map(row).join('\n')}
} as const satisfies Record<string, Route>

export const STREAM_PATH = '${URL_PREFIX}${STREAM_PATH}'
`

const groupOf = ({ roles }: Operation) => Object.entries(ROLES).find(([, group]) => group === roles)?.[0] ?? 'owners'

const tokenOperations = (): readonly string[] =>
  Object.entries<Operation>(OPERATIONS).flatMap(([id, { tokenUntilOwner }]) => (tokenUntilOwner ? [`'${id}'`] : []))

/** As the formatter writes it. */
const LINE_MAX = 120
function listText(before: string, entries: readonly string[]): string {
  const line = `${before}[${entries.join(', ')}]`
  return line.length <= LINE_MAX ? line : `${before}[\n${entries.map((entry) => `  ${entry},\n`).join('')}]`
}

/** In a file of its own: only the console needs it. */
export const rolesText =
  (): string => `/** Generated from the operations table by \`npm run generate\`; a test fails when the two differ. */
import { ROLES } from '../../../contract/roles.ts'

export const ROLES_OF = {
${Object.entries<Operation>(OPERATIONS)
  .map(([id, operation]) => `  ${id}: ROLES.${groupOf(operation)},`)
  .join('\n')}
} as const

/** The operator token may call these, too, until the first owner key exists. */
${listText('export const TOKEN_UNTIL_OWNER: readonly string[] = ', tokenOperations())}
`

export const ROLES_FILE = join(import.meta.dirname, '..', 'src', 'console', 'lib', 'service', 'operation-roles.ts')
export const ROUTES_FILE = join(import.meta.dirname, '..', 'src', 'client', 'routes.ts')

if (import.meta.main) {
  writeFileSync(ROUTES_FILE, routesText())
  writeFileSync(ROLES_FILE, rolesText())
  console.log('src/client/routes.ts, src/console/lib/service/operation-roles.ts')
}
