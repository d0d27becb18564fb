/**
 * Validates requests against the schemas of the operations table. Bodies are taken literally: `"true"` and `1` are not
 * `true`. Query and path arrive as text, so only there digits are read as numbers.
 */
import { type ErrorObject, type ValidateFunction, Ajv } from 'ajv'
import formats from 'ajv-formats'
import { type TObject, type TSchema, Type } from 'typebox'
import { BODY_DEPTH_MAX, PROBLEMS_MAX } from '../contract/limits.ts'
import { type ErrorMessage, error } from '../kernel/message.ts'
import { hasNul } from '../kernel/nul.ts'
import { demandText } from '../kernel/text.ts'

const options = { allErrors: true, strict: false, verbose: true, validateFormats: true } as const
const ajv = new Ajv(options)
formats.default(ajv)

const NO_PROBLEMS: readonly ErrorMessage[] = []

export type Validator = (value: unknown) => readonly ErrorMessage[]

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/

/** RFC 9535: `/line_items/0/quantity` becomes `$.line_items[0].quantity`. */
function jsonPath(pointer: string, property?: string): string {
  const parts = pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (property !== undefined) parts.push(property)
  return parts.reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : memberPath(path, part)), '$')
}

/** The path of a member of what is at the path. */
export const memberPath = (path: string, name: string): string =>
  IDENTIFIER.test(name) ? `${path}.${name}` : `${path}['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`

/** A batch above its limit has its own code; other arrays that are too long are `invalid`. */
const isBatch = (problem: ErrorObject) => problem.keyword === 'maxItems' && problem.instancePath === '/ids'

/** Whether the problem is at a required property: there null counts as missing. */
function isRequired(root: TSchema, problem: ErrorObject): boolean {
  const steps = problem.schemaPath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = steps.lastIndexOf('properties')
  const name = steps[last + 1]
  if (last < 0 || name === undefined) return false
  let parent: unknown = root
  for (const step of steps.slice(0, last)) parent = (parent as Record<string, unknown> | undefined)?.[step]
  return ((parent as { required?: readonly string[] } | undefined)?.required ?? []).includes(name)
}

/** What to check, not what to send: a caller that only sets the member has checked nothing. */
const UNCONFIRMED =
  "Not confirmed, so nothing was done. First check the total or the prices: they must be what a person agreed to or the owner's rules allow"

/** How a message calls what is at its path. */
export const nameOf = (path: string): string => (path === '$' ? 'The request' : path.slice(2))

function toMessage(root: TSchema, problem: ErrorObject): ErrorMessage {
  const path = jsonPath(problem.instancePath, problem.params['missingProperty'] as string | undefined)
  // Spending and pricing need the literal JSON true; a missing or null `confirm` has the same code as a wrong one.
  if (path === '$.confirm') return error('confirmation_required', UNCONFIRMED, path)
  const name = nameOf(path)
  if (problem.keyword === 'required' || (problem.data === null && isRequired(root, problem)))
    return error('missing', `${name} is required`, path)
  if (isBatch(problem)) return error('request_too_large', `${name} ${demandText(problem)}`, path)
  return error('invalid', `${name} ${formText(problem) ?? demandText(problem)}`, path)
}

/** Words for a pattern, a format or a number with decimals: what it is, else its description. */
function formText(problem: ErrorObject): string | undefined {
  const { keyword, data, parentSchema: { title, description } = {} } = problem
  if (keyword === 'type' && typeof data === 'number' && description !== undefined)
    return `${demandText(problem)}. ${String(description).replace(/\.$/, '')}`
  if (keyword !== 'pattern' && keyword !== 'format') return undefined
  const kind = KINDS[String(title)] ?? FORMATS[String(problem.params['format'])]
  if (kind !== undefined) return `is not a valid ${kind}`
  return description === undefined ? undefined : `is not valid: ${String(description).replace(/\.$/, '')}`
}

const KINDS: Readonly<Record<string, string>> = {
  SkuId: 'SKU ID, such as acme-supply:SP1001',
  LocationId: 'machine ID',
  SlotId: 'slot ID, such as M1001-G0001',
  Namespace: 'namespace, such as acme-supply',
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'date, such as 2026-09-10',
  'date-time': 'time with a time zone, such as 2026-09-10T08:00:00+08:00',
}

/**
 * Of a union whose one form was tried, the problem inside it is the mistake: that the value has none of the other forms is
 * no second one.
 */
function withoutOtherForms(problems: readonly ErrorObject[]): readonly ErrorObject[] {
  const unions = problems.filter(({ keyword }) => keyword === 'anyOf')
  const isOf = (union: ErrorObject, { schemaPath, instancePath }: ErrorObject) =>
    schemaPath.startsWith(union.schemaPath) && `${instancePath}/`.startsWith(`${union.instancePath}/`)
  const isInside = (union: ErrorObject, problem: ErrorObject) =>
    problem.keyword === 'required' || problem.instancePath !== union.instancePath
  const tried = unions.filter((union) => problems.some((problem) => isOf(union, problem) && isInside(union, problem)))
  return problems.filter((problem) => !tried.some((union) => isOf(union, problem) && !isInside(union, problem)))
}

/** One problem per path: a union reports one for each of its branches. */
function firstOfEachPath(problems: readonly ErrorMessage[]): readonly ErrorMessage[] {
  const seen = new Map<string, ErrorMessage>()
  for (const problem of problems) {
    const known = seen.get(problem.path ?? '$')
    if (!known) seen.set(problem.path ?? '$', problem)
  }
  return [...seen.values()].slice(0, PROBLEMS_MAX)
}

export function bodyValidator(schema: TSchema): Validator {
  let validate: ValidateFunction | undefined
  return (value) => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return NO_PROBLEMS
    return firstOfEachPath(withoutOtherForms(validate.errors ?? []).map((problem) => toMessage(schema, problem)))
  }
}

/** `0x10`, `1e1` and ` 5` are not numbers here. */
const INTEGER = /^-?\d+$/

/** For path and query: converts integers and booleans in place before validating. */
export function textValidator(schema: TObject): Validator {
  const validate = bodyValidator(schema)
  const names = Object.keys(schema.properties)
  const numbers = names.filter((name) => Type.IsInteger(schema.properties[name]))
  const booleans = names.filter((name) => Type.IsBoolean(schema.properties[name]))
  return (value) => {
    const texts = value as Record<string, unknown>
    for (const name of numbers) {
      const text = texts[name]
      if (typeof text === 'string' && INTEGER.test(text)) texts[name] = Number(text)
    }
    for (const name of booleans)
      if (texts[name] === 'true' || texts[name] === 'false') texts[name] = texts[name] === 'true'
    return validate(value)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const OPEN_OBJECT = 0x7b
const CLOSE_ARRAY = 0x5d
const CLOSE_OBJECT = 0x7d

/** Counts on the bytes, before anything recursive sees the value and overflows the stack. */
function isTooDeep(raw: Buffer): boolean {
  if (raw.length <= BODY_DEPTH_MAX) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at] as number
    if (inString) {
      if (byte === BACKSLASH) at += 1
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth += 1
      if (depth > BODY_DEPTH_MAX) return true
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth -= 1
  }
  return false
}

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: 'malformed' | 'too_deep' }

const MALFORMED = { ok: false, problem: 'malformed' } as const

/** Drops `__proto__` keys, which no field of the contract uses. */
export function parseJson(raw: Buffer): ParsedJson {
  if (isTooDeep(raw)) return { ok: false, problem: 'too_deep' }
  try {
    const text = utf8.decode(raw)
    // The slower reviver runs only when the text may contain such a key or a NUL, plain or escaped.
    const isSuspicious = text.includes('__proto__') || text.includes('\\u00')
    const value: unknown = isSuspicious
      ? JSON.parse(text, (key, inner: unknown) => (key === '__proto__' ? undefined : inner))
      : JSON.parse(text)
    return isSuspicious && hasNul(value) ? MALFORMED : { ok: true, value }
  } catch {
    return MALFORMED
  }
}
