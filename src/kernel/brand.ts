/** A value that passed through its one parser and can be told apart from a bare string or number. */
export type Brand<T, Name extends string> = T & { readonly __brand: Name }
