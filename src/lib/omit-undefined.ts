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
