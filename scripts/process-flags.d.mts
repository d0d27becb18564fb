export const NODE_FLAGS: readonly string[]
export const MALLOC_ENV: Readonly<Record<string, string>>
