export const FLAGS: readonly string[]
export const ALLOCATOR: Readonly<Record<string, string>>
