/** Thousands of broken requests over every operation: never a 500, always the envelope. The seed is printed on failure. */
import { addKey } from '../people/keys.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EXAMPLES } from '../../src/api-docs/examples.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { OperationId } from '../../src/contract/operations.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { fen } from '../../src/kernel/fen.ts'
import { supplyProduct, machineSlot, scriptedMachine, scriptedSupply, trade } from '../support/scripted-vendors.ts'
import { NOW, startService } from '../support/service.ts'
import { propertyRuns } from '../support/property-runs.ts'

const operations = Object.entries<Operation>(OPERATIONS) as [OperationId, Operation][]

const deep = (levels: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { a: value }
  return value
}

/** What may come instead of a value: other types, extremes, and everything that ever broke a parser. */
const wrong = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    'true',
    '1',
    0,
    -0,
    -1,
    1.5,
    1e21,
    2 ** 53,
    -(2 ** 63),
    Number.MAX_VALUE,
    '',
    ' ',
    '\u0000',
    '\ud800',
  ),
  fc.constantFrom<unknown>(
    [],
    {},
    [[]],
    [null],
    { length: 1e9 },
    { toString: 'x' },
    { __proto__: { admin: true } },
    { constructor: { prototype: {} } },
  ),
  fc.constantFrom<unknown>(
    '../../etc/passwd',
    '..%2f..%2f',
    "'; drop table event; --",
    '%00',
    '${7*7}',
    '<script>',
    '𝒳'.repeat(300),
    'ﷺ',
    '\u202e',
    'x'.repeat(70_000),
  ),
  fc.constantFrom<unknown>(
    'acme-supply:',
    'acme-supply:a:b',
    'ACME-supply:x',
    'nobody-supply:1',
    'acme-machine:G-0001',
    'acme-supply:SP1001',
    'M1001',
    'po_20260910_1',
  ),
  fc.constantFrom<unknown>(
    '2026-13-45T99:99:99Z',
    '2026-09-10',
    '9999-12-31T23:59:59+14:00',
    '-271821-04-20T00:00:00Z',
    '2026-09-10T08:00:00+08:00',
  ),
  fc.constantFrom(40, 4000).map(deep),
  fc.jsonValue({ maxDepth: 3 }),
)

type Path = readonly (string | number)[]
function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  const inner = Array.isArray(value) ? value.map((v, i) => [i, v] as const) : Object.entries(value)
  return [at, ...inner.flatMap(([key, v]) => pathsOf(v, [...at, key]))]
}

function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by
  if (Array.isArray(value)) return value.map((v, i) => (i === step ? replaced(v, rest, by) : v))
  return { ...(value as object), [step]: replaced((value as Record<string, unknown>)[step], rest, by) }
}

const request = fc.constantFrom(...operations).chain(([id, operation]) => {
  const example = EXAMPLES[id] as
    | { body?: unknown; params?: Record<string, string>; query?: Record<string, unknown> }
    | undefined
  const body = example?.body ?? {}
  const paths = pathsOf(body)
  return fc.record({
    id: fc.constant(id),
    operation: fc.constant(operation),
    breaks: fc.array(fc.tuple(fc.nat(paths.length - 1), wrong), { minLength: 0, maxLength: 3 }),
    param: fc.option(
      fc.oneof(
        fc.constantFrom(
          '..',
          '%2e%2e',
          '%00',
          '%',
          'a%2Fb',
          'x'.repeat(600),
          '\u00e9',
          'po_20260910_1',
          'M1001',
          'acme-supply:SP1001',
        ),
        fc.string({ maxLength: 12 }),
      ),
      { nil: undefined },
    ),
    query: fc.option(
      fc.record(
        { limit: wrong, cursor: wrong, location: wrong, from: wrong, status: wrong, kind: wrong, horizon_days: wrong },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
    headers: fc.option(
      fc.record(
        {
          'idempotency-key': fc.constantFrom('', 'k', 'x'.repeat(300)),
          'ucp-agent': fc.constantFrom('profile="', '(((', 'profile=1'),
        },
        { requiredKeys: [] },
      ),
      { nil: undefined },
    ),
    base: fc.constant({ body, paths, params: example?.params ?? {} }),
  })
})

test('any input is answered with the envelope and never with 500', { timeout: 240_000 }, async () => {
  const supply = scriptedSupply(
    [
      supplyProduct('SP1001'),
      supplyProduct('SP2002', { packSize: 1, eachPriceDerived: false, eachPriceFen: fen(310) }),
    ],
    [{ id: 'S01', name: 'depot' }],
  )
  const machine = scriptedMachine({ M1001: [machineSlot('G-0001')] }, [trade('T1', NOW - 60_000)])
  const service = await startService({ supply, machine })
  await service.put('/locations/M1001', { name: 'Hall' })
  await service.post('/checkout-sessions', {
    id: 'po_20260910_1',
    line_items: [{ item: { id: 'acme-supply:SP1001' }, quantity: 1 }],
  })

  const met = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async ({ id, operation, breaks, param, query, headers, base }) => {
      let body: unknown = base.body
      for (const [at, by] of breaks) {
        const path = base.paths[at] ?? []
        try {
          body = replaced(body, path, by)
        } catch {
          // An earlier break took the place away.
        }
      }
      const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        param !== undefined ? encode(param) : encodeURIComponent(base.params[name] ?? 'x'),
      )
      const search = query
        ? `?${Object.entries(query)
            .map(([k, v]) => `${k}=${encodeURIComponent(plain(v))}`)
            .join('&')}`
        : ''
      const url = `${operation.hostRoot ? '/' : ''}${path}${search.slice(0, 8000)}`
      const text = operation.method === 'GET' ? undefined : plainJson(body)
      const answer = await service.call(operation.method, url, {
        ...(text === undefined ? {} : { body: text }),
        ...(headers ? { headers } : {}),
      })
      met.set(answer.status, (met.get(answer.status) ?? 0) + 1)
      expect(answer.status, `${id} ${url} ${text?.slice(0, 300)} ${answer.text.slice(0, 300)}`).toBeLessThan(500)
      if (answer.status !== 304) expect(answer.body.ucp.version).toBe('2026-08-25')
    }),
    { numRuns: propertyRuns(2500) },
  )
  // A generator that only ever met the token check would prove nothing.
  expect([...met.keys()]).toEqual(expect.arrayContaining([200, 400, 404]))
})

const encode = (param: string) => (param.startsWith('%') ? param : encodeURIComponent(param.toWellFormed()))
const plain = (value: unknown) =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed().slice(0, 2000)
const plainJson = (value: unknown) => JSON.stringify(value) ?? 'undefined'

test('a body nested too deeply is 400 invalid on every operation, also in an unknown field', async () => {
  const service = await startService()
  const { key: token } = await addKey(service, 'owner')
  const nest = (levels: number, [open, close]: readonly [string, string]) => open.repeat(levels) + close.repeat(levels)
  const bodies = [3000, 100_000].flatMap((levels) =>
    (
      [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const
    ).map((pair) => `{"unknown":${nest(levels, pair).replaceAll(':}', ':1}')},"escaped":"\\u0041"}`),
  )
  for (const [, operation] of operations) {
    if (!operation.body) continue
    const path = `/${operation.hostRoot ? '' : '/ucp/v1'}${operation.path}`.replaceAll(/\{\w+\}/g, 'x')
    for (const body of bodies) {
      const answer = await service.call(operation.method, path, { body, token })
      const [message] = answer.body.messages
      expect([answer.status, message.code, message.path], path).toEqual([400, 'invalid', '$'])
    }
  }
})

test('brackets in a string do not count as nesting', async () => {
  const service = await startService()
  const event = { kind: 'note', summary: '[{"'.repeat(50), reasoning: '\\"[[' }
  expect((await service.post('/events', event)).status).toBe(201)
})
