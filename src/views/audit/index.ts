/** Audit: whether the books agree with each other and with the suppliers, and their repair. Run on the server only. */
export { audit } from './audit.ts'
export { auditChain } from './audit-chain.ts'
export { findLostOrders } from './lost-orders.ts'
export { repair } from './repair.ts'
