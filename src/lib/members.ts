/** Members of JSON objects by their paths, such as `catalog.file`. */
import { type Fields, isFields } from './objects.ts'

type Json = Record<string, unknown>

/** Puts a value at a path such as `catalog.file`. */
export function setMember(target: Json, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  let holder = target
  for (const name of names) {
    const inner = Object.hasOwn(holder, name) ? holder[name] : undefined
    const next: Json = isFields(inner) ? inner : {}
    holder[name] = next
    holder = next
  }
  holder[last] = value
}

/** Also what held it, once nothing else is in there. */
export function clearMember(target: Json, path: string): void {
  const names = path.split('.')
  const last = names.pop() ?? ''
  const holder = names.length === 0 ? target : memberAt(target, names.join('.'))
  if (!isFields(holder)) return
  delete (holder as Json)[last]
  if (names.length > 0 && Object.keys(holder).length === 0) clearMember(target, names.join('.'))
}

export const hasMember = (target: Fields, path: string): boolean => memberAt(target, path) !== undefined

export function memberAt(target: Fields, path: string): unknown {
  let holder: unknown = target
  for (const name of path.split('.')) {
    if (!isFields(holder) || !Object.hasOwn(holder, name)) return undefined
    holder = holder[name]
  }
  return holder
}
