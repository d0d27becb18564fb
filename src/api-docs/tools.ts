/** The tools as MCP hosts see them: name, description, schemas and hints, generated from the two tables. */
import type { CurrencyCode } from '../kernel/currency.ts'
import { withCurrency } from '../contract/deployment-currency.ts'
import type { Operation } from '../contract/operation.ts'
import { type Tool, DETAILS, TOOL_PLAN_DEFAULT, TOOLS } from '../contract/tools.ts'
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
const FIELDS: JsonSchema = { type: 'array', items: TEXT, description: 'Only these members.' }

/** Answers of writes and lists are small without it, as the instructions say. */
const WHOLE: JsonSchema = { type: 'boolean' }

/** What many tools take, in fewer words than in the reference. */
const BRIEF: Readonly<Record<string, JsonSchema>> = {
  LocationId: { type: 'string', description: 'Machine id.' },
  SkuId: { type: 'string', description: '`<namespace>:<vendor_sku>`.' },
  SlotId: { type: 'string' },
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

/** Members whose name says what their description says, or whose format does. The instructions explain ids and paging. */
const SAYS_ENOUGH: ReadonlySet<string> = new Set([
  'cursor',
  'limit',
  'confirm',
  'location',
  'sku_id',
  'namespace',
  'to_namespace',
  'vendor',
])

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
    if (!SAYS_ENOUGH.has(name)) return value
    return '$ref' in value ? TEXT : { ...value, description: undefined }
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
  if (name === 'dry_run') return { type: 'boolean', description: 'Change nothing.' }
  if (name !== 'limit') return schema
  // The instructions tell how many entries a list has.
  return { ...schema, default: tool.operationId === 'getPlan' ? TOOL_PLAN_DEFAULT : undefined }
}

function inputSchema(tool: Tool, shapes: Publisher): JsonSchema {
  const { operation, bodyKey, ucp } = tool
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const isWrite = operation.write !== undefined
  if (ucp) properties['meta'] = ucpMeta(isWrite)
  for (const schema of [operation.params, operation.query]) {
    for (const [name, member] of Object.entries(schema?.properties ?? {}))
      if (!tool.without?.includes(name))
        properties[name] = toArgument(tool, name, inline(shapes.publish(member), shapes.definitions))
    required.push(...(schema?.required ?? []))
  }
  if (operation.body) {
    const body = inline(shapes.publish(operation.body), shapes.definitions)
    if (bodyKey) {
      properties[bodyKey] = { ...body, properties: { ...body.properties, ...(bodyKey === 'location' ? {} : OPEN) } }
      if (!operation.bodyOptional) required.push(bodyKey)
    } else {
      for (const name of tool.bodyNames) properties[name] = body.properties?.[name] ?? {}
      required.push(...(body.required ?? []))
    }
  }
  if (!ucp && isWrite && !tool.idempotent) properties['meta'] = OWN_META
  if (!ucp && !isWrite) properties['fields'] = FIELDS
  if (tool.brief) properties[DETAILS] ??= WHOLE
  return withDefinitions(
    { type: 'object', properties, ...(required.length > 0 ? { required } : {}) },
    shapes.definitions,
  )
}

/** `ucp`, `messages` and `pagination` are explained by the instructions; the others are only in the answer to a dry run. */
const NOT_LISTED: ReadonlySet<string> = new Set(['ucp', 'messages', 'pagination', 'dry_run', 'evidence'])

/** Names of the members, to depth one: the full schemas are four times the size of everything else. */
const namesOf = ({ returns }: Operation): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    Object.keys((returns as { properties?: object }).properties ?? {})
      .filter((name) => !NOT_LISTED.has(name))
      .map((name) => [name, {}]),
  )

/**
 * Only tools of the protocol declare their answers, as it asks them to. Models do not see this, and a name in `fields` that
 * an answer does not have is refused with the nearest, or with all that it has.
 */
function outputSchema({ operation, readOnly, ucp }: Tool): JsonSchema | undefined {
  if (!ucp) return undefined
  const properties = readOnly ? namesOf(operation) : {}
  return { type: 'object', required: ['ucp'], ...(Object.keys(properties).length > 1 ? { properties } : {}) }
}

/** Codes that say all there is to say, or that the instructions explain: their message comes with the answer. */
const OBVIOUS = new Set<string>([
  'not_found',
  'namespace_mismatch',
  'namespace_unsupported',
  'supplier_rejected',
  'upstream_unreachable',
  'request_too_large',
  'confirmation_required',
  'not_editable',
  'already_placed',
  'already_delivered',
  'not_placed',
  'conflict',
  'expired',
  'too_many_pending',
  'guard_unverifiable',
  'kill_switch_engaged',
])

function description({ operation }: Tool): string {
  const codes = operation.codes.filter((code) => !OBVIOUS.has(code))
  return codes.length > 0 ? `${operation.summary} Codes: ${codes.join(', ')}.` : operation.summary
}

/**
 * What equals the protocol's default is left out, but for the two that hosts ask a person about. Reading again changes
 * nothing, and what it answers may always hold words of a vendor.
 */
const annotations = ({ readOnly, destructive, idempotent, openWorld }: Tool) => ({
  readOnlyHint: readOnly,
  destructiveHint: destructive === true,
  ...(!readOnly && idempotent ? { idempotentHint: true } : {}),
  ...(readOnly || openWorld ? {} : { openWorldHint: false }),
})

/** @param currency of a deployment; without one the schemas hold for all deployments */
export function describeTool(tool: Tool, currency?: CurrencyCode) {
  const all = publisher('#/$defs', 'anyOf')
  const shapes: Publisher =
    currency === undefined
      ? all
      : { publish: (schema) => all.publish(withCurrency(schema, currency)), definitions: all.definitions }
  const output = outputSchema(tool)
  return {
    name: tool.name,
    description: description(tool),
    inputSchema: inputSchema(tool, shapes),
    ...(output ? { outputSchema: output } : {}),
    annotations: annotations(tool),
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
