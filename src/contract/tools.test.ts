import { describe, expect, test } from 'vitest'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { EXAMPLES } from '../api-docs/examples.ts'
import { describeTool } from '../api-docs/tools.ts'
import { type Toolset, parseToolsets, TOOLSETS } from '../kernel/toolsets.ts'
import { connectionsOperations } from './operations/connections.ts'
import { operationIds } from './operations.ts'
import { PRESETS } from './presets.ts'
import { isOffered, toCall, TOOLS } from './tools.ts'

/** Connections are made by a person: their secrets must not be in the context of a model. Nor does a model change what binds it. */
const NO_TOOLS = [
  'discovery',
  'signIn',
  'signOut',
  'becomeFirstOwner',
  'startPasskey',
  'listPasskeys',
  'offerPasskey',
  'addPasskey',
  'removePasskey',
  'getNote',
  'getTranscript',
  'getEarn',
  'getHolidays',
  'putHoliday',
  'reportMachine',
  'listReports',
  'fixFault',
  'changeRules',
  'getSettings',
  'changeSettings',
  'listRuleChanges',
  'releaseEmergencyStop',
  ...Object.keys(connectionsOperations),
]

describe('the tools table', () => {
  test('has one row for every operation but discovery, the session of the console, and what binds a model', () => {
    expect(TOOLS.map(({ operationId }) => operationId)).toEqual(operationIds.filter((id) => !NO_TOOLS.includes(id)))
  })

  test('names are unique, short, and of the letters that every host accepts', () => {
    const names = TOOLS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9_]{1,64}$/)
  })

  test('path, query and body members of a flat tool never share a name, nor use a reserved one', () => {
    for (const { name, bodyKey, operation, paramNames, queryNames } of TOOLS) {
      const body = bodyKey ? [bodyKey] : Object.keys(operation.body?.properties ?? {})
      const all = [...paramNames, ...queryNames, ...body]
      expect(new Set(all).size, name).toBe(all.length)
      expect(all, name).not.toContain('meta')
      expect(all, name).not.toContain('fields')
    }
  })

  test('hints: a read changes nothing, and the emergency stop is never destructive', () => {
    for (const tool of TOOLS) {
      const { annotations } = describeTool(tool)
      const isRead = tool.operation.method === 'GET' || tool.operation.safe === true
      expect(annotations.readOnlyHint, tool.name).toBe(isRead)
      if (isRead) expect(annotations.destructiveHint, tool.name).toBe(false)
    }
    const hints = (id: string) => {
      const tool = TOOLS.find(({ operationId }) => operationId === id)!
      return describeTool(tool).annotations
    }
    for (const id of ['completeCheckout', 'changePrices', 'placeRun']) expect(hints(id).destructiveHint).toBe(true)
    expect(hints('pullEmergencyStop').destructiveHint).toBe(false)
  })

  test('what decides about money stands in the toolset owner, which `all` does not include', () => {
    const owner = TOOLS.filter(({ toolset }) => toolset === 'owner').map(({ operationId }) => operationId)
    expect(owner).toEqual(expect.arrayContaining(['resolveApproval', 'recordOutcome']))
    const all = { toolsets: parseToolsets('all')!, readOnly: false }
    for (const tool of TOOLS) if (tool.toolset === 'owner') expect(isOffered(tool, all)).toBe(false)
  })
})

test('toolsets are names separated by commas; anything else is no list', () => {
  expect([...parseToolsets('catalog, orders')!]).toEqual(['catalog', 'orders'])
  expect(parseToolsets('all,owner')!.size).toBe(TOOLSETS.length)
  for (const text of ['', ',', 'nonsense', 'catalog,nonsense', 'Catalog']) expect(parseToolsets(text)).toBeUndefined()
})

describe('the size of the list', () => {
  const sizes = new Map(TOOLS.map((tool) => [tool.name, JSON.stringify(describeTool(tool, 'CNY')).length + 1]))
  const sizeOf = (toolsets: readonly Toolset[]) =>
    TOOLS.filter((tool) => isOffered(tool, { toolsets: new Set(toolsets), readOnly: false }))
      .map(({ name }) => sizes.get(name)!)
      .reduce((sum, size) => sum + size, 0)

  test('is at most 60 KB with all toolsets', () => {
    expect(sizeOf(TOOLSETS)).toBeLessThanOrEqual(60_000)
  })

  test('is at most 40 KB with any two', () => {
    for (const one of TOOLSETS)
      for (const two of TOOLSETS) expect(sizeOf([one, two]), `${one} ${two}`).toBeLessThanOrEqual(40_000)
  })

  test.each(PRESETS)('is at most 18 KB with the preset %s, which has the stop and nothing of the owner', (preset) => {
    const offered = TOOLS.filter((tool) => isOffered(tool, { toolsets: new Set(TOOLSETS), readOnly: false, preset }))
    expect(offered.reduce((sum, { name }) => sum + sizes.get(name)!, 0)).toBeLessThanOrEqual(18_000)
    expect(offered.map(({ operationId }) => operationId)).toContain('pullEmergencyStop')
    expect(offered.filter(({ toolset }) => toolset === 'owner')).toEqual([])
    expect(offered.length).toBeGreaterThan(10)
  })
})

test('tools of the protocol declare their answers, and describe what they read', () => {
  const outputOf = (name: string) => describeTool(TOOLS.find((tool) => tool.name === name)!).outputSchema
  expect(outputOf('get_checkout')).toMatchObject({ required: ['ucp'], properties: { id: {}, status: {}, totals: {} } })
  for (const name of ['create_checkout', 'complete_checkout'])
    expect(outputOf(name)).toEqual({ type: 'object', required: ['ucp'] })
  for (const { name, ucp } of TOOLS)
    expect(outputOf(name), name).toEqual(ucp ? expect.objectContaining({ type: 'object' }) : undefined)
})

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the schemas are walked as plain JSON
type Json = any

/** Of the optional members of objects in a union, a client cannot tell whether null was meant. */
const hasOptional = (schema: Json): boolean =>
  Object.keys(schema.properties ?? {}).some((name) => !(schema.required ?? []).includes(name)) ||
  [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])].some(hasOptional)

/** The rules of `strict` function schemas: no object without members, none that is open, no union with optional members. */
function expectStrict(schema: Json, label: string): void {
  for (const keyword of ['additionalProperties', 'allOf', 'oneOf', 'not', 'patternProperties'])
    expect(schema, label).not.toHaveProperty(keyword)
  if (schema.type === 'object') expect(Object.keys(schema.properties ?? {}).length, label).toBeGreaterThan(0)
  for (const branch of schema.anyOf ?? []) expect(hasOptional(branch), `${label} ${JSON.stringify(branch)}`).toBe(false)
  const inner = { ...schema.properties, ...schema.$defs, ...(schema.items && { '[]': schema.items }) }
  for (const [name, member] of Object.entries<Json>(inner)) {
    expect(
      ['type', 'anyOf', '$ref'].some((keyword) => keyword in member),
      `${label} ${name}`,
    ).toBe(true)
    expectStrict(member, `${label}.${name}`)
  }
  for (const branch of schema.anyOf ?? []) expectStrict(branch, label)
}

describe('input schemas', () => {
  const ajv = new Ajv({ strict: false })
  formats.default(ajv)

  test('accept every example of the reference and demand `confirm: true`', () => {
    for (const tool of TOOLS) {
      const { params, query, body } = (EXAMPLES[tool.operationId] ?? {}) as Record<string, object | undefined>
      const args = {
        ...(tool.ucp ? { meta: { 'ucp-agent': { profile: 'https://a.example' }, 'idempotency-key': 'k' } } : {}),
        ...params,
        ...query,
        ...(tool.operation.body ? (tool.bodyKey ? { [tool.bodyKey]: body } : body) : {}),
      }
      const validate = ajv.compile(describeTool(tool, 'CNY').inputSchema)
      expect(validate(args), `${tool.name} ${JSON.stringify(validate.errors)}`).toBe(true)
      const call = toCall(tool, args)
      expect(call.params).toEqual(params ?? {})
      expect(call.query).toMatchObject(query ?? {})
      expect(call.body).toEqual(tool.operation.body ? body : undefined)
      if ('confirm' in (tool.operation.body?.properties ?? {})) {
        const unconfirmed = JSON.parse(JSON.stringify(args).replace('"confirm":true', '"confirm":false')) as object
        expect(validate(unconfirmed), tool.name).toBe(false)
      }
    }
  })

  test('need nothing of `meta`, and list what the protocol has in its open members', () => {
    for (const tool of TOOLS) {
      const { properties = {}, required = [] } = describeTool(tool).inputSchema
      expect(required, tool.name).not.toContain('meta')
      expect(JSON.stringify(properties['meta'] ?? {}), tool.name).not.toContain('required')
      const { bodyKey } = tool
      if (bodyKey === undefined || bodyKey === 'location') continue
      const members = properties[bodyKey]?.properties ?? {}
      expect(members['context']?.properties, tool.name).toHaveProperty('address_country')
      expect(Object.keys(members), tool.name).toEqual(expect.arrayContaining(['signals', 'attribution']))
    }
  })

  test('are of the kind that clients with strict schemas accept', () => {
    for (const tool of TOOLS) expectStrict(describeTool(tool).inputSchema, tool.name)
  })

  test('say what a value means where its name does not', () => {
    const argument = (name: string, ...path: readonly string[]): Json => {
      const schema: Json = describeTool(TOOLS.find((tool) => tool.name === name)!).inputSchema
      return path.reduce((inner, step) => (step === '[]' ? inner.items : inner.properties[step]), schema)
    }
    expect(argument('vending_list_approvals', 'details').type).toBe('boolean')
    expect(argument('vending_change_prices', 'prices', '[]', 'price', 'amount').description).toContain('5.50 is 550')
    for (const described of [
      argument('create_checkout', 'dry_run'),
      argument('vending_recommend_restock', 'reference'),
      argument('search_locations', 'location', 'query'),
      argument('vending_list_orders', 'trade_status'),
      argument('vending_list_events', 'kind'),
      argument('vending_append_event', 'kind'),
      argument('vending_put_calendar', 'entries', '[]', 'factor'),
      argument('vending_update_slot', 'par').anyOf[0],
      argument('vending_get_plan', 'fields'),
    ])
      expect(described.description).toEqual(expect.any(String))
  })

  test('offer a key where a call sent again would be done twice', () => {
    for (const tool of TOOLS.filter(({ readOnly, idempotent }) => !readOnly && !idempotent))
      expect(describeTool(tool).inputSchema.properties?.['meta']?.properties, tool.name).toHaveProperty(
        'idempotency-key',
      )
  })

  test('define what is long and used several times once, and refer to nothing else', () => {
    for (const tool of TOOLS) {
      const { $defs = {}, ...schema } = describeTool(tool).inputSchema
      const text = JSON.stringify([schema, $defs])
      const used = [...text.matchAll(/#\/\$defs\/(\w+)/g)].map(([, name]) => name)
      expect(new Set(used), tool.name).toEqual(new Set(Object.keys($defs as object)))
      for (const name of Object.keys($defs as object))
        expect(used.filter((other) => other === name).length, name).toBeGreaterThan(1)
    }
  })

  test('hold no list of types, which some hosts cannot read', () => {
    for (const tool of TOOLS) expect(JSON.stringify(describeTool(tool)), tool.name).not.toMatch(/"type":\[/)
  })
})
