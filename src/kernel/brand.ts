/** A string or number that was checked by its parser; the compiler does not accept a bare one in its place. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name }
