/** Messages to receivers outside: written with the change they are about, delivered by leased jobs (ADR 32). */
export { deliveryJobs } from './deliver.ts'
export type { Channel } from './deliver.ts'
export { endRemovedJob } from './end-removed.ts'
export { DeliveryCounts } from './delivery-counts.ts'
export { createKey, currentKey, publishedKeys, retireKey, writeKeys } from './keys-file.ts'
export type { StoredKey } from './keys-file.ts'
export { orderBatches, parseRetryAfter } from './message.ts'
export type { Batch, OutboxMessage, SendResult } from './message.ts'
export { addOrderMessages, hasOrderTargets, ORDER_CHANNEL, orderChannel } from './order-messages.ts'
export {
  channelStates,
  findMessage,
  insertHookCall,
  insertMessages as addMessages,
  lastTried,
  listMessages,
  removeOldHookCalls,
  removeOldMessages,
  requeueMessage,
  toldKeys,
} from './records.ts'
export { readKeysFile, signingKeys } from './signing-keys.ts'
export type { SigningKeys } from './signing-keys.ts'
