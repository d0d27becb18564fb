/**
 * Refusals in the words of a tool. What an operation says about its body is said about the argument that holds it, and
 * arguments that a tool does not have are named. All of it comes from the table of tools. Pure.
 */
import { IDEMPOTENCY_KEY_MAX, PROBLEMS_MAX } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { type Tool, DETAILS, FIELDS, META, TOOLS } from '../../contract/tools.ts'
import { type ErrorMessage, error } from '../../kernel/message.ts'
import { closestWord } from '../../lib/words.ts'
import { isIdempotencyKey } from '../idempotency.ts'
import { type Params, isObject } from './protocol.ts'
import { memberPath, nameOf } from '../parse.ts'

const ROOT = '$'
const NAME_MAX = 64
const SEPARATOR = ', '

/** The first name of a path: `line_items` of `$.line_items[0].quantity`. */
const firstName = (path: string): string | undefined => /^\$\.(\w+)/.exec(path)?.[1]

/** Paths of operations, such as `/skus/resolve`, in the texts of refusals. One with a parameter cannot be told from other text. */
const TOOL_OF_PATH: ReadonlyMap<string, string> = new Map(
  TOOLS.filter(({ paramNames }) => paramNames.length === 0).map(({ operation, name }) => [operation.path, name]),
)
const REST_PATH = /(?<![\w/:.])\/[a-z-]+\/[a-z-]+(?![\w/])/g
/** Their texts are the vendor's, and data. */
const VENDOR_CODES: ReadonlySet<string> = new Set(['supplier_rejected', 'upstream_unreachable'])

const withToolNames = ({ code, content }: ErrorMessage): string =>
  VENDOR_CODES.has(code) ? content : content.replaceAll(REST_PATH, (path) => TOOL_OF_PATH.get(path) ?? path)

/** Where the arguments of the tool have what the operation has at this path. */
function argumentPath({ bodyKey, paramNames, queryNames }: Tool, args: Params, path: string): string {
  if (bodyKey === undefined) return path
  const name = firstName(path) ?? ''
  const body = args[bodyKey]
  const isInBody = isObject(body) && Object.hasOwn(body, name) && !Object.hasOwn(args, name)
  if ((paramNames.includes(name) || queryNames.includes(name)) && !isInBody) return path
  return `${ROOT}.${bodyKey}${path.slice(ROOT.length)}`
}

function toMessage(tool: Tool, args: Params, message: ErrorMessage): ErrorMessage {
  const content = withToolNames(message)
  if (message.path === undefined) return { ...message, content }
  const path = argumentPath(tool, args, message.path)
  const said = nameOf(message.path)
  return {
    ...message,
    content: content.startsWith(`${said} `) ? `${nameOf(path)}${content.slice(said.length)}` : content,
    path,
  }
}

/** That the argument with the body is missing says more than that each of its members is. */
function bodyMissing({ bodyNames, operation }: Tool, bodyKey: string): ErrorMessage {
  const required = operation.body?.required ?? []
  const members = (required.length > 0 ? required : bodyNames).join(SEPARATOR)
  return error('missing', `${bodyKey} is required: an object with ${members}`, `${ROOT}.${bodyKey}`)
}

/** @param args as the caller wrote them */
export const toToolWords =
  (tool: Tool, args: Params) =>
  (messages: readonly ErrorMessage[]): readonly ErrorMessage[] => {
    const { bodyKey, paramNames } = tool
    const hasBody = bodyKey === undefined || args[bodyKey] !== undefined
    const isOfBody = ({ code, path = '' }: ErrorMessage) =>
      code === 'missing' && !paramNames.includes(firstName(path) ?? '')
    const first = hasBody ? -1 : messages.findIndex(isOfBody)
    if (bodyKey === undefined || first < 0) return messages.map((message) => toMessage(tool, args, message))
    return messages.flatMap((message, index) => {
      if (index === first) return [bodyMissing(tool, bodyKey)]
      return isOfBody(message) ? [] : [toMessage(tool, args, message)]
    })
  }

/** A tool refuses arguments that it does not have: one at the wrong place would be without effect. */
function unknownArgument(tool: Tool, name: string): ErrorMessage {
  const { bodyKey, bodyNames } = tool
  const path = memberPath(ROOT, name)
  const shown = name.slice(0, NAME_MAX)
  if (bodyKey !== undefined && bodyNames.includes(name))
    return error('invalid', `${shown} is a member of ${bodyKey}, not an argument of ${tool.name}`, path)
  const known = [...tool.argumentNames]
  const closest = closestWord(shown, known)
  const hint = closest === undefined ? `It has ${known.join(SEPARATOR)}` : `Did you mean ${closest}?`
  return error('invalid', `${tool.name} has no argument ${shown}. ${hint}`, path)
}

interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
}

/** Members of an answer, and of the entries of its lists: what `fields` may name. */
function answerNames({ returns }: Pick<Operation, 'returns'>): readonly string[] {
  const members = Object.entries((returns as Shape).properties ?? {})
  return [...new Set(members.flatMap(([name, { items }]) => [name, ...Object.keys(items?.properties ?? {})]))]
}

function unknownFields({ operation, argumentNames }: Tool, fields: unknown): readonly ErrorMessage[] {
  if (fields === undefined || fields === null || !argumentNames.has(FIELDS)) return []
  if (!Array.isArray(fields)) return [error('invalid', `${FIELDS} must be an array of names`, `${ROOT}.${FIELDS}`)]
  const known = answerNames(operation)
  return fields.flatMap((field: unknown, index) => {
    if (typeof field === 'string' && known.includes(field)) return []
    const path = `${ROOT}.${FIELDS}[${index}]`
    const shown = (typeof field === 'string' ? field : JSON.stringify(field)).slice(0, NAME_MAX)
    const closest = closestWord(shown, known)
    const hint = closest === undefined ? `It has ${known.join(SEPARATOR)}` : `Did you mean ${closest}?`
    return [error('invalid', `The answer has no member ${shown}. ${hint}`, path)]
  })
}

/** Where the operation has such a member it is checked there. */
function detailsProblems({ brief, queryNames }: Tool, details: unknown): readonly ErrorMessage[] {
  if (!brief || queryNames.includes(DETAILS) || typeof (details ?? false) === 'boolean') return []
  return [error('invalid', `${DETAILS} must be true or false`, `${ROOT}.${DETAILS}`)]
}

export const KEY_MEMBER = 'idempotency-key'
const KEY_PATH = memberPath(memberPath(ROOT, META), KEY_MEMBER)

/** A write whose key was not understood might be done twice. */
function metaProblems({ operation }: Tool, meta: unknown): readonly ErrorMessage[] {
  if (meta === undefined || meta === null) return []
  if (!isObject(meta)) return [error('invalid', `${META} must be an object`, `${ROOT}.${META}`)]
  const key = meta[KEY_MEMBER]
  if (!operation.write || key === undefined || isIdempotencyKey(key)) return []
  return [error('invalid', `${KEY_MEMBER} must have 1 to ${IDEMPOTENCY_KEY_MAX} characters`, KEY_PATH)]
}

/** What is wrong with the arguments besides what the operation checks. The emergency stop is pulled all the same. */
export function findArgumentProblems(tool: Tool, args: Params): readonly ErrorMessage[] {
  if (tool.operation.write?.urgent) return []
  const unknown = Object.keys(args).filter((name) => !tool.argumentNames.has(name))
  return [
    ...unknown.map((name) => unknownArgument(tool, name)),
    ...unknownFields(tool, args[FIELDS]),
    ...detailsProblems(tool, args[DETAILS]),
    ...metaProblems(tool, args[META]),
  ].slice(0, PROBLEMS_MAX)
}
