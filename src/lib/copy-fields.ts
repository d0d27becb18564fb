/**
 * Copies the fields of `from` that are present, and nothing else a caller sent. `fields` has to name every field of `T`:
 * a field that is added to the type and forgotten here does not compile.
 */
export function copyFields<T extends object>(from: T, fields: Readonly<Record<keyof T, true>>): T {
  const copy: Partial<T> = {}
  for (const name of Object.keys(fields) as (keyof T)[]) if (from[name] !== undefined) copy[name] = from[name]
  return copy as T
}
