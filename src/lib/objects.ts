/** Objects: fields that are copied, required or left out. */

/**
 * Copies the fields of `from` that are present, and nothing else a caller sent. `fields` has to name every field of `T`:
 * a field that is added to the type and forgotten here does not compile.
 */
export function copyFields<T extends object>(from: T, fields: Readonly<Record<keyof T, true>>): T {
  const copy: Partial<T> = {}
  for (const name of Object.keys(fields) as (keyof T)[]) if (from[name] !== undefined) copy[name] = from[name]
  return copy as T
}

/** A JSON object whose members are not checked yet. */
export type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an object literal, where one that may be undefined is optional instead. */
type Stated<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Without the members that are undefined: what is not known is absent. */
export function omitUndefined<const T extends object>(members: T): Stated<T> {
  const stated: Partial<T> = {}
  for (const name in members) if (members[name] !== undefined) stated[name] = members[name]
  return stated as unknown as Stated<T>
}
