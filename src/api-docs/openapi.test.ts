import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { EXAMPLES } from './examples.ts'
import { generatedFiles } from './generated-files.ts'
import { contentOf, openapi, refusals } from './openapi.ts'
import type { Operation } from '../contract/operation.ts'
import { type OperationId, OPERATIONS, operationIds } from '../contract/operations.ts'
import { type JsonSchema, publisher } from './json-schema.ts'
import { answer } from '../contract/schema-helpers.ts'

const document = openapi('https://vending.example.com')
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every `$ref` in a document. */
function* references(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') yield value
    else yield* references(value)
  }
}

const lookUp = (ref: string): unknown =>
  ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, step) => (typeof node === 'object' && node !== null ? Reflect.get(node, step) : undefined),
      document,
    )

describe('the interface description', () => {
  test('9 carries our version and the licence', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({
      version: '2026-09-10',
      license: { identifier: 'Apache-2.0' },
    })
    expect(document.servers).toEqual([{ url: 'https://vending.example.com/ucp/v1' }])
  })

  test('every reference leads somewhere', () => {
    const dangling = [...new Set(references(document))].filter(
      (ref) => !ref.startsWith('#/') || lookUp(ref) === undefined,
    )
    expect(dangling).toEqual([])
  })

  test('every component is used', () => {
    const used = new Set(references(document))
    const unused = Object.entries(document.components).flatMap(([kind, parts]) =>
      kind === 'securitySchemes' ? [] : Object.keys(parts).filter((name) => !used.has(`#/components/${kind}/${name}`)),
    )
    expect(unused).toEqual([])
  })

  test('has every operation once, under its own id', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(ids.toSorted()).toEqual([...operationIds].toSorted())
    expect(new Set(ids).size).toBe(ids.length)
  })

  test.each(operations)('$method $path declares every parameter of its path as required', ({ path, operation }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = operation.parameters.flatMap((parameter) =>
      'in' in parameter && parameter.in === 'path' ? [{ name: parameter.name, required: parameter.required }] : [],
    )
    expect(declared).toEqual(named.map((name) => ({ name, required: true })))
  })

  const resolved = (schema: JsonSchema): JsonSchema =>
    schema.$ref === undefined ? schema : (lookUp(schema.$ref) as JsonSchema)
  const shapeOf = ({ properties = {}, required = [] }: { properties?: object; required?: readonly string[] }) => ({
    members: Object.keys(properties).toSorted(),
    required: required.toSorted(),
  })

  test.each(operations)('$method $path publishes query, body and answer of its row, member by member', (each) => {
    const { operation } = each
    const row: Operation = OPERATIONS[operation.operationId as OperationId]
    const query = operation.parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [one] : []))
    expect({
      members: query.map(({ name }) => name).toSorted(),
      required: query.flatMap(({ name, required }) => (required ? [name] : [])).toSorted(),
    }).toEqual(shapeOf(row.query ?? {}))
    const body = operation.requestBody
    expect(body === undefined).toBe(row.body === undefined)
    if (body && row.body) {
      expect(shapeOf(resolved(contentOf(body).schema))).toEqual(shapeOf(row.body))
      expect(body.required).toBe(!row.bodyOptional)
    }
    const reply = operation.responses[row.status]
    const content = reply && 'content' in reply ? resolved(reply.content['application/json'].schema) : {}
    const answered = resolved(content.anyOf?.[0] ?? content)
    expect(shapeOf(answered)).toEqual(shapeOf(row.returns as JsonSchema))
    expect(shapeOf(answered).members).toContain('ucp')
  })

  test('5 operations without a token say so and live at the host root', () => {
    const open = operations.filter(({ operation }) => operation.security !== undefined)
    expect(open.map(({ operation }) => operation.operationId)).toEqual([
      'discovery',
      'signIn',
      'signOut',
      'becomeFirstOwner',
      'startPasskey',
    ])
    expect(open.map(({ operation }) => operation.security)).toEqual([[], [], [], [], []])
    const atRoot = operations.filter(({ operation }) => operation.servers !== undefined)
    expect(atRoot).toEqual(open)
    expect(open[0]?.operation.servers).toEqual([{ url: 'https://vending.example.com' }])
  })

  test('7 codes stand under the status they come with', () => {
    expect(Object.fromEntries(refusals(OPERATIONS.placeRun))).toMatchObject({
      409: expect.arrayContaining(['approval_required', 'not_placeable', 'unresolved_sku', 'kill_switch_engaged']),
      503: expect.arrayContaining(['guard_unverifiable', 'service_unavailable']),
    })
    expect(Object.fromEntries(refusals(OPERATIONS.completeCheckout))).toMatchObject({
      200: expect.arrayContaining(['approval_required', 'expired']),
      400: expect.arrayContaining(['confirmation_required']),
      502: ['supplier_rejected', 'upstream_unreachable'],
    })
  })

  test('the published schemas still say what ours say', () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addSchema(JSON.parse(JSON.stringify(document)), 'doc')
    const create = ajv.compile({ $ref: 'doc#/components/schemas/CheckoutCreateRequest' })
    expect(create(EXAMPLES.createCheckout?.body)).toBe(true)
    expect(create({ line_items: [] })).toBe(false)
    expect(create({ line_items: [{ item: { id: 'acme-supply:1' }, quantity: '2' }] })).toBe(false)
  })
})

test('the committed list has every operation, every member of the shapes, and whether a member is required', () => {
  const text = generatedFiles()['docs/generated/operations.txt'] ?? ''
  for (const id of operationIds) expect(text).toMatch(new RegExp(`^[A-Z]+ \\S+ ${id} 20[012] `, 'm'))
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? ''
    for (const member of Object.keys(schema.properties ?? {}))
      expect(line, name).toContain(`${member}${schema.required?.includes(member) ? '' : '?'}: `)
  }
})

test('two shapes of one name are refused, not merged', () => {
  const shapes = publisher('#/components/schemas')
  shapes.publish(answer('Twin', { a: Type.String() }))
  expect(() => shapes.publish(answer('Twin', { b: Type.String() }))).toThrow('Twin')
})

test.each(Object.entries(generatedFiles()))('%s is up to date (npm run generate)', (path, content) => {
  expect(readFileSync(join(import.meta.dirname, '../..', path), 'utf8')).toBe(content)
})
