/** The tools as MCP hosts see them: name, description, schemas and hints, generated from the two tables. */
import type { CurrencyCode } from '../kernel/currency.ts'
import { withCurrency } from '../contract/deployment-currency.ts'
import { type Operation, guardOf } from '../contract/operation.ts'
import { type Tool, TOOL_PAGE_DEFAULT, TOOL_PLAN_DEFAULT, TOOLS } from '../contract/tools.ts'
import { type JsonSchema, type Publisher, publisher } from './json-schema.ts'

const TEXT: JsonSchema = { type: 'string' }

/** The protocol requires it of its callers; this service records it and refuses nobody for leaving it out. */
const ucpMeta = (isWrite: boolean): JsonSchema => ({
  type: 'object',
  properties: {
    'ucp-agent': { type: 'object', properties: { profile: TEXT } },
    ...(isWrite ? { 'idempotency-key': TEXT } : {}),
  },
})

/** For calls that must not be done twice. The others take a key too, and have no use for it. */
const OWN_META: JsonSchema = { type: 'object', properties: { 'idempotency-key': TEXT } }

const hints = (...names: readonly string[]): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, TEXT])),
})

/**
 * Open members of the protocol, accepted and, but for the currency, not used. What the protocol says of them is listed: a
 * client with strict schemas refuses an object without members, and the reference client sends only what is listed.
 */
const OPEN: Readonly<Record<string, JsonSchema>> = {
  context: hints('address_country', 'address_region', 'postal_code', 'intent', 'language', 'currency'),
  signals: hints('dev.ucp.buyer_ip', 'dev.ucp.user_agent'),
  attribution: hints('utm_source', 'utm_medium', 'utm_campaign'),
}

/** Only these members of the answer, or of the entries of its list. */
const FIELDS: JsonSchema = {
  type: 'array',
  items: TEXT,
  description: 'Only these members of the answer or its entries.',
}

/** Ids that many tools take, in fewer words than in the reference. */
const BRIEF: Readonly<Record<string, JsonSchema>> = {
  LocationId: { type: 'string', description: 'Machine id.' },
  SkuId: { type: 'string', description: '`<namespace>:<vendor_sku>`.' },
  SlotId: { type: 'string', description: '`<location>-<vendor_sku>`.' },
}

/** A titled schema in full, instead of the reference to it. */
function inline(published: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const name = published.$ref?.split('/').at(-1)
  return name === undefined ? published : (BRIEF[name] ?? definitions[name] ?? {})
}

const BOUNDS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems', 'maximum', 'pattern'])

/** A lower bound of 0 or 1 goes without saying; one of 21 days does not. */
const isBound = (name: string, value: unknown): boolean =>
  BOUNDS.has(name) || (name === 'minimum' && Number(value) <= 1)

/** Members whose name says what their description says, or whose format does. The instructions explain paging. */
const SAYS_ENOUGH: ReadonlySet<string> = new Set(['cursor', 'limit', 'confirm'])

/** Of a list that may be null: the list. An empty one means the same, and strict clients take no union with optional members. */
const listOrNull = ({ anyOf }: JsonSchema): JsonSchema | undefined =>
  anyOf?.length === 2 && anyOf[1]?.type === 'null' && anyOf[0]?.type === 'array' ? anyOf[0] : undefined

/**
 * Bounds, patterns and members that must not be sent help nobody to write a call, and the service checks them anyway.
 * Nor do descriptions of what the name or the format says. Without them the list is 8 KB shorter.
 */
function withoutBounds(schema: JsonSchema): JsonSchema {
  function keep(this: JsonSchema, name: string, value: unknown): unknown {
    if (typeof value !== 'object' || value === null)
      return isBound(name, value) || (name === 'description' && this['format'] === 'date-time') ? undefined : value
    if ('not' in value) return undefined
    const plain = listOrNull(value as JsonSchema)
    if (plain) return plain
    return SAYS_ENOUGH.has(name) ? { ...value, description: undefined } : value
  }
  return JSON.parse(JSON.stringify(schema, keep)) as JsonSchema
}

const REFERENCE = /\{"\$ref":"#\/\$defs\/(\w+)"\}/g

/** Definitions only where they shorten the text: what is used once, or is short, stands where it is used. */
function withDefinitions(schema: JsonSchema, definitions: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const texts = new Map<string, string>()
  const uses = new Map<string, number>()
  const visit = (text: string) => {
    for (const [, name = ''] of text.matchAll(REFERENCE)) {
      uses.set(name, (uses.get(name) ?? 0) + 1)
      if (texts.has(name)) continue
      texts.set(name, JSON.stringify(withoutBounds(BRIEF[name] ?? definitions[name] ?? {})))
      visit(texts.get(name)!)
    }
  }
  const whole = JSON.stringify(withoutBounds(schema))
  visit(whole)
  const kept = new Set<string>()
  const expand = (text: string): string =>
    text.replaceAll(REFERENCE, (reference, name: string) => {
      const size = texts.get(name)!.length
      const count = uses.get(name)!
      if (count * size <= count * reference.length + name.length + size) return expand(texts.get(name)!)
      kept.add(name)
      return reference
    })
  const expanded = expand(whole)
  const $defs: Record<string, JsonSchema> = {}
  // A definition may be the only one to use another.
  for (const name of kept) $defs[name] = JSON.parse(expand(texts.get(name)!)) as JsonSchema
  return { ...(JSON.parse(expanded) as JsonSchema), ...(kept.size > 0 ? { $defs } : {}) }
}

/** Over MCP a list has another default size than the REST reference states, and a yes or no need not be text. */
function toArgument(tool: Tool, name: string, schema: JsonSchema): JsonSchema {
  if (name === 'dry_run') return { type: 'boolean', description: 'Check everything, change nothing.' }
  if (name !== 'limit') return schema
  return { ...schema, default: tool.operationId === 'getPlan' ? TOOL_PLAN_DEFAULT : TOOL_PAGE_DEFAULT }
}

function inputSchema(tool: Tool, shapes: Publisher): JsonSchema {
  const { operation, bodyKey, ucp } = tool
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const isWrite = operation.write !== undefined
  if (ucp) properties['meta'] = ucpMeta(isWrite)
  for (const schema of [operation.params, operation.query]) {
    for (const [name, member] of Object.entries(schema?.properties ?? {}))
      properties[name] = toArgument(tool, name, inline(shapes.publish(member), shapes.definitions))
    required.push(...(schema?.required ?? []))
  }
  if (operation.body) {
    const body = inline(shapes.publish(operation.body), shapes.definitions)
    if (bodyKey) {
      properties[bodyKey] = { ...body, properties: { ...body.properties, ...(bodyKey === 'location' ? {} : OPEN) } }
      if (!operation.bodyOptional) required.push(bodyKey)
    } else {
      Object.assign(properties, body.properties)
      required.push(...(body.required ?? []))
    }
  }
  if (!ucp && isWrite && !tool.idempotent) properties['meta'] = OWN_META
  if (!ucp && !isWrite) properties['fields'] = FIELDS
  return withDefinitions(
    { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
    shapes.definitions,
  )
}

/** `ucp`, `messages` and `pagination` are explained by the instructions; the others are only in the answer to a dry run. */
const NOT_LISTED: ReadonlySet<string> = new Set(['ucp', 'messages', 'pagination', 'dry_run', 'evidence'])

interface Member {
  readonly type?: string
  readonly anyOf?: readonly Member[]
}

const typeOnly = ({ type }: Member): JsonSchema => (type === undefined ? {} : { type })

/** Names and types of the members, to depth one: the full schemas are four times the size of everything else. */
const membersOf = ({ returns }: Operation): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.entries((returns as { properties?: Readonly<Record<string, Member>> }).properties ?? {})
      .filter(([name]) => !NOT_LISTED.has(name))
      .map(([name, { type, anyOf }]) => [name, type === undefined ? { anyOf: anyOf?.map(typeOnly) ?? [] } : { type }]),
  )

/** Tools that only read, by the members of their answers. */
const READERS: ReadonlySet<string> = new Set(
  TOOLS.filter(({ readOnly }) => readOnly).map(({ operation }) => JSON.stringify(membersOf(operation))),
)

/** A tool that answers with what another one reads leaves the members to that one: `create_checkout` to `get_checkout`. */
function outputSchema({ operation, readOnly }: Tool): JsonSchema {
  const properties = membersOf(operation)
  const isRepeated = !readOnly && READERS.has(JSON.stringify(properties))
  return { type: 'object', required: ['ucp'], ...(isRepeated ? {} : { properties }) }
}

/** Codes that every reader of an answer knows without an explanation. */
const OBVIOUS = new Set<string>([
  'not_found',
  'namespace_mismatch',
  'namespace_unsupported',
  'supplier_rejected',
  'upstream_unreachable',
])

function description({ operation }: Tool): string {
  const guard = guardOf(operation)
  const codes = [...operation.codes.filter((code) => !OBVIOUS.has(code)), ...(guard ? ['kill_switch_engaged'] : [])]
  return codes.length > 0 ? `${operation.summary} Codes: ${[...new Set(codes)].join(', ')}.` : operation.summary
}

/** @param currency of a deployment; without one the schemas hold for all deployments */
export function describeTool(tool: Tool, currency?: CurrencyCode) {
  const all = publisher('#/$defs', 'anyOf')
  const shapes: Publisher =
    currency === undefined
      ? all
      : { publish: (schema) => all.publish(withCurrency(schema, currency)), definitions: all.definitions }
  return {
    name: tool.name,
    description: description(tool),
    inputSchema: inputSchema(tool, shapes),
    outputSchema: outputSchema(tool),
    annotations: {
      readOnlyHint: tool.readOnly,
      destructiveHint: tool.destructive === true,
      idempotentHint: tool.readOnly || tool.idempotent === true,
      openWorldHint: tool.openWorld === true,
    },
  }
}

/** The tools as a Markdown table, for agents and the skill. */
export const toolsTable = (): string =>
  [
    '| tool | what it does | toolset | changes something |',
    '|---|---|---|---|',
    ...TOOLS.map(
      ({ name, operation, toolset, readOnly, always }) =>
        `| \`${name}\` | ${operation.summary} | ${always ? 'always' : toolset} | ${readOnly ? 'no' : 'yes'} |`,
    ),
  ].join('\n')
