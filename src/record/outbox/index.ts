/** Messages to receivers outside: written with the change they are about, delivered by leased jobs (ADR 32). */
export { type Channel, deliveryJobs } from './deliver.ts'
export { endRemovedJob } from './end-removed.ts'
export { DeliveryCounts } from './delivery-counts.ts'
export { type StoredKey, createKey, currentKey, publishedKeys, retireKey, writeKeys } from './keys-file.ts'
export { type Batch, type SendResult, isMessageDue, orderBatches } from './message.ts'
export { parseRetryAfter } from './retry.ts'
export { addOrderMessages, hasOrderTargets, ORDER_CHANNEL, orderChannel } from './order-messages.ts'
export {
  type OutboxMessage,
  listChannelStates,
  findMessage,
  insertHookCall,
  insertMessages as addMessages,
  findLastTried,
  listMessages,
  removeOldHookCalls,
  removeOldMessages,
  requeueMessage,
  findUsedKeys,
} from './records.ts'
export { type SigningKeys, readKeysFile, signingKeys } from './signing-keys.ts'
