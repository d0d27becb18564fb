/** The hash chain: what was decided, attempted, repriced and stopped cannot be rewritten without being noticed. */
export { chainChange } from './records.ts'
export { entryHash } from './entry.ts'
export type { ChainEntry, Facts } from './entry.ts'
export { readChain, verifyChain } from './verify.ts'
export type { ChainedRows, ChainReport } from './verify.ts'
