/** Renders a schema for the reference page: its type, its limits, and its members as a list. */
import { type Html, html, joinHtml, prose } from './html.ts'
import type { JsonSchema } from './json-schema.ts'

const nameOf = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1)

export const shapeLink = (ref: string): Html => html`<a href="#shape-${nameOf(ref)}">${nameOf(ref)}</a>`

const values = (list: readonly unknown[]) =>
  joinHtml(
    list.map((value) => html`<code>${JSON.stringify(value)}</code>`),
    ' or ',
  )

/** `array of Price`, `"EA" or "BX"`, `string or null`. */
export function typePhrase(schema: JsonSchema): Html {
  if (schema.$ref !== undefined) return shapeLink(schema.$ref)
  if (schema.enum) return values(schema.enum)
  if ('const' in schema) return values([schema.const])
  if (schema.anyOf) return joinHtml(schema.anyOf.map(typePhrase), ' or ')
  if (schema.not) return html`must be absent`
  if (schema.type === 'array') return html`array of ${schema.items ? typePhrase(schema.items) : 'anything'}`
  if (schema.additionalProperties) return html`map of ${typePhrase(schema.additionalProperties)}`
  if (schema.type === undefined) return html`anything`
  return html`${typeof schema.type === 'string' ? schema.type : schema.type.join(' or ')}`
}

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** A range in words; bounds that cannot be reached are left out. */
function range(least: number | undefined, most: number | undefined, of: string): string | undefined {
  const reachable = most !== undefined && most < Number.MAX_SAFE_INTEGER ? most : undefined
  const floor = least !== undefined && least > Number.MIN_SAFE_INTEGER ? least : undefined
  if (floor !== undefined && reachable !== undefined) return `${floor} to ${reachable}${of}`
  if (floor !== undefined) return `at least ${floor}${of}`
  return reachable === undefined ? undefined : `at most ${reachable}${of}`
}

function limitPhrase(schema: JsonSchema): Html {
  const words = [
    range(number(schema['minimum']), number(schema['maximum']), ''),
    range(number(schema['minLength']), number(schema['maxLength']), ' characters'),
    range(number(schema['minItems']), number(schema['maxItems']), ' entries'),
    typeof schema['format'] === 'string' ? schema['format'] : undefined,
    'default' in schema ? `default ${JSON.stringify(schema['default'])}` : undefined,
  ].filter((word) => word !== undefined)
  const pattern = typeof schema['pattern'] === 'string' ? [html`<code>${schema['pattern']}</code>`] : []
  const parts = [...words.map((word) => html`${word}`), ...pattern]
  return parts.length === 0 ? html`` : html`<span class="limit">${joinHtml(parts, ', ')}</span>`
}

export interface Field {
  readonly name: string
  readonly required: boolean
  readonly schema: JsonSchema
  readonly description?: string
}

/** Members of untitled schemas are listed in place. */
function field({ name, required, schema, description = schema.description }: Field): Html {
  const inner = schema.properties ?? schema.items?.properties
  return html`<div class="field">
    <dt><code>${name}</code>${required && html` <span class="required">required</span>`}</dt>
    <dd>
      <span class="type">${typePhrase(schema)}</span> ${limitPhrase(schema)}${
        description !== undefined && html`<p>${prose(description)}</p>`
      }${inner !== undefined && members(schema.properties ? schema : (schema.items ?? {}))}
    </dd>
  </div> `
}

export const fieldList = (fields: readonly Field[]): Html =>
  fields.length === 0 ? html`<p class="none">No members.</p>` : html`<dl class="fields">${fields.map(field)}</dl>`

export const members = (schema: JsonSchema): Html =>
  fieldList(
    Object.entries(schema.properties ?? {}).map(([name, property]) => ({
      name,
      required: schema.required?.includes(name) ?? false,
      schema: property,
    })),
  )

/** A titled schema: an object with its members, anything else by its type. */
export const shape = (name: string, schema: JsonSchema): Html =>
  html`<section class="shape" id="shape-${name}">
    <h3><a class="anchor" href="#shape-${name}">${name}</a></h3>
    ${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}
    ${schema.properties ? members(schema) : html`<p><span class="type">${typePhrase(schema)}</span> ${limitPhrase(schema)}</p>`}
  </section> `
