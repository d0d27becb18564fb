/**
 * Small answers for agents: of a write what it did and what can be done next, of a list its entries in a few words. Only the
 * tools of ours, and only where the caller did not ask for `details` or for `fields`. Pure.
 */
import { APPROVAL_ACTION } from '../../contract/capabilities.ts'
import type { OperationId } from '../../contract/handlers.ts'
import type { Tool } from '../../contract/tools.ts'
import { isObject } from './protocol.ts'

type Body = Readonly<Record<string, unknown>>

/** Bytes of what a write answers, besides `ucp` and `messages`, and of an entry of a list on average. */
const WRITE_BYTES_MAX = 1000
const ENTRY_BYTES_MAX = 500
/** Characters of a text in an entry of a list. */
const TEXT_MAX = 200
const MESSAGES_MAX = 20

const NEVER_LEFT_OUT: ReadonlySet<string> = new Set([
  'ucp',
  'messages',
  'pagination',
  'totals',
  'actions',
  'checkouts',
  'item',
  'price',
  'recommendation',
])

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '')

const isLong = (value: unknown): boolean => typeof value === 'object' && value !== null

/** Members of these objects that may be left out, the largest first, until the others are small enough on average. */
function namesToLeaveOut(objects: readonly Body[], bytesMax: number): ReadonlySet<string> {
  const sizes = new Map<string, number>()
  let total = 0
  for (const object of objects)
    for (const [name, value] of Object.entries(object)) {
      if (name === 'ucp' || name === 'messages') continue
      const size = name.length + bytesOf(value)
      total += size
      if (isLong(value) && !NEVER_LEFT_OUT.has(name)) sizes.set(name, (sizes.get(name) ?? 0) + size)
    }
  const names = new Set<string>()
  for (const [name, size] of [...sizes].toSorted(([, a], [, b]) => b - a)) {
    if (total <= bytesMax * objects.length) break
    names.add(name)
    total -= size
  }
  return names
}

/** How many entries the lists have that are left out, also those inside an object. */
function countLists(name: string, value: unknown): readonly (readonly [string, number])[] {
  if (Array.isArray(value)) return [[name, value.length]]
  return isObject(value) ? Object.entries(value).flatMap(([inner, list]) => countLists(inner, list)) : []
}

function leaveOut(object: Body, names: ReadonlySet<string>): Body {
  const left = Object.entries(object).filter(([name, value]) => names.has(name) && isLong(value))
  if (left.length === 0) return object
  const counts = Object.fromEntries(left.flatMap(([name, value]) => countLists(name, value)))
  const kept = Object.fromEntries(Object.entries(object).filter(([name, value]) => !names.has(name) || !isLong(value)))
  return { ...kept, ...(Object.keys(counts).length > 0 ? { counts } : {}) }
}

const shortText = (value: unknown): unknown =>
  typeof value === 'string' && value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX).toWellFormed()}…` : value

/** The entries have the same members, so that they can be compared. */
function briefEntries(entries: readonly Body[]): readonly Body[] {
  const plain = entries.map(({ ucp: _ucp, ...entry }) => entry)
  const names = new Set([...namesToLeaveOut(plain, ENTRY_BYTES_MAX), 'messages'])
  return plain.map((entry) =>
    Object.fromEntries(Object.entries(leaveOut(entry, names)).map(([name, value]) => [name, shortText(value)])),
  )
}

const isList = (value: unknown): value is readonly Body[] => Array.isArray(value) && value.every(isObject)

const briefList = (body: Body): Body =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name !== 'messages' && isList(value) ? briefEntries(value) : value,
    ]),
  )

/** Errors first: they say what was not done. */
function briefMessages(body: Body): Body {
  const { messages } = body
  if (!isList(messages) || messages.length <= MESSAGES_MAX) return body
  const isError = ({ type }: Body) => type === 'error'
  const shown = [...messages.filter(isError), ...messages.filter((message) => !isError(message))]
  const counts = { ...(isObject(body['counts']) ? body['counts'] : {}), messages: messages.length }
  return { ...body, messages: shown.slice(0, MESSAGES_MAX), counts }
}

export interface NextCall {
  readonly operation: OperationId
  readonly id: string
}

/** What can be done with what a write answered: decide or wait, place, buy, load. */
function nextCalls(operation: OperationId, body: Body): readonly NextCall[] {
  const { id, status, actions, checkouts } = body
  const approvals = isObject(actions) ? actions[APPROVAL_ACTION] : undefined
  const idsOf = (list: unknown, isWanted: (entry: Body) => boolean): readonly string[] =>
    isList(list) ? list.filter(isWanted).flatMap((entry) => (typeof entry['id'] === 'string' ? [entry['id']] : [])) : []
  const waiting = idsOf(approvals, () => true).map((found) => ({ operation: 'getApproval' as const, id: found }))
  if (waiting.length > 0) return waiting
  if (operation === 'createRun' && status === 'approved' && typeof id === 'string')
    return [{ operation: 'placeRun', id }]
  if (operation !== 'placeRun' || typeof id !== 'string') return []
  const buy = idsOf(checkouts, (checkout) => checkout['status'] === 'ready_for_complete')
  return [
    ...buy.map((found) => ({ operation: 'completeCheckout' as const, id: found })),
    { operation: 'getPickList', id },
  ]
}

/**
 * @param nameOf the tool of an operation, where the caller has it
 */
export function briefText(text: string, tool: Tool, nameOf: (operation: OperationId) => string | undefined): string {
  const body = JSON.parse(text) as Body
  if (tool.readOnly) return JSON.stringify(briefList(body))
  const small = briefMessages(leaveOut(body, namesToLeaveOut([body], WRITE_BYTES_MAX)))
  const next = nextCalls(tool.operationId, body).flatMap(({ operation, id }) => {
    const name = nameOf(operation)
    return name === undefined ? [] : [{ tool: name, id }]
  })
  return JSON.stringify(next.length > 0 ? { ...small, next } : small)
}
