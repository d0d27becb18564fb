/** The hash chain: what was decided, attempted, repriced and stopped cannot be rewritten without being noticed. */
export { chainChange } from './records.ts'
export type { ChainActor, Facts } from './entry.ts'
export { type ChainedRows, type ChainReport, readChain, verifyChain } from './verify.ts'
