/**
 * Requests of the adapter and replies of the stand-in against the vendor's own OpenAPI, where that is at hand. So neither
 * side of the other tests is our invention.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type ValidateFunction, Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { expectValue, granted } from '../../../test/contracts/adapter-kit.ts'
import { type Exchange, lynxUpstream, OPERATOR_ID, REFRESH_TOKEN } from '../../../test/contracts/lynx-upstream.ts'
import { systemClock } from '../../kernel/clock.ts'
import { fen } from '../../kernel/fen.ts'
import type { Namespace } from '../../kernel/ids.ts'
import type { Closable } from '../adapter-options.ts'
import type { MachineVendor } from '../machine-vendor.ts'
import { processMemory } from '../process-memory.ts'
import { MACHINE, NOW } from './fixtures.test-support.ts'
import { nayaxLynx } from './index.ts'

const DESCRIPTION = resolve(import.meta.dirname, '../../../../shared/vendors/samples/nayax/lynx.yaml')
const isAtHand = existsSync(DESCRIPTION)

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: object }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}
interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: object
}

/** What is wrong with an exchange; an empty list when the description allows it. */
function describedBy({ paths, components }: OpenApi): (exchange: Exchange) => readonly string[] {
  // Query and path values are texts; the description gives them the types of JSON.
  const ajv = addFormats.default(new Ajv({ strict: false, allErrors: true, coerceTypes: false }))
  const coercing = addFormats.default(new Ajv({ strict: false, coerceTypes: true }))
  const compiled = new Map<object, ValidateFunction>()
  const problemsOf = (schema: object, value: unknown, where: string): readonly string[] => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components })
    compiled.set(schema, validate)
    return validate(value)
      ? []
      : (validate.errors ?? []).map((error) => `${where}${error.instancePath} ${error.message}`)
  }
  const jsonOf = ({ content }: Content) => content?.['application/json']?.schema

  return ({ request, status, json }) => {
    const url = new URL(request.path, 'http://upstream')
    const path = url.pathname.replace(/^\/operational/, '')
    const found = findPath(Object.keys(paths), path)
    const operation = found && paths[found.template]?.[request.method.toLowerCase()]
    if (!operation) return [`${request.method} ${path} is not described`]
    const given = new Map([...url.searchParams, ...found.values])
    const parameters = operation.parameters ?? []
    const reply = operation.responses[String(status)]
    const body = operation.requestBody && jsonOf(operation.requestBody)
    const replySchema = reply && jsonOf(reply)
    return [
      ...(/^Bearer \S+$/.test(request.headers.authorization ?? '') ? [] : ['no bearer token']),
      ...[...given.keys()]
        .filter((name) => !parameters.some((parameter) => parameter.name === name))
        .map((name) => `parameter ${name} is not described`),
      ...parameters.flatMap(({ name, schema }) =>
        given.has(name) &&
        !coercing.validate({ type: 'object', properties: { [name]: schema } }, { [name]: given.get(name) })
          ? [`parameter ${name} ${coercing.errorsText()}`]
          : [],
      ),
      ...(request.body === ''
        ? []
        : body
          ? problemsOf(body, JSON.parse(request.body), 'body')
          : ['no body is described']),
      ...(reply === undefined ? [`status ${status} is not described`] : []),
      ...(replySchema ? problemsOf(replySchema, json, 'reply') : json === undefined ? [] : ['no reply is described']),
    ]
  }
}

/** A path without parameters comes before one with them. */
function findPath(templates: readonly string[], path: string) {
  const candidates = templates.toSorted((a, b) => a.split('{').length - b.split('{').length)
  for (const template of candidates) {
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const match = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path)
    if (match) return { template, values: names.map((name, i) => [name, match[i + 1] ?? ''] as const) }
  }
  return undefined
}

describe.runIf(isAtHand)("calls by the vendor's description (skipped where it is not at hand)", () => {
  const description = isAtHand ? (parse(readFileSync(DESCRIPTION, 'utf8')) as OpenApi) : { paths: {}, components: {} }
  const check = describedBy(description)

  async function callEverything(): Promise<readonly Exchange[]> {
    const upstream = await lynxUpstream()
    upstream.writesTimesWithZone = true
    upstream.alerts.set(MACHINE, [
      { EventCode: 5, EventDescription: 'Door', EventDateTimeGMT: '2026-09-19T20:00:00', EventLogID: 8 },
    ])
    const connection = { namespace: 'n-machine' as Namespace, currency: 'USD', timeZone: 'UTC', isReadOnly: false }
    const url = { url: `${upstream.url}/operational`, auth_url: upstream.url }
    const settings = { ...url, refresh_token: REFRESH_TOKEN, operator_id: OPERATOR_ID, actor_id: 5, picklists: true }
    const checked = nayaxLynx.check(settings, connection)
    if (!checked.ok) throw new Error(checked.problems.join('; '))
    const { vendor } = nayaxLynx.open(checked.settings, {
      connection,
      memory: processMemory(),
      clock: systemClock,
      timeoutMs: 2_000,
      resolvePath: (path) => join('/', path),
      reportOlderSales: () => {},
    }) as { readonly vendor: MachineVendor & Closable }
    onTestFinished(async () => {
      await vendor.close()
      await upstream.close()
    })
    expectValue(await vendor.inventory(MACHINE))
    expect(expectValue(await vendor.ledger({ fromMs: 0, toMs: NOW })).total).toBe(2)
    expect(await vendor.locations?.()).toMatchObject({ ok: true })
    expect(await vendor.health?.(MACHINE)).toMatchObject({ ok: true })
    const prices = [{ vendorSku: '501', priceFen: fen(275) }]
    expect(expectValue(await vendor.updatePrices(MACHINE, prices, granted))).toEqual({ count: 1 })
    const advice = [{ vendorSku: '501', quantity: 4, reason: '' }]
    expect(expectValue(await vendor.restockRecommend(MACHINE, 'r', advice, granted))).toEqual({ count: 1 })
    return upstream.exchanges.filter(({ request }) => !request.path.endsWith('/issue-access-token'))
  }

  test('every request and every reply of the stand-in is as described', async () => {
    const exchanges = await callEverything()
    const problems = exchanges.flatMap((exchange) =>
      check(exchange).map((problem) => `${exchange.request.method} ${exchange.request.path}: ${problem}`),
    )
    expect(problems).toEqual([])
    const kinds = new Set(
      exchanges.map(
        ({ request }) => `${request.method} ${request.path.replace(/\?.*/, '').replaceAll(/\d{2,}/g, '#')}`,
      ),
    )
    expect([...kinds].map((kind) => kind.replace('/operational/v1', '')).toSorted()).toEqual([
      'GET /currencies',
      'GET /machines',
      'GET /machines/#/lastAlerts',
      'GET /machines/#/lastSales',
      'GET /machines/#/machineProducts',
      'GET /machines/#/pickList',
      'GET /machines/#/status',
      'GET /operators/#/products',
      'POST /machines/#/pickList',
      'PUT /machines/#/machineProducts/#',
      'PUT /machines/inventory/picklists/update',
    ])
  })

  test('the check finds what is wrong: a field too many, another type, no token, a path that is not there', async () => {
    const exchanges = await callEverything()
    const put = exchanges.find(({ request }) => request.path.includes('machineProducts/'))
    if (!put) throw new Error('no price was written')
    const body = JSON.parse(put.request.body) as object
    const withBody = (more: object) => ({
      ...put,
      request: { ...put.request, body: JSON.stringify({ ...body, ...more }) },
    })
    expect(check(withBody({ DexPrice: 1 }))).toHaveLength(1)
    expect(check(withBody({ MachinePrice: '2.75' }))).toHaveLength(1)
    expect(check({ ...put, request: { ...put.request, headers: {} } })).toEqual(['no bearer token'])
    expect(check({ ...put, json: { MachineProductID: 'x' } })).toHaveLength(1)
    const elsewhere = { ...put.request, path: '/operational/api/v1/machines' }
    expect(check({ ...put, request: elsewhere })).toEqual(['PUT /api/v1/machines is not described'])
  })

  test('the real times, without a zone, are not those of the description: the other tests have them', () => {
    const json = [{ AuthorizationDateTimeGMT: '2026-09-19T10:20:30.317' }]
    const request = {
      method: 'GET',
      path: '/operational/v1/machines/1/lastSales',
      headers: { authorization: 'Bearer x' },
      body: '',
    }
    expect(check({ request, status: 200, json })).toHaveLength(1)
  })
})
