/** Every answer a test sees is held against the contract: our own schemas always, the official ones where they are. */
import { Ajv } from 'ajv'
import type { ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { expect } from 'vitest'
import { ErrorResponse } from '../../src/contract/common.ts'
import { withCurrency } from '../../src/contract/deployment-currency.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import { refusals } from '../../src/api-docs/openapi.ts'
import { routePath } from '../../src/http/operation-route.ts'
import { officialValidator } from './official.ts'

const ajv = new Ajv({ allErrors: true, strict: false })
formats.default(ajv)
const compiled = new Map<object, ValidateFunction>()

function check(name: string, schema: object, body: unknown): void {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (!validate(body))
    expect.fail(
      `${name} breaks the contract: ${JSON.stringify(validate.errors, null, 1)}\n${JSON.stringify(body, null, 1)}`,
    )
}

const routes = Object.entries<Operation>(OPERATIONS).map(([id, operation]) => ({
  id: id as OperationId,
  operation,
  pattern: new RegExp(`^${routePath(operation).replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
}))

/** By the path that arrives: a client resolves `..` away before it sends. */
function operationAt(method: string, path: string) {
  const { pathname } = new URL(path, 'http://localhost')
  return routes.find(({ operation, pattern }) => operation.method === method && pattern.test(pathname))
}

/** Which official document type each answer also is. */
const OFFICIAL: Partial<Record<OperationId, string>> = {
  discovery: 'profile',
  searchCatalog: 'catalog.search',
  lookupCatalog: 'catalog.lookup',
  getProduct: 'catalog.product',
  searchLocations: 'location.search',
  lookupLocations: 'location.lookup',
  createCheckout: 'checkout',
  getCheckout: 'checkout',
  updateCheckout: 'checkout',
  completeCheckout: 'checkout',
  cancelCheckout: 'checkout',
  recordOutcome: 'checkout',
  getOrder: 'order',
  createRun: 'order',
  getRun: 'order',
  placeRun: 'order',
  receiveRun: 'order',
  receiveStop: 'order',
}

async function official(type: string, body: unknown): Promise<void> {
  const verdict = (await officialValidator())?.validate(type, body)
  if (verdict && !verdict.conforms)
    expect.fail(
      `not a valid UCP ${type}: ${JSON.stringify([verdict.errors, verdict.lint], null, 1)}\n${JSON.stringify(body, null, 1)}`,
    )
}

interface Refused {
  readonly messages: readonly { readonly code: string }[]
}

/** What an operation refuses with is part of its description: callers write their handling after it. */
function checkDeclared(operation: Operation, status: number, { messages }: Refused): void {
  const declared = [...refusals(operation)].find(([known]) => known === status)?.[1] ?? []
  for (const { code } of messages)
    if (!(declared as readonly string[]).includes(code))
      expect.fail(`${operation.method} ${operation.path} answered ${status} ${code}, which it does not declare`)
}

/** @param currency of the deployment that answered: its answers name no other */
export async function checkAnswer(
  method: string,
  path: string,
  status: number,
  body: unknown,
  currency = 'CNY',
): Promise<void> {
  if (status === 304) return
  const route = operationAt(method, path)
  const refused = status >= 300 || (body as { ucp?: { status?: string } }).ucp?.status === 'error'
  if (refused) {
    if (route) checkDeclared(route.operation, status, body as Refused)
    check(`${method} ${path} ${status}`, withCurrency(ErrorResponse, currency), body)
    return official('error', body)
  }
  if (!route) return
  check(route.id, withCurrency(route.operation.returns, currency), body)
  const type = OFFICIAL[route.id]
  if (type) await official(type, body)
  if (route.id === 'listOrders')
    for (const order of (body as { orders: unknown[] }).orders) await official('order', order)
  if (route.id === 'listRuns') for (const run of (body as { runs: unknown[] }).runs) await official('order', run)
}
