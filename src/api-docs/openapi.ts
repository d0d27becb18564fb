/** The OpenAPI 3.1 document, generated from the operations table. */
import type { TObject } from 'typebox'
import type { ErrorCode } from '../kernel/message.ts'
import type { CurrencyCode } from '../kernel/currency.ts'
import { ErrorResponse } from '../contract/common.ts'
import { withCurrency } from '../contract/deployment-currency.ts'
import { type Examples, EXAMPLES, examplesIn } from './examples.ts'
import { IDEMPOTENCY_KEY_MAX, REQUEST_ID_MAX } from '../contract/limits.ts'
import { type Operation, type Tag, generalCodes, TAGS } from '../contract/operation.ts'
import { type OperationId, OPERATIONS, operationIds } from '../contract/operations.ts'
import { type JsonSchema, type Publisher, publisher } from './json-schema.ts'
import { STATUS } from '../contract/status.ts'
import { EXTENSION_VERSION, PRODUCT_VERSION, UCP_VERSION, URL_PREFIX } from '../contract/version.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface Reference {
  readonly $ref: string
}

interface Content {
  readonly 'application/json': { readonly schema: JsonSchema; readonly example?: unknown }
}

export interface RequestBody {
  readonly required: boolean
  /** By the one content type that the operation takes. */
  readonly content: Readonly<Record<string, Content['application/json']>>
}

/** What the body is, whatever its content type. */
export function contentOf({ content }: RequestBody): Content['application/json'] {
  const [only] = Object.values(content)
  if (!only) throw new Error('A request body has no content')
  return only
}

export interface Response {
  readonly description: string
  readonly headers: Readonly<Record<string, Reference>>
  readonly content: Content
  /** The codes of the description, machine-readable. */
  readonly 'x-codes': readonly string[]
}

export interface DescribedOperation {
  readonly operationId: string
  readonly tags: readonly Tag[]
  readonly summary: string
  readonly description: string
  /** The roles that may call it; absent where nobody needs credentials. */
  readonly 'x-roles'?: readonly string[]
  readonly servers?: readonly { readonly url: string }[]
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly parameters: readonly (Parameter | Reference)[]
  readonly requestBody?: RequestBody
  readonly responses: Readonly<Record<string, Response | Reference>>
}

export const TAG_DESCRIPTIONS = {
  Discovery: 'What this service offers, and its vendors.',
  Catalog: 'Products of suppliers and machines, and which of them are the same.',
  Locations: 'The machines: roster, profile, stock, sync.',
  Checkout: 'Purchase orders to one supplier, from draft to confirmed purchase.',
  Orders: 'Completed purchases and machine sales.',
  Pricing: 'Live prices on machines.',
  Replenishment: 'What to order for each slot, restock runs, and forecast accuracy.',
  'Store room': 'Goods that are neither at a supplier nor in a machine.',
  Approvals: 'Decisions that wait for the owner.',
  Operator: 'The operator of the service, and the notes and reminders of every agent.',
  Events: 'What happened, stored and live.',
  Guardrails: 'The rules of this deployment, and the emergency stop.',
  Settings: 'What holds for the whole deployment: delivery address, currency, time zone, costs of driving.',
  'Sign-in': 'The session cookie of the console.',
  People: 'Who has a key, with which role.',
} as const satisfies Record<Tag, string>

const DESCRIPTION = `Commerce and operations service for vending routes, aligned with the Universal Commerce Protocol ${UCP_VERSION}.

Amounts are whole minor units of the deployment's currency (fen of CNY, cents of USD). Times are RFC 3339 with an offset. Every response contains \`ucp\`; read \`messages\` before using the data, and branch on \`code\` only. Fields may be added to responses at any time, and unknown fields of requests are ignored.`

/** Status → its possible codes. Those of status 200 are messages on the resource. */
export function refusals(operation: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const byStatus = new Map<number, ErrorCode[]>(operation.method === 'GET' ? [] : [[413, ['request_too_large']]])
  for (const code of new Set([...operation.codes, ...generalCodes(operation)])) {
    const status = operation.statuses?.[code] ?? STATUS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return new Map([...byStatus].toSorted(([a], [b]) => a - b))
}

const quoteCodes = (codes: readonly string[]) => codes.map((code) => `\`${code}\``).join(', ')
const reference = (kind: string, name: string): Reference => ({ $ref: `#/components/${kind}/${name}` })
const ERROR_RESPONSE: JsonSchema = { ...reference('schemas', 'ErrorResponse') }

function parameters(
  where: 'path' | 'query',
  shape: TObject | undefined,
  example: object | undefined,
  shapes: Publisher,
): Parameter[] {
  const required: readonly string[] = shape?.required ?? []
  const described: Parameter[] = []
  for (const [name, property] of Object.entries(shape?.properties ?? {})) {
    const { description, ...schema } = shapes.publish(property)
    described.push({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      ...(example && name in example ? { example: Reflect.get(example, name) as unknown } : {}),
    })
  }
  return described
}

/** Error responses shared by operations, by status and codes. */
const SHARED: Readonly<Record<string, string>> = {
  '400 missing,invalid': 'BadRequest',
  '401 unauthorized': 'Unauthorized',
  '403 forbidden': 'Forbidden',
  '404 not_found': 'NotFound',
  '409 idempotency_mismatch,idempotency_in_progress': 'KeyReused',
  '413 request_too_large': 'BodyTooLarge',
  '429 rate_limited': 'TooManyRequests',
  '500 internal': 'Internal',
  '502 supplier_rejected,upstream_unreachable': 'UpstreamFailed',
  '503 service_unavailable': 'ServiceUnavailable',
  '503 guard_unverifiable,service_unavailable': 'GuardUnverifiable',
}

const refusal = (status: number, codes: readonly string[]): Response => ({
  description: `Error: ${quoteCodes(codes)}.`,
  headers: {
    'Request-Id': reference('headers', 'RequestId'),
    ...(status === 401 ? { 'WWW-Authenticate': reference('headers', 'WwwAuthenticate') } : {}),
    ...(status === 429 || status >= 502 || codes.includes('idempotency_in_progress')
      ? { 'Retry-After': reference('headers', 'RetryAfter') }
      : {}),
  },
  content: { 'application/json': { schema: ERROR_RESPONSE } },
  'x-codes': codes,
})

const sharedResponses = (): Record<string, Response> =>
  Object.fromEntries(
    Object.entries(SHARED).map(([key, name]) => {
      const [status = '', codes = ''] = key.split(' ')
      return [name, refusal(Number(status), codes.split(','))]
    }),
  )

const responseOf = (operation: Operation, messageCodes: readonly string[], schema: JsonSchema): Response => ({
  description: messageCodes.length > 0 ? `Success. Possible message codes: ${quoteCodes(messageCodes)}.` : 'Success.',
  headers: {
    'Request-Id': reference('headers', 'RequestId'),
    ...(operation.write ? { 'Idempotent-Replayed': reference('headers', 'IdempotentReplayed') } : {}),
    ...(operation === OPERATIONS.completeCheckout
      ? {
          'Content-Digest': reference('headers', 'ContentDigest'),
          'Signature-Input': reference('headers', 'SignatureInput'),
          Signature: reference('headers', 'Signature'),
        }
      : {}),
  },
  content: {
    'application/json': {
      schema: operation.errorsWithStatus200 && operation.status === 200 ? { anyOf: [schema, ERROR_RESPONSE] } : schema,
    },
  },
  'x-codes': messageCodes,
})

function responses(operation: Operation, shapes: Publisher): Record<string, Response | Reference> {
  const refused = refusals(operation)
  const answers: Record<string, Response | Reference> = {
    [operation.status]: responseOf(operation, refused.get(200) ?? [], shapes.publish(operation.returns)),
  }
  if (operation.errorsWithStatus200 && operation.status !== 200)
    answers[200] = refusal(200, operation.errorsWithStatus200)
  for (const [status, codes] of refused) {
    if (status === 200) continue
    const shared = SHARED[`${status} ${codes.join()}`]
    answers[status] = shared ? reference('responses', shared) : refusal(status, codes)
  }
  return answers
}

function describeRoles({ roles, tokenUntilOwner }: Operation): string {
  if (roles === 'anyone') return ''
  const token = tokenUntilOwner ? ' Until the first owner key exists, the operator token may, too.' : ''
  const driver = (roles as readonly string[]).includes('driver')
    ? ' A driver gets no prices, costs or other amounts: these members are left out and `totals` is empty.'
    : ''
  return ` Roles: ${roles.join(', ')}.${token}${driver}`
}

function describe(
  id: OperationId,
  operation: Operation,
  publicUrl: string,
  shapes: Publisher,
  examples: Examples,
): DescribedOperation {
  const example = examples[id]
  return {
    operationId: id,
    tags: [operation.tag],
    summary: operation.summary,
    description: `Rules: docs/contract.md, ${operation.section}.${describeRoles(operation)}`,
    ...(operation.roles === 'anyone' ? {} : { 'x-roles': operation.roles }),
    ...(operation.hostRoot ? { servers: [{ url: publicUrl }] } : {}),
    ...(operation.public ? { security: [] } : {}),
    parameters: [
      ...parameters('path', operation.params, example?.params, shapes),
      ...parameters('query', operation.query, example?.query, shapes),
      ...(operation.write ? [reference('parameters', 'IdempotencyKey')] : []),
      reference('parameters', 'UcpAgent'),
      reference('parameters', 'RequestId'),
    ],
    ...(operation.body
      ? {
          requestBody: {
            required: !operation.bodyOptional,
            content: {
              [operation.upload ? 'multipart/form-data' : 'application/json']: {
                schema: shapes.publish(operation.body),
                ...(example?.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }
      : {}),
    responses: responses(operation, shapes),
  }
}

const HEADER_PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'The same key with the same body returns the first response again; with a different body it is an error.',
    schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX },
  },
  UcpAgent: {
    name: 'UCP-Agent',
    in: 'header',
    description: 'RFC 8941 dictionary with the profile URL of the calling platform; recorded, not verified.',
    schema: { type: 'string' },
    example: 'profile="https://platform.example/profile"',
  },
  RequestId: {
    name: 'Request-Id',
    in: 'header',
    description: 'Part of every log line of the request; generated if omitted.',
    schema: { type: 'string', minLength: 1, maxLength: REQUEST_ID_MAX },
  },
}

const HEADERS = {
  RequestId: { description: 'The request id, as sent or generated.', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: 'The stored response of the first request with this Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  WwwAuthenticate: { description: 'How to authenticate.', schema: { type: 'string' } },
  Signature: { description: 'RFC 9421, where the deployment has signing keys.', schema: { type: 'string' } },
  SignatureInput: { description: 'What the signature covers.', schema: { type: 'string' } },
  ContentDigest: { description: 'RFC 9530: the digest of the body.', schema: { type: 'string' } },
  RetryAfter: { description: 'Seconds to wait before trying again.', schema: { type: 'integer', minimum: 1 } },
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'The operator token, or the key of a person or program.' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'service_auth',
    description: 'The session that sign-in creates, or the token or key itself.',
  },
}

export type OpenApi = ReturnType<typeof openapi>

/** @param currency of a deployment; without one the document holds for all deployments */
export function openapi(publicUrl: string, currency?: CurrencyCode) {
  const all = publisher('#/components/schemas')
  const shapes: Publisher =
    currency === undefined ? all : { ...all, publish: (schema) => all.publish(withCurrency(schema, currency)) }
  const examples = currency === undefined ? EXAMPLES : examplesIn(currency)
  shapes.publish(ErrorResponse)
  const paths: Record<string, Record<string, DescribedOperation>> = {}
  for (const id of operationIds) {
    const operation: Operation = OPERATIONS[id]
    const path = (paths[operation.path] ??= {})
    path[operation.method.toLowerCase()] = describe(id, operation, publicUrl, shapes, examples)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'vendops',
      version: EXTENSION_VERSION,
      'x-product-version': PRODUCT_VERSION,
      summary: 'Commerce API of a vending-route operator',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl + URL_PREFIX }],
    security: [{ bearer: [] }, { cookie: [] }],
    tags: TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(shapes.definitions).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      parameters: HEADER_PARAMETERS,
      responses: sharedResponses(),
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  }
}
