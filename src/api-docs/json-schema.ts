/**
 * From the shapes the service uses to the JSON Schema others read: every titled shape becomes a definition of its own
 * and is referred to by name. Answers lose their closing, which is for our tests only: callers must bear new fields.
 */
import type { TSchema } from 'typebox'

/** Plain JSON Schema, 2020-12. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly not?: JsonSchema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly [keyword: string]: unknown
}

export interface Publisher {
  /** The schema as published; titled schemas are replaced by references. */
  publish(schema: TSchema): JsonSchema
  /** Every schema referenced so far, by name. */
  readonly definitions: Readonly<Record<string, JsonSchema>>
}

const ANY_KEY = '^.*$'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nullOnly = (schema: JsonSchema) => schema.type === 'null'

/** Writes `anyOf [string, null]` as the equivalent, shorter `type [string, null]`. */
function union(branches: readonly JsonSchema[]): JsonSchema {
  const [only, ...more] = branches.filter((branch) => !nullOnly(branch))
  const optional = more.length === 0 && branches.some(nullOnly)
  if (!optional || typeof only?.type !== 'string') return { anyOf: branches }
  return { ...only, type: [only.type, 'null'] }
}

/**
 * @param base where the definitions are, for example `#/components/schemas`
 * @param nullable how a value that may be null is written: some readers of tool schemas know no list of types
 */
export function publisher(base: string, nullable: 'types' | 'anyOf' = 'types'): Publisher {
  const definitions: Record<string, JsonSchema> = {}

  function convert(value: unknown): JsonSchema {
    if (!isObject(value)) return {}
    const out: Record<string, unknown> = {}
    for (const [keyword, inner] of Object.entries(value)) {
      if (keyword === 'title' || (keyword === 'additionalProperties' && inner === false)) continue
      if (keyword === 'properties' && isObject(inner)) out[keyword] = mapValues(inner, publish)
      else if (keyword === 'patternProperties' && isObject(inner)) out['additionalProperties'] = publish(inner[ANY_KEY])
      else if (keyword === 'items' || keyword === 'not') out[keyword] = publish(inner)
      else if (keyword === 'anyOf' && Array.isArray(inner)) {
        const branches = inner.map(publish)
        Object.assign(out, nullable === 'types' ? union(branches) : { anyOf: branches })
      } else out[keyword] = inner
    }
    return out
  }

  function publish(value: unknown): JsonSchema {
    if (!isObject(value) || typeof value['title'] !== 'string') return convert(value)
    const name = value['title']
    const known = definitions[name]
    const schema = convert(value)
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`two different shapes are called ${name}`)
    definitions[name] = schema
    return { $ref: `${base}/${name}` }
  }

  return { publish, definitions }
}

const mapValues = <T>(record: Record<string, unknown>, change: (value: unknown) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
