/** Who may resolve a decision when the request names a resolver: a registered administrator, in a registered chat. */
import type { Resolver } from '../../contract/shapes/approval.ts'
import { type Person, TOKEN_HOLDER } from '../../kernel/person.ts'
import type { Rules } from '../guardrails/index.ts'

type Registered = Pick<Rules, 'administrators' | 'administratorChats'>

export function mayResolve(rules: Registered, { channel, sender_id, chat_id }: Resolver): boolean {
  if (sender_id === undefined || !rules.administrators.includes(sender_id)) return false
  return channel !== 'chat' || (chat_id !== undefined && rules.administratorChats.includes(chat_id))
}

/** `resolved_by`: without a resolver it was the holder of the key or token. */
export const describeResolver = (resolver: Resolver | undefined, by: Person = TOKEN_HOLDER): string =>
  resolver === undefined ? by.name : `${resolver.sender_id ?? 'unknown'} (${resolver.channel})`
