/** The hash chain: what was decided, attempted, repriced and stopped cannot be rewritten without being noticed. */
export { chainChange, chainHead } from './records.ts'
export { entryHash } from './entry.ts'
export type { ChainEntry, ChainKind, Facts } from './entry.ts'
export { readChain, verifyChain } from './verify.ts'
export type { ChainedRow, ChainedRows, ChainProblem, ChainReport } from './verify.ts'
