/** Ends an exhaustive switch: a new case does not compile until it is handled. */
export function never(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
